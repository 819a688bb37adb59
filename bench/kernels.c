/* Operators on large data through the C ABI.
 *
 * usage: kernels THREADS [GROUP [NAME]]     GROUP: matmul, conv or other; NAME: only cases that contain it
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sys/mman.h>

#include "bench/must.h"
#include "bench/shapes.h"
#include "bench/timing.h"

static int threads = 1;
static const char *group = "", *only = ""; /* empty: all */

/* What a case works on; `run` frees the result of every turn. */
struct operands {
  haft_tensor *a, *b, *c, *out;
  int64_t size[4];
  int64_t n;
};

static haft_tensor* randn(int64_t n0, int64_t n1, int64_t n2, int64_t n3) {
  int64_t size[4] = {n0, n1, n2, n3}, n = n3 ? 4 : n1 ? 2 : 1;
  haft_tensor* t = NULL;
  must(haft_randn(size, n, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &t));
  return t;
}

static void release(struct operands* o) {
  haft_tensor_release(o->a);
  haft_tensor_release(o->b);
  haft_tensor_release(o->c);
  haft_tensor_release(o->out);
}

#define RUN(name, call)                    \
  static void name(void* arg, int turns) { \
    struct operands* o = arg;              \
    for (int i = 0; i < turns; ++i) {      \
      haft_tensor* y = NULL;               \
      must(call);                          \
      haft_tensor_release(y);              \
    }                                      \
  }
RUN(run_matmul, haft_matmul(o->a, o->b, &y))
RUN(run_conv, haft_conv2d(o->a, o->b, NULL, &o->size[0], 1, &o->size[1], 1, &o->size[2], 1, 1, &y))
RUN(run_add, haft_add(o->a, o->b, &y))
RUN(run_relu, haft_relu(o->a, &y))
RUN(run_exp, haft_exp(o->a, &y))
RUN(run_clone, haft_clone(o->a, &y))
RUN(run_sum, haft_sum(o->a, NULL, 0, 0, HAFT_DTYPE_NONE, &y))
RUN(run_amax, haft_amax(o->a, NULL, 0, 0, &y))
RUN(run_sum_dim, haft_sum(o->a, o->size, 1, 0, HAFT_DTYPE_NONE, &y))
RUN(run_softmax, haft_softmax(o->a, -1, &y))
RUN(run_layer_norm, haft_layer_norm(o->a, o->size, 1, o->b, o->c, 1e-5, &y))
RUN(run_dropout, haft_dropout(o->a, 0.5, 1, NULL, &y))
RUN(run_randn, haft_randn(&o->n, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &y))

static void run_add_out(void* arg, int turns) {
  struct operands* o = arg;
  for (int i = 0; i < turns; ++i) must(haft_add_out(o->a, o->b, o->out));
}

static double report(const char* name, turns_fn run, struct operands* o, double seconds) {
  timing t = measure(name, run, o, seconds, 5);
  emit_time(name, threads, "us", &t);
  return judged(&t, threads);
}

static void matmul(void) {
  for (int i = 0; i < kMatmuls; ++i) {
    const int64_t* s = kMatmul[i];
    struct operands o = {0};
    char name[64];
    snprintf(name, sizeof name, "matmul %dx%dx%d", (int)s[0], (int)s[1], (int)s[2]);
    if (!strstr(name, only)) continue;
    o.a = randn(s[0], s[1], 0, 0);
    o.b = randn(s[1], s[2], 0, 0);
    report(name, run_matmul, &o, 0.06);
    release(&o);
  }
}

/* Within a network a convolution gets the library's layout from the one before: so does this one, from a 1x1.
 */
static void conv(void) {
  for (int i = 0; i < kConvs; ++i) {
    const struct conv_shape* s = &kConv[i];
    struct operands o = {0};
    char name[64];
    haft_tensor* image;
    snprintf(name, sizeof name, "conv %s", s->name);
    if (!strstr(name, only)) continue;
    image = randn(kConvBatch, s->in, s->side, s->side);
    o.size[0] = s->stride;
    o.size[1] = s->padding;
    o.size[2] = 1;
    if (s->in > 3) {
      const int64_t unit = 1, zero = 0;
      haft_tensor* mix = randn(s->in, s->in, 1, 1);
      must(haft_conv2d(image, mix, NULL, &unit, 1, &zero, 1, &unit, 1, 1, &o.a));
      haft_tensor_release(mix);
      haft_tensor_release(image);
    } else {
      o.a = image;
    }
    o.b = randn(s->out, s->in, s->kernel, s->kernel);
    report(name, run_conv, &o, 0.1);
    release(&o);
  }
}

/* The yardstick of the memory-bound cases: the C library's memcpy of 64 MB on huge pages, one slice a thread.
 */
