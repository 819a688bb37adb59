#include "core/parallel/compression.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/cpu/compressed.h"
#include "core/ops/functions.h"
#include "core/parallel/compression_operators.h"

namespace haft::parallel {

using dist::Group;
using dist::ReduceOp;

namespace {

// Everything is joined as it is until `start`.
class Later : public CommHook {
 protected:
  const int64_t start_;
  explicit Later(int64_t start) : start_(start) {}
  bool waits() const { return step < start_; }
  void join_plain(Bucket& b, Group& g) {
    start(b, g, all_reduce_job(b.buffer, ReduceOp::avg), b.buffer.bytes());
  }
};

class PostLocal final : public Later {
  const Ref<Group> part_;

 public:
  PostLocal(Ref<Group> part, int64_t start) : Later(start), part_(std::move(part)) {}
  void begin(Bucket& b, Group& g) override {
    if (waits())
      join_plain(b, g);
    else if (part_)
      join_plain(b, *part_);
  }
  void finish(Bucket& b, Group&) override {
    if (pending[size_t(b.index)]) wait(b);
  }
};

class Narrow final : public Later {
  const DType dtype_;
  std::vector<Tensor> narrow_;  // by bucket

 public:
  Narrow(DType dtype, int64_t start) : Later(start), dtype_(dtype) {}
  void laid_out(const std::vector<Bucket*>& buckets) override {
    CommHook::laid_out(buckets);
    narrow_.clear();
    for (const Bucket* b : buckets) narrow_.push_back(ops::empty_like(b->buffer, dtype_));
  }
  void begin(Bucket& b, Group& g) override {
    if (waits()) return join_plain(b, g);
    NoGradGuard off;
    Tensor& t = narrow_[size_t(b.index)];
    ops::copy_(t, b.buffer);
    start(b, g, all_reduce_job(t, ReduceOp::avg), t.bytes());
  }
  void finish(Bucket& b, Group&) override {
    wait(b);
    if (!waits()) ops::copy_(b.buffer, narrow_[size_t(b.index)]);
  }
};

// Else operators do it (compression_operators.h).
bool is_here(const Bucket& b) { return b.buffer.device().is_cpu(); }
bool is_finite(const Tensor& x) { return cpu::size_of({x.data<float>(), nullptr, x.numel()}).finite; }
Tensor not_a_number(const Tensor& x) {
  return ops::full_like(x, Scalar(std::numeric_limits<double>::quiet_NaN()));
}

// Those that lose something: it is kept and added to the next gradients. A gradient that is not finite is passed on
// as such, for scalers to find on every rank, and leaves what is kept alone.
class Lossy : public Later {
 public:
  explicit Lossy(const CompressionOptions& o) : Later(o.start_step), feedback_(o.error_feedback), o_(o) {}
  bool has_residuals() const override { return feedback_; }

 protected:
  const bool feedback_;
  const CompressionOptions o_;
  // Of `values`, the bucket's in float32, and of what is kept.
  cpu::Gradient with_residual(const Bucket& b, const Tensor& values) const {
    return {values.data<float>(), feedback_ ? residuals[size_t(b.index)].data<float>() : nullptr,
            values.numel()};
  }
  // The same on a device, as one tensor of its own; what `lacks` says is not finite is 0.
  Tensor there_with_residual(const Bucket& b, Tensor* lacks) const {
    const Tensor values = ops::cast(b.buffer, DType::f32);
    const Tensor x = feedback_ ? ops::add(values, residuals[size_t(b.index)]) : values;
    *lacks = lacks_numbers(x);
    return ops::masked_fill(x, *lacks, Scalar(0.0));
  }
  void keep_there(const Bucket& b, const Tensor& left, const Tensor& lacks) {
    if (!feedback_) return;
    const Tensor& kept = residuals[size_t(b.index)];
    ops::copy_(kept, ops::where(lacks, kept, left));
  }
  // What the bucket's values are written into: itself, or float32 in its place until it is `filled`.
  static Tensor wide(const Bucket& b) {
    return b.buffer.dtype() == DType::f32 ? b.buffer : ops::empty_like(b.buffer, DType::f32);
  }
  static void fill(const Bucket& b, const Tensor& values) {
    if (b.buffer.dtype() != DType::f32) ops::copy_(b.buffer, values);
  }
};

// Those that send all ranks what they have in a form of their own. A message of `size` bytes is written, and read
// rank by rank.
class Gathered : public Lossy {
  std::vector<Tensor> all_;  // by bucket: every rank's message

