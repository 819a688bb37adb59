# find_package(Haft 1.0) gives Haft::haft. Library and headers are found from where this file lies, so that an installed
# tree may be moved.
if(NOT TARGET Haft::haft)
  get_filename_component(_haft_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  find_path(_haft_headers haft/haft.h NO_CACHE NO_DEFAULT_PATH
    PATHS "${_haft_libraries}/../include" "${_haft_libraries}/../../include")
  if(NOT _haft_headers OR NOT EXISTS "${_haft_libraries}/libhaft.so.1")
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
      "This installation of haft is not whole: libhaft.so.1 is expected in ${_haft_libraries}, haft/haft.h in include beside it")
  else()
    add_library(Haft::haft SHARED IMPORTED)
    set_target_properties(Haft::haft PROPERTIES IMPORTED_LOCATION "${_haft_libraries}/libhaft.so.1"
      IMPORTED_SONAME libhaft.so.1 INTERFACE_INCLUDE_DIRECTORIES "${_haft_headers}")
  endif()
  unset(_haft_libraries)
  unset(_haft_headers)
endif()
