/* haft without linking it: one dlopen, one symbol, then the same calls as everywhere.
 *
 * usage: hello_dlopen [path of libhaft.so] */
#include <haft/haft_dl.h>
#include <stdio.h>

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, haft_error_get_message());
  return 1;
}

int main(int argc, char** argv) {
  if (haft_dl_load(argc > 1 ? argv[1] : NULL) != 0) {
    fprintf(stderr, "%s\n", haft_dl_error());
    return 1;
  }
  printf("haft %s from %s\n", haft_get_version_string(), haft_get_library_path());

  const float values[6] = {1, 2, 3, 4, 5, 6};
  const int64_t size[2] = {2, 3};
  haft_tensor *a = NULL, *b = NULL, *sum = NULL;
  if (haft_tensor_from_data(values, size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &a) != HAFT_OK)
    return failed("from_data");
  if (haft_ones(size + 1, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &b) != HAFT_OK) return failed("ones");
  if (haft_add(a, b, &sum) != HAFT_OK) return failed("add"); /* (2, 3) + (3): broadcast */

  char text[256];
  if (haft_tensor_to_string(sum, text, sizeof text, NULL) != HAFT_OK) return failed("to_string");
  printf("%s\n", text);

  /* A mistake is a status with a message; nothing is lost and the program goes on. */
  haft_tensor* none = NULL;
  if (haft_mm(a, a, &none) == HAFT_OK) return 1;
  printf("as expected: %s\n", haft_error_get_message());

  haft_tensor_release(sum);
  haft_tensor_release(b);
  haft_tensor_release(a);
  return 0;
}
