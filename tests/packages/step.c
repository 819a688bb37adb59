/* One training step against an installed haft: the loss falls. */
#include <haft/haft.h>
#include <stdio.h>

static int fail(void) {
  fprintf(stderr, "%s\n", haft_error_get_message());
  return 1;
}

int main(void) {
  int64_t size[2] = {16, 4};
  double before = 0, after = 0;
  haft_module* net = NULL;
  haft_tensor *x = NULL, *y = NULL;
  haft_optimizer* sgd = NULL;
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  haft_sgd_options options = HAFT_SGD_OPTIONS_INIT;
  haft_tensor* parameter[2];
  int64_t count = 0;
  int step;
  linear.in_features = linear.out_features = 4;
  options.lr = 0.1;
  if (haft_generator_seed(NULL, 1) || haft_randn(size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &x) ||
      haft_linear_create(&linear, &net) || haft_module_parameters(net, parameter, 2, &count) ||
      haft_sgd_create(parameter, count, &options, &sgd))
    return fail();
  for (step = 0; step < 2; ++step) {
    haft_tensor* loss = NULL;
    if (haft_optimizer_zero_grad(sgd, 1) || haft_module_forward(net, x, &y) ||
        haft_mse_loss(y, x, HAFT_REDUCTION_MEAN, &loss) || haft_tensor_backward(loss, NULL, 0) ||
        haft_optimizer_step(sgd) || haft_tensor_get_item_double(loss, step ? &after : &before))
      return fail();
    haft_tensor_release(loss);
    haft_tensor_release(y);
  }
  haft_tensor_release(x);
  haft_tensor_release_many(parameter, count);
  haft_optimizer_release(sgd);
  haft_module_release(net);
  printf("%s: loss %.4f, then %.4f\n", haft_get_library_path(), before, after);
  return after < before ? 0 : 1;
}
