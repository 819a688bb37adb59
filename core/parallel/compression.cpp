#include "core/parallel/compression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/functions.h"

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
  void join_plain(Bucket& b, Group& g) { start(b, g, all_reduce_job(b.buffer, ReduceOp::avg), b.buffer.bytes()); }
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

bool is_finite(const Tensor& x) { return std::isfinite(ops::sum(x).data<float>()[0]); }
Tensor not_a_number(const Tensor& x) { return ops::full_like(x, Scalar(std::numeric_limits<double>::quiet_NaN())); }

// Those that lose something: it is kept and added to the next gradients. A gradient that is not finite is passed on as such, for
// scalers to find on every rank, and leaves what is kept alone.
class Lossy : public Later {
 public:
  explicit Lossy(const CompressionOptions& o) : Later(o.start_step), feedback_(o.error_feedback), o_(o) {}
  bool has_residuals() const override { return feedback_; }

 protected:
  const bool feedback_;
  const CompressionOptions o_;
  Tensor with_residual(const Bucket& b, bool* finite) {
    Tensor x = ops::cast(b.buffer, DType::f32);
    if (feedback_) x = ops::add(x, residuals[size_t(b.index)]);
    *finite = is_finite(x);
    return *finite ? x : not_a_number(x);
  }
  void keep(const Bucket& b, const Tensor& rest) {
    if (feedback_) ops::copy_(residuals[size_t(b.index)], rest);
  }
};

// Those that send all ranks what they have in a form of their own. A message of `size` bytes is written, and read rank by rank.
class Gathered : public Lossy {
  std::vector<Tensor> all_;  // by bucket: every rank's message

 public:
  using Lossy::Lossy;
  void laid_out(const std::vector<Bucket*>& buckets) override {
    Lossy::laid_out(buckets);
    all_.assign(buckets.size(), {});
  }
  void begin(Bucket& b, Group& g) override {
    if (waits()) return join_plain(b, g);
    NoGradGuard off;
    bool finite;
    const Tensor x = with_residual(b, &finite);
    const int64_t size = message_size(x.numel()), whole = size * g.size();
    Tensor message = ops::zeros(IntList(&size, 1), DType::u8);
    write(message, x);
    if (finite) {
      Tensor own = ops::zeros_like(x);
      add(message, 0, own, 1);
      keep(b, ops::sub(x, own));
    }
    Tensor& all = all_[size_t(b.index)];
    if (!all.defined()) all = new_tensor(IntList(&whole, 1), DType::u8);
    start(b, g, all_gather_job(message, all), size);
  }
  void finish(Bucket& b, Group& g) override {
    wait(b);
    if (waits()) return;
    Tensor sum = ops::zeros_like(b.buffer, DType::f32);
    const Tensor& all = all_[size_t(b.index)];
    for (int r = 0; r < g.size(); ++r) add(all, all.numel() / g.size() * r, sum, 1.0f / float(g.size()));
    ops::copy_(b.buffer, sum);
  }

 protected:
  virtual int64_t message_size(int64_t elements) const = 0;  // a multiple of 4
  virtual void write(const Tensor& message, const Tensor& x) = 0;
  // What the message at that byte stands for, times `scale`.
  virtual void add(const Tensor& message, int64_t at, const Tensor& to, float scale) = 0;

  static int64_t round_up(int64_t bytes) { return (bytes + 3) / 4 * 4; }
  static Tensor part(const Tensor& message, int64_t at, int64_t count, DType t) {
    const int64_t one = 1;
    return tensor_over(message.impl()->storage, IntList(&count, 1), IntList(&one, 1), t, at / item_size(t));
  }
  static float& number(const Tensor& message, int64_t at) {
    return *reinterpret_cast<float*>(message.data<char>() + at);
  }
};

// A byte an element, and the largest size of one, which 127 stands for.
class Int8 final : public Gathered {
 public:
  using Gathered::Gathered;

