#include "tests/ops/values.h"

#include "core/autograd/engine.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/modes.h"

namespace haft::test {

Random random_for(const Record& r, const char* check) {
  return Random(seed() ^ std::hash<std::string>()(r.name + check));
}

double rounded(double v, DType dtype) {
  return visit_dtype(dtype, [&]<class T>() -> double {
    if constexpr (std::is_same_v<T, bool>)
      return v != 0;
    else if constexpr (std::is_integral_v<T>)
      return double(T(int64_t(v)));
    else if constexpr (std::is_same_v<T, double>)
      return v;
    else
      return double(float(T(float(v))));
  });
}

namespace {

// Distinct points of a grid of 1/32 or finer, each moved into its cell by an amount of the input's own and then, unless
// they are to stay there, by a little more.
std::vector<double> grid_values(const Input& in, size_t position, int64_t n, Random& random, Spread spread) {
  constexpr double kShift[] = {0.2, 0.5, 0.8, 0.35, 0.65},
                   kRoot[] = {1.41421356, 1.73205081, 2.23606798, 2.64575131, 3.31662479};
  double step = 1.0 / 32;
  std::vector<double> points;
  for (;; step /= 2) {
    points.clear();
    for (double m = std::ceil(in.low / step); (m + 1) * step <= in.high; ++m) {
      double v = (m + kShift[position % 5]) * step;
      if (std::abs(v) >= in.away) points.push_back(v);
    }
    if (int64_t(points.size()) >= n) break;
  }
  std::shuffle(points.begin(), points.end(), random);
  points.resize(size_t(n));
  std::uniform_real_distribution<double> jitter(-0.05, 0.05);
  for (int64_t i = 0; i < n; ++i)
    if (spread == Spread::random) {
      points[size_t(i)] += jitter(random) * step;
    } else if (spread == Spread::smooth) {
      // Multiples of an irrational: no difference of two values is a multiple of the step, where a margin has its kink.
      const double turn = double(i + 1) * kRoot[position % 5];
      points[size_t(i)] += 0.1 * (turn - std::floor(turn) - 0.5) * step;
    }
  return points;
}

}  // namespace

Array draw_array(const Input& in, size_t position, DType dtype, Random& random, Spread spread) {
  Array a(in.sizes);
  bool whole = in.kind != Input::kValue || !is_float(dtype);
  if (!whole) {
    a.v = grid_values(in, position, a.numel(), random, spread);
  } else {
    double low = std::ceil(in.low), high = std::floor(in.high);
    if (in.kind == Input::kValue && (dtype == DType::u8 || dtype == DType::boolean))
      low = std::max(low, 0.0), high = std::max(high, 0.0);
    if (in.kind == Input::kValue && dtype == DType::boolean)
      high = std::min(high, 1.0), low = std::min(low, 1.0);
    std::uniform_int_distribution<int64_t> pick{int64_t(low), std::max(int64_t(low), int64_t(high))};
    for (double& v : a.v)
      for (int tries = 0; tries < 100; ++tries) {
        v = double(pick(random));
        if (std::abs(v) >= in.away) break;
      }
  }
  if (in.fix) in.fix(a);
  DType t = in.kind == Input::kIndex ? DType::i64 : in.kind == Input::kMask ? DType::boolean : dtype;
  for (double& v : a.v) v = rounded(v, t);
  return a;
}

Drawn draw(const Case& c, DType dtype, Random& random, bool smooth) {
  const Spread spread = c.exact ? Spread::grid : smooth ? Spread::smooth : Spread::random;
  Drawn d;
  for (const Input& in : c.inputs) {
    if (in.kind == Input::kAbsent) {
      d.tensors.emplace_back();
      d.arrays.emplace_back();
      d.arrays.back().defined = false;
      continue;
    }
    d.arrays.push_back(draw_array(in, d.arrays.size(), dtype, random, spread));
    d.tensors.push_back(to_tensor(d.arrays.back(), in.kind == Input::kIndex  ? DType::i64
                                                   : in.kind == Input::kMask ? DType::boolean
                                                                             : dtype));
  }
  return d;
}

Tensor to_tensor(const Array& a, DType dtype) {
  Tensor t = new_tensor(a.sizes, dtype);
  visit_dtype(dtype, [&]<class T>() {
    for (size_t i = 0; i < a.v.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>)
        t.data<T>()[i] = a.v[i] != 0;
      else if constexpr (std::is_integral_v<T>)
        t.data<T>()[i] = T(int64_t(a.v[i]));
      else if constexpr (std::is_same_v<T, double>)
        t.data<T>()[i] = a.v[i];
      else
        t.data<T>()[i] = T(float(a.v[i]));
    }
  });
  return t;
}

Array to_array(const Tensor& t) {
  Array a(Sizes(t.sizes().begin(), t.sizes().end()));
  std::vector<unsigned char> raw(size_t(t.bytes()) + 8);
  copy_to_host(t, raw.data());
  visit_dtype(t.dtype(), [&]<class T>() {
    for (size_t i = 0; i < a.v.size(); ++i) {
      T v;
      std::memcpy(&v, raw.data() + i * sizeof(T), sizeof v);
      if constexpr (std::is_arithmetic_v<T>)
        a.v[i] = double(v);
      else
        a.v[i] = double(float(v));
    }
  });
  return a;
}

Tolerance tolerance(const Record& r, DType t) {
  switch (t) {
    case DType::f64: return {1e-12 * r.loose * r.loose64, 1e-13 * r.loose * r.loose64, r.cancels};
    case DType::f32: return {1e-5 * r.loose, 2e-6 * r.loose, r.cancels};
    case DType::f16: return {4e-3 * r.loose, 2e-3 * r.loose, r.cancels};
    case DType::bf16: return {3e-2 * r.loose, 1.5e-2 * r.loose, r.cancels};
    default: return kEqual;
  }
}