 public:
  using Lossy::Lossy;
  void laid_out(const std::vector<Bucket*>& buckets) override {
    Lossy::laid_out(buckets);
    all_.assign(buckets.size(), {});
  }
  void begin(Bucket& b, Group& g) override {
    if (waits() || !b.buffer.numel()) return join_plain(b, g);
    NoGradGuard off;
    const Device d = b.buffer.device();
    const int64_t size = message_size(b.buffer.numel()), whole = size * g.size();
    const Tensor message = ops::empty(IntList(&size, 1), DType::u8, d);
    if (is_here(b)) {
      write_here(message, b);
    } else {
      Tensor lacks;
      const Tensor x = there_with_residual(b, &lacks);
      keep_there(b, write_there(message, x, lacks), lacks);
    }
    Tensor& all = all_[size_t(b.index)];
    if (!all.defined()) all = ops::empty(IntList(&whole, 1), DType::u8, d);
    start(b, g, all_gather_job(message, all), size);
  }
  void finish(Bucket& b, Group& g) override {
    wait(b);
    if (waits() || !b.buffer.numel()) return;
    const Tensor& all = all_[size_t(b.index)];
    const int64_t size = all.numel() / g.size();
    const Tensor mean = wide(b);
    if (is_here(b)) {
      std::vector<const char*> messages;
      for (int r = 0; r < g.size(); ++r) messages.push_back(all.data<char>() + size * r);
      join(mean.data<float>(), messages, mean.numel(), 1.0f / float(g.size()));
    } else {
      join_there(mean, all, size);
    }
    fill(b, mean);
  }

 protected:
  virtual int64_t message_size(int64_t elements) const = 0;  // a multiple of 4
  // What has to be known before anything is written; false: x is not finite.
  virtual bool measure(cpu::Gradient x) = 0;
  virtual void write(char* message, cpu::Gradient x) = 0;
  // The sum of what the messages stand for, times `scale`.
  virtual void join(float* to, const std::vector<const char*>& messages, int64_t n, float scale) = 0;
  // The same on devices, in operators; write_there answers what is left.
  virtual Tensor write_there(const Tensor& message, const Tensor& x, const Tensor& lacks) = 0;
  virtual void join_there(const Tensor& to, const Tensor& messages, int64_t size) = 0;

  void write_here(const Tensor& message, const Bucket& b) {
    Tensor values = ops::cast(b.buffer, DType::f32);
    cpu::Gradient x = with_residual(b, values);
    if (!measure(x)) {
      values = not_a_number(values);
      x = {values.data<float>(), nullptr, x.n};
      measure(x);
    }
    write(message.data<char>(), x);
  }
  static int64_t round_up(int64_t bytes) { return (bytes + 3) / 4 * 4; }
};

// A number, and behind it what its elements are in terms of it.
template <class T>
class InUnits : public Gathered {
 public:
  using Gathered::Gathered;

