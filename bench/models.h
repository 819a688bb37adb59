/* The models of the comparison, written with the C ABI's operators; bench/peer/models.py has the same in
 * PyTorch. */
#ifndef HAFT_BENCH_MODELS_H
#define HAFT_BENCH_MODELS_H
#include <math.h>
#include <string.h>

#include "bench/must.h"

enum { kMaxParameters = 128, kMaxBuffers = 64 };

typedef struct model {
  haft_tensor* parameter[kMaxParameters]; /* in the order in which forward uses them */
  int parameters;
  haft_tensor* buffer[kMaxBuffers]; /* running mean and variance of every batch norm */
  int buffers;
  int train;
  int next, next_buffer;                                  /* where forward stands */
  haft_tensor* (*forward)(struct model*, haft_tensor* x); /* takes x over */
  int64_t image[3];
  int batch;
} model;

static haft_tensor* uniform(const int64_t* size, int n, double bound) {
  haft_tensor* t = NULL;
  must(haft_uniform(size, n, -bound, bound, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &t));
  return t;
}

static void add_parameter(model* m, haft_tensor* t) {
  must(haft_tensor_set_requires_grad(t, 1));
  m->parameter[m->parameters++] = t;
}

static void make_linear(model* m, int64_t in, int64_t out) {
  const int64_t size[2] = {out, in};
  add_parameter(m, uniform(size, 2, 1 / sqrt((double)in)));
  add_parameter(m, uniform(size, 1, 1 / sqrt((double)in)));
}

static void make_conv(model* m, int64_t in, int64_t out, int64_t kernel, int bias) {
  const int64_t size[4] = {out, in, kernel, kernel};
  double bound = 1 / sqrt((double)(in * kernel * kernel));
  add_parameter(m, uniform(size, 4, bound));
  if (bias) add_parameter(m, uniform(size, 1, bound));
}

static void make_batch_norm(model* m, int64_t channels) {
  haft_tensor *one = NULL, *zero = NULL;
  for (int i = 0; i < 2; ++i) {
    must(haft_ones(&channels, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &one));
    must(haft_zeros(&channels, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &zero));
    if (i == 0) {
      add_parameter(m, one);
      add_parameter(m, zero);
    } else {
      m->buffer[m->buffers++] = zero;
      m->buffer[m->buffers++] = one;
    }
  }
}

static haft_tensor* parameter(model* m) { return m->parameter[m->next++]; }

/* Replaces *x by y. */
static void become(haft_tensor** x, haft_tensor* y) {
  haft_tensor_release(*x);
  *x = y;
}

static haft_tensor* apply_linear(model* m, haft_tensor* x) {
  haft_tensor *y = NULL, *w = parameter(m), *b = parameter(m);
  must(haft_linear(x, w, b, &y));
  become(&x, y);
  return x;
}

static haft_tensor* apply_conv(model* m, haft_tensor* x, int64_t stride, int64_t padding, int bias) {
  const int64_t dilation = 1;
  haft_tensor *y = NULL, *w = parameter(m), *b = bias ? parameter(m) : NULL;
  must(haft_conv2d(x, w, b, &stride, 1, &padding, 1, &dilation, 1, 1, &y));
  become(&x, y);
  return x;
}

static haft_tensor* apply_batch_norm(model* m, haft_tensor* x) {
  haft_tensor *y = NULL, *w = parameter(m), *b = parameter(m), *mean = m->buffer[m->next_buffer],
              *var = m->buffer[m->next_buffer + 1];
  m->next_buffer += 2;
  must(haft_batch_norm(x, w, b, mean, var, m->train, 0.1, 1e-5, &y));
  become(&x, y);
  return x;
}

static haft_tensor* apply_relu(haft_tensor* x) {
  haft_tensor* y = NULL;
  must(haft_relu(x, &y));
  become(&x, y);
  return x;
}

static haft_tensor* apply_dropout(model* m, haft_tensor* x, double p) {
  haft_tensor* y = NULL;
  must(haft_dropout(x, p, m->train, NULL, &y));
  become(&x, y);
  return x;
}

static haft_tensor* apply_flatten(haft_tensor* x) {
  haft_tensor* y = NULL;
  must(haft_flatten(x, 1, -1, &y));
  become(&x, y);
  return x;
}

