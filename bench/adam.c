/* One Adam step over 10 million parameters in 100 tensors. usage: adam THREADS */
#include "bench/must.h"
#include "bench/timing.h"

enum { kTensors = 100 };

static void steps(void* arg, int n) {
  for (int i = 0; i < n; ++i) must(haft_optimizer_step(arg));
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  const int64_t size = 100000;
  haft_tensor* parameter[kTensors];
  haft_optimizer* optimizer = NULL;
  haft_adam_options options = HAFT_ADAM_OPTIONS_INIT;
  timing t;
  must(haft_set_num_threads(threads));
  for (int i = 0; i < kTensors; ++i) {
    haft_tensor* grad = NULL;
    must(haft_randn(&size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &parameter[i]));
    must(haft_randn(&size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &grad));
    must(haft_tensor_set_requires_grad(parameter[i], 1));
    must(haft_tensor_set_grad(parameter[i], grad));
    haft_tensor_release(grad);
  }
  must(haft_adam_create(parameter, kTensors, &options, &optimizer));
  t = measure("Adam 10M in 100 tensors", steps, optimizer, 0.2, 5);
  emit_time("Adam 10M in 100 tensors", threads, "us", &t);
  return 0;
}
