# libhaft_cuda.so, the plug-in for NVIDIA's GPUs: built where the CUDA toolkit is, and no part of a build without it. Its host code knows
# none of NVIDIA's headers (core/cuda/runtime_cuda.cpp excepted); its kernels are compiled once more for the host, by tests/cuda.
set(HAFT_CUDA AUTO CACHE STRING "The plug-in for NVIDIA's GPUs: AUTO builds it where CUDA 13's nvcc is, ON insists, OFF leaves it out")
set_property(CACHE HAFT_CUDA PROPERTY STRINGS AUTO ON OFF)

file(GLOB HAFT_CUDA_HOST_CODE CONFIGURE_DEPENDS core/cuda/*.cpp)
list(FILTER HAFT_CUDA_HOST_CODE EXCLUDE REGEX "/runtime_cuda\\.cpp$")
file(GLOB HAFT_CUDA_KERNELS CONFIGURE_DEPENDS core/cuda/*.cu)
set(HAFT_CUDA_FLAGS -Wall -Wextra -Wno-missing-field-initializers -ffunction-sections -fdata-sections -fno-gnu-unique)

# What kernels include that are compiled at run time, as text in the plug-in.
set(texts core/cuda/divider.h core/cuda/device.cuh core/cuda/fuse.cuh)
foreach(name functors math_cuda special bessel incomplete_gamma rare functors_base functors_unary functors_binary functors_activation)
  list(APPEND texts core/schema/${name}.h)
endforeach()
set(HAFT_FUSED_TEXTS ${HAFT_GENERATED}/core/cuda/fuse_texts.inc)
add_custom_command(OUTPUT ${HAFT_FUSED_TEXTS} COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} "-DFILES=${texts}" -DTO=${HAFT_FUSED_TEXTS}
  -P ${PROJECT_SOURCE_DIR}/cmake/texts.cmake DEPENDS ${texts} cmake/texts.cmake WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
add_custom_target(haft_fused_texts DEPENDS ${HAFT_FUSED_TEXTS})

# What the plug-in uses of the engine's own code: members of an archive, so that only these come along.
add_library(haft_plugin_base STATIC $<TARGET_OBJECTS:haft_base> $<TARGET_OBJECTS:haft_tensor>)
target_link_libraries(haft_plugin_base INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

file(CONFIGURE OUTPUT backend.map CONTENT "{ global: haft_backend_entry; local: *; };\n")
set(HAFT_CUDA_LINK -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--gc-sections -Wl,--as-needed -Wl,--build-id
  -Wl,-soname,libhaft_cuda.so -Wl,--version-script=${PROJECT_BINARY_DIR}/backend.map)

set(wanted ${HAFT_CUDA})
if(HAFT_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64")
  set(wanted OFF)
endif()
if(wanted STREQUAL AUTO)
  haft_need(there "libhaft_cuda.so, the plug-in for NVIDIA's GPUs" nvcc)
else()
  set(there ${wanted})
endif()
if(there AND NOT HAFT_TOOL_nvcc)
  message(FATAL_ERROR "HAFT_CUDA=ON, and there is no nvcc: install NVIDIA's CUDA toolkit 13 or name it in CUDA_HOME")
endif()
if(there)
  set(code "")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Text that the driver compiles for all from Ampere on, and Hopper's code made of the same text: instruction for instruction what
    # compute_90 gives, without its third of the time (tests/cuda/report reads the code).
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    set(code "--generate-code=arch=compute_80,code=[compute_80,sm_90]")
  endif()
  set(CMAKE_CUDA_COMPILER ${HAFT_TOOL_nvcc})
  if(CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    if(wanted STREQUAL ON)
      message(FATAL_ERROR "HAFT_CUDA=ON: ${HAFT_TOOL_nvcc} is of CUDA ${CMAKE_CUDA_COMPILER_VERSION}, haft needs 13")
    endif()
    message(STATUS "nvcc is of CUDA ${CMAKE_CUDA_COMPILER_VERSION}, haft needs 13: libhaft_cuda.so is left out")
    set(there FALSE)
  endif()
endif()
if(there)
  find_package(CUDAToolkit 13 REQUIRED)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know that nvcc has it
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA_FLAGS_RELEASE "-O2")
  add_library(haft_cuda MODULE ${HAFT_CUDA_HOST_CODE} core/cuda/runtime_cuda.cpp ${HAFT_CUDA_KERNELS})
  set_property(SOURCE core/cuda/runtime_cuda.cpp PROPERTY INCLUDE_DIRECTORIES ${CUDAToolkit_INCLUDE_DIRS})
  list(JOIN HAFT_CUDA_FLAGS "," flags)
  target_compile_options(haft_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${HAFT_CUDA_FLAGS}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:${code};--expt-relaxed-constexpr;-Xcompiler=${flags};--compress-mode=size>")
  add_dependencies(haft_cuda haft_fused_texts)
  target_include_directories(haft_cuda PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/capi/include ${HAFT_GENERATED})
  target_compile_definitions(haft_cuda PRIVATE HAFT_VERSION="${PROJECT_VERSION}")
  target_link_libraries(haft_cuda PRIVATE haft_plugin_base CUDA::cudart_static)
  target_link_options(haft_cuda PRIVATE ${HAFT_CUDA_LINK} -Wl,-z,defs
    -static-libstdc++)  # one file for all packages, on every Linux
  set_target_properties(haft_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} CUDA_RUNTIME_LIBRARY Static
    LINK_DEPENDS ${PROJECT_BINARY_DIR}/backend.map)
  install(TARGETS haft_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY HAFT_ENGINES haft_cuda)
endif()
