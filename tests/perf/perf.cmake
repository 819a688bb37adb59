# Instruction and allocation budgets of single operators through the C ABI.
add_executable(op_cost ${CMAKE_CURRENT_SOURCE_DIR}/perf/op_cost.c)
target_compile_options(op_cost PRIVATE -Wall -Wextra -fno-builtin)
target_include_directories(op_cost PRIVATE ${PROJECT_SOURCE_DIR})
target_link_options(op_cost PRIVATE -rdynamic)  # the library's calls must find this program's malloc
target_link_libraries(op_cost PRIVATE haft ${CMAKE_DL_LIBS})
haft_test(perf.op_cost perf NEEDS valgrind COMMAND ${HAFT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/perf/op_cost.py
  $<TARGET_FILE:op_cost> ${CMAKE_CURRENT_SOURCE_DIR}/perf/budgets.txt)

# From dlopen to a first tensor.
add_executable(perf_startup ${PROJECT_SOURCE_DIR}/bench/startup.c)
target_compile_options(perf_startup PRIVATE -Wall -Wextra)
target_include_directories(perf_startup PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(perf_startup PRIVATE ${CMAKE_DL_LIBS})
haft_test(perf.startup perf NEEDS valgrind COMMAND ${HAFT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/perf/startup.py
  ${HAFT_TOOL_valgrind} $<TARGET_FILE:perf_startup> $<TARGET_FILE:haft>)