static float* huge_array(int64_t n) {
  void* p = NULL;
  size_t bytes = (size_t)n * sizeof(float);
  if (posix_memalign(&p, 1 << 21, bytes)) exit(1);
  madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

struct slice {
  float *to, *from;
  int64_t n;
};

static void* copy_slice(void* arg) {
  struct slice* s = arg;
  memcpy(s->to, s->from, (size_t)s->n * sizeof(float));
  return NULL;
}

static void run_memcpy(void* arg, int turns) {
  struct slice* all = arg;
  for (int i = 0; i < turns; ++i) {
    pthread_t helpers[64];
    struct slice parts[64];
    for (int k = 0; k < threads; ++k) {
      parts[k].n = all->n / threads;
      parts[k].to = all->to + k * parts[k].n;
      parts[k].from = all->from + k * parts[k].n;
      if (k && pthread_create(&helpers[k], NULL, copy_slice, &parts[k])) exit(1);
    }
    copy_slice(&parts[0]);
    for (int k = 1; k < threads; ++k) pthread_join(helpers[k], NULL);
  }
}

static void memory_bound(void) {
  const int64_t n = 1 << 24; /* 64 MB */
  struct slice raw = {huge_array(n), huge_array(n), n};
  struct operands o = {0}, m = {0};
  timing copy;
  double bandwidth;
  int64_t square[2] = {4096, 4096};
  for (int64_t i = 0; i < n; ++i) raw.to[i] = raw.from[i] = (float)i;
  copy = measure("memcpy 64 MB", run_memcpy, &raw, 0.1, 7);
  bandwidth = 2.0 * sizeof(float) * (double)n / judged(&copy, threads);
  emit("memcpy 64 MB", threads, "GB/s", bandwidth / 1e9, &copy);
  free(raw.to);
  free(raw.from);

  o.a = randn(n, 0, 0, 0);
  o.b = randn(n, 0, 0, 0);
  o.out = randn(n, 0, 0, 0);
  must(haft_view(o.a, square, 2, &m.a));
  const struct {
    const char* name;
    turns_fn run;
    double arrays;
    struct operands* on;
    int64_t dim;
    int bound; /* by memory, so that its share of the copy bandwidth is told */
  } cases[] = {
      {"add 64 MB, fresh output", run_add, 3, &o, 0, 1},
      {"add 64 MB, out=", run_add_out, 3, &o, 0, 1},
      {"relu 64 MB, fresh output", run_relu, 2, &o, 0, 1},
      {"exp 64 MB, fresh output", run_exp, 2, &o, 0, 0},
      {"copy 64 MB", run_clone, 2, &o, 0, 1},
      {"sum 64 MB", run_sum, 1, &o, 0, 1},
      {"amax 64 MB", run_amax, 1, &o, 0, 1},
      {"sum 64 MB, rows", run_sum_dim, 1, &m, 1, 1},
      {"sum 64 MB, columns", run_sum_dim, 1, &m, 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    double seconds;
    cases[i].on->size[0] = cases[i].dim;
    seconds = report(cases[i].name, cases[i].run, cases[i].on, 0.1);
    if (cases[i].bound) {
      char name[96];
      snprintf(name, sizeof name, "%s: share of copy bandwidth", cases[i].name);
      emit(name, threads, "%", 100 * cases[i].arrays * sizeof(float) * (double)n / seconds / bandwidth, NULL);
    }
  }
  release(&m);
  release(&o);
}

static void rows(void) {
  static const int64_t shapes[][2] = {{2048, 256}, {512, 768}, {16384, 1024}};
  for (int i = 0; i < 3; ++i) {
    struct operands o = {0};
    char name[64];
    o.a = randn(shapes[i][0], shapes[i][1], 0, 0);
    o.b = randn(shapes[i][1], 0, 0, 0);
    o.c = randn(shapes[i][1], 0, 0, 0);
    o.size[0] = shapes[i][1];
    snprintf(name, sizeof name, "softmax %dx%d", (int)shapes[i][0], (int)shapes[i][1]);
    report(name, run_softmax, &o, 0.1);
    snprintf(name, sizeof name, "layer_norm %dx%d", (int)shapes[i][0], (int)shapes[i][1]);
    report(name, run_layer_norm, &o, 0.1);
    release(&o);
  }
}

static void random_numbers(void) {
  struct operands o = {0};
  o.n = 1 << 22;
  o.a = randn(o.n, 0, 0, 0);
  report("dropout 4M", run_dropout, &o, 0.1);
  report("randn 4M", run_randn, &o, 0.1);
  release(&o);
}

int main(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : 1;
  if (argc > 2) group = argv[2];
  if (argc > 3) only = argv[3];
  must(haft_set_num_threads(threads));
  if (strstr("matmul", group)) matmul();
  if (strstr("conv", group)) conv();
  if (strstr("other", group)) {
    memory_bound();
    rows();
    random_numbers();
  }
  return 0;
}
