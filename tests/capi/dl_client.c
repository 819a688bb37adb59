/* A program that loads haft itself: one path that fails in every way, then the same calls as everywhere. */
#include <haft/haft_dl.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s fails\n", __FILE__, __LINE__, #condition); \
      return 1;                                                             \
    }                                                                       \
  } while (0)

int main(int argc, char** argv) {
  const float values[3] = {1, 2, 3};
  const int64_t size[1] = {3};
  haft_tensor *a = NULL, *b = NULL;
  float back[3];
  int64_t live = -1;
  CHECK(argc == 2);
  CHECK(haft_dl_load("/nonexistent/libhaft.so.1") == 1);
  CHECK(strstr(haft_dl_error(), "/nonexistent/libhaft.so.1"));
  CHECK(haft_dl_load("libm.so.6") == 2);
  CHECK(strlen(haft_dl_error()) > 0);
  CHECK(haft_dl_load(argv[1]) == 0);
  CHECK(haft_dl_load(argv[1]) == 0); /* again: no effect */
  CHECK(haft_get_version_number() == HAFT_VERSION_NUMBER);
  CHECK(strstr(haft_get_library_path(), "libhaft.so"));
  CHECK(haft_tensor_from_data(values, size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &a) == HAFT_OK);
  CHECK(haft_tensor_set_requires_grad(a, 1) == HAFT_OK);
  CHECK(haft_square(a, &b) == HAFT_OK);
  CHECK(haft_tensor_read(b, back, sizeof back) == HAFT_OK && back[2] == 9);
  CHECK(haft_tensor_backward(b, b, 0) == HAFT_OK);
  CHECK(haft_mm(a, b, &b) == HAFT_ERROR_SHAPE && strstr(haft_error_get_message(), "haft_mm"));
  CHECK(haft_shutdown() == HAFT_ERROR_BUSY);
  haft_tensor_release(b);
  haft_tensor_release(a);
  CHECK(haft_get_live_handles(&live) == HAFT_OK && live == 0);
  CHECK(haft_shutdown() == HAFT_OK);
  CHECK(haft_shutdown() == HAFT_OK);
  return 0;
}
