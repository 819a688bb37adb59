// What a test knows of one operator. The nine checks of checks.h are driven by this and nothing else: to
// test a new operator, add its record to the file of its family.
//
//   op("mm").on(kNumbers)
//       .add({real({2, 3}), real({3, 4})}, CALL(ops::mm(t[0], t[1])), [](const Arrays& x) -> Arrays {
//       ...plain loops... }) .bad({real({2, 3}), real({2, 3})}, CALL(ops::mm(t[0], t[1])), Code::shape,
//       {"[mm]", "[2, 3]"});
#pragma once
#include <array>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/ops/callable.h"
#include "tests/ops/recording.h"

namespace haft::test {

using Random = std::mt19937_64;
using Sizes = std::vector<int64_t>;
using Ins = std::span<const Tensor>;

// Results of a call, whatever form the operator answers in.
struct Outs : std::vector<Tensor> {
  Outs(Tensor t) { push_back(std::move(t)); }
  template <size_t N>
  Outs(std::array<Tensor, N> a) {
    assign(a.begin(), a.end());
  }
  Outs(std::vector<Tensor> v) : std::vector<Tensor>(std::move(v)) {}
};

// Row-major doubles: the numbers that references compute with.
struct Array {
  Sizes sizes;
  std::vector<double> v;
  bool defined = true;

  Array() = default;
  explicit Array(Sizes s, double value = 0) : sizes(std::move(s)) {
    int64_t n = 1;
    for (int64_t d : sizes) n *= d;
    v.assign(size_t(n), value);
  }
  Array(Sizes s, std::vector<double> values) : sizes(std::move(s)), v(std::move(values)) {}
  int64_t numel() const { return int64_t(v.size()); }
  int64_t ndim() const { return int64_t(sizes.size()); }
  int64_t size(int64_t d) const { return sizes[size_t(d < 0 ? d + ndim() : d)]; }
  size_t at(const Sizes& index) const {
    size_t flat = 0;
    for (size_t d = 0; d < sizes.size(); ++d) flat = flat * size_t(sizes[d]) + size_t(index[d]);
    return flat;
  }
  double& operator[](const Sizes& index) { return v[at(index)]; }
  double operator[](const Sizes& index) const { return v[at(index)]; }
};
using Arrays = std::vector<Array>;

// Calls f with every index of a shape, in row-major order.
template <class F>
void each_index(const Sizes& sizes, F&& f) {
  for (int64_t s : sizes)
    if (s == 0) return;
  Sizes i(sizes.size(), 0);
  for (;;) {
    f(static_cast<const Sizes&>(i));
    size_t d = sizes.size();
    while (d && ++i[d - 1] == sizes[d - 1]) i[--d] = 0;
    if (!d) return;
  }
}
// An array of that shape whose elements are f(index).
template <class F>
Array make_array(const Sizes& sizes, F&& f) {
  Array a(sizes);
  size_t k = 0;
  each_index(sizes, [&](const Sizes& i) { a.v[k++] = f(i); });
  return a;
}

// How one input is drawn.
struct Input {
  enum Kind {
    kValue,
    kIndex,
    kMask,
    kAbsent
  } kind = kValue;  // indices are int64, masks bool, values of the dtype under test
  Sizes sizes;
  double low = -2, high = 2;
  double away = 0;             // no value is closer to 0
  bool grad = true;            // differentiable
  Callable<void(Array&)> fix;  // last word on the values

  Input constant() const {
    Input i = *this;
    i.grad = false;
    return i;
  }
  Input nonzero(double distance) const {
    Input i = *this;
    i.away = distance;
    return i;
  }
  Input fixed(Callable<void(Array&)> f) const {
    Input i = *this;
    i.fix = std::move(f);
    return i;
  }
};
inline Input real(Sizes sizes, double low = -2, double high = 2) {
  return {.sizes = std::move(sizes), .low = low, .high = high};
}
inline Input index_below(Sizes sizes, int64_t end) {
  return {.kind = Input::kIndex, .sizes = std::move(sizes), .low = 0, .high = double(end - 1), .grad = false};
}
inline Input index_values(Sizes sizes, std::vector<double> values) {
  Input i = index_below(std::move(sizes), 1);
  i.fix = [values](Array& a) { a.v = values; };
  return i;
}
inline Input mask(Sizes sizes) {
  return {.kind = Input::kMask, .sizes = std::move(sizes), .low = 0, .high = 1, .grad = false};
}
inline Input absent() { return {.kind = Input::kAbsent, .grad = false}; }

using CallFn = Callable<Outs(Ins)>;
using Reference = Callable<Arrays(const Arrays&)>;
using DTypeRule = DType (*)(DType);

struct Case {
  std::vector<Input> inputs;
  CallFn call;
  Reference reference;
  bool grad = true;    // small enough and smooth enough for differences
  bool exact = false;  // inputs stay on their grid: quotients keep away from integers
};

// A call that must fail.
struct BadCall {
  std::vector<Input> inputs;
  CallFn call;
  Code code;
  std::vector<std::string> words;  // what the message must say
  DType dtype = DType::f32;
};

using DTypes = uint32_t;
constexpr DTypes bit(DType t) { return 1u << int(t); }
constexpr DTypes kFloats = bit(DType::f16) | bit(DType::bf16) | bit(DType::f32) | bit(DType::f64);
constexpr DTypes kInts =
    bit(DType::u8) | bit(DType::i8) | bit(DType::i16) | bit(DType::i32) | bit(DType::i64);
constexpr DTypes kNumbers = kFloats | kInts, kBool = bit(DType::boolean), kAll = kNumbers | kBool;

inline DType same(DType t) { return t; }
inline DType always_bool(DType) { return DType::boolean; }
inline DType always_i64(DType) { return DType::i64; }
inline DType always_i32(DType) { return DType::i32; }
inline DType sum_type(DType t) { return is_float(t) ? t : DType::i64; }
inline DType float_type(DType t) { return is_float(t) ? t : DType::f32; }
inline DType wide_type(DType t) { return t == DType::f64 ? t : DType::f32; }

struct Tolerance {
  double relative, absolute;
  // The absolute part is multiplied by the root mean square of what is expected, where above 1.
  bool of_rms = false;
};

struct Record {
  std::string name;
  OpId id = OpId::count_;
  std::vector<Case> cases;
  std::vector<BadCall> bads;
  DTypes works = kFloats, refuses = kAll & ~kFloats;
  std::vector<DTypeRule> rules = {same};  // by output; the last one serves the rest
  bool pointwise = false;
  double (*each)(const double*) = nullptr;  // pointwise: one element of the result
  std::vector<double> numbers;              // pointwise: the attributes with which `each` reckons
  double slack = 1, scale = 0;              // pointwise: errors in test_cpu, see allow()
  bool with_specials = false;               // the reference knows what becomes of NaN and infinities
  bool value_dependent = false;  // shapes depend on values: a recorded program serves the same inputs only
  bool random = false;           // draws from a generator: no reference holds for single elements
  bool on_host = false;          // reads values during the call, or makes no use of a device
  double loose = 1;              // factor on all tolerances
  double loose64 = 1;            // factor on the tolerance of float64 alone
  double loose_there = 1;        // factor on those of a device beside the CPU
  bool cancels = false;          // long sums of products: where they cancel, errors are as large as elsewhere

