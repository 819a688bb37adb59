# haft_test(NAME label COMMAND ... [ENVIRONMENT ...] [NEEDS tool ...] [SETUP fixture] [USES fixture ...]): every test has a label, a timeout and
# the same environment. NEEDS names tools of cmake/optional.cmake; without one of them the test is left out. Labels: core, capi, abi, arch, perf, gpu,
# samples, fuzz. A sanitized tree runs beside the plain one in CI, so its tests carry its name.
set(HAFT_TEST_PREFIX "")
set(HAFT_TEST_TIMEOUT 900)  # ends what hangs; how fast a test is depends on who else computes
set(HAFT_TEST_ENVIRONMENT OMP_NUM_THREADS=1 HAFT_SOURCE_DIR=${PROJECT_SOURCE_DIR} XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache)
if(HAFT_SANITIZE)
  string(REPLACE "," "-" HAFT_TEST_PREFIX "${HAFT_SANITIZE}/")
  set(HAFT_TEST_TIMEOUT 1800)
  set(HAFT_ASAN_OPTIONS ASAN_OPTIONS=strict_string_checks=1:allocator_may_return_null=1)
  list(APPEND HAFT_TEST_ENVIRONMENT
    ${HAFT_ASAN_OPTIONS}:detect_stack_use_after_return=1
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0
    UBSAN_OPTIONS=print_stacktrace=1
    TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:second_deadlock_stack=1:die_after_fork=0)
endif()

# oneDNN's generated products for AVX2 take rows of their workspace for their stack. Where a thread's own stack lies near, valgrind takes
# that for a stack that grows, and the heap between the two for free or undefined.
set(HAFT_VALGRIND_ENVIRONMENT DNNL_MAX_CPU_ISA=SSE41)

# The operator calls that test_ops writes down and the languages repeat (fixture ops_calls).
set(HAFT_OPS_CALLS ${PROJECT_BINARY_DIR}/tests/ops_calls.txt)

# The sample that learns from pictures is run whole once, in C; with a tenth of them in the other languages.
set(HAFT_FEW_IMAGES ${HAFT_PYTHON} ${PROJECT_SOURCE_DIR}/tests/samples/few_images.py 6000)

# The longest begin first, lest one of them runs alone at the end. CTest measures for itself, from the second run on.
set(HAFT_LONG_TESTS bindings.python.parity_operators abi.headers packages.make capi.oom.0 capi.oom.1 capi.oom.2 capi.oom.3
  bindings.python.compat bindings.java bindings.java.checked samples.fashion_mnist cpu.0 cpu.1 cpu.2 cpu.3 dist dist.gloo cuda cuda.ops)
if(HAFT_SANITIZE)
  list(APPEND HAFT_LONG_TESTS capi ops.0 ops.1 ops.2 ops.3 parallel autograd)
endif()

# What the tests need that make the fixtures.
set(HAFT_FIXTURE_ops_calls GoogleTest)
set(HAFT_FIXTURE_curves torch)
set(HAFT_FIXTURE_entries torch)
set(HAFT_FIXTURE_cases torch)
set(HAFT_FIXTURE_packages patchelf dpkg-dev)

function(haft_test name label)
  cmake_parse_arguments(arg "" "SETUP" "COMMAND;ENVIRONMENT;NEEDS;USES" ${ARGN})
  if("${HAFT_PYTHON}" IN_LIST arg_COMMAND)
    list(APPEND arg_NEEDS python3)
  endif()
  foreach(fixture ${arg_SETUP} ${arg_USES})
    list(APPEND arg_NEEDS ${HAFT_FIXTURE_${fixture}})
  endforeach()
  haft_need(there ${HAFT_TEST_PREFIX}${name} ${arg_NEEDS})
  if(NOT there)
    return()
  endif()
  add_test(NAME ${HAFT_TEST_PREFIX}${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${HAFT_TEST_PREFIX}${name} PROPERTIES LABELS ${label} TIMEOUT ${HAFT_TEST_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${HAFT_TEST_ENVIRONMENT};${arg_ENVIRONMENT}"
    FIXTURES_SETUP "${arg_SETUP}" FIXTURES_REQUIRED "${arg_USES}")
  if(name IN_LIST HAFT_LONG_TESTS)
    set_tests_properties(${HAFT_TEST_PREFIX}${name} PROPERTIES COST 1000)
  endif()
endfunction()

# haft_on_device(NAME OPERATOR LINES COMMAND ...): a sample on the simulated device, once without this operator (tests/samples/on_device.py).
function(haft_on_device name operator lines)
  cmake_parse_arguments(arg "" "" "COMMAND;ENVIRONMENT;NEEDS" ${ARGN})
  if(HAFT_SANITIZE)
    return()
  endif()
  haft_test(samples.device.${name} samples NEEDS ${arg_NEEDS}
    COMMAND ${HAFT_PYTHON} ${PROJECT_SOURCE_DIR}/tests/samples/on_device.py sim:0 ${operator} ${lines} ${arg_COMMAND}
    ENVIRONMENT ${arg_ENVIRONMENT} HAFT_BACKEND_PATH=${PROJECT_BINARY_DIR}/tests)
endfunction()
