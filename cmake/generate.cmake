# The generator of everything that lists operators, layers or functions. Its output is committed: `regen` renews it, the test
# `drift` fails when it was forgotten.
file(GLOB HAFT_GENERATOR CONFIGURE_DEPENDS tools/generate/*.cpp)
add_executable(haft_generate ${HAFT_GENERATOR} core/base/error.cpp)
target_link_libraries(haft_generate PRIVATE haft_options)
target_compile_options(haft_generate PRIVATE -O0)  # runs for milliseconds

add_custom_target(regen COMMAND haft_generate ${PROJECT_SOURCE_DIR} COMMENT "Generating from ops.def and modules.def" VERBATIM)

if(HAFT_BUILD_TESTS AND NOT HAFT_SANITIZE)
  include(cmake/testing.cmake)
  haft_test(drift arch COMMAND haft_generate --check ${PROJECT_SOURCE_DIR})
endif()