static haft_tensor* mlp_forward(model* m, haft_tensor* x) {
  x = apply_relu(apply_linear(m, apply_flatten(x)));
  return apply_linear(m, x);
}

static haft_tensor* cnn_forward(model* m, haft_tensor* x) {
  const int64_t two = 2, zero = 0, one = 1;
  haft_tensor* y = NULL;
  x = apply_relu(apply_conv(m, x, 1, 0, 1));
  x = apply_relu(apply_conv(m, x, 1, 0, 1));
  must(haft_max_pool2d(x, &two, 1, &two, 1, &zero, 1, &one, 1, 0, &y));
  become(&x, y);
  x = apply_flatten(apply_dropout(m, x, 0.25));
  x = apply_dropout(m, apply_relu(apply_linear(m, x)), 0.5);
  return apply_linear(m, x);
}

/* Channels and stride of ResNet-18's basic blocks. */
static const int64_t kBlocks[8][2] = {{64, 1},  {64, 1},  {128, 2}, {128, 1},
                                      {256, 2}, {256, 1}, {512, 2}, {512, 1}};

static haft_tensor* resnet18_forward(model* m, haft_tensor* x) {
  const int64_t one = 1;
  haft_tensor* y = NULL;
  int64_t in = 64;
  x = apply_relu(apply_batch_norm(m, apply_conv(m, x, 1, 1, 0)));
  for (int i = 0; i < 8; ++i) {
    int64_t out = kBlocks[i][0], stride = kBlocks[i][1];
    haft_tensor *shortcut = x, *sum = NULL;
    must(haft_tensor_retain(shortcut));
    x = apply_relu(apply_batch_norm(m, apply_conv(m, x, stride, 1, 0)));
    x = apply_batch_norm(m, apply_conv(m, x, 1, 1, 0));
    if (stride != 1 || in != out) shortcut = apply_batch_norm(m, apply_conv(m, shortcut, stride, 0, 0));
    must(haft_add(x, shortcut, &sum));
    haft_tensor_release(shortcut);
    become(&x, sum);
    x = apply_relu(x);
    in = out;
  }
  must(haft_adaptive_avg_pool2d(x, &one, 1, &y));
  become(&x, y);
  return apply_linear(m, apply_flatten(x));
}

static model make_model(const char* name) {
  model m;
  memset(&m, 0, sizeof m);
  m.train = 1;
  m.image[0] = 1;
  m.image[1] = m.image[2] = 28;
  m.batch = 64;
  if (!strcmp(name, "mlp")) {
    make_linear(&m, 784, 128);
    make_linear(&m, 128, 10);
    m.forward = mlp_forward;
  } else if (!strcmp(name, "cnn")) {
    make_conv(&m, 1, 32, 3, 1);
    make_conv(&m, 32, 64, 3, 1);
    make_linear(&m, 9216, 128);
    make_linear(&m, 128, 10);
    m.forward = cnn_forward;
  } else if (!strcmp(name, "resnet18")) {
    int64_t in = 64;
    make_conv(&m, 3, 64, 3, 0);
    make_batch_norm(&m, 64);
    for (int i = 0; i < 8; ++i) {
      int64_t out = kBlocks[i][0];
      make_conv(&m, in, out, 3, 0);
      make_batch_norm(&m, out);
      make_conv(&m, out, out, 3, 0);
      make_batch_norm(&m, out);
      if (kBlocks[i][1] != 1 || in != out) {
        make_conv(&m, in, out, 1, 0);
        make_batch_norm(&m, out);
      }
      in = out;
    }
    make_linear(&m, 512, 10);
    m.forward = resnet18_forward;
    m.image[0] = 3;
    m.image[1] = m.image[2] = 32;
    m.batch = 32;
  } else {
    fprintf(stderr, "no model '%s' (mlp, cnn, resnet18)\n", name);
    exit(2);
  }
  return m;
}

static haft_tensor* forward(model* m, const haft_tensor* x) {
  haft_tensor* own = NULL;
  m->next = m->next_buffer = 0;
  must(haft_detach(x, &own));
  return m->forward(m, own);
}

#endif