 protected:
  int64_t message_size(int64_t n) const override { return 4 + round_up(n); }
  void write(const Tensor& message, const Tensor& x) override {
    const float scale = x.numel() ? ops::amax(ops::abs(x)).data<float>()[0] / 127 : 0;
    number(message, 0) = scale;
    Tensor q = ops::round(ops::div_scalar(x, Scalar(scale > 0 ? double(scale) : 1)));
    ops::copy_(part(message, 4, x.numel(), DType::i8), std::isfinite(scale) ? q : ops::zeros_like(q));
  }
  void add(const Tensor& message, int64_t at, const Tensor& to, float scale) override {
    const Tensor q = ops::cast(part(message, at + 4, to.numel(), DType::i8), DType::f32);
    ops::add_(to, ops::mul_scalar(q, Scalar(double(number(message, at)) * double(scale))));
  }
};

// Signs, and the mean size, which each stands for.
class OneBit final : public Gathered {
 public:
  using Gathered::Gathered;

 protected:
  int64_t message_size(int64_t n) const override { return 4 + round_up((n + 7) / 8); }
  void write(const Tensor& message, const Tensor& x) override {
    number(message, 0) = x.numel() ? ops::mean(ops::abs(x)).data<float>()[0] : 0;
    auto* bits = message.data<uint8_t>() + 4;
    const float* v = x.data<float>();
    for (int64_t i = 0; i < x.numel(); ++i) bits[i / 8] |= uint8_t((v[i] > 0) << i % 8);
  }
  void add(const Tensor& message, int64_t at, const Tensor& to, float scale) override {
    const auto* bits = message.data<uint8_t>() + at + 4;
    const float size = number(message, at) * scale;
    float* v = to.data<float>();
    for (int64_t i = 0; i < to.numel(); ++i) v[i] += bits[i / 8] >> i % 8 & 1 ? size : -size;
  }
};

int64_t kept_of(double ratio, int64_t n) { return std::min(n, std::max<int64_t>(1, int64_t(std::ceil(ratio * double(n))))); }

// The largest elements with their places.
class TopK final : public Gathered {
 public:
  using Gathered::Gathered;

 protected:
  int64_t message_size(int64_t n) const override { return 8 * kept_of(o_.ratio, n); }
  void write(const Tensor& message, const Tensor& x) override {
    const int64_t k = kept_of(o_.ratio, x.numel());
    if (!k) return;
    const Tensor places = ops::topk(ops::abs(x), k)[1];
    ops::copy_(part(message, 0, k, DType::f32), ops::index_select(x, 0, places));
    ops::copy_(part(message, 4 * k, k, DType::i32), places);
  }
  void add(const Tensor& message, int64_t at, const Tensor& to, float scale) override {
    const int64_t k = kept_of(o_.ratio, to.numel());
    if (!k) return;
    const Tensor places = ops::cast(part(message, at + 4 * k, k, DType::i32), DType::i64);
    ops::index_add_(to, 0, places, ops::mul_scalar(part(message, at, k, DType::f32), Scalar(double(scale))));
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
    bool finite;
    const Tensor x = with_residual(b, &finite);
    const int64_t k = kept_of(o_.ratio, x.numel());
    Drawn& d = drawn_[size_t(b.index)];
    d.places = ops::philox_randint(IntList(&k, 1), 0, x.numel(), o_.seed + b.index, step * ((k + 3) / 4), DType::i64, Device{});
    d.values = ops::index_select(x, 0, d.places);
    if (finite) keep(b, ops::index_copy(x, 0, d.places, ops::zeros_like(d.values)));
    start(b, g, all_reduce_job(d.values, ReduceOp::avg), d.values.bytes());
  }
  void finish(Bucket& b, Group&) override {
    wait(b);
    if (waits() || !b.buffer.numel()) return;
    const Drawn& d = drawn_[size_t(b.index)];
    ops::copy_(b.buffer, ops::index_copy(ops::zeros_like(b.buffer, DType::f32), 0, d.places, d.values));
  }
};

