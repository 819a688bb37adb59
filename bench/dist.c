/* All-reduce between processes of one host: `dist [ranks]` forks them and prints the median of each size as rank 0 sees it.
 * bench/peer/all_reduce.py is the same with PyTorch's Gloo. */
#include "bench/timing.h"

#include <haft/haft.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/must.h"

static void run(const char* url, int rank, int ranks) {
  static const int64_t bytes[] = {4096, 65536, 1 << 20, 25 << 20, 100 << 20};
  static double took[2000];
  haft_store* store = NULL;
  haft_process_group* g = NULL;
  must(haft_store_create(url, NULL, &store));
  must(haft_process_group_create(store, rank, ranks, NULL, &g));
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) {
    int64_t size = bytes[i] / 4;
    int times = bytes[i] <= 65536 ? 2000 : bytes[i] <= 1 << 20 ? 400 : bytes[i] <= 25 << 20 ? 40 : 15;
    haft_tensor* t = NULL;
    must(haft_full(&size, 1, haft_scalar_float(0), HAFT_FLOAT32, HAFT_DEVICE_CPU, &t));
    for (int k = -5; k < times; ++k) {
      double start = now(CLOCK_MONOTONIC);
      must(haft_process_group_all_reduce(g, t, HAFT_REDUCE_OP_SUM, NULL));
      if (k >= 0) took[k] = now(CLOCK_MONOTONIC) - start;
    }
    qsort(took, (size_t)times, sizeof *took, compare_doubles);
    if (!rank) printf("%9lld bytes: p50 %10.1f us, p90 %10.1f us\n", (long long)bytes[i], took[times / 2] * 1e6, took[times * 9 / 10] * 1e6);
    haft_tensor_release(t);
  }
  haft_process_group_release(g);
  haft_store_release(store);
}

int main(int argc, char** argv) {
  int ranks = argc > 1 ? atoi(argv[1]) : 2;
  char folder[] = "/tmp/haft-bench-XXXXXX", url[64];
  if (!mkdtemp(folder)) return 1;
  snprintf(url, sizeof url, "file://%s", folder);
  for (int r = 1; r < ranks; ++r)
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      run(url, r, ranks);
      return 0;
    }
  run(url, 0, ranks);
  while (wait(NULL) > 0) {
  }
  snprintf(url, sizeof url, "rm -r %s", folder);
  return system(url);
}