 protected:
  float unit_ = 0;
  T* begin_message(char* message, int64_t bytes) {
    std::memset(message + round_up(bytes), 0, 4);  // the last word, which may have bytes of nobody
    std::memcpy(message, &unit_, sizeof unit_);
    return reinterpret_cast<T*>(message + sizeof unit_);
  }
  void join(float* to, const std::vector<const char*>& messages, int64_t n, float scale) override {
    std::vector<const T*> from;
    std::vector<float> units;
    for (const char* m : messages) {
      float unit;
      std::memcpy(&unit, m, sizeof unit);
      units.push_back(float(double(unit) * double(scale)));
      from.push_back(reinterpret_cast<const T*>(m + sizeof unit));
    }
    add_up(to, from.data(), units.data(), int(from.size()), n);
  }
  virtual void add_up(float* to, const T* const* from, const float* units, int ranks, int64_t n) = 0;
};

// A byte an element, and the largest size of one, which 127 stands for.
class Int8 final : public InUnits<int8_t> {
 public:
  using InUnits::InUnits;

 protected:
  int64_t message_size(int64_t n) const override { return 4 + round_up(n); }
  bool measure(cpu::Gradient x) override {
    const cpu::Size s = cpu::size_of(x);
    unit_ = s.largest / 127;
    if (unit_ < FLT_MIN) unit_ = 0;  // 127 of a number of few bits may be less than the largest
    return s.finite;
  }
  void write(char* message, cpu::Gradient x) override {
    cpu::take_int8(begin_message(message, x.n), x, unit_);
  }
  void add_up(float* to, const int8_t* const* from, const float* units, int ranks, int64_t n) override {
    cpu::sum_int8(to, from, units, ranks, n);
  }
  Tensor write_there(const Tensor& message, const Tensor& x, const Tensor& lacks) override {
    return send_int8(message, x, lacks);
  }
  void join_there(const Tensor& to, const Tensor& messages, int64_t size) override {
    join_int8(to, messages, size);
  }
};

// Signs, and the mean size, which each stands for.
class OneBit final : public InUnits<uint8_t> {
 public:
  using InUnits::InUnits;

 protected:
  int64_t message_size(int64_t n) const override { return 4 + round_up((n + 7) / 8); }
  bool measure(cpu::Gradient x) override {
    const cpu::Size s = cpu::size_of(x);
    unit_ = s.mean;
    return s.finite;
  }
  void write(char* message, cpu::Gradient x) override {
    cpu::take_signs(begin_message(message, (x.n + 7) / 8), x, unit_);
  }
  void add_up(float* to, const uint8_t* const* from, const float* units, int ranks, int64_t n) override {
    cpu::sum_signs(to, from, units, ranks, n);
  }
  Tensor write_there(const Tensor& message, const Tensor& x, const Tensor& lacks) override {
    return send_signs(message, x, lacks);
  }
  void join_there(const Tensor& to, const Tensor& messages, int64_t size) override {
    join_signs(to, messages, size);
  }
};

int64_t kept_of(double ratio, int64_t n) {
  return std::min(n, std::max<int64_t>(1, int64_t(std::ceil(ratio * double(n)))));
}

float value_at(cpu::Gradient x, int64_t place) { return x.rest ? x.g[place] + x.rest[place] : x.g[place]; }

// The largest elements and their places.
class TopK final : public Gathered {
  std::vector<int32_t> places_;

  static void check_places(int64_t n) {
    if (n > INT32_MAX)
      fail(Code::overflow, concat("top-k sends places in 32 bits, got a bucket of ", n, " elements"),
           "another compression, or smaller parameters");
  }

 public:
  using Gathered::Gathered;

