/* What bench/dist.c measures, with MPI alone: mpirun ... peer_mpi FOLDER RANKS. */
#include <mpi.h>

#include "bench/together.h"

struct reduction {
  float* at;
  int count;
};

static void reduce(void* arg) {
  struct reduction* r = arg;
  MPI_Allreduce(MPI_IN_PLACE, r->at, r->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  together t;
  turn next = {0, 0};
  struct reduction r = {NULL, 0};
  double wall = 0;
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  t = begin_together(argv[1], atoi(argv[2]));
  for (;; wall = median_of_turn(next, reduce, &r)) {
    next = next_turn(&t, wall);
    if (!next.size) break;
    if (next.size / 4 == r.count) continue;
    r.count = (int)(next.size / 4);
    free(r.at);
    r.at = malloc((size_t)next.size);
    memset(r.at, 0, (size_t)next.size);
  }
  free(r.at);
  MPI_Finalize();
  return 0;
}
