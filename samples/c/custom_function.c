/* A differentiable function of your own: softclip(x) = x / sqrt(1 + x^2), with its gradient written in
 * operators, so that gradients of the gradient exist too. haft_autograd_gradcheck compares both with differences. */
#include <haft/haft.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                           \
  do {                                      \
    haft_status status_ = (call);           \
    if (status_ != HAFT_OK) return status_; \
  } while (0)

/* 1 / sqrt(1 + x^2), owned by the caller */
static haft_status inverse_root(const haft_tensor* x, haft_tensor** out) {
  haft_tensor *square = NULL, *sum = NULL;
  haft_status status = haft_square(x, &square);
  if (status == HAFT_OK) status = haft_add_scalar(square, haft_scalar_float(1), &sum);
  if (status == HAFT_OK) status = haft_rsqrt(sum, out);
  haft_tensor_release(square);
  haft_tensor_release(sum);
  return status;
}

static haft_status forward(haft_function_context* ctx, haft_tensor* const* inputs, int64_t input_count,
                           haft_tensor** outputs, int64_t output_count, void* user) {
  haft_tensor* root = NULL;
  haft_status status;
  (void)input_count, (void)output_count, (void)user;
  TRY(haft_function_save(ctx, inputs[0]));
  TRY(inverse_root(inputs[0], &root));
  status = haft_mul(inputs[0], root, &outputs[0]);
  haft_tensor_release(root);
  return status;
}

/* d softclip = (1 + x^2)^(-3/2) */
static haft_status backward(haft_function_context* ctx, haft_tensor* const* grads, int64_t output_count,
                            haft_tensor** input_grads, int64_t input_count, void* user) {
  haft_tensor *x = NULL, *root = NULL, *cube = NULL;
  haft_status status = haft_function_saved(ctx, 0, &x);
  (void)input_count, (void)output_count, (void)user;
  if (status == HAFT_OK) status = inverse_root(x, &root);
  if (status == HAFT_OK) status = haft_pow_scalar(root, haft_scalar_int(3), &cube);
  if (status == HAFT_OK) status = haft_mul(grads[0], cube, &input_grads[0]);
  haft_tensor_release(x);
  haft_tensor_release(root);
  haft_tensor_release(cube);
  return status;
}

static haft_status softclip(haft_tensor* const* inputs, int64_t count, haft_tensor** output, void* user) {
  (void)count, (void)user;
  return haft_function_apply("softclip", forward, backward, NULL, NULL, inputs, 1, output, 1);
}

int main(void) {
  const double values[5] = {-3, -0.5, 0, 0.5, 3};
  const int64_t size[1] = {5};
  haft_tensor *x = NULL, *y = NULL;
  char text[256];
  haft_status status = haft_tensor_from_data(values, size, 1, HAFT_FLOAT64, HAFT_DEVICE_CPU, &x);
  if (status == HAFT_OK) status = haft_tensor_set_requires_grad(x, 1);
  if (status == HAFT_OK) status = softclip(&x, 1, &y, NULL);
  if (status == HAFT_OK) status = haft_tensor_to_string(y, text, sizeof text, NULL);
  if (status == HAFT_OK) printf("softclip = %s\n", text);
  if (status == HAFT_OK) status = haft_autograd_gradcheck(softclip, NULL, &x, 1, 2);
  if (status == HAFT_OK)
    printf("first and second derivatives agree with differences\n");
  else
    fprintf(stderr, "%s\n", haft_error_get_message());
  haft_tensor_release(y);
  haft_tensor_release(x);
  return status != HAFT_OK;
}