 protected:
  int64_t message_size(int64_t n) const override { return 8 * kept_of(o_.ratio, n); }
  bool measure(cpu::Gradient x) override {
    bool finite = true;
    check_places(x.n);
    places_.resize(size_t(kept_of(o_.ratio, x.n)));
    if (!places_.empty()) cpu::find_largest(places_.data(), x, int64_t(places_.size()), &finite);
    return finite;
  }
  void write(char* message, cpu::Gradient x) override {
    auto* values = reinterpret_cast<float*>(message);
    for (int32_t p : places_) *values++ = value_at(x, p);
    if (!places_.empty()) std::memcpy(values, places_.data(), places_.size() * sizeof(int32_t));
    cpu::take_nothing(x);
    if (x.rest)
      for (int32_t p : places_) x.rest[p] = 0;
  }
  void join(float* to, const std::vector<const char*>& messages, int64_t n, float scale) override {
    const int64_t k = kept_of(o_.ratio, n);
    std::fill_n(to, n, 0.0f);
    for (const char* m : messages) {
      const auto* values = reinterpret_cast<const float*>(m);
      const auto* places = reinterpret_cast<const int32_t*>(values + k);
      for (int64_t i = 0; i < k; ++i) {
        if (uint32_t(places[i]) >= uint64_t(n))
          fail(Code::corrupt,
               concat("a rank has sent place ", places[i], " of a bucket of ", n, " elements"));
        to[places[i]] += values[i] * scale;
      }
    }
  }
  Tensor write_there(const Tensor& message, const Tensor& x, const Tensor& lacks) override {
    check_places(x.numel());
    return send_largest(message, x, lacks, kept_of(o_.ratio, x.numel()));
  }
  void join_there(const Tensor& to, const Tensor& messages, int64_t size) override {
    join_largest(to, messages, size, kept_of(o_.ratio, to.numel()));
  }
};

// Elements that every rank draws alike, so that only values travel, and are joined on their way.
class RandomK final : public Lossy {
  struct Drawn {
    Tensor places, values;
  };
  std::vector<Drawn> drawn_;  // by bucket

 public:
  using Lossy::Lossy;
  void laid_out(const std::vector<Bucket*>& buckets) override {
    Lossy::laid_out(buckets);
    drawn_.assign(buckets.size(), {});
  }
  void begin(Bucket& b, Group& g) override {
    if (waits() || !b.buffer.numel()) return join_plain(b, g);
    NoGradGuard off;
    const int64_t n = b.buffer.numel(), k = kept_of(o_.ratio, n);
    Drawn& d = drawn_[size_t(b.index)];
    d.places = ops::philox_randint(IntList(&k, 1), 0, n, o_.seed + b.index, step * ((k + 3) / 4), DType::i64,
                                   b.buffer.device());
    if (is_here(b)) {
      take_here(b, d);
    } else {
      Tensor lacks;
      const Tensor x = there_with_residual(b, &lacks);
      d.values = ops::masked_fill(ops::index_select(x, 0, d.places), lacks, Scalar(double(NAN)));
      keep_there(b, ops::index_fill(x, 0, d.places, Scalar(0.0)), lacks);
    }
    start(b, g, all_reduce_job(d.values, ReduceOp::avg), d.values.bytes());
  }
  void finish(Bucket& b, Group&) override {
    wait(b);
    if (waits() || !b.buffer.numel()) return;
    const Drawn& d = drawn_[size_t(b.index)];
    const Tensor mean = wide(b);
    ops::fill_(mean, Scalar(0.0));
    if (is_here(b)) {
      const int64_t* places = d.places.data<int64_t>();
      const float* values = d.values.data<float>();
      for (int64_t i = 0; i < d.values.numel(); ++i) mean.data<float>()[places[i]] = values[i];
    } else {
      ops::index_put_(mean, {&d.places, 1}, d.values);  // what is drawn twice has one value
    }
    fill(b, mean);
  }

