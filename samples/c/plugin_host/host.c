/* A program with plug-ins that serves from threads of its own, a team of OpenMP: every thread asks models in turn,
 * while another loads other weights, closes plug-ins and opens them again. It never heard of haft: the plug-ins bring
 * it.
 *
 *   cc -O2 -fopenmp host.c -o host -ldl -lm
 *   ./host ./wide.so ./narrow.so                           ten minutes of 64 clients
 *   ./host --clients 8 --rounds 3 --every 500 ./wide.so    until plug-ins were exchanged three times, each after 500
 *
 * SIGHUP loads every model's other weights, SIGTERM ends it: what was asked is answered, status 0. README.md tells
 * the rest. */
#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scorer.h"

enum { MOST_MODELS = 8, MOST_CLIENTS = 1024, BUCKETS = 400, PATIENCE_MS = 5000, WHY = 512, PATH = 512 };

/* A place for a plug-in. Requests are counted in and out of it, so that it is never closed under one. */
typedef struct model {
  const char* path;
  char name[64], weights[2][PATH];
  int version; /* which weights it has */
  void* library;
  const scorer_api* api;
  scorer* scorer;
  pthread_mutex_t mutex;
  pthread_cond_t empty;
  int is_open, inside;
  int64_t answered;
  float* expected[2]; /* what each of the two weights answers each client */
} model;

typedef struct client {
  int64_t asked, answered, busy, away, late, refused, failed, wrong;
  int64_t latencies[BUCKETS]; /* at 1.05^i us: memory that does not grow with the requests */
} client;

