/* since 1.0: a loop of forward, backward and update, as an old program would have it. */
#include <haft/haft.h>
#include <math.h>
#include <stdio.h>

#define MUST(call)                                                 \
  do {                                                             \
    if ((call) != HAFT_OK) {                                       \
      printf("line %d: %s\n", __LINE__, haft_error_get_message()); \
      return 1;                                                    \
    }                                                              \
  } while (0)

int main(void) {
  const float data[4] = {1, 2, 3, 4};
  const int64_t size[2] = {2, 2};
  haft_tensor *x = NULL, *w = NULL, *goal = NULL;
  double first = 0, value = 0;
  MUST(haft_tensor_from_data(data, size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &x));
  MUST(haft_eye(2, -1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &goal));
  MUST(haft_zeros(size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &w));
  MUST(haft_tensor_set_requires_grad(w, 1));
  for (int step = 0; step < 200; ++step) {
    haft_tensor *y = NULL, *loss = NULL, *grad = NULL, *update = NULL;
    int32_t before = 0;
    MUST(haft_mm(x, w, &y));
    MUST(haft_mse_loss(y, goal, HAFT_REDUCTION_MEAN, &loss));
    MUST(haft_tensor_backward(loss, NULL, 0));
    MUST(haft_tensor_get_item_double(loss, &value));
    if (step == 0) first = value;
    MUST(haft_tensor_grad(w, &grad));
    MUST(haft_set_grad_enabled(0, &before));
    MUST(haft_mul_scalar(grad, haft_scalar_float(0.05), &update));
    MUST(haft_sub_(w, update));
    MUST(haft_set_grad_enabled(before, NULL));
    MUST(haft_tensor_set_grad(w, NULL));
    haft_tensor_release(update);
    haft_tensor_release(grad);
    haft_tensor_release(loss);
    haft_tensor_release(y);
  }
  haft_tensor_release(w);
  haft_tensor_release(goal);
  haft_tensor_release(x);
  if (!(fabs(first - 0.5) < 1e-6) || !(value < 0.5 * first)) {
    printf("the loss went from %g to %g\n", first, value);
    return 1;
  }
  return 0;
}