 private:
  void take_here(const Bucket& b, Drawn& d) {
    const Tensor gradient = ops::cast(b.buffer, DType::f32);
    const cpu::Gradient x = with_residual(b, gradient);
    const bool finite = cpu::size_of(x).finite;
    const int64_t k = d.places.numel();
    d.values = new_tensor(IntList(&k, 1), DType::f32);
    const int64_t* places = d.places.data<int64_t>();
    for (int64_t i = 0; i < k; ++i) d.values.data<float>()[i] = finite ? value_at(x, places[i]) : NAN;
    if (!finite || !x.rest) return;
    cpu::take_nothing(x);
    for (int64_t i = 0; i < k; ++i) x.rest[places[i]] = 0;
  }
};

// Columns become orthonormal, one after the other.
void orthogonalize(const Tensor& m) {
  for (int64_t i = 0; i < m.size(1); ++i) {
    const Tensor column = ops::narrow(m, 1, i, 1);
    ops::div_(column, ops::add_scalar(ops::norm(column), Scalar(1e-8)));
    if (i + 1 == m.size(1)) return;
    const Tensor rest = ops::narrow(m, 1, i + 1, m.size(1) - i - 1);
    ops::sub_(rest, ops::mm(column, ops::mm(ops::t(column), rest)));
  }
}

// Matrices as products of two thin ones (Vogels et al., arXiv:1905.13727), one step of the power method a step of
// training.
class PowerSgd final : public Lossy {
  struct Matrix {
    size_t place;    // in the bucket
    Tensor m, p, q;  // views: n x m, n x r, m x r
    Tensor begun;    // q before this step, of a device: what is kept of a step that was not finite
  };
  struct Begun {
    // What is sent in the first call: gradients that stay as they are, then all p; all q in the second.
    Tensor x, first, second;
    std::vector<Matrix> matrices;
    std::vector<std::pair<Tensor, Tensor>> plain;  // gradient in x, place in `first`
  };
  std::vector<Begun> begun_;

  static Tensor take(const Tensor& flat, int64_t& at, IntList sizes) {
    Tensor t = view_over(*flat.impl(), sizes, contiguous_strides(sizes), at);
    at += t.numel();
    return t;
  }

