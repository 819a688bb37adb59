/* since 1.0: statuses and the error record keep their numbers and their fields. */
#include <haft/haft.h>
#include <stdio.h>
#include <string.h>

/* A record as a later header might declare it: one field more than the library may know. */
struct future_error_info {
  haft_error_info known;
  uint64_t later;
};

static int failed;
static void check(int ok, const char* what) {
  if (!ok) {
    printf("not so: %s\n", what);
    failed = 1;
  }
}

int main(void) {
  const int64_t two = 2, three = 3, huge[2] = {INT64_MAX / 2, 16};
  haft_tensor *a = NULL, *b = NULL, *out = NULL;
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  struct future_error_info future;

  check(HAFT_OK == 0 && HAFT_ERROR_INVALID_ARGUMENT == 1 && HAFT_ERROR_SHAPE == 2 &&
            HAFT_ERROR_STALE_HANDLE == 8,
        "statuses have their numbers");
  check(HAFT_BOOL == 1 && HAFT_FLOAT32 == 9 && HAFT_FLOAT64 == 10 && HAFT_DEVICE_CPU == 0x10000,
        "dtypes and devices have theirs");
  check(haft_ones(&two, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &a) == HAFT_OK, "two ones");
  check(haft_ones(&three, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &b) == HAFT_OK, "three ones");

  check(haft_add(a, b, &out) == HAFT_ERROR_SHAPE && !out, "sizes 2 and 3 do not add, and out stays NULL");
  check(haft_error_get_last(&info) == HAFT_OK && info.code == HAFT_ERROR_SHAPE,
        "the record tells the status");
  check(strcmp(info.function, "haft_add") == 0 && strstr(info.message, "2") && strstr(info.message, "3"),
        "and the function and both sizes");
  check(haft_add(NULL, b, &out) == HAFT_ERROR_INVALID_ARGUMENT && !out, "NULL is refused");
  info.struct_size = (uint32_t)sizeof info;
  check(haft_error_get_last(&info) == HAFT_OK && info.argument_index == 0 &&
            strcmp(info.argument, "input") == 0,
        "by position and name");
  check(haft_zeros(huge, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out) == HAFT_ERROR_OVERFLOW && !out,
        "a size beyond memory overflows");

  memset(&future, 0, sizeof future);
  future.known.struct_size = (uint32_t)sizeof future;
  check(haft_error_get_last(&future.known) == HAFT_OK && future.known.code == HAFT_ERROR_OVERFLOW,
        "a larger record is filled as far as it is known");
  check(future.later == 0, "and its unknown rest is left alone");

  haft_tensor_release(a);
  check(haft_add(a, b, &out) == HAFT_ERROR_STALE_HANDLE && !out, "a released handle is stale");
  haft_tensor_release(a);
  haft_tensor_release(NULL);
  haft_tensor_release(b);
  return failed;
}
