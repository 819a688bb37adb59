// Every POINTWISE op against a double reference: random and special values, all dtypes, strides and lengths.
#include <map>

#include "core/cpu/elementwise.h"
#include "tests/cpu/call.h"
#include "tests/ops/pointwise_references.h"
#include "tests/seed.h"

namespace haft::test {
namespace {

using In = const std::vector<double>&;
struct Reference {
  std::function<double(In x, In p)> f;
  double slack = 1;  // times 8 units in the last place of max(|result|, scale)
  double scale = 0;  // where cancellation makes relative error meaningless
  std::vector<std::vector<double>> params = {{}};
};

const double kInf = INFINITY;
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double phi(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
double py_mod(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// The q of a == q * b + py_mod(a, b).
double py_div(double a, double b) {
  if (b == 0) return a / b;
  const double r = std::fmod(a, b), q = (a - r) / b - (r != 0 && (r < 0) != (b < 0));
  return q == 0 ? std::copysign(0, a / b) : std::round(q);
}
double clamp(double x, double lo, double hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

// Attributes in several values, and operators that have no record of their own; all others' references are
// those of the records in tests/ops.
const std::map<std::string, Reference>& references() {
#define F2(e)                    \
  {                              \
    [](In x, In) -> double {     \
      double a = x[0], b = x[1]; \
      return e;                  \
    }                            \
  }
#define FS(e, ...)               \
  {                              \
    [](In x, In p) -> double {   \
      double a = x[0], b = p[0]; \
      return e;                  \
    },                           \
        1, 0, __VA_ARGS__        \
  }
#define SCALARS                  \
  {                              \
    {3}, {-2}, {0.5}, {2}, { 0 } \
  }
  static const std::map<std::string, Reference> m = [] {
    std::map<std::string, Reference> given = {
        {"add_scalar", FS(a + b, SCALARS)},
        {"sub_scalar", FS(a - b, SCALARS)},
        {"rsub_scalar", FS(b - a, SCALARS)},
        {"mul_scalar", FS(a * b, SCALARS)},
        {"div_scalar", FS(a / b, SCALARS)},
        {"rdiv_scalar", FS(b / a, SCALARS)},
        {"pow_scalar", FS(std::pow(a, b), {{3}, {2}, {0.5}, {-1}, {0}, {2.5}})},
        {"rpow_scalar", FS(std::pow(b, a), {{3}, {2}, {0.5}})},
        {"fmod_scalar", FS(std::fmod(a, b), SCALARS)},
        {"remainder_scalar", FS(py_mod(a, b), SCALARS)},
        {"floor_divide_scalar", FS(py_div(a, b), SCALARS)},
        {"eq_scalar", FS(a == b, SCALARS)},
        {"ne_scalar", FS(a != b, SCALARS)},
        {"lt_scalar", FS(a < b, SCALARS)},
        {"le_scalar", FS(a <= b, SCALARS)},
        {"gt_scalar", FS(a > b, SCALARS)},
        {"ge_scalar", FS(a >= b, SCALARS)},
        {"clamp",
         {[](In x, In p) { return clamp(x[0], p[0], p[1]); },
          1,
          0,
          {{-1, 2}, {-kInf, 1}, {0, kInf}, {2, -1}}}},
        {"masked_fill", {[](In x, In p) { return x[1] != 0 ? p[0] : x[0]; }, 1, 0, {{3}, {-2}}}},
        {"addcmul", {[](In x, In p) { return x[0] + p[0] * x[1] * x[2]; }, 4, 10, {{1}, {3}}}},
        {"addcdiv", {[](In x, In p) { return x[0] + p[0] * x[1] / x[2]; }, 4, 10, {{1}, {0.5}}}},
        {"lerp",
         {[](In x, In p) {
            return p[0] < 0.5 ? x[0] + p[0] * (x[1] - x[0]) : x[1] - (x[1] - x[0]) * (1 - p[0]);
          },
          4,
          10,
          {{0.25}, {0.75}, {1}}}},
        {"gelu",
         {[](In x, In p) {
            double u = 0.7978845608028654 * (x[0] + 0.044715 * x[0] * x[0] * x[0]);
            return p[0] != 0 ? x[0] * sigmoid(2 * u) : 0.5 * x[0] * (1 + std::erf(x[0] * M_SQRT1_2));
          },
          4,
          1,
          {{0}, {1}}}},
        {"hardtanh", {[](In x, In p) { return clamp(x[0], p[0], p[1]); }, 1, 0, {{-1, 1}, {-2, 3}}}},
        {"relu_backward", F2(b > 0 ? a : 0)},
        {"sigmoid_backward", {[](In x, In) { return x[0] * x[1] * (1 - x[1]); }, 4, 1}},
        {"tanh_backward", {[](In x, In) { return x[0] * (1 - x[1] * x[1]); }, 4, 10}},
        {"gelu_backward",
         {[](In x, In p) {
            double v = x[1], k = 0.7978845608028654;
            if (p[0] == 0) return x[0] * (phi(v) + v * std::exp(-v * v / 2) / std::sqrt(2 * M_PI));
            double t = std::tanh(k * (v + 0.044715 * v * v * v));
            return x[0] * (0.5 * (1 + t) + 0.5 * v * (1 - t * t) * k * (1 + 0.134145 * v * v));
          },
          8,
          10,
          {{0}, {1}}}},
        {"silu_backward",
         {[](In x, In) {
            double s = sigmoid(x[1]);
            return x[0] * s * (1 + x[1] * (1 - s));
          },
          8, 10}},
    };
    for (const PointwiseReference& r : pointwise_references())
      if (!given.count(r.name))
        given[r.name] = {[f = r.each](In x, In) { return f(x.data()); }, r.slack, r.scale, {r.numbers}};
    return given;
  }();
  return m;
}

struct Case {
  OpId op;
  PointwiseArgs signature;
  uint32_t traits;
};
std::vector<Case> cases() {
  return {
#define POINTWISE(name, signature, traits, ...) {OpId::name, pointwise_args(signature), uint32_t(traits)},
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)

#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
  };
}

bool takes(const Case& c, DType t) {
  return is_float(t) ? !(c.traits & INTONLY) : !(c.traits & (FLOAT | INTERNAL));
}
bool is_mask(const Case& c, int k) {
  return (k == 0 && (c.traits & MASK0)) || (k == 1 && (c.traits & MASK1));
}

AttrWriter attrs_of(const Case& c, const std::vector<double>& p, DType t) {
  AttrWriter w;
  for (int i = 0; i < c.signature.n_params; ++i) {
    if (c.signature.kinds[i] == PointwiseArgs::boolean)
      w.add(int64_t(p[i] != 0));
    else if (c.signature.kinds[i] == PointwiseArgs::number)
      w.add(p[i]);
    else if (std::isinf(p[i]))
      w.add(Scalar());  // clamp's absent bound
    else if (is_float(t))
      w.add(Scalar(p[i]));
    else
      w.add(Scalar(int64_t(p[i])));
  }
  return w;
}

// Integer results wrap into their type.
double wrapped(double v, DType t) {
  Array one(t, {1});
  one.set(0, v);
  return one.get(0);
}

void expect_close(const Case& c, const Reference& r, DType t, double got, double want,
                  const std::vector<double>& x) {
  auto inputs = [&] {
    std::string s;
    for (double v : x) s += std::to_string(v) + " ";
    return s;
  };
  if (c.traits & BOOLOUT) {
    ASSERT_EQ(got, want != 0) << op_name(c.op) << " of " << inputs() << dtype_name(t);
    return;
  }
  if (!is_float(t)) {
    ASSERT_EQ(got, want) << op_name(c.op) << " of " << inputs() << dtype_name(t);
    return;
  }
  double rounded = t == DType::f64 ? want : t == DType::f32 ? double(float(want)) : wrapped(want, t);
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(got)) << op_name(c.op) << " of " << inputs() << dtype_name(t) << ": got " << got;
    return;
  }
  if (std::isinf(rounded) || std::isinf(got)) {
    const double largest = t == DType::f16 ? 65504 : t == DType::f64 ? 1.79e308 : 3.38e38;
    ASSERT_TRUE(got == rounded ||
                (std::fabs(want) > largest && std::fabs(got) > largest && (got > 0) == (want > 0)))
        << op_name(c.op) << " of " << inputs() << dtype_name(t) << ": got " << got << ", want " << want;
    return;
  }
  const double smallest = t == DType::f16    ? 6e-8
                          : t == DType::f64  ? 5e-324
                          : t == DType::bf16 ? 1e-40
                                             : 1.5e-45;
  const double tolerance = 8 * r.slack * epsilon(t) * std::max(std::fabs(want), r.scale) + 4 * smallest;
  ASSERT_NEAR(got, rounded, tolerance) << op_name(c.op) << " of " << inputs() << dtype_name(t);
}

// Integer semantics that doubles do not have.
double integer_want(const Case& c, const Reference& r, DType t, const std::vector<double>& x,
                    const std::vector<double>& p) {
  const std::string name = op_name(c.op);
  const bool division =
      name.find("mod") != std::string::npos || name.find("remainder") == 0 || name.find("floor_divide") == 0;
  const double divisor = !p.empty() ? p[0] : x.size() > 1 ? x[1] : 1;
  if (division && divisor == 0) return 0;
  const bool power = name.find("pow") != std::string::npos;
  if (power) {
    double base = name == "rpow_scalar" ? p[0] : x[0], e = name == "rpow_scalar" ? x[0]
                                                           : p.empty()           ? x[1]
                                                                                 : p[0];
    if (e < 0) return base == 1 ? 1 : base == -1 ? (int64_t(e) % 2 ? -1 : 1) : 0;
  }
  if (t == DType::boolean) {
    if (name == "neg" || name == "sub" || name == "sub_scalar" || name == "rsub_scalar")
      return x.size() > 1 ? (x[0] != x[1]) : p.empty() ? x[0] : (x[0] != (p[0] != 0));
    if (name == "bitwise_not") return x[0] == 0;
  }
  double v = r.f(x, p);
  if (name == "clamp" && (t == DType::u8 || t == DType::boolean))
    v = std::max(v, 0.0);  // bounds stop at the type's own
  return wrapped(v, t);
}

void check(const Case& c, DType t, const std::vector<int64_t>& sizes, const std::vector<Form>& forms,
           Form out_form, const std::vector<double>& pool, bool in_place = false) {
  const Reference& r = references().at(op_name(c.op));
  std::mt19937 rng(7);
  for (std::vector<double> p : r.params) {
    if (!is_float(t))
      for (double& v : p) v = std::isinf(v) ? v : std::trunc(v);
    if (t == DType::boolean)
      for (double& v : p) v = std::isinf(v) ? v : v != 0;
    std::vector<Array> in;
    for (int k = 0; k < c.signature.n_in; ++k) {
      in.emplace_back(is_mask(c, k) ? DType::boolean : t, sizes, forms[k % forms.size()]);
      in.back().fill([&](int64_t) { return pool[rng() % pool.size()]; });
    }
    std::vector<std::vector<double>> x(size_t(in[0].numel()));
    for (size_t i = 0; i < x.size(); ++i)
      for (auto& a : in) x[i].push_back(a.get(int64_t(i)));
    Array out((c.traits & BOOLOUT) ? DType::boolean : t, sizes, out_form);
    std::vector<const Array*> pointers;
    for (auto& a : in) pointers.push_back(&a);
    Array* target = in_place ? &in[(c.traits & MASK0) ? 1 : 0] : &out;
    std::string error;
    ASSERT_EQ(run(c.op, pointers, {target}, attrs_of(c, p, t), &error), 0) << op_name(c.op) << ": " << error;
    for (size_t i = 0; i < x.size(); ++i) {
      double want = is_float(t) ? r.f(x[i], p) : integer_want(c, r, t, x[i], p);
      ASSERT_NO_FATAL_FAILURE(expect_close(c, r, t, target->get(int64_t(i)), want, x[i]));
    }
  }
}

std::vector<double> pool_of(DType t) {
  std::mt19937 rng(3);
  std::vector<double> v;
  if (is_float(t)) {
    std::normal_distribution<double> normal(0, 2);
    for (int i = 0; i < 500; ++i) v.push_back(normal(rng));
    for (double s : {0.0, 1.0, -1.0, 0.5, 2.0, 1e-4, -1e-4}) v.push_back(s);
  } else {
    for (int i = 0; i < 40; ++i)
      v.push_back(t == DType::boolean ? i % 2 : t == DType::u8 ? i % 11 : i % 13 - 6);
  }
  return v;
}

const DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64,
                        DType::i32, DType::i16, DType::i8,  DType::u8,   DType::boolean};

TEST(Elementwise, EveryOpHasAReference) {
  for (const Case& c : cases()) {
    auto r = references().find(op_name(c.op));
    ASSERT_TRUE(r != references().end()) << op_name(c.op) << " has no pointwise record in tests/ops";
    for (const auto& p : r->second.params)
      EXPECT_EQ(int(p.size()), c.signature.n_params)
          << op_name(c.op) << ": its record says with({...}) which attributes it is called with";
  }
  EXPECT_EQ(references().size(), cases().size());
}

TEST(Elementwise, EveryOpEveryType) {
  for (const Case& c : cases())
    for (DType t : kTypes)
      if (takes(c, t)) {
        // Half's pow and the like are compared after rounding; its range is small.
        check(c, t, {1, 37}, {Form::dense}, Form::dense, pool_of(t));
        if (HasFatalFailure()) FAIL() << op_name(c.op) << " " << dtype_name(t);
      }
}

TEST(Elementwise, Lengths) {
  for (const Case& c : cases())
    for (int64_t n : {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 100, 1025, 3000})
      for (DType t : {DType::f32, DType::f64, DType::i32, DType::bf16})
        if (takes(c, t) && sampled()) check(c, t, {n}, {Form::dense}, Form::dense, pool_of(t));
}

TEST(Elementwise, Strides) {
  for (const Case& c : cases())
    for (DType t : {DType::f32, DType::f16, DType::i64, DType::u8})
      if (takes(c, t))
        for (Form f : {Form::dense, Form::transposed, Form::sliced, Form::expanded})
          for (Form g : {Form::transposed, Form::expanded})
            for (Form o : {Form::dense, Form::transposed, Form::sliced})
              for (auto& sizes : std::vector<std::vector<int64_t>>{{5, 7}, {3, 150}, {2, 3, 4}, {}}) {
                if (!sampled()) continue;
                check(c, t, sizes, {f, g, Form::dense}, o, pool_of(t));
                if (HasFatalFailure()) return;
              }
}

TEST(Elementwise, InPlace) {
  for (const Case& c : cases())
    if (c.traits & INPLACE)
      for (DType t : kTypes)
        if (takes(c, t))
          for (Form f : {Form::dense, Form::transposed, Form::sliced})
            for (auto& sizes : std::vector<std::vector<int64_t>>{{1}, {5, 7}, {40, 150}}) {
              if (!sampled()) continue;
              check(c, t, sizes, {f, Form::dense, Form::expanded}, f, pool_of(t), true);
              if (HasFatalFailure()) return;
            }
}

TEST(Elementwise, SpecialValues) {
  const std::vector<double> special = {0.0,   -0.0, kInf,  -kInf, NAN,    1,    -1,        0.5,
                                       -0.5,  2,    3,     1e-30, -1e-30, 1e30, 88.5,      -88.5,
                                       104,   -104, 709.5, 1e5,   4.2e6,  -1e5, 1.0000001, 0.99999994,
                                       1e-42, 20,   21,    -20,   700,    -745};
  for (const Case& c : cases()) {
    // Formulas that meet inf - inf or 0 * inf differ from their rearranged references there, as PyTorch's do.
    const std::string name = op_name(c.op);
    if (c.traits & INTERNAL || name == "gelu" || name == "mish" || name == "lerp" || name == "addcdiv" ||
        name == "addcmul" || name == "hardswish" || name == "pow_scalar" || name == "silu")
      continue;
    for (DType t : {DType::f32, DType::f64})
      if (takes(c, t)) {
        check(c, t, {3000}, {Form::dense}, Form::dense, special);
        if (HasFatalFailure()) return;
      }
  }
}

TEST(Elementwise, DenseSweeps) {
  for (const Case& c : cases()) {
    if (!(c.traits & FLOAT) || c.signature.n_in != 1) continue;
    for (DType t : {DType::f32, DType::f64})
      for (double range : {1e-3, 0.3, 1.5, 10.0, 80.0}) {
        if (!sampled()) continue;
        std::vector<double> pool;
        for (int i = -2000; i <= 2000; ++i) pool.push_back(i / 2000.0 * range + 1e-9);
        check(c, t, {4001}, {Form::dense}, Form::dense, pool);
        if (HasFatalFailure()) return;
      }
  }
}

TEST(Elementwise, IntegerCorners) {
  Array a(DType::i32, {4}), b(DType::i32, {4}), out(DType::i32, {4});
  const double xs[] = {INT32_MIN, INT32_MIN, 7, -7}, ys[] = {-1, 0, 0, 2};
  for (int i = 0; i < 4; ++i) a.set(i, xs[i]), b.set(i, ys[i]);
  ASSERT_EQ(run(OpId::floor_divide, {&a, &b}, {&out}), 0);
  EXPECT_EQ(out.values(), (std::vector<double>{INT32_MIN, 0, 0, -4}));
  ASSERT_EQ(run(OpId::remainder, {&a, &b}, {&out}), 0);
  EXPECT_EQ(out.values(), (std::vector<double>{0, 0, 0, 1}));
  ASSERT_EQ(run(OpId::fmod, {&a, &b}, {&out}), 0);
  EXPECT_EQ(out.values(), (std::vector<double>{0, 0, 0, -1}));
  Array i64(DType::i64, {1}), r64(DType::i64, {1});
  *static_cast<int64_t*>(i64.view.data) = INT64_MIN;
  ASSERT_EQ(run(OpId::floor_divide_scalar, {&i64}, {&r64}, Attrs(Scalar(-1))), 0);
  EXPECT_EQ(*static_cast<int64_t*>(r64.view.data), INT64_MIN);
  // A scalar outside the type compares by its value.
  Array u(DType::u8, {1}), less(DType::boolean, {1});
  u.set(0, 44);
  ASSERT_EQ(run(OpId::eq_scalar, {&u}, {&less}, Attrs(Scalar(300))), 0);
  EXPECT_EQ(less.get(0), 0);
  ASSERT_EQ(run(OpId::lt_scalar, {&u}, {&less}, Attrs(Scalar(300))), 0);
  EXPECT_EQ(less.get(0), 1);
}

TEST(Elementwise, LargeStreamsAndThreads) {
  const int64_t n = (int64_t(40) << 20) / 4 + 13;
  Array a(DType::f32, {n}), b(DType::f32, {n}), out(DType::f32, {n});
  float *x = static_cast<float*>(a.view.data), *y = static_cast<float*>(b.view.data),
        *z = static_cast<float*>(out.view.data);
  for (int64_t i = 0; i < n; ++i) x[i] = float(i % 1000), y[i] = float(i % 77);
  ASSERT_EQ(run(OpId::add, {&a, &b}, {&out}), 0);
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(z[i], x[i] + y[i]) << i;
  ASSERT_EQ(run(OpId::add, {&a, &b}, {&a}), 0);
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], z[i]) << i;
}

TEST(Elementwise, RefusesWhatNoKernelTakes) {
  Array a(DType::i32, {2});
  EXPECT_EQ(cpu_kernel(uint32_t(OpId::exp), HAFT_INT32), nullptr);
  EXPECT_EQ(cpu_kernel(uint32_t(OpId::bitwise_and), HAFT_FLOAT32), nullptr);
  char reason[128];
  EXPECT_EQ(cpu_backend()->kernel(uint32_t(OpId::exp), HAFT_INT32, reason, sizeof reason), nullptr);
  EXPECT_STREQ(reason, "cpu has no exp for int32");
}

}  // namespace
}  // namespace haft::test