 public:
  using Lossy::Lossy;
  void laid_out(const std::vector<Bucket*>& buckets) override {
    Lossy::laid_out(buckets);
    begun_.assign(buckets.size(), {});
  }
  void begin(Bucket& b, Group& g) override {
    if (waits()) return join_plain(b, g);
    NoGradGuard off;
    Begun& w = begun_[size_t(b.index)];
    w = {};
    w.x = ops::cast(b.buffer, DType::f32);
    w.x = feedback_ ? ops::add(w.x, residuals[size_t(b.index)]) : ops::clone(w.x);
    if (!is_here(b))
      ops::masked_fill_(w.x, lacks_numbers(w.x), Scalar(double(NAN)));
    else if (!is_finite(w.x))
      w.x = not_a_number(w.x);
    const Device d = w.x.device();
    int64_t first = 0, second = 0, at = 0;
    for (const Tensor& t : b.gradients) {  // rows and columns of what is made smaller
      const int64_t n = t.ndim() > 1 && t.numel() ? t.size(0) : 0, m = n ? t.numel() / n : 0,
                    r = std::min({n, m, o_.rank});
      Tensor here;
      if (double((n + m) * r) * o_.min_rate < double(n * m)) {
        here = take(w.x, at, Shape{n, m});
        first += n * r;
        second += m * r;
        w.matrices.push_back({size_t(&t - b.gradients.data()), here, {}, {}, {}});
      } else {
        here = take(w.x, at, Shape{t.numel()});
        first += t.numel();
        w.plain.emplace_back(here, Tensor());
      }
    }
    w.first = ops::zeros(IntList(&first, 1), DType::f32, d);
    w.second = ops::zeros(IntList(&second, 1), DType::f32, d);
    first = second = 0;
    for (auto& [from, to] : w.plain) {
      to = take(w.first, first, from.sizes());
      ops::copy_(to, from);
    }
    for (Matrix& x : w.matrices) {
      const int64_t n = x.m.size(0), m = x.m.size(1), r = std::min({n, m, o_.rank});
      const size_t number = size_t(b.parameters[x.place]);
      const Shape q_sizes{m, r};
      x.p = take(w.first, first, Shape{n, r});
      x.q = take(w.second, second, q_sizes);
      const Tensor& last = warm[number];
      if (o_.warm_start && last.defined() && std::ranges::equal(last.sizes(), IntList(q_sizes)))
        ops::copy_(x.q, last);
      else
        ops::copy_(x.q, ops::philox_normal(q_sizes, 0, 1, o_.seed + int64_t(number), step * ((m * r + 3) / 4),
                                           DType::f32, d));
      orthogonalize(x.q);
      if (!is_here(b) && o_.warm_start) x.begun = ops::clone(x.q);
      ops::copy_(x.p, ops::mm(x.m, x.q));
    }
    start(b, g, all_reduce_job(w.first, ReduceOp::avg), w.first.bytes());
  }
  void finish(Bucket& b, Group& g) override {
    wait(b);
    if (waits()) return;
    Begun w = std::exchange(begun_[size_t(b.index)], {});
    // The same on every rank.
    if (is_here(b) && !is_finite(w.first)) {
      ops::copy_(b.buffer, not_a_number(w.x));
      return;
    }
    const Tensor lacks = is_here(b) ? Tensor() : lacks_numbers(w.first);
    for (Matrix& x : w.matrices) {
      orthogonalize(x.p);
      ops::copy_(x.q, ops::mm(ops::t(x.m), x.p));
    }
    g.run(all_reduce_job(w.second, ReduceOp::avg));
    sent += w.second.bytes();
    const Tensor mean = ops::empty_like(w.x);
    auto in_mean = [&](const Tensor& t) {
      return view_over(*mean.impl(), t.sizes(), contiguous_strides(t.sizes()),
                       t.data<float>() - w.x.data<float>());
    };
    for (Matrix& x : w.matrices) {
      ops::copy_(in_mean(x.m), ops::mm(x.p, ops::t(x.q)));
      if (o_.warm_start)
        warm[size_t(b.parameters[x.place])] =
            lacks.defined() ? ops::where(lacks, x.begun, x.q) : ops::clone(x.q);
    }
    for (auto& [from, to] : w.plain) ops::copy_(in_mean(from), to);
    ops::copy_(b.buffer, lacks.defined() ? ops::masked_fill(mean, lacks, Scalar(double(NAN))) : mean);
    for (auto& [from, to] : w.plain) ops::copy_(in_mean(from), from);  // nothing of it is left
    if (!feedback_) return;
    if (lacks.defined())
      keep_there(b, ops::sub(w.x, mean), lacks);
    else
      ops::copy_(residuals[size_t(b.index)], ops::sub(w.x, mean));
  }
};

}  // namespace

Ref<CommHook> make_compression(const CompressionOptions& o) {
  if (!(o.ratio > 0 && o.ratio <= 1))
    fail(Code::invalid_argument, concat("ratio is above 0 and at most 1, got ", o.ratio), {}, "ratio");
  if (o.rank < 1) fail(Code::invalid_argument, concat("rank is at least 1, got ", o.rank), {}, "rank");
  switch (o.kind) {
    case Compression::f16: return make_ref<Narrow>(DType::f16, o.start_step);
    case Compression::bf16: return make_ref<Narrow>(DType::bf16, o.start_step);
    case Compression::int8: return make_ref<Int8>(o);
    case Compression::one_bit: return make_ref<OneBit>(o);
    case Compression::top_k: return make_ref<TopK>(o);
    case Compression::random_k: return make_ref<RandomK>(o);
    case Compression::power_sgd: return make_ref<PowerSgd>(o);
  }
  fail(Code::invalid_argument, concat("kind must be one of HAFT_COMPRESSION_*, got ", int64_t(o.kind)), {},
       "kind");
}

Ref<CommHook> make_post_local(Ref<dist::Group> part, int64_t start_step) {
  return make_ref<PostLocal>(std::move(part), start_step);
}

}  // namespace haft::parallel