  uint32_t traits() const { return op_traits(id); }
  bool differentiable() const {
    if (traits() & NODIFF) return false;
    for (const Case& c : cases)
      for (const Input& i : c.inputs)
        if (c.grad && i.grad && i.kind == Input::kValue) return true;
    return false;
  }
  DType rule(size_t output, DType t) const { return rules[std::min(output, rules.size() - 1)](t); }

  Record& add(std::vector<Input> inputs, CallFn call, Reference reference) {
    cases.push_back({std::move(inputs), std::move(call), std::move(reference)});
    return *this;
  }
  Record& no_grad() {
    cases.back().grad = false;
    return *this;
  }  // for the last case
  Record& bad(std::vector<Input> inputs, CallFn call, Code code, std::vector<std::string> words,
              DType dtype = DType::f32) {
    bads.push_back({std::move(inputs), std::move(call), code, std::move(words), dtype});
    return *this;
  }
  Record& on(DTypes which) { return on(which, kAll & ~which); }
  Record& on(DTypes which, DTypes refused) {
    works = which;
    refuses = refused;
    return *this;
  }
  Record& gives(std::vector<DTypeRule> r) {
    rules = std::move(r);
    return *this;
  }
  Record& specials() {
    with_specials = true;
    return *this;
  }
  Record& depends_on_values() {
    value_dependent = true;
    return *this;
  }
  Record& is_random() {
    random = true;
    return *this;
  }
  Record& host_only() {
    on_host = true;
    return *this;
  }
  // A pointwise operator with attributes is called with these by test_cpu.
  Record& with(std::vector<double> attributes) {
    numbers = std::move(attributes);
    return *this;
  }
  // test_cpu lets a result be off by 8 * factor units in the last place of max(|result|, size).
  Record& allow(double factor, double size = 0) {
    slack = factor;
    scale = size;
    return *this;
  }
  Record& tolerance(double factor, double factor64 = 1) {
    loose = factor;
    loose64 = factor64;
    return *this;
  }
  Record& on_devices(double factor) {
    loose_there = factor;
    return *this;
  }
  Record& long_sums() {
    cancels = true;
    return *this;
  }
};

struct Records {
  std::deque<Record> all;

  Record& op(const char* name);  // by the name in ops.def

  // Elementwise: `ranges` says what is drawn, f computes one element from one element of each input.
  struct Range {
    double low = -2, high = 2, away = 0;
    Input::Kind kind = Input::kValue;
  };
  Record& pointwise(const char* name, std::vector<Range> ranges, CallFn call, double (*f)(const double*));
};

const std::deque<Record>& records();

#define CALL(...) [=]([[maybe_unused]] Ins t) -> Outs { return __VA_ARGS__; }
#define EACH(...) [](const double* x) -> double { return __VA_ARGS__; }

// A file a family, as in core/ops.
void add_pointwise(Records&);
void add_scalar_pointwise(Records&);
void add_arithmetic(Records&);
void add_special(Records&);
void add_forms(Records&);
void add_activations(Records&);
void add_creation(Records&);
void add_random(Records&);
void add_views(Records&);
void add_copies(Records&);
void add_shapes(Records&);
void add_reductions(Records&);
void add_statistics(Records&);
void add_contractions(Records&);
void add_linalg(Records&);
void add_eigenvalues(Records&);
void add_matmul(Records&);
void add_indexing(Records&);
void add_convolution(Records&);
void add_pooling(Records&);
void add_pooling_nd(Records&);
void add_convolution_nd(Records&);
void add_resampling(Records&);
void add_norms(Records&);
void add_attention(Records&);
void add_losses(Records&);
void add_recurrent(Records&);
void add_sequences(Records&);
void add_scans(Records&);
void add_searching(Records&);
void add_scatter_reductions(Records&);
void add_amp(Records&);
void add_complex(Records&);

}  // namespace haft::test