void expect_near(const Array& got, const Array& want, Tolerance tol, const std::string& what) {
  ASSERT_EQ(testing::PrintToString(got.sizes), testing::PrintToString(want.sizes)) << what;
  if (tol.of_rms) {
    double squares = 0;
    for (double v : want.v) squares += std::isfinite(v) ? v * v : 0;
    tol.absolute *= std::max(1.0, std::sqrt(squares / double(std::max<size_t>(want.v.size(), 1))));
  }
  int wrong = 0;
  for (size_t i = 0; i < want.v.size(); ++i) {
    double a = got.v[i], b = want.v[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::abs(a - b) <= tol.absolute + tol.relative * std::abs(b)) continue;
    if (++wrong <= 4)
      ADD_FAILURE() << what << ": element " << i << " of " << want.v.size() << " is "
                    << testing::PrintToString(a) << ", expected " << testing::PrintToString(b);
  }
  if (wrong > 4) ADD_FAILURE() << what << ": " << wrong << " of " << want.v.size() << " elements differ";
}

void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& want, Tolerance tol,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].defined(), want[k].defined()) << what;
    if (!got[k].defined()) continue;
    EXPECT_EQ(got[k].dtype(), want[k].dtype()) << what;
    expect_near(to_array(got[k]), to_array(want[k]), tol, what + ", result " + std::to_string(k));
  }
}

std::vector<Tensor> make_leaves(const Case& c, const std::vector<Tensor>& inputs,
                                std::vector<Tensor>* wanted) {
  std::vector<Tensor> leaves = inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !c.inputs[i].grad || !is_float(inputs[i].dtype())) continue;
    leaves[i] = ops::detach(inputs[i]);
    set_requires_grad(leaves[i], true);
    wanted->push_back(leaves[i]);
  }
  return leaves;
}

std::vector<Tensor> make_seeds(const std::vector<Tensor>& outs, std::vector<Tensor>* live, Random& random) {
  std::normal_distribution<double> normal;
  std::vector<Tensor> seeds;
  for (const Tensor& t : outs) {
    if (!t.defined() || !t.requires_grad()) continue;
    live->push_back(t);
    Array a(Sizes(t.sizes().begin(), t.sizes().end()));
    for (double& v : a.v) v = normal(random);
    Tensor s = to_tensor(a, t.dtype());
    seeds.push_back(t.device().is_cpu() ? s : ops::to_device(s, t.device()));
  }
  return seeds;
}

std::vector<Tensor> gradients(const Case& c, const std::vector<Tensor>& inputs, uint64_t seed,
                              bool create_graph) {
  Random random(seed);
  std::vector<Tensor> wanted, live;
  std::vector<Tensor> leaves = make_leaves(c, inputs, &wanted);
  Outs outs = c.call(leaves);
  std::vector<Tensor> seeds = make_seeds(outs, &live, random), g(wanted.size());
  if (!live.empty()) g = grad(live, wanted, seeds, {.create_graph = create_graph}, true);
  for (size_t i = 0; i < g.size(); ++i)
    if (!g[i].defined()) g[i] = ops::zeros_like(wanted[i]);
  return g;
}

namespace {
std::vector<RecordedCall>* recording = nullptr;
bool* reading = nullptr;

void record_finished(const FinishedCall& f) {
  if (!recording) return;
  RecordedCall r;
  r.op = f.call.op;
  r.inplace = f.call.inplace;
  r.into = f.call.into;
  for (const Tensor* t : f.in) r.in.push_back(*t);
  for (const Tensor* t : f.call.inputs()) r.given.push_back(*t);
  r.words.assign(f.words.begin(), f.words.end());
  if (!r.inplace) r.out.assign(f.out.begin(), f.out.end());
  recording->push_back(std::move(r));
}
}  // namespace

std::vector<RecordedCall> record_calls(const std::function<void()>& f, bool* host_read) {
  std::vector<RecordedCall> calls;
  if (host_read) *host_read = false;
  ScopedValue<bool*> told(reading, host_read);
  set_mode(kModeCapture, {.finished = record_finished, .host_read = [](const Tensor&) {
                            if (reading) *reading = true;
                          }});
  ScopedValue<std::vector<RecordedCall>*> here(recording, &calls);
  ScopedValue<uint32_t> on(thread_state().modes, thread_state().modes | kModeCapture);
  f();
  return calls;
}

std::vector<Tensor> run_call(const RecordedCall& r, const std::vector<Tensor>& in) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& t : in) pointers.push_back(&t);
  std::vector<uint64_t> words = r.words;
  std::vector<Tensor> out(std::max<size_t>(1, r.out.size()));
  if (r.into) out[0] = r.out[0];
  Call c{.op = r.op,
         .n_in = uint16_t(in.size()),
         .n_out = uint8_t(r.inplace ? 1 : r.out.size()),
         .inplace = r.inplace,
         .into = r.into,
         .in = pointers.data(),
         .words = words,
         .out = out.data()};
  dispatch(c);
  if (r.inplace) return {in[0]};
  out.resize(r.out.size());
  return out;
}

void poison(const std::vector<Tensor>& like) {
  std::vector<Tensor> garbage;
  for (const Tensor& t : like) {
    if (!t.defined() || !t.device().is_cpu()) continue;
    for (int copies = 0; copies < 2; ++copies) {
      Tensor g = new_tensor(t.sizes(), t.dtype());
      std::memset(g.data<void>(), 0xff, size_t(g.bytes()));
      garbage.push_back(std::move(g));
    }
  }
}

}  // namespace haft::test
