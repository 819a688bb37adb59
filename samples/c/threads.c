/* Inference from 8 threads on one set of weights: no lock, no copy, the same numbers as one after the other.
 * usage: threads [--device cpu] */
#include <pthread.h>

#include "options.h"

enum { THREADS = 8, CALLS = 50, IN = 64, HIDDEN = 128, OUT = 10 };

static haft_tensor *w1, *b1, *w2, *b2; /* (128, 64) (128) (10, 128) (10) */
static haft_device device;             /* a default is its thread's: all name it */

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "%s\n", haft_error_get_message());
  exit(1);
}

/* x (1, 64) -> probabilities (1, 10) */
static void predict(const float* x, float* probabilities) {
  const int64_t size[2] = {1, IN};
  haft_tensor *input = NULL, *h = NULL, *a = NULL, *z = NULL, *p = NULL;
  must(haft_scope_begin()); /* scopes are per thread */
  must(haft_tensor_from_data(x, size, 2, HAFT_FLOAT32, device, &input));
  must(haft_linear(input, w1, b1, &h));
  must(haft_relu(h, &a));
  must(haft_linear(a, w2, b2, &z));
  must(haft_softmax(z, 1, &p));
  must(haft_tensor_read(p, probabilities, OUT * sizeof(float)));
  must(haft_scope_end());
}

static void input_of(int thread, int call, float* x) {
  for (int i = 0; i < IN; ++i) x[i] = (float)((i * 7 + thread * 13 + call * 3) % 11) / 11.0f;
}

static void* serve(void* argument) {
  int thread = *(int*)argument;
  float* results = malloc(sizeof(float) * CALLS * OUT);
  if (!results) return NULL;
  must(haft_set_grad_enabled(0, NULL)); /* also per thread */
  for (int call = 0; call < CALLS; ++call) {
    float x[IN];
    input_of(thread, call, x);
    predict(x, results + call * OUT);
  }
  return results;
}

int main(int argc, char** argv) {
  const int64_t s1[2] = {HIDDEN, IN}, s2[2] = {OUT, HIDDEN};
  pthread_t threads[THREADS];
  int numbers[THREADS], wrong = 0;
  device = use_device(argc, argv, 0);
  must(haft_generator_seed(NULL, 3));
  must(haft_normal(0, 0.1, s1, 2, HAFT_FLOAT32, device, NULL, &w1));
  must(haft_zeros(s1, 1, HAFT_FLOAT32, device, &b1));
  must(haft_normal(0, 0.1, s2, 2, HAFT_FLOAT32, device, NULL, &w2));
  must(haft_zeros(s2, 1, HAFT_FLOAT32, device, &b2));

  for (int t = 0; t < THREADS; ++t) {
    numbers[t] = t;
    if (pthread_create(&threads[t], NULL, serve, &numbers[t]) != 0) return 1;
  }
  must(haft_set_grad_enabled(0, NULL));
  for (int t = 0; t < THREADS; ++t) {
    void* results = NULL;
    pthread_join(threads[t], &results);
    for (int call = 0; results && call < CALLS; ++call) {
      float x[IN], expected[OUT];
      input_of(t, call, x);
      predict(x, expected);
      wrong += memcmp(expected, (float*)results + call * OUT, sizeof expected) != 0;
    }
    wrong += results == NULL;
    free(results);
  }
  printf("%d threads, %d predictions, %d differ from the single-threaded ones\n", THREADS, THREADS * CALLS,
         wrong);
  haft_tensor_release(w1);
  haft_tensor_release(b1);
  haft_tensor_release(w2);
  haft_tensor_release(b2);
  return wrong != 0;
}
