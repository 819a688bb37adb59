/* Runs every case of op_cases.h under callgrind and dumps its counters after each, so that op_cost.py can
 * tell the instructions of one operator. Counts the heap's use as well, by standing in front of the C
 * library's allocator, and calls of the device's runtime, where the plug-in counts them (cuda/idle.cpp).
 *
 * usage: op_cost TURNS [DEVICE PLUGIN]
 *        prints `name operators mallocs calls`, and after a colon the calls by name, for each case
 */
#define _GNU_SOURCE
#include <dlfcn.h>
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

static long no_calls(void) { return 0; }
static void nothing(void) {}
static void no_print(long operators) { (void)operators; }
static long (*device_calls)(void) = no_calls;
static void (*forget_calls)(void) = nothing;
static void (*print_calls)(long operators) = no_print;

static void count_calls_of(const char* plugin) {
  void* p = dlopen(plugin, RTLD_NOW | RTLD_NOLOAD);
  if (p) *(void**)&device_calls = dlsym(p, "haft_idle_calls");
  if (p) *(void**)&forget_calls = dlsym(p, "haft_idle_forget");
  if (p) *(void**)&print_calls = dlsym(p, "haft_idle_print");
  if (p && device_calls && forget_calls && print_calls) return;
  fprintf(stderr, "%s counts no calls: %s\n", plugin, dlerror());
  exit(1);
}

static void run(const struct op_case* c, int turns) {
  int n = turns / c->parts + 1;
  long heap_before, heap;
  c->run(n); /* caches and pools reach their steady state */
  forget_calls();
  heap_before = heap_calls;
  CALLGRIND_ZERO_STATS;
  c->run(n);
  CALLGRIND_DUMP_STATS_AT(c->name);
  heap = heap_calls - heap_before;
  printf("%s %d %ld %ld:", c->name, n * c->parts, heap, device_calls());
  print_calls((long)n * c->parts);
  printf("\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  int turns = argc > 1 ? atoi(argv[1]) : 1000;
  if (argc > 3) {
    must(haft_device_parse(argv[2], &op_device));
    count_calls_of(argv[3]);
  }
  op_cases_setup();
  for (int i = 0; i < kOpCases; ++i) run(&op_cases[i], turns);
  if (argc > 3)
    for (int i = 0; i < kDeviceCases; ++i) run(&device_cases[i], turns);
  return 0;
}
