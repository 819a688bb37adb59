/* Timing for the benchmark programs: medians over windows in which no other process was busy, one JSON line a
 * case. The peer's side measures in the same way (peer/common.py).
 */
#ifndef HAFT_BENCH_TIMING_H
#define HAFT_BENCH_TIMING_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Seconds for one turn. One thread is judged by `cpu`, which a neighbour does not touch; more threads by
 * `wall`. */
typedef struct timing {
  double wall, cpu, best;
  int clean, tried;
} timing;

typedef void (*turns_fn)(void* arg, int n);

static inline double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Busy seconds of the whole machine, from /proc/stat. */
static inline double machine_busy(void) {
  double user = 0, nice = 0, sys = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  FILE* f = fopen("/proc/stat", "r");
  if (!f) return 0;
  if (fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &sys, &idle, &wait, &irq, &soft,
             &steal) != 8)
    user = 0;
  fclose(f);
  return (user + nice + sys + irq + soft + steal) / (double)sysconf(_SC_CLK_TCK);
}

static inline int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline double median(double* v, int n) {
  qsort(v, (size_t)n, sizeof *v, compare_doubles);
  return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

/* Under HAFT_BENCH_TURNS a program says which case it is at, and what a turn in the last window took (s), and waits
 * for a line before every window, so that bench/run can have the sides measure the same case in turn. */
static inline void wait_for_turn(const char* name, double wall) {
  if (!getenv("HAFT_BENCH_TURNS")) return;
  printf("{\"ready\": \"%s\", \"wall\": %.6g}\n", name, wall);
  fflush(stdout);
  if (getchar() == EOF) exit(1);
}

/* Median over `windows` quiet windows of about `seconds` each: over all, when fewer than three were quiet, or
 * when a busy machine is what is measured. */
static inline timing measure_windows(const char* name, turns_fn run, void* arg, double seconds, int windows,
                                     int quiet_only) {
  enum { kMax = 64 };
  double walls[kMax], cpus[kMax], quiet[kMax];
  timing t = {0, 0, 1e30, 0, 0};
  int n = 1, limit = windows * (quiet_only ? 3 : 1);
  wait_for_turn(name, 0);
  run(arg, 1);
  if (limit > kMax) limit = kMax;
  for (;;) { /* how many turns fill a window */
    double start = now(CLOCK_MONOTONIC), spent;
    run(arg, n);
    spent = now(CLOCK_MONOTONIC) - start;
    if (spent > 0.1 * seconds || n > (1 << 28)) {
      n = (int)((double)n * seconds / (spent > 1e-9 ? spent : 1e-9));
      if (n < 1) n = 1;
      break;
    }
    n *= 4;
  }
  while (t.tried < limit && t.clean < windows) {
    double busy, cpu, wall, foreign;
    if (t.tried) wait_for_turn(name, walls[t.tried - 1]);
    busy = machine_busy();
    cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    wall = now(CLOCK_MONOTONIC);
    run(arg, n);
    wall = now(CLOCK_MONOTONIC) - wall;
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    foreign = machine_busy() - busy - cpu;
    walls[t.tried] = wall / n;
    cpus[t.tried] = cpu / n;
    if (walls[t.tried] < t.best) t.best = walls[t.tried];
    if (!quiet_only || foreign < 0.016 + 0.03 * wall) quiet[t.clean++] = walls[t.tried];
    ++t.tried;
  }
  t.cpu = median(cpus, t.tried);
  t.wall = t.clean >= 3 ? median(quiet, t.clean) : median(walls, t.tried);
  return t;
}

static inline timing measure(const char* name, turns_fn run, void* arg, double seconds, int windows) {
  return measure_windows(name, run, arg, seconds, windows, 1);
}

static inline double judged(const timing* t, int threads) { return threads == 1 ? t->cpu : t->wall; }

/* One result. `value` is in `unit`; larger is better for rates. */
static inline void emit(const char* name, int threads, const char* unit, double value, const timing* t) {
  printf("{\"case\": \"%s\", \"threads\": %d, \"unit\": \"%s\", \"value\": %.6g", name, threads, unit, value);
  if (t) printf(", \"clean\": %d, \"tried\": %d", t->clean, t->tried);
  printf("}\n");
  fflush(stdout);
}

static inline void emit_time(const char* name, int threads, const char* unit, const timing* t) {
  double scale = !strcmp(unit, "ns") ? 1e9 : !strcmp(unit, "us") ? 1e6 : !strcmp(unit, "ms") ? 1e3 : 1;
  emit(name, threads, unit, judged(t, threads) * scale, t);
}

#endif