// Columns become orthonormal, one after the other.
void orthogonalize(const Tensor& m) {
  for (int64_t i = 0; i < m.size(1); ++i) {
    const Tensor column = ops::narrow(m, 1, i, 1);
    const double size = double(ops::norm(column).data<float>()[0]);
    ops::mul_scalar_(column, Scalar(1 / (size + 1e-8)));
    if (i + 1 == m.size(1)) return;
    const Tensor rest = ops::narrow(m, 1, i + 1, m.size(1) - i - 1);
    ops::sub_(rest, ops::mm(column, ops::mm(ops::t(column), rest)));
  }
}

// Matrices as products of two thin ones (Vogels et al., arXiv:1905.13727), one step of the power method a step of training.
class PowerSgd final : public Lossy {
  struct Matrix {
    size_t place;      // in the bucket
    Tensor m, p, q;    // views: n x m, n x r, m x r
  };
  struct Begun {
    Tensor x, first, second;  // what is sent in the first call: gradients that stay as they are, then all p; all q in the second
    std::vector<Matrix> matrices;
    std::vector<std::pair<Tensor, Tensor>> plain;  // gradient in x, place in `first`
    bool finite;
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
    w.x = with_residual(b, &w.finite);
    int64_t first = 0, second = 0, at = 0;
    for (const Tensor& t : b.gradients) {  // rows and columns of what is made smaller
      const int64_t n = t.ndim() > 1 && t.numel() ? t.size(0) : 0, m = n ? t.numel() / n : 0, r = std::min({n, m, o_.rank});
      Tensor here;
      if (double((n + m) * r) * o_.min_rate < double(n * m)) {
        here = take(w.x, at, Shape{n, m});
        first += n * r;
        second += m * r;
        w.matrices.push_back({size_t(&t - b.gradients.data()), here, {}, {}});
      } else {
        here = take(w.x, at, Shape{t.numel()});
        first += t.numel();
        w.plain.emplace_back(here, Tensor());
      }
    }
    w.first = ops::zeros(IntList(&first, 1), DType::f32);
    w.second = ops::zeros(IntList(&second, 1), DType::f32);
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
        ops::copy_(x.q, ops::philox_normal(q_sizes, 0, 1, o_.seed + int64_t(number), step * ((m * r + 3) / 4), DType::f32, Device{}));
      orthogonalize(x.q);
      ops::copy_(x.p, ops::mm(x.m, x.q));
    }
    start(b, g, all_reduce_job(w.first, ReduceOp::avg), w.first.bytes());
  }
  void finish(Bucket& b, Group& g) override {
    wait(b);
    if (waits()) return;
    Begun w = std::exchange(begun_[size_t(b.index)], {});
    if (!is_finite(w.first)) {  // the same on every rank
      ops::copy_(b.buffer, not_a_number(w.x));
      return;
    }
    for (Matrix& x : w.matrices) {
      orthogonalize(x.p);
      ops::copy_(x.q, ops::mm(ops::t(x.m), x.p));
    }
    g.run(all_reduce_job(w.second, ReduceOp::avg));
    sent += w.second.bytes();
    const Tensor mean = ops::empty_like(w.x);
    auto in_mean = [&](const Tensor& t) {
      return view_over(*mean.impl(), t.sizes(), contiguous_strides(t.sizes()), t.data<float>() - w.x.data<float>());
    };
    for (Matrix& x : w.matrices) {
      ops::copy_(in_mean(x.m), ops::mm(x.p, ops::t(x.q)));
      if (o_.warm_start) warm[size_t(b.parameters[x.place])] = ops::clone(x.q);
    }
    for (auto& [from, to] : w.plain) ops::copy_(in_mean(from), to);
    ops::copy_(b.buffer, mean);
    for (auto& [from, to] : w.plain) ops::copy_(in_mean(from), from);  // nothing of it is left
    keep(b, ops::sub(w.x, mean));
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
  fail(Code::invalid_argument, concat("kind must be one of HAFT_COMPRESSION_*, got ", int64_t(o.kind)), {}, "kind");
}

Ref<CommHook> make_post_local(Ref<dist::Group> part, int64_t start_step) {
  return make_ref<PostLocal>(std::move(part), start_step);
}

}  // namespace haft::parallel
