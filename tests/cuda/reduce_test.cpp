// Reductions, scans, norms and losses at sizes that records do not have: rows that are read in vectors between single
// elements, rows of registers, of blocks and of several blocks, columns, strides. The CPU's kernels say what is
// right.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/backend/registry.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "core/schema/optimizers.h"
#include "core/tape/tape.h"
#include "tests/seed.h"

namespace haft {
namespace {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensors(const Tensors&)>;
using Sizes = std::vector<int64_t>;

struct Beside : testing::Test {
  static void SetUpTestSuite() { init(); }
};
using CudaReduce = Beside;
using CudaScan = Beside;
using CudaSoftmax = Beside;
using CudaNorm = Beside;
using CudaLoss = Beside;
using CudaOptimizer = Beside;
using CudaRotary = Beside;

constexpr DType kFloatTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

Device device() {
  static const Device d = [] {
    const char* name = std::getenv("HAFT_TEST_DEVICE");
    return name && *name ? parse_device(name) : Device{load_backend(HAFT_CUDA_PLUGIN), 0};
  }();
  return d;
}

Tensor drawn(const Sizes& sizes, DType t = DType::f32, double mean = 0, double spread = 1) {
  return ops::cast(ops::normal(mean, spread, IntList(sizes), DType::f64), t);
}

double unit(DType t) {
  return t == DType::f64 ? 1e-12 : t == DType::f32 ? 1e-5 : t == DType::f16 ? 1e-3 : 8e-3;
}

// `loose`: how many units results may differ by, of their size and of their typical size.
void expect_same(const Tensor& got, const Tensor& want, double loose, const std::string& what) {
  ASSERT_EQ(got.dtype(), want.dtype()) << what;
  ASSERT_TRUE(std::ranges::equal(got.sizes(), want.sizes())) << what;
  const Tensor a = ops::contiguous(ops::cast(ops::to_device(got, Device{}), DType::f64)),
               b = ops::contiguous(ops::cast(want, DType::f64));
  const double *x = static_cast<const double*>(a.view().data), *y = static_cast<const double*>(b.view().data);
  double squares = 0;
  int64_t finite = 0, wrong = 0;
  for (int64_t i = 0; i < b.numel(); ++i)
    if (std::isfinite(y[i])) squares += y[i] * y[i], ++finite;
  const double by = is_float(want.dtype()) ? loose * unit(want.dtype()) : 0;
  const double typical = std::max(1e-2, std::sqrt(squares / double(std::max<int64_t>(finite, 1))));
  for (int64_t i = 0; i < b.numel(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) ||
        std::fabs(x[i] - y[i]) <= by * (std::fabs(y[i]) + typical))
      continue;
    if (++wrong <= 3)
      ADD_FAILURE() << what << ": element " << i << " of " << b.numel() << " is " << x[i] << ", wanted "
                    << y[i];
  }
  EXPECT_EQ(wrong, 0) << what;
}

void compare(const std::string& what, const Tensors& inputs, const Function& f, double loose = 1) {
  Tensors there;
  for (const Tensor& t : inputs) there.push_back(t.defined() ? ops::to_device(t, device()) : t);
  const Tensors got = f(there), want = f(inputs);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    expect_same(got[i], want[i], loose, what + ", result " + std::to_string(i));
}
template <size_t N>
Tensors all(const std::array<Tensor, N>& a) {
  return {a.begin(), a.end()};
}

// float32 and bfloat16 take all sizes, the others one in three, others with each seed.
bool left_out(DType t) {
  static uint64_t count = test::seed();
  return t != DType::f32 && t != DType::bf16 && count++ % 3 != 0;
}

std::string text(const Sizes& s) { return concat(IntList(s)); }

struct Reduced {
  Sizes sizes, dims;
  std::function<Tensor(const Tensor&)> view = [](const Tensor& x) { return x; };
};
const Reduced kReduced[] = {
    {{300003}, {}},
    {{3, 70001}, {1}},
    {{70001, 3}, {0}},
    {{2, 40000}, {1}},
    {{1031, 67}, {1}},
    {{1031, 64}, {1}},
    {{5000, 3}, {1}},
    {{5000, 8}, {1}},
    {{2111, 24}, {0}},
    {{999, 8}, {0}},
    {{7, 129, 37}, {0, 2}},
    {{7, 13, 64}, {0, 2}},
    {{33, 8, 40}, {1}},
    {{5, 300, 7}, {1}},
    {{70, 33}, {0, 1}, [](const Tensor& x) { return ops::slice(x, 1, 1, 30); }},
    {{70, 96}, {1}, [](const Tensor& x) { return ops::slice(x, 1, 3, 90, 2); }},
    {{70, 96}, {0}, [](const Tensor& x) { return ops::transpose(x, 0, 1); }},
    {{50, 1},
     {0},
     [](const Tensor& x) {
       return ops::expand(x, Sizes{50, 96});
     }},
    {{4, 5, 6, 7},
     {0, 2},
     [](const Tensor& x) {
       return ops::permute(x, Sizes{3, 1, 0, 2});
     }},
};

TEST_F(CudaReduce, FloatsOfAnySize) {
  for (DType t : kFloatTypes)
    for (const Reduced& r : kReduced) {
      if (left_out(t)) continue;
      const std::string what = concat(text(r.sizes), " over ", text(r.dims), " in ", dtype_name(t));
      const Tensor x = drawn(r.sizes, t, 0.25);
      auto with = [&](auto op) {
        return [&, op](const Tensors& in) { return Tensors{op(r.view(in[0]), IntList(r.dims))}; };
      };
      compare("sum of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::sum(a, d); }), 4);
      compare("mean of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::mean(a, d); }), 4);
      compare("var of " + what, {drawn(r.sizes, t, t == DType::f16 || t == DType::bf16 ? 1 : 300)},
              with([](const Tensor& a, IntList d) { return ops::var(a, d); }), 4);
      compare("amax of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::amax(a, d); }));
      compare("amin of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::amin(a, d); }));
      compare("prod of " + what, {x},
              with([](const Tensor& a, IntList d) { return ops::prod(ops::slice(a, int64_t(0), 0, 20), d); }),
              4);
      compare("any of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::any(a, d); }));
    }
}
TEST_F(CudaReduce, Integers) {
  for (DType t : {DType::boolean, DType::u8, DType::i8, DType::i16, DType::i32, DType::i64})
    for (const Reduced& r : kReduced) {
      if (left_out(t)) continue;
      const std::string what = concat(text(r.sizes), " over ", text(r.dims), " in ", dtype_name(t));
      const Tensor x = ops::cast(ops::randint(t == DType::u8 ? 0 : -3, 7, IntList(r.sizes)), t);
      auto with = [&](auto op) {
        return [&, op](const Tensors& in) { return Tensors{op(r.view(in[0]), IntList(r.dims))}; };
      };
      compare("sum of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::sum(a, d); }));
      compare("prod of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::prod(a, d); }));
      compare("amin of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::amin(a, d); }));
      compare("any of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::any(a, d); }));
      compare("all of " + what, {x}, with([](const Tensor& a, IntList d) { return ops::all(a, d); }));
    }
}
TEST_F(CudaReduce, PlacesOfExtremes) {
  for (DType t : {DType::f32, DType::f64, DType::bf16, DType::i16, DType::i32, DType::boolean})
    for (const Reduced& r : kReduced) {
      if (left_out(t)) continue;
      if (r.dims.size() > 1) continue;
      const std::string what = concat(text(r.sizes), " over ", text(r.dims), " in ", dtype_name(t));
      // Many are equal: the first one counts.
      Tensor x = ops::cast(ops::randint(-40, 40, IntList(r.sizes)), t);
      const int64_t dim = r.dims.empty() ? kNone : r.dims[0];
      compare("argmax of " + what, {x}, [&](const Tensors& in) {
        return Tensors{ops::argmax(r.view(in[0]), dim), ops::argmin(r.view(in[0]), dim)};
      });
      if (dim == kNone) continue;
      compare("max_dim of " + what, {x},
              [&](const Tensors& in) { return all(ops::max_dim(r.view(in[0]), dim)); });
      compare("min_dim of " + what, {x},
              [&](const Tensors& in) { return all(ops::min_dim(r.view(in[0]), dim)); });
    }
  const double inf = HUGE_VAL;
  for (double v : {-inf, inf, std::nan("")}) {
    Tensor x = drawn({3, 5000});
    static_cast<float*>(x.view().data)[7000] = float(v);
    static_cast<float*>(x.view().data)[7001] = float(v);
    compare("max_dim beside " + std::to_string(v), {x},
            [](const Tensors& in) { return all(ops::max_dim(in[0], 1)); });
    compare("min_dim beside " + std::to_string(v), {x},
            [](const Tensors& in) { return all(ops::min_dim(in[0], 1)); });
  }
  compare("argmax of what is lowest everywhere", {ops::full(Sizes{3, 40}, Scalar(-inf), DType::f32)},
          [](const Tensors& in) {
            return Tensors{ops::argmax(in[0], 1), ops::argmin(in[0], 0)};
          });
}

TEST_F(CudaScan, LinesOfAnySize) {
  const std::pair<Sizes, int64_t> lines[] = {{{3, 5000}, 1},    {{150001}, 0},  {{700, 70}, 1},
                                             {{1300, 130}, 1},  {{5000, 3}, 1}, {{4, 3000, 5}, 1},
                                             {{2, 40, 700}, 1}, {{9000, 2}, 0}, {{1, 1}, 0}};
  for (DType t : kFloatTypes)
    for (const auto& [sizes, dim] : lines) {
      if (left_out(t)) continue;
      const std::string what = concat(text(sizes), " along ", dim, " in ", dtype_name(t));
      const Tensor x = drawn(sizes, t), near_one = drawn(sizes, t, 1, 0.01),
                   decay = drawn(sizes, t, 0.5, 0.2);
      compare("cumsum of " + what, {x}, [&](const Tensors& in) { return Tensors{ops::cumsum(in[0], dim)}; });
      compare(
          "cumprod of " + what, {near_one},
          [&](const Tensors& in) { return Tensors{ops::cumprod(in[0], dim)}; }, 2);
      compare("cummax of " + what, {x}, [&](const Tensors& in) { return all(ops::cummax(in[0], dim)); });
      compare("cummin of " + what, {x}, [&](const Tensors& in) { return all(ops::cummin(in[0], dim)); });
      compare("logcumsumexp of " + what, {x},
              [&](const Tensors& in) { return Tensors{ops::logcumsumexp(in[0], dim)}; });
      for (bool reverse : {false, true})
        compare(
            "linear_scan of " + what, {x, decay},
            [&](const Tensors& in) { return Tensors{ops::linear_scan(in[0], in[1], dim, reverse)}; }, 4);
    }
  for (DType t : {DType::boolean, DType::i8, DType::i32, DType::i64}) {
    const Tensor x = ops::cast(ops::randint(-3, 7, Sizes{3, 7, 2300}), t);
    for (int64_t dim : {1, 2}) {
      compare(concat("cumsum in ", dtype_name(t)), {x},
              [&](const Tensors& in) { return Tensors{ops::cumsum(in[0], dim)}; });
      compare(concat("cummax in ", dtype_name(t)), {x},
              [&](const Tensors& in) { return all(ops::cummax(in[0], dim)); });
    }
  }
}

TEST_F(CudaSoftmax, RowsAndColumnsOfAnySize) {
  for (DType t : kFloatTypes)
    for (int64_t n : {1, 7, 32, 129, 512, 1000, 1024, 1500, 4096, 5003, 16384, 20001, 40000}) {
      if (left_out(t)) continue;
      const int64_t rows = n > 3000 ? 3 : 9;
      const std::string what = concat("rows of ", n, " in ", dtype_name(t));
      const Tensor x = drawn({rows, n}, t, 3, 4), g = drawn({rows, n}, t);
      compare(
          "softmax of " + what, {x}, [](const Tensors& in) { return Tensors{ops::softmax(in[0], 1)}; }, 2);
      compare(
          "log_softmax of " + what, {x},
          [](const Tensors& in) { return Tensors{ops::log_softmax(in[0], 1)}; }, 2);
      const Tensor y = ops::softmax(x, 1), l = ops::log_softmax(x, 1);
      compare(
          "gradient of softmax of " + what, {g, y},
          [](const Tensors& in) { return Tensors{ops::softmax_backward(in[0], in[1], 1)}; }, 4);
      compare(
          "gradient of log_softmax of " + what, {g, l},
          [](const Tensors& in) { return Tensors{ops::log_softmax_backward(in[0], in[1], 1)}; }, 20);
    }
  for (DType t : kFloatTypes)
    for (const Sizes& sizes : {Sizes{3, 40, 5}, Sizes{2, 700, 33}, Sizes{5, 3, 100}}) {
      const Tensor x = drawn(sizes, t, 3, 4), g = drawn(sizes, t);
      compare(
          "softmax of columns", {x},
          [](const Tensors& in) {
            return Tensors{ops::softmax(in[0], 1), ops::log_softmax(ops::transpose(in[0], 0, 2), 1)};
          },
          2);
      compare(
          "gradient of softmax of columns", {g, ops::softmax(x, 1)},
          [](const Tensors& in) { return Tensors{ops::softmax_backward(in[0], in[1], 1)}; }, 4);
    }
  const double inf = HUGE_VAL;
  for (int64_t n : {40, 1000, 20001}) {
    Tensor x = drawn({5, n});
    float* p = static_cast<float*>(x.view().data);
    for (int64_t i = 0; i < n; ++i) p[i] = float(-inf), p[n + i] = i % 3 ? float(-inf) : p[n + i];
    p[2 * n + 5] = float(inf);
    p[3 * n + n / 2] = std::nanf("");
    compare("softmax of infinities", {x}, [](const Tensors& in) {
      return Tensors{ops::softmax(in[0], 1), ops::log_softmax(in[0], 1),
                     ops::softmax(ops::transpose(in[0], 0, 1), 0)};
    });
  }
}

TEST_F(CudaNorm, LayersOfAnySize) {
  for (DType t : kFloatTypes)
    for (int64_t n : {1, 5, 64, 100, 768, 1024, 1500, 4097, 8192, 9000, 17000, 32768}) {
      if (left_out(t)) continue;
      const int64_t rows = n > 3000 ? 5 : 70;
      const DType wide = t == DType::f64 ? t : DType::f32;
      const std::string what = concat("rows of ", n, " in ", dtype_name(t));
      const Tensor x = drawn({rows, n}, t, 4), g = drawn({rows, n}, t);
      for (DType of_weight : {t, wide}) {
        const Tensor w = drawn({n}, of_weight), b = drawn({n}, of_weight);
        compare(
            "layer_norm of " + what, {x, w, b},
            [&](const Tensors& in) {
              return all(ops::layer_norm_stats(in[0], Sizes{n}, in[1], in[2], 1e-5));
            },
            4);
        compare(
            "rms_norm of " + what, {x, w},
            [&](const Tensors& in) {
              return all(ops::layer_norm_stats(in[0], Sizes{n}, in[1], Tensor(), 1e-5, true));
            },
            4);
        for (bool rms : {false, true}) {
          auto [y, mean, rstd] = ops::layer_norm_stats(x, Sizes{n}, w, b, 1e-5, rms);
          if (n > 1)  // what should be 0 is rounding alone
            compare(
                concat("gradient of ", rms ? "rms" : "layer", "_norm of ", what), {g, x, w, mean, rstd},
                [&](const Tensors& in) {
                  return all(ops::layer_norm_backward(in[0], in[1], Sizes{n}, in[2], in[3], in[4], rms));
                },
                8);
        }
      }
      compare(
          "layer_norm without weights", {x},
          [&](const Tensors& in) {
            return all(ops::layer_norm_stats(in[0], Sizes{n}, Tensor(), Tensor(), 1e-5));
          },
          4);
    }
  compare(
      "layer_norm far from 0", {drawn({9, 1000}, DType::f32, 10000)},
      [](const Tensors& in) {
        return all(ops::layer_norm_stats(in[0], Sizes{1000}, Tensor(), Tensor(), 1e-5));
      },
      100);
}
TEST_F(CudaNorm, BatchesOfAnyLayout) {
  const Sizes row_major{0, 1, 2, 3}, last{0, 2, 3, 1}, other{3, 1, 0, 2};
  for (DType t : kFloatTypes)
    for (const Sizes& sizes :
         {Sizes{4, 5, 7, 7}, Sizes{3, 16, 8, 8}, Sizes{2, 24, 1, 3}, Sizes{2, 3, 90, 91}})
      for (const Sizes* order : {&row_major, &last, &other}) {
        if (left_out(t)) continue;
        Sizes drawn_sizes, back(4);
        for (size_t d = 0; d < 4; ++d)
          drawn_sizes.push_back(sizes[size_t((*order)[d])]), back[size_t((*order)[d])] = int64_t(d);
        const Tensor x = drawn(drawn_sizes, t, 2), g = drawn(drawn_sizes, t), w = drawn({sizes[1]}),
                     b = drawn({sizes[1]}, t);
        const std::string what = concat(text(sizes), " in the order ", text(*order), " in ", dtype_name(t));
        compare(
            "batch_norm of " + what, {x, w, b},
            [&](const Tensors& in) {
              return all(ops::batch_norm_stats(ops::permute(in[0], back), in[1], in[2], 1e-5));
            },
            4);
        const Tensor at = ops::permute(x, back);
        auto [y, mean, var] = ops::batch_norm_stats(at, w, b, 1e-5);
        compare(
            "batch_norm by given numbers of " + what, {x, w, b, mean, var},
            [&](const Tensors& in) {
              return Tensors{
                  ops::batch_norm_apply(ops::permute(in[0], back), in[1], in[2], in[3], in[4], 1e-5)};
            },
            4);
        compare(
            "gradient of batch_norm of " + what, {g, x, w, mean, var},
            [&](const Tensors& in) {
              return all(ops::batch_norm_backward(ops::permute(in[0], back), ops::permute(in[1], back), in[2],
                                                  in[3], in[4], 1e-5));
            },
            8);
        compare(
            "channel_sum of " + what, {x},
            [&](const Tensors& in) { return Tensors{ops::channel_sum(ops::permute(in[0], back))}; }, 4);
      }
  compare(
      "batch_norm of a matrix", {drawn({300, 10}), drawn({10}), Tensor()},
      [](const Tensors& in) { return all(ops::batch_norm_stats(in[0], in[1], in[2], 1e-5)); }, 4);
}

TEST_F(CudaLoss, CrossEntropyOfAnySize) {
  for (DType t : kFloatTypes)
    for (int64_t n : {1, 3, 10, 64, 1000, 1024, 1501, 5003})
      for (double smoothing : {0.0, 0.1}) {
        if (left_out(t)) continue;
        const int64_t rows = n > 1000 ? 5 : 37;
        const std::string what = concat("cross entropy of ", n, " classes in ", dtype_name(t));
        Tensor target = ops::randint(0, n, Sizes{rows});
        static_cast<int64_t*>(target.view().data)[1] = -100;
        const DType wide = t == DType::f64 ? t : DType::f32;
        const Tensor x = drawn({rows, n}, t, 5, 3), weight = ops::abs(drawn({n}, t)), g = drawn({rows}, wide);
        for (const Tensor& w : {Tensor(), weight}) {
          compare(
              what, {x, target, w},
              [&](const Tensors& in) {
                return all(ops::cross_entropy_rows(in[0], in[1], in[2], -100, smoothing));
              },
              4);
          const Tensor lse = ops::cross_entropy_rows(x, target, w, -100, smoothing)[2];
          compare(
              "gradient of " + what, {g, x, target, w, lse},
              [&](const Tensors& in) {
                return Tensors{
                    ops::cross_entropy_rows_backward(in[0], in[1], in[2], in[3], in[4], -100, smoothing)};
              },
              4);
        }
      }
}
TEST_F(CudaLoss, LogarithmsOfSums) {
  const double inf = INFINITY;
  for (DType t : kFloatTypes) {
    for (const Sizes& sizes : {Sizes{37, 10}, Sizes{5, 3000}, Sizes{2, 70000}}) {
      const std::string what = concat("logsumexp of ", text(sizes), " in ", dtype_name(t));
      compare(
          what, {drawn(sizes, t, 5, 3)},
          [](const Tensors& in) {
            return Tensors{ops::logsumexp(in[0], Sizes{1}), ops::logsumexp(in[0], Sizes{0}, true)};
          },
          4);
    }
    Tensor odd = ops::full(Sizes{4, 1200}, Scalar(-inf), t);
    ops::fill_(ops::slice(odd, 0, 1, 3), Scalar(1.0));
    ops::fill_(ops::slice(ops::slice(odd, 0, 1, 4), 1, 700, 702), Scalar(inf));
    ops::fill_(ops::slice(ops::slice(odd, 0, 2, 3), 1, 3, 4), Scalar(double(NAN)));
    for (int64_t n : {1200, 900})
      compare(concat("logsumexp of infinities in ", dtype_name(t)), {ops::slice(odd, 1, 0, n)},
              [](const Tensors& in) { return Tensors{ops::logsumexp(in[0], Sizes{1})}; });
  }
}
// More logits than are there at a time: two parts.
TEST_F(CudaLoss, HeadsOfSeveralParts) {
  for (DType t : {DType::f32, DType::bf16, DType::f16}) {
    const int64_t rows = 18, depth = 3, classes = 270000;
    Tensor target = ops::randint(0, classes, Sizes{rows});
    static_cast<int64_t*>(target.view().data)[17] = -100;
    const Tensor x = drawn({rows, depth}, t), w = drawn({classes, depth}, t), b = drawn({classes}, t),
                 g = drawn({rows}, DType::f32, 0, 1000);
    compare(
        "linear_cross_entropy", {x, w, target, b},
        [](const Tensors& in) {
          return all(ops::linear_cross_entropy_rows(in[0], in[1], in[2], in[3], Tensor(), -100, 0));
        },
        4);
    const Tensor lse = ops::linear_cross_entropy_rows(x, w, target, b, Tensor(), -100, 0)[2];
    compare(
        "gradient of linear_cross_entropy", {g, x, w, target, b, lse},
        [](const Tensors& in) {
          return all(ops::linear_cross_entropy_backward(in[0], in[1], in[2], in[3], in[4], Tensor(), in[5],
                                                        -100, 0, 7));
        },
        8);
  }
}
TEST_F(CudaLoss, TargetsOutOfRangeAreSaidWhenOneWaits) {
  Tensor target = ops::randint(0, 10, Sizes{40});
  static_cast<int64_t*>(target.view().data)[17] = 10;
  const Tensor x = ops::to_device(drawn({40, 10}), device()), t = ops::to_device(target, device());
  try {
    const Tensor loss = ops::cross_entropy_rows(x, t, Tensor(), -100, 0)[0];
    ops::to_device(loss, Device{});
    ADD_FAILURE() << "nothing was said";
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::index);
    EXPECT_NE(e.message.find("position 17"), std::string::npos) << e.message;
  }
}
TEST_F(CudaLoss, CtcOfRepeatedLabels) {
  for (DType t : {DType::f32, DType::f64, DType::bf16})
    for (const auto& [steps, labels, classes] :
         {std::array<int64_t, 3>{60, 20, 5}, {90, 30, 40}, {4, 3300, 7}, {3, 0, 4}}) {
      const int64_t batch = 5;
      const Tensor x = ops::log_softmax(drawn({steps, batch, classes}, t), 2);
      const Tensor targets = ops::randint(0, classes, Sizes{batch, labels});  // blanks as labels, too
      Tensor step_counts = ops::full(Sizes{batch}, Scalar(steps), DType::i64),
             lengths = ops::full(Sizes{batch}, Scalar(std::min(labels, steps / 4)), DType::i64);
      auto* counts = static_cast<int64_t*>(step_counts.view().data);
      auto* length = static_cast<int64_t*>(lengths.view().data);
      counts[1] = steps / 2 + 1, counts[2] = 0, length[2] = 0, length[3] = 0, length[4] = labels;
      const std::string what = concat("ctc of ", steps, " steps and ", labels, " labels in ", dtype_name(t));
      compare(
          what, {x, targets, step_counts, lengths},
          [](const Tensors& in) { return all(ops::ctc_loss_rows(in[0], in[1], in[2], in[3], 2)); }, 4);
      auto [loss, alpha] = ops::ctc_loss_rows(x, targets, step_counts, lengths, 2);
      const Tensor g = drawn({batch}, loss.dtype());
      static_cast<char*>(g.view().data)[0] = 0;
      compare(
          "gradient of " + what, {g, x, targets, step_counts, lengths, loss, alpha},
          [](const Tensors& in) {
            return Tensors{ops::ctc_loss_backward(in[0], in[1], in[2], in[3], in[4], in[5], in[6], 2)};
          },
          8);
    }
}

TEST_F(CudaOptimizer, EveryRuleStepsEveryElement) {
  for (int rule = 0; rule < kOptimizerCount; ++rule) {
    const StateText& state = kOptimizerStates[rule];
    if (state.whole) continue;
    for (unsigned slots = 0; slots < 1u << state.count; ++slots) {
      if ((slots & state.always()) != state.always()) continue;
      for (int mixed = 0; mixed < 2; ++mixed) {
        // More than a launch takes, or some of each kind.
        const int64_t n = rule == int(OptimizerId::Adam) ? 70 : 10;
        const int lists = 2 + std::popcount(slots);
        Tensors in;
        for (int k = 0; k < lists; ++k)
          for (int64_t i = 0; i < n; ++i) {
            const bool long_ones = rule == int(OptimizerId::Adam) && !mixed;
            const int64_t count = i == 0                ? (long_ones ? 17000 : 700)
                                  : i == 1 && long_ones ? 8192
                                  : i == 2 && long_ones ? 8193
                                  : i == 3              ? 0
                                                        : i * 3 + 1;
            const DType t = i % 9 == 4             ? DType::f64
                            : mixed && (k + i) % 3 ? (i % 2 ? DType::bf16 : DType::f16)
                                                   : DType::f32;
            const Tensor x = drawn(i % 5 == 3 ? Sizes{3, count} : Sizes{count}, t);
            in.push_back(k < 2 ? x : ops::abs(x));
          }
        const double options[16] = {1e-2, 0.9, 0.75, 0.5, 0.25, 0, 0, 0.5, 0.5, 0.5};
        compare(
            concat(kOptimizerNames[rule], " with slots ", int64_t(slots), mixed ? ", of mixed types" : ""),
            in,
            [&](const Tensors& given) {
              Tensors t, changed;
              for (size_t i = 0; i < given.size(); ++i) {
                Tensor x = ops::clone(given[i]);
                // Some lie turned, and some of those beside tensors that do not.
                if (x.ndim() == 2 && (i % size_t(n)) % 2)
                  x = ops::transpose(i < size_t(n) || i % 3 ? ops::contiguous(ops::transpose(x, 0, 1))
                                                            : ops::clone(ops::transpose(x, 0, 1)),
                                     0, 1);
                t.push_back(x);
              }
              const std::span<const Tensor> lists_of(t);
              ops::optimizer_step(rule, n, slots, false, 3, 1e-2, options, lists_of.first(size_t(n)),
                                  lists_of.subspan(size_t(n), size_t(n)), lists_of.subspan(2 * size_t(n)),
                                  {});
              for (size_t i = 0; i < t.size(); ++i)
                if (i / size_t(n) != 1) changed.push_back(t[i]);
              return changed;
            },
            4);
      }
    }
  }
}

TEST_F(CudaRotary, PairsInVectorsAndAlone) {
  for (DType t : kFloatTypes)
    for (const auto& [e, pairs] : {std::pair<int64_t, int64_t>{64, 32}, {64, 16}, {33, 15}, {8, 3}})
      for (bool interleaved : {false, true}) {
        const DType wide = t == DType::f64 ? t : DType::f32;
        const int64_t p = pairs;
        compare(
            "rotary", {drawn({2, 5, 3, e}, t), drawn({5, 1, p}, wide), drawn({5, 1, p}, wide)},
            [&](const Tensors& in) {
              const Sizes spread{2, 5, 3, p}, turned{2, 3, 5, p};
              return Tensors{
                  ops::rotary(in[0], ops::expand(in[1], spread), ops::expand(in[2], spread), interleaved),
                  ops::rotary(ops::transpose(in[0], 1, 2), ops::expand(ops::transpose(in[1], 0, 1), turned),
                              ops::expand(ops::transpose(in[2], 0, 1), turned), interleaved)};
            });
      }
}

}  // namespace
}  // namespace haft
