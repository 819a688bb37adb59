# libhaft.so from the engine's objects and the C shims; install rules, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)

set(HAFT_ABI_MAJOR 1)
set(HAFT_VERSION_SCRIPT ${HAFT_GENERATED}/capi/haft.map)
file(GLOB HAFT_CAPI CONFIGURE_DEPENDS capi/src/*.cpp)
if(NOT HAFT_CAPI)
  return()
endif()

add_library(haft SHARED ${HAFT_CAPI} ${HAFT_GENERATED}/capi/src/ops.cpp ${HAFT_GENERATED}/capi/src/modules.cpp
  ${HAFT_GENERATED}/capi/src/api_table.cpp ${HAFT_OBJECTS})
add_dependencies(haft haft_generated)
target_link_libraries(haft PRIVATE haft_options ${DNNL_LIBRARY} ${HWY_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} ZLIB::ZLIB)
target_include_directories(haft INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/capi/include> $<INSTALL_INTERFACE:include>)
set_target_properties(haft PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION} SOVERSION ${HAFT_ABI_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
set_source_files_properties(${HAFT_GENERATED}/capi/src/ops.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # long enough
# In a batch it would move other files into other batches, where the shortest steps are compiled otherwise (tests/perf counts it).
set(HAFT_CAPI_DISTRIBUTED capi/src/data_parallel.cpp capi/src/distributions.cpp capi/src/fully_sharded.cpp capi/src/model_parallel.cpp capi/src/parallel.cpp
  capi/src/parameter_server.cpp capi/src/process_group.cpp capi/src/rpc.cpp capi/src/sharded_checkpoint.cpp capi/src/sharded_optimizer.cpp
  capi/src/shared_tensor.cpp capi/src/store.cpp capi/src/tensor_parallel.cpp)
set(HAFT_CAPI_SMALL ${HAFT_CAPI_DISTRIBUTED} ${HAFT_GENERATED}/capi/src/modules.cpp)  # they make what others run
set_source_files_properties(${HAFT_CAPI_SMALL} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
if(NOT HAFT_SANITIZE)
  set_source_files_properties(${HAFT_CAPI_SMALL} PROPERTIES COMPILE_OPTIONS -Os)
endif()
# Types for the tests' ABI dump come from the shims alone; the rest of the library carries no debug information. Where a
# variable lies at each instruction is no type, and takes long to find out.
if(HAFT_BUILD_TESTS AND NOT HAFT_SANITIZE)
  target_compile_options(haft PRIVATE -g -fno-var-tracking)
  target_precompile_headers(haft PRIVATE core/precompiled_engine.h)
else()
  target_precompile_headers(haft REUSE_FROM haft_ops)
endif()
target_link_options(haft PRIVATE
  -Wl,-z,nodelete                  # thread-local state and worker threads outlive any dlclose
  -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions -Wl,--gc-sections -Wl,--as-needed -Wl,--build-id)
if(NOT HAFT_SANITIZE)
  target_link_options(haft PRIVATE -Wl,-z,defs)  # a sanitizer's own symbols come with the program
endif()
target_link_options(haft PRIVATE -Wl,--version-script=${HAFT_VERSION_SCRIPT})
set_target_properties(haft PROPERTIES LINK_DEPENDS ${HAFT_VERSION_SCRIPT})

add_executable(haft-doctor tools/haft-doctor/main.cpp)
target_link_libraries(haft-doctor PRIVATE haft)
target_compile_options(haft-doctor PRIVATE -Wall -Wextra)
set_target_properties(haft-doctor PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(NOT HAFT_SANITIZE)
  target_link_options(haft-doctor PRIVATE -static-libstdc++ -Wl,--gc-sections)
endif()

install(TARGETS haft-doctor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS haft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY capi/include/haft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Debug information in a file of its own: `cmake --install build --component debug`, beside the stripped library.
install(CODE "
  file(MAKE_DIRECTORY \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
  execute_process(COMMAND ${CMAKE_OBJCOPY} --only-keep-debug \"$<TARGET_FILE:haft>\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:haft>.debug\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT debug EXCLUDE_FROM_ALL)

# Relocatable: the prefix is found from where the .pc file lies.
file(RELATIVE_PATH HAFT_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" HAFT_PC_PREFIX "${HAFT_PC_PREFIX}")
configure_file(pkgconfig/haft.pc.in haft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/haft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(Haft 1.0) gives Haft::haft.
write_basic_package_version_file(HaftConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES cmake/HaftConfig.cmake ${PROJECT_BINARY_DIR}/HaftConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Haft)

# What packages say of their origin; whoever publishes them sets both.
set(HAFT_HOMEPAGE "https://haft.example" CACHE STRING "Where packages say that haft is described")
set(HAFT_REPOSITORY "https://haft.example/haft.git" CACHE STRING "Where packages say that its sources are")
# `cmake --build build --target packages`: build/packages.
add_custom_target(packages COMMAND ${PROJECT_SOURCE_DIR}/tools/packages/make ${PROJECT_BINARY_DIR} ${PROJECT_VERSION}
  DEPENDS haft USES_TERMINAL VERBATIM COMMENT "Packages")
