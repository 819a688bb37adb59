/* For programs that measure: any failure ends them with haft's own message. */
#ifndef HAFT_BENCH_MUST_H
#define HAFT_BENCH_MUST_H
#include <haft/haft.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(haft_status s) {
  if (s != HAFT_OK) {
    haft_error_info e = HAFT_ERROR_INFO_INIT;
    haft_error_get_last(&e);
    fprintf(stderr, "%s: %s\n", e.function, e.message);
    exit(1);
  }
}

#endif
