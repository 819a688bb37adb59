/* A service in small: 8 client threads share one session, which joins their requests into batches; a ninth
 * gives it new weights meanwhile. Every answer is that of the old network or of the new one, never a mixture.
 * usage: session [--device cpu] */
#include <math.h>
#include <pthread.h>

#include "options.h"

enum { CLIENTS = 8, CALLS = 200, IN = 64, OUT = 10 };

static haft_session* session;
static haft_module* networks[2]; /* (n, 64) to (n, 10) */
static haft_device device;       /* a default is its thread's: clients name it */

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "%s\n", haft_error_get_message());
  exit(1);
}

static haft_module* network(void) {
  haft_module *layers[3] = {NULL, NULL, NULL}, *out = NULL;
  haft_linear_options hidden = HAFT_LINEAR_OPTIONS_INIT, last = HAFT_LINEAR_OPTIONS_INIT;
  hidden.in_features = IN, hidden.out_features = 128;
  last.in_features = 128, last.out_features = OUT;
  must(haft_linear_create(&hidden, &layers[0]));
  must(haft_relu_create(&layers[1]));
  must(haft_linear_create(&last, &layers[2]));
  must(haft_sequential_create(layers, 3, &out));
  for (int i = 0; i < 3; ++i) haft_module_release(layers[i]);
  must(haft_module_train(out, 0)); /* now: a module that runs cannot change its mode */
  return out;
}

static int close_to(const float* a, const float* b) {
  for (int i = 0; i < OUT; ++i)
    if (fabsf(a[i] - b[i]) > 1e-5f) return 0;
  return 1;
}

static void* client(void* argument) {
  const int64_t size[2] = {1, IN};
  int* wrong = argument;
  haft_tensor *x = NULL, *y = NULL;
  float want[2][OUT], got[OUT];
  int64_t count = 0;
  must(haft_randn(size, 2, HAFT_FLOAT32, device, NULL, &x));
  for (int k = 0; k < 2; ++k) { /* what each network answers alone */
    must(haft_module_forward(networks[k], x, &y));
    must(haft_tensor_read(y, want[k], sizeof want[k]));
    haft_tensor_release(y);
  }
  for (int call = 0; call < CALLS; ++call) {
    const haft_status status = haft_session_run(session, &x, 1, HAFT_NONE, &y, 1, &count);
    if (status == HAFT_ERROR_QUEUE_FULL) continue; /* here a server says "busy" to its client */
    must(status);
    must(haft_tensor_read(y, got, sizeof got));
    haft_tensor_release(y);
    *wrong += !close_to(got, want[0]) && !close_to(got, want[1]);
  }
  haft_tensor_release(x);
  return NULL;
}

int main(int argc, char** argv) {
  haft_session_options options = HAFT_SESSION_OPTIONS_INIT;
  haft_session_metrics metrics = HAFT_SESSION_METRICS_INIT;
  pthread_t threads[CLIENTS];
  int wrong[CLIENTS] = {0}, total = 0;
  device = use_device(argc, argv, 0);
  must(haft_generator_seed(NULL, 5));
  networks[0] = network();
  networks[1] = network();

  options.max_batch = CLIENTS;
  options.max_delay_us = 200;
  options.max_queue = 64;
  options.memory_limit = 16 << 20;
  must(haft_session_create(networks[0], &options, &session));
  for (int i = 0; i < CLIENTS; ++i)
    if (pthread_create(&threads[i], NULL, client, &wrong[i]) != 0) return 1;
  must(haft_session_update(session, networks[1]));
  for (int i = 0; i < CLIENTS; ++i) {
    pthread_join(threads[i], NULL);
    total += wrong[i];
  }
  must(haft_session_drain(session, 10000000));
  must(haft_session_get_metrics(session, &metrics));
  printf("%lld requests in %lld batches, %.1f on average; median %.0f us, 99 %% within %.0f us; %d wrong\n",
         (long long)metrics.completed, (long long)metrics.batches, metrics.mean_batch, metrics.latency_p50_us,
         metrics.latency_p99_us, total);
  haft_session_release(session);
  haft_module_release(networks[0]);
  haft_module_release(networks[1]);
  return total != 0 || metrics.failed != 0;
}
