/* Programs of several ranks in turns with others (bench/run): rank 0 hears what is to be done and says it to the
 * other ranks, which sleep meanwhile. Ranks are forked, or started by mpirun; they find each other in a folder.
 *
 * A turn is a line "SIZE TIMES" on rank 0's standard input, the end of which ends the program; after it, and before
 * the first, rank 0 prints {"ready": "any", "wall": SECONDS}, the median of the turn's operations. */
#ifndef HAFT_BENCH_TOGETHER_H
#define HAFT_BENCH_TOGETHER_H
#include "bench/timing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { kMaxRanks = 64, kMaxTimes = 2000 };

typedef struct together {
  int rank, ranks;
  int pipe[kMaxRanks]; /* rank 0: to each other one; others: [0], from rank 0 */
} together;

typedef struct turn {
  long size, times; /* size 0: the end */
} turn;

static inline int together_pipe(const char* folder, int rank) {
  char path[4096];
  int fd;
  snprintf(path, sizeof path, "%s/turns-%d", folder, rank);
  mkfifo(path, 0600); /* whoever comes first */
  fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) perror(path), exit(1);
  return fd;
}

static inline together begin_together(const char* folder, int ranks) {
  together t;
  const char* mpi = getenv("OMPI_COMM_WORLD_RANK");
  memset(&t, 0, sizeof t);
  t.ranks = ranks;
  if (ranks < 1 || ranks > kMaxRanks) exit(2);
  if (mpi) t.rank = atoi(mpi);
  for (int r = 1; r < ranks && !mpi; ++r)
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      t.rank = r;
      break;
    }
  if (t.rank) t.pipe[0] = together_pipe(folder, t.rank);
  for (int r = 1; r < ranks && !t.rank; ++r) t.pipe[r] = together_pipe(folder, r);
  return t;
}

static inline turn next_turn(together* t, double wall) {
  turn now = {0, 0};
  if (t->rank) {
    if (read(t->pipe[0], &now, sizeof now) != sizeof now) exit(1);
    return now;
  }
  printf("{\"ready\": \"any\", \"wall\": %.6g}\n", wall);
  fflush(stdout);
  if (scanf("%ld %ld", &now.size, &now.times) != 2) now.size = 0;
  if (now.times > kMaxTimes) now.times = kMaxTimes;
  for (int r = 1; r < t->ranks; ++r)
    if (write(t->pipe[r], &now, sizeof now) != sizeof now) exit(1);
  return now;
}

static inline double median_of_turn(turn t, void (*run)(void*), void* arg) {
  static double took[kMaxTimes];
  for (long i = 0; i < t.times; ++i) {
    double start = now(CLOCK_MONOTONIC);
    run(arg);
    took[i] = now(CLOCK_MONOTONIC) - start;
  }
  return median(took, (int)t.times);
}

#endif
