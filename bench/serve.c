/* Requests a second and their latencies with many client threads: the module called directly, and through
 * sessions. usage: serve [CLIENTS [SECONDS]] */
#include <haft/haft.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "bench/must.h"

typedef struct client {
  haft_module* module;
  haft_session* session; /* NULL: the module itself */
  const int64_t* size;
  int64_t ndim;
  double seconds;
  double* latencies; /* us */
  int64_t count, room;
} client;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void* work(void* argument) {
  client* c = argument;
  const double end = now() + c->seconds;
  haft_tensor* x = NULL;
  must(haft_set_inference_mode(1, NULL));
  must(haft_randn(c->size, c->ndim, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &x));
  for (double start = now(); start < end;) {
    haft_tensor* y = NULL;
    int64_t count = 0;
    double stop;
    if (c->session)
      must(haft_session_run(c->session, &x, 1, HAFT_NONE, &y, 1, &count));
    else
      must(haft_module_forward(c->module, x, &y));
    haft_tensor_release(y);
    stop = now();
    if (c->count < c->room) c->latencies[c->count] = (stop - start) * 1e6;
    ++c->count;
    start = stop;
  }
  haft_tensor_release(x);
  return NULL;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void measure(const char* name, haft_module* module, const int64_t* size, int64_t ndim, int clients,
                    double seconds, const haft_session_options* options) {
  enum { ROOM = 1 << 20 };
  pthread_t threads[256];
  client cs[256];
  haft_session* session = NULL;
  double* all = malloc(sizeof(double) * ROOM * 2);
  int64_t n = 0, total = 0;
  if (!all) exit(1);
  if (options) must(haft_session_create(module, options, &session));
  const double start = now();
  for (int i = 0; i < clients; ++i) {
    client c = {module, session, size, ndim, seconds, NULL, 0, ROOM / clients};
    c.latencies = malloc(sizeof(double) * (size_t)c.room);
    cs[i] = c;
    if (!c.latencies || pthread_create(&threads[i], NULL, work, &cs[i]) != 0) exit(1);
  }
  for (int i = 0; i < clients; ++i) {
    pthread_join(threads[i], NULL);
    total += cs[i].count;
    for (int64_t k = 0; k < cs[i].count && k < cs[i].room; ++k) all[n++] = cs[i].latencies[k];
    free(cs[i].latencies);
  }
  const double took = now() - start;
  haft_session_metrics m = HAFT_SESSION_METRICS_INIT;
  if (session) must(haft_session_get_metrics(session, &m));
  qsort(all, (size_t)n, sizeof(double), by_size);
  printf("%-34s %9.0f /s   p50 %8.0f us   p99 %8.0f us   batch %5.1f\n", name, (double)total / took,
         all[n / 2], all[n * 99 / 100], session ? m.mean_batch : 1.0);
  haft_session_release(session);
  free(all);
}

static haft_module* row(haft_module** layers, int count) {
  haft_module* out = NULL;
  must(haft_sequential_create(layers, count, &out));
  for (int i = 0; i < count; ++i) haft_module_release(layers[i]);
  must(haft_module_train(out, 0));
  return out;
}

static haft_module* linear(int64_t in, int64_t out) {
  haft_linear_options o = HAFT_LINEAR_OPTIONS_INIT;
  haft_module* m = NULL;
  o.in_features = in;
  o.out_features = out;
  must(haft_linear_create(&o, &m));
  return m;
}
static haft_module* relu(void) {
  haft_module* m = NULL;
  must(haft_relu_create(&m));
  return m;
}
static haft_module* conv(int64_t in, int64_t out) {
  haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
  haft_module* m = NULL;
  o.in_channels = in;
  o.out_channels = out;
  o.kernel_size[0] = o.kernel_size[1] = 3;
  o.padding[0] = o.padding[1] = 1;
  must(haft_conv2d_create(&o, &m));
  return m;
}

int main(int argc, char** argv) {
  const int clients = argc > 1 ? atoi(argv[1]) : 16;
  const double seconds = argc > 2 ? atof(argv[2]) : 2;
  const struct {
    const char* name;
    int32_t workers;
    int64_t max_batch, delay;
  } ways[] = {{"session, 1 worker", 1, 1, 0},
              {"session", 0, 1, 0},
              {"session, a worker a client", 0, 1, 0},
              {"session, batches", 0, 16, 0},
              {"session, batches, 2 workers", 2, 16, 0},
              {"session, batches, 200 us", 0, 16, 200}};
  const int64_t flat[] = {1, 784}, image[] = {1, 16, 28, 28};
  haft_module* small[] = {linear(784, 64), relu(), linear(64, 10)};
  haft_module* large[] = {linear(784, 1024), relu(), linear(1024, 1024), relu(), linear(1024, 10)};
  haft_module* convs[] = {conv(16, 32), relu(), conv(32, 32), relu(), conv(32, 16)};
  const struct {
    const char* name;
    haft_module* module;
    const int64_t* size;
    int64_t ndim;
  } nets[] = {{"perceptron 784-64-10", row(small, 3), flat, 2},
              {"perceptron 784-1024-1024-10", row(large, 5), flat, 2},
              {"three convolutions of 28 x 28", row(convs, 5), image, 4}};
  if (clients < 1 || clients > 256) return 2;
  for (size_t k = 0; k < sizeof nets / sizeof nets[0]; ++k) {
    printf("%s, %d clients\n", nets[k].name, clients);
    measure("  module, one client", nets[k].module, nets[k].size, nets[k].ndim, 1, seconds, NULL);
    measure("  module", nets[k].module, nets[k].size, nets[k].ndim, clients, seconds, NULL);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
      haft_session_options o = HAFT_SESSION_OPTIONS_INIT;
      char name[64];
      o.workers = w == 2 ? clients : ways[w].workers;
      o.max_batch = ways[w].max_batch;
      o.max_delay_us = ways[w].delay;
      snprintf(name, sizeof name, "  %s", ways[w].name);
      measure(name, nets[k].module, nets[k].size, nets[k].ndim, clients, seconds, &o);
    }
    haft_module_release(nets[k].module);
  }
  return 0;
}
