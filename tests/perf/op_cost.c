/* Runs every case of op_cases.h under callgrind and dumps its counters after each, so that op_cost.py can
 * tell the instructions of one operator. Counts the heap's use as well, by standing in front of the C
 * library's allocator.
 *
 * usage: op_cost TURNS       prints `name parts mallocs` for each case
 */
#include <stddef.h>
#include <valgrind/callgrind.h>

#include "tests/perf/op_cases.h"

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* p, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* p);

static volatile long heap_calls;

void* malloc(size_t size) {
  ++heap_calls;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++heap_calls;
  return __libc_calloc(count, size);
}
void* realloc(void* p, size_t size) {
  ++heap_calls;
  return __libc_realloc(p, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++heap_calls;
  return __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) {
  ++heap_calls;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  ++heap_calls;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : 12;
}
void free(void* p) { __libc_free(p); }

int main(int argc, char** argv) {
  int turns = argc > 1 ? atoi(argv[1]) : 1000;
  op_cases_setup();
  for (int i = 0; i < kOpCases; ++i) {
    const struct op_case* c = &op_cases[i];
    int n = turns / c->parts + 1;
    long before;
    c->run(n); /* caches and pools reach their steady state */
    before = heap_calls;
    CALLGRIND_ZERO_STATS;
    c->run(n);
    CALLGRIND_DUMP_STATS_AT(c->name);
    printf("%s %d %ld\n", c->name, n * c->parts, heap_calls - before);
    fflush(stdout);
  }
  return 0;
}
