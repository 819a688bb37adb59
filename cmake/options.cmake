# Flags that every object of haft is built with.
set(HAFT_GENERATED ${PROJECT_BINARY_DIR}/generated)  # what tools/generate writes at build time
add_library(haft_options INTERFACE)
target_include_directories(haft_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/capi/include ${HAFT_GENERATED})
target_compile_options(haft_options INTERFACE -Wall -Wextra -fno-semantic-interposition -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique -Wno-missing-field-initializers>)
target_compile_definitions(haft_options INTERFACE HAFT_VERSION="${PROJECT_VERSION}")

# HAFT_SANITIZE=address,undefined or thread, for everything, tests and samples too. Stack traces need frames and lines.
# -Og compiles as fast as -O0 and runs in half the time; tests (tests/CMakeLists.txt) and kernels choose for themselves.
if(HAFT_SANITIZE)
  add_compile_options(-fsanitize=${HAFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -Og)
  add_link_options(-fsanitize=${HAFT_SANITIZE})
  if(HAFT_SANITIZE MATCHES address)
    # It looks for the C++ library's throw when a program starts: too early for a C program that opens haft later.
    add_link_options(-Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state)
  endif()
endif()