static model models[MOST_MODELS];
static int model_count, client_count = 64, features, classes, stopping;
static client clients[MOST_CLIENTS];
static int64_t answered; /* by all models */
static double seconds = 600;
static int64_t rounds_wanted, every = 20000;
static const char *metrics_file, *device = "cpu";
static sigset_t signals;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void pause_us(long us) {
  const struct timespec t = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&t, NULL);
}
static int64_t read_counter(int64_t* counter) {
  int64_t value;
#pragma omp atomic read
  value = *counter;
  return value;
}
static void die(const char* what, const char* why) {
  fprintf(stderr, "host: %s: %s\n", what, why);
  exit(1);
}
static double resident_mb(void) {
  long pages = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%*s %ld", &pages) != 1) pages = 0;
  if (f) fclose(f);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* ---- plug-ins ---- */

static void load(model* m) {
  scorer_plugin_fn get;
  char why[WHY];
  void* symbol;
  m->library = dlopen(m->path, RTLD_NOW | RTLD_LOCAL);
  if (!m->library) die(m->path, dlerror());
  symbol = dlsym(m->library, "scorer_plugin");
  if (!symbol) die(m->path, "it has no scorer_plugin()");
  memcpy(&get, &symbol, sizeof get);
  m->api = get();
  if (m->api->version != SCORER_VERSION) die(m->path, "it is a plug-in of another release");
  if (!m->scorer && !m->weights[0][0]) return; /* only looked at */
  m->scorer = m->api->open(m->name, m->weights[m->version], device, why, sizeof why);
  if (!m->scorer) die(m->name, why);
  pthread_mutex_lock(&m->mutex);
  m->is_open = 1;
  pthread_mutex_unlock(&m->mutex);
}

/* New requests are turned away at the door, those inside get their answers, and only then the code goes. */
static void unload(model* m) {
  pthread_mutex_lock(&m->mutex);
  m->is_open = 0;
  pthread_mutex_unlock(&m->mutex);
  if (!m->api->stop(m->scorer, PATIENCE_MS)) fprintf(stderr, "host: %s had requests left\n", m->name);
  pthread_mutex_lock(&m->mutex);
  while (m->inside) pthread_cond_wait(&m->empty, &m->mutex);
  pthread_mutex_unlock(&m->mutex);
  m->api->release(m->scorer);
  m->scorer = NULL;
  m->api = NULL;
  dlclose(m->library);
  if (dlopen(m->path, RTLD_NOW | RTLD_NOLOAD)) die(m->path, "dlclose() left it in the process");
}

static int enter(model* m) {
  pthread_mutex_lock(&m->mutex);
  const int open = m->is_open;
  m->inside += open;
  pthread_mutex_unlock(&m->mutex);
  return open;
}
static void leave(model* m) {
  pthread_mutex_lock(&m->mutex);
  if (--m->inside == 0) pthread_cond_signal(&m->empty);
  pthread_mutex_unlock(&m->mutex);
}

/* ---- clients ---- */

static void features_of(int number, int rows, float* x) {
  for (int r = 0; r < rows; ++r)
#pragma omp simd
    for (int i = 0; i < features; ++i)
      x[r * features + i] = (float)((i * 7 + number * 13) % 31) / 31.0f - 0.5f;
}

/* What each of the two weights answers, asked before there is any load. */
static void learn(model* m) {
  const int most = m->api->most_rows;
  float* x = malloc(sizeof(float) * (size_t)(most * features));
  char why[WHY];
  for (m->version = 0; m->version < 2; ++m->version) {
    float* to = malloc(sizeof(float) * (size_t)((client_count + most) * classes));
    if (!x || !to) die(m->name, "out of memory");
    if (m->api->reload(m->scorer, m->weights[m->version], why, sizeof why)) die(m->name, why);
    for (int number = 0; number < client_count; number += most) {
      const int rows = client_count - number < most ? client_count - number : most;
      for (int r = 0; r < rows; ++r) features_of(number + r, 1, x + r * features);
      score_status status;
      do /* the very first may be late: much is made ready then */
        status = m->api->score(m->scorer, x, rows, to + number * classes, why, sizeof why);
      while (status == SCORE_LATE);
      if (status != SCORE_OK) die(m->name, why);
    }
    m->expected[m->version] = to;
  }
  m->version = 1;
  free(x);
}

static int is_close(const float* a, const float* b) {
  for (int i = 0; i < classes; ++i)
    if (!(fabsf(a[i] - b[i]) < 1e-5f)) return 0;
  return 1;
}

static void serve(int number) {
  client* c = &clients[number];
  const int threads = omp_get_max_threads();
  char why[WHY];
  float *x, *y;
  int most = 0;
  for (int i = 0; i < model_count; ++i)
    if (models[i].api->most_rows > most) most = models[i].api->most_rows;
  x = malloc(sizeof(float) * (size_t)((most + 1) * features));
  y = malloc(sizeof(float) * (size_t)((most + 1) * classes));
  if (!x || !y) die("a client", "out of memory");
  features_of(number, most + 1, x);
  for (int64_t turn = number;; ++turn) {
    model* m = &models[turn % model_count];
    /* Mostly one row, sometimes a few, and now and then more than a plug-in takes. */
    const int rows = turn % 256 == 0 ? most + 1 : turn % 16 == 0 ? 4 : 1;
    int stop;
    double took;
    score_status status;
#pragma omp atomic read
    stop = stopping;
    if (stop) break;
    ++c->asked;
    if (!enter(m)) { /* being exchanged: another would answer, or the caller comes again */
      ++c->away;
      pause_us(200);
      continue;
    }
    took = now();
    status = m->api->score(m->scorer, x, rows, y, why, sizeof why);
    took = now() - took;
    leave(m);
    /* The engine's libraries may use OpenMP, too; what this thread may use of it is as before. */
    if (omp_get_max_threads() != threads) {
      ++c->failed;
      fprintf(stderr, "host: a request has changed omp_get_max_threads()\n");
    }
    switch (status) {
      case SCORE_OK: {
        const int at = took > 1e-6 ? (int)(log(took * 1e6) / log(1.05)) : 0;
        ++c->latencies[at < BUCKETS ? at : BUCKETS - 1];
        ++c->answered;
#pragma omp atomic
        ++m->answered;
#pragma omp atomic
        ++answered;
        for (int r = 0; r < rows; ++r) /* by the one weights or the other, never by a mixture */
          if (!is_close(y + r * classes, m->expected[0] + number * classes) &&
              !is_close(y + r * classes, m->expected[1] + number * classes)) {
            ++c->wrong;
            break;
          }
        break;
      }
      case SCORE_BUSY: /* back pressure: whoever comes later finds less of a queue */
        ++c->busy;
        pause_us(500);
        break;
      case SCORE_LATE: ++c->late; break;
      case SCORE_CLOSED: ++c->away; break;
      case SCORE_BAD_REQUEST: ++c->refused; break;
      default: ++c->failed; fprintf(stderr, "host: %s: %s\n", m->name, why);
    }
  }
  free(x);
  free(y);
}

static client total(void) {
  client all;
  memset(&all, 0, sizeof all);
  for (int i = 0; i < client_count; ++i) {
    const client* c = &clients[i];
    all.asked += c->asked, all.answered += c->answered, all.busy += c->busy, all.away += c->away;
    all.late += c->late, all.refused += c->refused, all.failed += c->failed, all.wrong += c->wrong;
    for (int k = 0; k < BUCKETS; ++k) all.latencies[k] += c->latencies[k];
  }
  return all;
}
static double quantile(const client* c, double q) {
  int64_t n = 0, upto = 0;
  int k = 0;
  for (int i = 0; i < BUCKETS; ++i) n += c->latencies[i];
  for (; k < BUCKETS - 1 && (upto += c->latencies[k]) < (int64_t)ceil(q * (double)n);) ++k;
  return pow(1.05, k + 1);
}

/* ---- what is done beside the load ---- */

static void reload(model* m) {
  char why[WHY];
  if (m->api->reload(m->scorer, m->weights[!m->version], why, sizeof why)) die(m->name, why);
  m->version = !m->version;
}

/* In a file for a collector, as Prometheus' node_exporter reads them. */
static void show_metrics(void) {
  enum { ROOM = 1 << 18 };
  char* text = malloc(ROOM);
  char temporary[PATH + 8];
  FILE* f;
  if (!text || models[0].api->metrics(text, ROOM) > ROOM) die("metrics", "more than was expected");
  for (int i = 0; i < model_count; ++i) {
    char label[96];
    snprintf(label, sizeof label, "session=\"%s\"", models[i].name);
    if (!strstr(text, label)) die("metrics lack", label);
  }
  if (metrics_file) {
    snprintf(temporary, sizeof temporary, "%s.new", metrics_file);
    f = fopen(temporary, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0 || rename(temporary, metrics_file) != 0)
      die(metrics_file, "cannot be written");
  }
  free(text);
}

/* Other weights, weights that do not fit, and a plug-in closed and opened while the others serve. */
static void exchange(int64_t round) {
  model *m = &models[round % model_count], *other = &models[(round + 1) % model_count];
  const double start = now();
  char why[WHY];
  double closed;
  int64_t others;
  reload(m);
  if (!m->api->reload(m->scorer, other == m ? "no such file" : other->weights[0], why, sizeof why))
    die(m->name, "took weights that do not fit");
  unload(m);
  closed = now() - start;
  if (other != m) /* it is really gone while they are served */
    for (others = read_counter(&other->answered) + every / 8; read_counter(&other->answered) < others;)
      pause_us(200);
  load(m);
  show_metrics();
  printf("round %lld: %s closed in %.1f ms, back with %s; %lld answered, %.1f MB\n", (long long)(round + 1),
         m->name, closed * 1e3, strrchr(m->weights[m->version], '/') + 1, (long long)read_counter(&answered),
         resident_mb());
}

static double half_time_mb; /* by then every thread has its caches */

static void supervise(void) {
  const double start = now();
  int64_t next = every, round = 0;
  while (rounds_wanted ? round < rounds_wanted : now() - start < seconds) {
    const struct timespec tick = {0, 2000000};
    const int signal = sigtimedwait(&signals, NULL, &tick);
    if (signal == SIGTERM || signal == SIGINT) break;
    if (signal == SIGHUP) {
      for (int i = 0; i < model_count; ++i) reload(&models[i]);
      printf("loaded other weights\n");
    }
    if (read_counter(&answered) < next) continue;
    exchange(round++);
    if (half_time_mb == 0 && (rounds_wanted ? 2 * round >= rounds_wanted : now() - start > seconds / 2))
      half_time_mb = resident_mb();
    next = read_counter(&answered) + every;
  }
#pragma omp atomic write
  stopping = 1;
}

static void options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char* with = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--clients") && atoi(with) > 0 && atoi(with) <= MOST_CLIENTS)
      client_count = atoi(with);
    else if (!strcmp(argv[i], "--seconds") && atof(with) > 0)
      seconds = atof(with);
    else if (!strcmp(argv[i], "--rounds") && atoll(with) > 0)
      rounds_wanted = atoll(with);
    else if (!strcmp(argv[i], "--every") && atoll(with) > 0)
      every = atoll(with);
    else if (!strcmp(argv[i], "--metrics") && *with && strlen(with) < PATH)
      metrics_file = with;
    else if (!strcmp(argv[i], "--device") && *with)
      device = with;
    else if (argv[i][0] != '-' && model_count < MOST_MODELS) {
      models[model_count++].path = argv[i];
      continue;
    } else
      model_count = MOST_MODELS + 1; /* says how it is used */
    ++i;
  }
  if (model_count >= 1 && model_count <= MOST_MODELS) return;
  fprintf(stderr,
          "usage: host [--clients N] [--seconds S | --rounds N] [--every ANSWERS] [--metrics FILE] [--device "
          "cpu] PLUGIN.so ...\n");
  exit(2);
}

