# The generator of everything that lists operators, layers or functions. The contract and the pages are committed: `regen`
# renews them, the test `drift` fails when it was forgotten. What nobody reviews is built, below HAFT_GENERATED.
file(GLOB HAFT_GENERATOR CONFIGURE_DEPENDS tools/generate/*.cpp)
add_executable(haft_generate ${HAFT_GENERATOR} core/base/error.cpp)
target_link_libraries(haft_generate PRIVATE haft_options)
target_compile_options(haft_generate PRIVATE -O0)  # runs for milliseconds
if(HAFT_SANITIZE)  # all else waits for it
  target_compile_options(haft_generate PRIVATE -fno-sanitize=all)
endif()
# All of it at once: what its files include takes five times as long as what they are.
set_target_properties(haft_generate PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)

add_custom_target(regen COMMAND haft_generate ${PROJECT_SOURCE_DIR} COMMENT "Generating from ops.def and modules.def" VERBATIM)

set(HAFT_GENERATED_FILES core/ops/functions.h core/nn/factories.h core/nn/functions.cpp capi/src/ops.cpp capi/src/modules.cpp
  capi/src/api_table.cpp capi/haft.map bindings/ops.i bindings/modules.hpp tests/ops/recorded_functions.h tests/bindings/makers.h
  bindings/python/haft/_ops.py bindings/python/haft/_forms.py bindings/python/haft/distributions/_kinds.py
  bindings/python/haft/nn/functional/_forms.py
  bindings/python/haft/nn/functional/_activations.py bindings/python/haft/nn/functional/_losses.py
  bindings/python/haft/nn/functional/_operators.py
  bindings/python/haft/nn/modules/_functions.py
  bindings/python/haft/nn/modules/_layers.py bindings/python/haft/nn/modules/_losses.py
  bindings/python/haft/optim/_optimizers.py bindings/python/haft/optim/_schedules.py)
list(TRANSFORM HAFT_GENERATED_FILES PREPEND ${HAFT_GENERATED}/)
file(GLOB read_by_generator CONFIGURE_DEPENDS core/schema/*.def capi/include/haft/*.h capi/abi/api_order.txt)
add_custom_command(OUTPUT ${HAFT_GENERATED_FILES} COMMAND haft_generate --build ${PROJECT_SOURCE_DIR} ${HAFT_GENERATED}
  DEPENDS haft_generate ${read_by_generator} COMMENT "What only the build wants of ops.def and modules.def" VERBATIM)
add_custom_target(haft_generated DEPENDS ${HAFT_GENERATED_FILES})
target_sources(haft_nn PRIVATE ${HAFT_GENERATED}/core/nn/functions.cpp)
foreach(folder tape ops autograd nn serve optim data distributions io dist parallel rpc init)  # who calls operators
  add_dependencies(haft_${folder} haft_generated)
endforeach()

if(HAFT_BUILD_TESTS AND NOT HAFT_SANITIZE)
  include(cmake/testing.cmake)
  haft_test(drift arch COMMAND haft_generate --check ${PROJECT_SOURCE_DIR})
endif()
