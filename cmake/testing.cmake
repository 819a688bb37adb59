# haft_test(NAME label COMMAND ... [ENVIRONMENT ...]): every test has a label, a timeout and the same environment.
# Labels: core, capi, abi, arch, perf, samples, fuzz. A sanitized tree runs beside the plain one in CI, so its tests
# carry its name.
set(HAFT_TEST_PREFIX "")
set(HAFT_TEST_TIMEOUT 300)
set(HAFT_TEST_ENVIRONMENT OMP_NUM_THREADS=1 HAFT_SOURCE_DIR=${PROJECT_SOURCE_DIR})
if(HAFT_SANITIZE)
  string(REPLACE "," "-" HAFT_TEST_PREFIX "${HAFT_SANITIZE}/")
  set(HAFT_TEST_TIMEOUT 1200)
  list(APPEND HAFT_TEST_ENVIRONMENT
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0
    UBSAN_OPTIONS=print_stacktrace=1
    TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:second_deadlock_stack=1:die_after_fork=0)
endif()

# The operator calls that test_ops writes down and the languages repeat (fixture ops_calls).
set(HAFT_OPS_CALLS ${PROJECT_BINARY_DIR}/tests/ops_calls.txt)

function(haft_test name label)
  cmake_parse_arguments(arg "" "" "COMMAND;ENVIRONMENT" ${ARGN})
  add_test(NAME ${HAFT_TEST_PREFIX}${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${HAFT_TEST_PREFIX}${name} PROPERTIES LABELS ${label} TIMEOUT ${HAFT_TEST_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${HAFT_TEST_ENVIRONMENT};${arg_ENVIRONMENT}")
endfunction()
