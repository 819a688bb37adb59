/* One training step (forward, loss, backward, optimizer) or one inference at batch 1, through the C ABI.
 *
 * usage: train train|infer mlp|cnn|resnet18 THREADS [WINDOWS]     WINDOWS: take so many, quiet or not
 */
#include "bench/models.h"
#include "bench/timing.h"

struct work {
  model net;
  haft_tensor *x, *target;
  haft_optimizer* optimizer;
};

static void steps(void* arg, int n) {
  struct work* w = arg;
  for (int i = 0; i < n; ++i) {
    haft_tensor *y = forward(&w->net, w->x), *loss = NULL;
    must(haft_optimizer_zero_grad(w->optimizer, 1));
    must(haft_cross_entropy(y, w->target, NULL, HAFT_REDUCTION_MEAN, -100, 0, &loss));
    must(haft_tensor_backward(loss, NULL, 0));
    must(haft_optimizer_step(w->optimizer));
    haft_tensor_release(loss);
    haft_tensor_release(y);
  }
}

static void inferences(void* arg, int n) {
  struct work* w = arg;
  for (int i = 0; i < n; ++i) {
    haft_tensor* y = forward(&w->net, w->x);
    haft_tensor_release(y);
  }
}

int main(int argc, char** argv) {
  struct work w;
  int threads, train;
  int64_t size[4];
  timing t;
  haft_adam_options adam = HAFT_ADAM_OPTIONS_INIT;
  haft_sgd_options sgd = HAFT_SGD_OPTIONS_INIT;
  if (argc < 4 || (strcmp(argv[1], "train") && strcmp(argv[1], "infer"))) {
    fprintf(stderr, "usage: train train|infer mlp|cnn|resnet18 THREADS [WINDOWS]\n");
    return 2;
  }
  train = !strcmp(argv[1], "train");
  threads = atoi(argv[3]);
  must(haft_set_num_threads(threads));
  must(haft_generator_seed(NULL, 0));
  w.net = make_model(argv[2]);
  w.net.train = train;
  size[0] = train ? w.net.batch : 1;
  memcpy(size + 1, w.net.image, sizeof w.net.image);
  must(haft_randn(size, 4, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &w.x));
  if (train) {
    must(haft_randint(0, 10, size, 1, HAFT_INT64, HAFT_DEVICE_CPU, NULL, &w.target));
    /* A tiny rate: thousands of timed steps on one batch must not converge into denormal gradients. */
    adam.lr = sgd.lr = 1e-6;
    sgd.momentum = 0.9;
    sgd.weight_decay = 5e-4;
    if (!strcmp(argv[2], "resnet18"))
      must(haft_sgd_create(w.net.parameter, w.net.parameters, &sgd, &w.optimizer));
    else
      must(haft_adam_create(w.net.parameter, w.net.parameters, &adam, &w.optimizer));
    t = measure_windows(argv[2], steps, &w, 0.5, argc > 4 ? atoi(argv[4]) : 5, argc <= 4);
    emit_time(argv[2], threads, "ms", &t);
  } else {
    int32_t before = 0;
    must(haft_set_inference_mode(1, &before));
    t = measure(argv[2], inferences, &w, 0.2, 7);
    emit_time(argv[2], threads, "us", &t);
  }
  return 0;
}
