/* What batches give a service: 32 clients ask one session, a row each, and wait for their answers. One row reads all
 * weights, 32 read them once: with 1024 hidden features they lie in the last cache and arithmetic soon rules, with
 * 4096 in memory.
 *
 * usage: batching batches|single THREADS HIDDEN */
#include <haft/haft.h>
#include <pthread.h>
#include <string.h>

#include "bench/must.h"
#include "bench/timing.h"

enum { CLIENTS = 32, IN = 784, OUT = 10 };

static haft_session* session;
static pthread_barrier_t begin, end;
static int turns;

static void* client(void* unused) {
  const int64_t size[2] = {1, IN};
  haft_tensor* x = NULL;
  must(haft_randn(size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &x));
  for (;;) {
    pthread_barrier_wait(&begin);
    if (!turns) break;
    for (int i = 0; i < turns; ++i) {
      haft_tensor* y = NULL;
      int64_t count = 0;
      must(haft_session_run(session, &x, 1, HAFT_NONE, &y, 1, &count));
      haft_tensor_release(y);
    }
    pthread_barrier_wait(&end);
  }
  haft_tensor_release(x);
  return unused;
}

static void ask(void* unused, int n) {
  (void)unused;
  turns = n;
  pthread_barrier_wait(&begin);
  if (n) pthread_barrier_wait(&end);
}

static haft_module* linear(int64_t in, int64_t out) {
  haft_linear_options o = HAFT_LINEAR_OPTIONS_INIT;
  haft_module* m = NULL;
  o.in_features = in;
  o.out_features = out;
  must(haft_linear_create(&o, &m));
  return m;
}

int main(int argc, char** argv) {
  const int threads = argc == 4 ? atoi(argv[2]) : 0, hidden = argc == 4 ? atoi(argv[3]) : 0;
  char name[64];
  haft_session_options options = HAFT_SESSION_OPTIONS_INIT;
  haft_module *layers[5] = {NULL, NULL, NULL, NULL, NULL}, *net = NULL;
  pthread_t clients[CLIENTS];
  timing t;
  if (threads < 1 || hidden < 1 || (strcmp(argv[1], "batches") && strcmp(argv[1], "single"))) {
    fprintf(stderr, "usage: batching batches|single THREADS HIDDEN\n");
    return 2;
  }
  snprintf(name, sizeof name, "perceptron 784-%d-%d-10", hidden, hidden);
  must(haft_set_num_threads(threads));
  layers[0] = linear(IN, hidden), layers[2] = linear(hidden, hidden), layers[4] = linear(hidden, OUT);
  must(haft_relu_create(&layers[1]));
  must(haft_relu_create(&layers[3]));
  must(haft_sequential_create(layers, 5, &net));
  if (!strcmp(argv[1], "batches")) options.max_batch = CLIENTS, options.max_delay_us = 500;
  must(haft_session_create(net, &options, &session));
  pthread_barrier_init(&begin, NULL, CLIENTS + 1);
  pthread_barrier_init(&end, NULL, CLIENTS + 1);
  for (int i = 0; i < CLIENTS; ++i)
    if (pthread_create(&clients[i], NULL, client, NULL) != 0) return 1;
  t = measure(name, ask, NULL, 0.5, 7);
  emit(name, threads, "us", judged(&t, threads) * 1e6 / CLIENTS, &t);
  ask(NULL, 0);
  for (int i = 0; i < CLIENTS; ++i) pthread_join(clients[i], NULL);
  haft_session_release(session);
  haft_module_release(net);
  for (int i = 0; i < 5; ++i) haft_module_release(layers[i]);
  return 0;
}
