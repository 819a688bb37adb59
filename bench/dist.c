/* All-reduce of float32 between processes in turns (bench/together.h); bench/peer has the same with PyTorch, Gloo and
 * MPI.
 *
 * usage: dist FOLDER RANKS [ENGINE [HOSTS [PROCESSES]]]
 *
 * HOSTS: a letter for the host of each rank, "aabb"; "-": as the machine is. PROCESSES: numbers with commas, in whose
 * network namespaces the ranks run. */
#define _GNU_SOURCE
#include <sched.h>

#include "bench/must.h"
#include "bench/together.h"

struct reduction {
  haft_process_group* group;
  haft_tensor* t;
};

static void reduce(void* arg) {
  struct reduction* r = arg;
  must(haft_process_group_all_reduce(r->group, r->t, HAFT_REDUCE_OP_SUM, NULL));
}

static void enter_namespace(const char* processes, int rank) {
  char path[64];
  int fd;
  for (int r = 0; r < rank && processes; ++r)
    processes = strchr(processes, ',') ? strchr(processes, ',') + 1 : NULL;
  snprintf(path, sizeof path, "/proc/%d/ns/net", processes ? atoi(processes) : 0);
  fd = open(path, O_RDONLY);
  if (fd < 0 || setns(fd, CLONE_NEWNET)) perror(path), exit(1);
  close(fd);
}

int main(int argc, char** argv) {
  together t;
  turn next = {0, 0};
  haft_store* store = NULL;
  haft_process_group_options options = HAFT_PROCESS_GROUP_OPTIONS_INIT;
  struct reduction r = {NULL, NULL};
  char url[4096];
  double wall = 0;
  long size = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: dist FOLDER RANKS [ENGINE [HOSTS [PROCESSES]]]\n");
    return 2;
  }
  t = begin_together(argv[1], atoi(argv[2]));
  if (argc > 3) options.engine = argv[3];
  if (argc > 4 && strcmp(argv[4], "-")) {
    char host[2] = {0, 0};
    host[0] = argv[4][t.rank];
    setenv("HAFT_HOSTID", host, 1);
  }
  if (argc > 5) enter_namespace(argv[5], t.rank);
  snprintf(url, sizeof url, "file://%s", argv[1]);
  must(haft_store_create(url, NULL, &store));
  must(haft_process_group_create(store, t.rank, t.ranks, &options, &r.group));
  for (;; wall = median_of_turn(next, reduce, &r)) {
    next = next_turn(&t, wall);
    if (!next.size) break;
    if (next.size == size) continue;
    size = next.size;
    const int64_t count = size / 4;
    haft_tensor_release(r.t);
    r.t = NULL;
    must(haft_full(&count, 1, haft_scalar_float(0), HAFT_FLOAT32, HAFT_DEVICE_CPU, &r.t));
  }
  haft_tensor_release(r.t);
  haft_process_group_release(r.group);
  haft_store_release(store);
  return 0;
}