int main(int argc, char** argv) {
  char folder[] = "/tmp/plugin_host_XXXXXX", why[WHY];
  double growth;
  client all;
  int team = 0;
  options(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!mkdtemp(folder)) die(folder, "cannot be made");
  /* The signals are the supervisor's: all threads, the engine's as well, are born without them. */
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);

  for (int i = 0; i < model_count; ++i) {
    model* m = &models[i];
    const char* file = strrchr(m->path, '/');
    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->empty, NULL);
    snprintf(m->name, sizeof m->name, "%s", file ? file + 1 : m->path);
    if (strstr(m->name, ".so")) *strstr(m->name, ".so") = 0;
    load(m);
    if (i && (m->api->features != features || m->api->classes != classes))
      die(m->name, "is for other requests");
    features = m->api->features, classes = m->api->classes;
    for (int k = 0; k < 2; ++k) {
      snprintf(m->weights[k], PATH, "%s/%s.%d.safetensors", folder, m->name, k + 1);
      if (m->api->train(m->weights[k], 100 * i + k, why, sizeof why)) die(m->weights[k], why);
    }
    dlclose(m->library);
    load(m);
    learn(m);
  }
  printf("%d clients, %d models\n", client_count, model_count);

  omp_set_dynamic(0);
#pragma omp parallel num_threads(client_count + 1)
  {
#pragma omp single
    team = omp_get_num_threads();
    if (team != client_count + 1) die("OpenMP", "has fewer threads than clients");
    if (omp_get_thread_num() == 0)
      supervise();
    else
      serve(omp_get_thread_num() - 1);
  }
  for (int i = 0; i < model_count; ++i) unload(&models[i]);

  all = total();
  growth = half_time_mb > 0 ? resident_mb() - half_time_mb : 0;
  printf(
      "asked %lld: answered %lld, busy %lld, away %lld, late %lld, refused %lld, failed %lld; %lld wrong\n",
      (long long)all.asked, (long long)all.answered, (long long)all.busy, (long long)all.away,
      (long long)all.late, (long long)all.refused, (long long)all.failed, (long long)all.wrong);
  printf("p50 %.0f us, p99 %.0f us; %.1f MB, %+.1f MB since half-time\n", quantile(&all, 0.5),
         quantile(&all, 0.99), resident_mb(), growth);
  for (int i = 0; i < model_count; ++i)
    for (int k = 0; k < 2; ++k) {
      unlink(models[i].weights[k]);
      free(models[i].expected[k]);
    }
  rmdir(folder);
  if (all.asked != all.answered + all.busy + all.away + all.late + all.refused + all.failed)
    die("counts", "a request has no answer");
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory for a while */
  if (growth > 48) die("memory", "it grows");
#endif
  return all.failed || all.wrong;
}
