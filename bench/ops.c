/* Latency of single operators through the C ABI, in nanoseconds. usage: ops */
#include "bench/timing.h"
#include "tests/perf/op_cases.h"

static void turns(void* arg, int n) { ((const struct op_case*)arg)->run(n); }

int main(void) {
  double chain = 0;
  must(haft_set_num_threads(1));
  op_cases_setup();
  for (int i = 0; i < kOpCases; ++i) {
    const struct op_case* c = &op_cases[i];
    timing t = measure(c->name, turns, (void*)c, 0.05, 9);
    double ns = t.cpu * 1e9 / c->parts;
    emit(c->name, 1, "ns", ns, &t);
    /* A chain with backward follows the chain without: the difference is what a node costs to walk. */
    if (strstr(c->name, "chain") && !strstr(c->name, "backward")) chain = ns;
    if (strstr(c->name, "chain") && strstr(c->name, "backward")) {
      char name[64];
      snprintf(name, sizeof name, "node_%s", strstr(c->name, "add") ? "add" : "mul");
      emit(name, 1, "ns", ns - chain, &t);
    }
  }
  return 0;
}
