# libhaft.so from the engine's objects and the C shims; install rules, pkg-config file and CMake package.
file(GLOB HAFT_CAPI CONFIGURE_DEPENDS capi/src/*.cpp capi/src/generated/*.cpp)
if(HAFT_CAPI)
  add_library(haft SHARED ${HAFT_CAPI} ${HAFT_OBJECTS})
  target_link_libraries(haft PRIVATE haft_options ${DNNL_LIBRARY} ${HWY_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} ZLIB::ZLIB)
endif()
