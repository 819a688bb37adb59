/* Single operators through the C ABI, each as a loop: tests/perf counts their instructions, bench/ops.c their
 * time.
 *
 * A new case is one function and one line in op_cases[], or in device_cases[] for what only devices have. A loop
 * frees what it makes, so that it may run for ever.
 */
#ifndef HAFT_TESTS_PERF_OP_CASES_H
#define HAFT_TESTS_PERF_OP_CASES_H
#include "bench/must.h"

static haft_device op_device; /* of all tensors */
static haft_tensor *one, *two, *a4, *b4, *out4, *m4, *row4, *g1, *g4,
    *c1;                                                /* (1) (1) (4) (4) (4) (4, 4) (1, 4) */
static haft_tensor *weight4, *image, *kernel3, *bias16; /* (4, 4) (1, 16, 6, 6) (16, 16, 3, 3) (16) */

static const int64_t kImage[4] = {1, 16, 6, 6}, kKernel[4] = {16, 16, 3, 3};

static haft_tensor* ones(int64_t rows, int64_t cols, int grad) {
  int64_t size[2];
  haft_tensor* t = NULL;
  size[0] = rows ? rows : cols;
  size[1] = cols;
  must(haft_ones(size, rows ? 2 : 1, HAFT_FLOAT32, op_device, &t));
  if (grad) must(haft_tensor_set_requires_grad(t, 1));
  return t;
}

static void op_cases_setup(void) {
  one = ones(0, 1, 0);
  two = ones(0, 1, 0);
  a4 = ones(0, 4, 0);
  b4 = ones(0, 4, 0);
  out4 = ones(0, 4, 0);
  m4 = ones(4, 4, 0);
  row4 = ones(1, 4, 0);
  g1 = ones(0, 1, 1);
  g4 = ones(0, 4, 1);
  c1 = ones(0, 1, 0);
  weight4 = ones(4, 4, 1);
  must(haft_ones(kImage, 4, HAFT_FLOAT32, op_device, &image));
  must(haft_ones(kKernel, 4, HAFT_FLOAT32, op_device, &kernel3));
  must(haft_tensor_set_requires_grad(kernel3, 1));
  bias16 = ones(0, 16, 1);
}

#define CASE(name, call)          \
  static void name(int n) {       \
    for (int i = 0; i < n; ++i) { \
      haft_tensor* y = NULL;      \
      must(call);                 \
      haft_tensor_release(y);     \
    }                             \
  }

static const int64_t kTwoTwo[2] = {2, 2};
CASE(case_add, haft_add(one, two, &y))
CASE(case_add4, haft_add(a4, b4, &y))
CASE(case_mul_scalar, haft_mul_scalar(a4, haft_scalar_float(2.0), &y))
CASE(case_relu, haft_relu(a4, &y))
CASE(case_sum, haft_sum(a4, NULL, 0, 0, HAFT_DTYPE_NONE, &y))
CASE(case_add_grad, haft_add(g1, one, &y))
CASE(case_add4_grad, haft_add(g4, b4, &y))
CASE(case_view, haft_view(a4, kTwoTwo, 2, &y))
CASE(case_view_grad, haft_view(g4, kTwoTwo, 2, &y))
CASE(case_transpose, haft_transpose(m4, 0, 1, &y))
CASE(case_select, haft_select(m4, 0, 0, &y))
CASE(case_mm, haft_mm(m4, m4, &y))
CASE(case_linear, haft_linear(row4, m4, a4, &y))

static void case_add_out(int n) {
  for (int i = 0; i < n; ++i) must(haft_add_out(a4, b4, out4));
}

static void case_add_inplace(int n) {
  for (int i = 0; i < n; ++i) must(haft_add_(out4, b4));
}

/* y = g + c + c + ...: one node an addition. With `walk`, backward through all of them. */
enum { kChain = 64 };
static void chain(int n, int walk, int multiply) {
  for (int i = 0; i < n; ++i) {
    haft_tensor *y = g1, *next = NULL;
    for (int k = 0; k < kChain; ++k) {
      must(multiply ? haft_mul(y, c1, &next) : haft_add(y, c1, &next));
      if (y != g1) haft_tensor_release(y);
      y = next;
    }
    if (walk) {
      must(haft_tensor_backward(y, NULL, 0));
      must(haft_tensor_set_grad(g1, NULL));
    }
    haft_tensor_release(y);
  }
}
static void case_chain_add(int n) { chain(n, 0, 0); }
static void case_chain_add_backward(int n) { chain(n, 1, 0); }
static void case_chain_mul(int n) { chain(n, 0, 1); }
static void case_chain_mul_backward(int n) { chain(n, 1, 1); }

static void case_square_sum_backward(int n) { /* (g * g).sum().backward() */
  for (int i = 0; i < n; ++i) {
    haft_tensor *y = NULL, *s = NULL;
    must(haft_mul(g4, g4, &y));
    must(haft_sum(y, NULL, 0, 0, HAFT_DTYPE_NONE, &s));
    must(haft_tensor_backward(s, NULL, 0));
    must(haft_tensor_set_grad(g4, NULL));
    haft_tensor_release(s);
    haft_tensor_release(y);
  }
}

