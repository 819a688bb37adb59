/* Derivatives of derivatives: y = sin(x) * x^2 at one point, first to third order, beside the formulas. */
#include <haft/haft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "%s\n", haft_error_get_message());
  exit(1);
}

/* dy/dx as a tensor that can be differentiated again. */
static haft_tensor* derivative(haft_tensor* y, haft_tensor* x) {
  haft_tensor* g = NULL;
  must(haft_autograd_grad(&y, NULL, 1, &x, 1, HAFT_BACKWARD_CREATE_GRAPH, &g));
  return g;
}

static int report(const char* name, const haft_tensor* t, double expected) {
  double got = 0;
  must(haft_tensor_get_item_double(t, &got));
  printf("%-6s %12.8f   formula %12.8f\n", name, got, expected);
  return fabs(got - expected) < 1e-10 ? 0 : 1;
}

int main(void) {
  const double at = 0.7, s = sin(at), c = cos(at);
  int wrong = 0;
  must(haft_scope_begin()); /* every tensor made from here on is released at the end of the scope */

  haft_tensor *x = NULL, *sine = NULL, *square = NULL, *y = NULL;
  must(haft_tensor_from_data(&at, NULL, 0, HAFT_FLOAT64, HAFT_DEVICE_CPU, &x));
  must(haft_tensor_set_requires_grad(x, 1));
  must(haft_sin(x, &sine));
  must(haft_square(x, &square));
  must(haft_mul(sine, square, &y));

  haft_tensor* first = derivative(y, x);
  haft_tensor* second = derivative(first, x);
  haft_tensor* third = derivative(second, x);
  wrong += report("y", y, s * at * at);
  wrong += report("y'", first, c * at * at + 2 * s * at);
  wrong += report("y''", second, -s * at * at + 4 * c * at + 2 * s);
  wrong += report("y'''", third, -c * at * at - 6 * s * at + 6 * c);

  must(haft_scope_end());
  return wrong != 0;
}