/* Forward, sum, backward of a layer, and its gradients away again. */
static void step(haft_tensor* y, haft_tensor* weight, haft_tensor* bias) {
  haft_tensor* s = NULL;
  must(haft_sum(y, NULL, 0, 0, HAFT_DTYPE_NONE, &s));
  must(haft_tensor_backward(s, NULL, 0));
  must(haft_tensor_set_grad(weight, NULL));
  must(haft_tensor_set_grad(bias, NULL));
  haft_tensor_release(s);
  haft_tensor_release(y);
}
static void case_linear_step(int n) {
  for (int i = 0; i < n; ++i) {
    haft_tensor* y = NULL;
    must(haft_linear(row4, weight4, g4, &y));
    step(y, weight4, g4);
  }
}
static void case_conv2d_step(int n) {
  for (int i = 0; i < n; ++i) {
    haft_tensor* y = NULL;
    must(haft_conv2d(image, kernel3, bias16, NULL, 0, NULL, 0, NULL, 0, 1, &y));
    step(y, kernel3, bias16);
  }
}

static const int64_t kRow[1] = {4};
CASE(case_layer_norm, haft_layer_norm(m4, kRow, 1, a4, a4, 1e-5, &y))

/* A training step of an LSTM of four units; what is counted is one step of the sequence. */
enum { kSteps = 16 };
static void case_lstm_step(int n) {
  static const int64_t kSequence[3] = {kSteps, 1, 4};
  static haft_tensor *x, *weights[2];
  if (!x) {
    must(haft_ones(kSequence, 3, HAFT_FLOAT32, op_device, &x));
    weights[0] = ones(16, 4, 1), weights[1] = ones(16, 4, 1);
  }
  for (int i = 0; i < n; ++i) {
    haft_tensor *y = NULL, *h = NULL, *c = NULL;
    must(haft_rnn(x, NULL, NULL, weights, 2, 2, 1, 0, 0, 0, 0, NULL, 0, NULL, &y, &h, &c));
    haft_tensor_release(h);
    haft_tensor_release(c);
    step(y, weights[0], weights[1]);
  }
}

/* Replays of a recording: of eight additions, and of a dropout, whose seed is new each time. */
static haft_device_graph* record(int with_dropout) {
  haft_device_graph* g = NULL;
  haft_tensor *y = NULL, *next = NULL;
  must(haft_device_graph_create(op_device, &g));
  must(haft_device_graph_begin(g));
  for (int k = 0; k < 8; ++k) {
    must(haft_add(k ? y : a4, b4, &next));
    haft_tensor_release(y);
    y = next;
  }
  if (with_dropout) {
    must(haft_dropout(y, 0.5, 1, NULL, &next));
    haft_tensor_release(next);
  }
  haft_tensor_release(y);
  must(haft_device_graph_end(g));
  return g;
}
static void case_replay(int n) {
  static haft_device_graph* g;
  if (!g) g = record(0);
  for (int i = 0; i < n; ++i) must(haft_device_graph_replay(g));
}
static void case_replay_dropout(int n) {
  static haft_device_graph* g;
  if (!g) g = record(1);
  for (int i = 0; i < n; ++i) must(haft_device_graph_replay(g));
}

struct op_case {
  const char* name;
  void (*run)(int n);
  int parts; /* operators in one turn of the loop */
};

static const struct op_case op_cases[] = {
    {"add", case_add, 1},
    {"add4", case_add4, 1},
    {"add_out", case_add_out, 1},
    {"add_inplace", case_add_inplace, 1},
    {"mul_scalar", case_mul_scalar, 1},
    {"relu", case_relu, 1},
    {"sum", case_sum, 1},
    {"add_grad", case_add_grad, 1},
    {"add4_grad", case_add4_grad, 1},
    {"view", case_view, 1},
    {"view_grad", case_view_grad, 1},
    {"transpose", case_transpose, 1},
    {"select", case_select, 1},
    {"mm", case_mm, 1},
    {"linear", case_linear, 1},
    {"chain_add", case_chain_add, kChain},
    {"chain_add_backward", case_chain_add_backward, kChain},
    {"chain_mul", case_chain_mul, kChain},
    {"chain_mul_backward", case_chain_mul_backward, kChain},
    {"square_sum_backward", case_square_sum_backward, 1},
    {"linear_step", case_linear_step, 1},
    {"conv2d_step", case_conv2d_step, 1},
};
enum { kOpCases = sizeof(op_cases) / sizeof(op_cases[0]) };

static const struct op_case device_cases[] = {
    {"layer_norm", case_layer_norm, 1},
    {"lstm_step", case_lstm_step, kSteps},
    {"replay", case_replay, 1},
    {"replay_dropout", case_replay_dropout, 1},
};
enum { kDeviceCases = sizeof(device_cases) / sizeof(device_cases[0]) };

#endif
