// Reductions over any set of dimensions. How a sum is split depends on the shape alone, never on the number
// of threads: the same input gives the same bits.
#include "core/cpu/reduce.h"

#include <cmath>
#include <limits>

#include "core/backend/reduction.h"
#include "core/cpu/elementwise.h"
#include "core/cpu/kernel.h"
#include "core/cpu/loop.h"

namespace haft::cpu {
namespace {

constexpr int64_t kChunk = 65536;     // elements of one output (or strip) that make one partial result
constexpr int64_t kStrip = 1024;      // neighbouring outputs that accumulate side by side
constexpr int64_t kWideStrip = 4096;  // of floats read in place: long runs of memory, 5 to 20 % faster
constexpr int64_t kFlush = 64;        // rows a float accumulator takes before it is added to the total
constexpr int64_t kGrain = 524288;    // elements: ~20 us from the caches

// Elements x[offset + i * stride] as dense T: in place when they are that already.
template <class T>
struct Reader {
  const char* data;
  int64_t item;
  ConvertFn convert[2] = {};  // both for a 16-bit float that becomes double or an integer
  alignas(64) char raw[kRowBlock * 8];
  alignas(64) float wide[kRowBlock];
  alignas(64) T typed[kRowBlock];

  explicit Reader(const haft_tensor_view& x)
      : data(static_cast<const char*>(x.data)), item(item_size(DType(x.dtype))) {
    const Conversions& c = conversions();
    const int from = x.dtype, to = int(DTypeOf<T>::value);
    if (from == to || (from == HAFT_BOOL && to == HAFT_UINT8)) return;
    if (c.cast[from][to]) {
      convert[0] = c.cast[from][to];
    } else {
      convert[0] = c.cast[from][HAFT_FLOAT32];
      convert[1] = c.cast[HAFT_FLOAT32][to];
    }
  }
  bool native() const { return !convert[0]; }
  const T* read(int64_t offset, int64_t stride, int64_t n) {
    const void* p = data + offset * item;
    if (stride != 1) {
      Loop l;
      l.ndim = 1;
      l.sizes[0] = n;
      Operand o{const_cast<char*>(static_cast<const char*>(p)), item, {stride * item}};
      gather(l, o, Cursor(l, 0), n, raw);
      p = raw;
    }
    if (convert[1])
      convert[0](p, wide, n), convert[1](wide, typed, n), p = typed;
    else if (convert[0])
      convert[0](p, typed, n), p = typed;
    return static_cast<const T*>(p);
  }
};

template <class T>
struct Reduction {
  using Sum = Total<T>;
  const ReductionPlan& plan;
  const haft_tensor_view& out;
  const double* means;  // of each output, for sum_squares; NULL for others
  const ReduceLoops<T>& loops;
  double divisor;  // of sums; 1: leave as it is

  Sum combine(Sum a, Sum b) const {
    loops.merge(&a, &b, 1);
    return a;
  }

  // count totals, for outputs at, at + stride, ...; typed as the output.
  void finish(Sum* totals, int64_t at, int64_t stride, int64_t count) const {
    if constexpr (std::is_floating_point_v<Sum>)
      if (divisor != 1)
        for (int64_t j = 0; j < count; ++j) totals[j] = Sum(double(totals[j]) / divisor);
    const DType to = DType(out.dtype);
    const int64_t item = item_size(to);
    char* p = static_cast<char*>(out.data) + at * item;
    if (stride == 1) return convert_here(p, to, totals, DTypeOf<Sum>::value, count);
    alignas(64) char dense[kStrip * 8];
    convert_here(dense, to, totals, DTypeOf<Sum>::value, count);
    Loop l;
    l.ndim = 1;
    l.sizes[0] = count;
    scatter(l, {p, item, {stride * item}}, Cursor(l, 0), count, dense);
  }

  // Reduced elements [r0, r1) of the output whose elements start at `base`.
  Sum run(Reader<T>& reader, int64_t base, int64_t r0, int64_t r1, T mean) const {
    const ReducedDims& r = plan.reduced;
    if (r.n == 0) return r0 < r1 ? Sum(loops.row(reader.read(base, 1, 1), 1, mean)) : Sum(loops.identity);
    Sum total = Sum(loops.identity);
    const int64_t row = r.size[r.n - 1], stride = r.stride[r.n - 1];
    for (const int64_t first = r0; r0 < r1;) {
      const int64_t at = r0 % row;
      int64_t n = row - at < r1 - r0 ? row - at : r1 - r0;
      n = n < kRowBlock ? n : kRowBlock;
      const T* x = reader.read(base + r.offset(r0, r.stride), stride, n);
      const Sum part = Sum(loops.row(x, n, mean));
      total = r0 == first ? part : combine(total, part);
      r0 += n;
    }
    return total;
  }

  // Each output reduces runs of its own.
  void by_output() const {
    const int64_t n = plan.n, chunks = n > kChunk ? (n + kChunk - 1) / kChunk : 1;
    auto mean = [&](int64_t m) { return means ? T(means[m]) : T(0); };
    if (chunks == 1) {
      // Rows one behind the other are read and reduced many at a time.
      const bool packed = n > 0 && n <= kRowBlock / 2 && plan.reduced.n == 1 && plan.reduced.stride[0] == 1 &&
                          plan.kept.n == 1 && plan.kept.stride[0] == n;
      parallel_for(plan.n_out, kGrain / (n + 8) + 1, [&](int64_t b, int64_t e) {
        Reader<T> reader(plan.x);
        Sum totals[kStrip];
        T values[kStrip], row_means[kStrip];
        while (packed && b < e) {
          int64_t count = kRowBlock / n < kStrip ? kRowBlock / n : kStrip;
          if (e - b < count) count = e - b;
          for (int64_t j = 0; j < count; ++j) row_means[j] = mean(b + j);
          loops.rows(reader.read(b * n, 1, count * n), n, count, row_means, values);
          for (int64_t j = 0; j < count; ++j) totals[j] = Sum(values[j]);
          finish(totals, b, 1, count);
          b += count;
        }
        while (b < e) {
          const int64_t count = e - b < kStrip ? e - b : kStrip;
          for (int64_t j = 0; j < count; ++j)
            totals[j] = run(reader, plan.kept.offset(b + j, plan.kept.stride), 0, n, mean(b + j));
          finish(totals, b, 1, count);
          b += count;
        }
      });
      return;
    }
    Scratch<Sum> partial(plan.n_out * chunks);
    parallel_for(plan.n_out * chunks, kGrain / kChunk, [&](int64_t b, int64_t e) {
      Reader<T> reader(plan.x);
      for (; b < e; ++b) {
        const int64_t m = b / chunks, r0 = b % chunks * kChunk, r1 = r0 + kChunk < n ? r0 + kChunk : n;
        partial[b] = run(reader, plan.kept.offset(m, plan.kept.stride), r0, r1, mean(m));
      }
    });
    for (int64_t m = 0; m < plan.n_out; ++m) {
      Sum total = partial[m * chunks];
      for (int64_t k = 1; k < chunks; ++k) total = combine(total, partial[m * chunks + k]);
      finish(&total, m, 1, 1);
    }
  }

  // Rows [r0, r1) of a strip of outputs added up side by side, in `acc` for a while.
  void strip(Reader<T>& reader, int64_t base, int64_t stride, int64_t width, int64_t r0, int64_t r1,
             const T* mean, T* acc, Sum* totals) const {
    for (int64_t j = 0; j < width; ++j) totals[j] = loops.identity;
    const ReducedDims& r = plan.reduced;
    const int64_t run = r.size[r.n - 1], step = r.stride[r.n - 1];
    const bool in_place = reader.native() && stride == 1;
    while (r0 < r1) {
      const int64_t flush = r1 - r0 < kFlush ? r1 : r0 + kFlush;
      for (int64_t j = 0; j < width; ++j) acc[j] = T(loops.identity);
      while (r0 < flush) {
        int64_t rows = 1;
        if (in_place) rows = run - r0 % run < flush - r0 ? run - r0 % run : flush - r0;
        loops.columns(acc, reader.read(base + r.offset(r0, r.stride), stride, width), step, rows, mean,
                      width);
        r0 += rows;
      }
      loops.flush(totals, acc, width);
    }
  }

  // Narrow rows that lie one behind the other: several make one wide row, and its groups meet at the end.
  void folded_strip(Reader<T>& reader, int64_t width, int64_t r0, int64_t r1, const T* mean,
                    Sum* totals) const {
    constexpr int64_t kWide = 256;
    const int64_t k = kWide / width, wide = k * width, step = kRowBlock / width;
    alignas(64) T acc[kWide], wide_mean[kWide];
    Sum sums[kWide];
    for (int64_t j = 0; j < wide; ++j) {
      sums[j] = loops.identity;
      wide_mean[j] = means ? mean[j % width] : T(0);
    }
    for (; r0 < r1; r0 += step) {
      const int64_t rows = r1 - r0 < step ? r1 - r0 : step, whole = rows / k;
      const T* x = reader.read(r0 * width, 1, rows * width);
      for (int64_t j = 0; j < wide; ++j) acc[j] = T(loops.identity);
      loops.columns(acc, x, wide, whole, wide_mean, wide);
      loops.columns(acc, x + whole * wide, width, rows - whole * k, wide_mean, width);
      loops.flush(sums, acc, wide);
    }
    for (int64_t j = 0; j < width; ++j) {
      totals[j] = sums[j];
      for (int64_t g = 1; g < k; ++g) totals[j] = combine(totals[j], sums[g * width + j]);
    }
  }

  void by_strip() const {
    ReducedDims others = plan.kept;  // kept dimensions but for the strip's
    const int64_t size = others.size[plan.strip], stride = others.stride[plan.strip];
    const int64_t out_stride = others.out_stride[plan.strip];
    for (int d = plan.strip; d + 1 < others.n; ++d)
      others.size[d] = others.size[d + 1], others.stride[d] = others.stride[d + 1],
      others.out_stride[d] = others.out_stride[d + 1];
    --others.n;
    const bool wide = sizeof(T) == 4 && stride == 1 && out_stride == 1 && Reader<T>(plan.x).native();
    const int64_t most = wide ? kWideStrip : kStrip, strips = (size + most - 1) / most,
                  width = size < most ? size : most;
    const int64_t rows = kChunk / width > kFlush ? kChunk / width : kFlush;
    const int64_t chunks = plan.n > rows ? (plan.n + rows - 1) / rows : 1;
    const int64_t n_strips = others.count() * strips;
    Scratch<Sum> partial(chunks == 1 ? 0 : n_strips * chunks * width);
    const bool fold = width <= 128 && n_strips == 1 && stride == 1 && plan.reduced.n == 1 &&
                      plan.reduced.stride[0] == width;
    const int64_t cost = width * (plan.n < rows ? plan.n : rows);
    auto place = [&](int64_t s, int64_t* base, int64_t* at, int64_t* w) {
      const int64_t o = s / strips, j = s % strips * most;
      *base = others.offset(o, others.stride) + j * stride;
      *at = others.offset(o, others.out_stride) + j * out_stride;
      *w = size - j < most ? size - j : most;
    };
    parallel_for(n_strips * chunks, kGrain / (cost + 1) + 1, [&](int64_t b, int64_t e) {
      Reader<T> reader(plan.x);
      Scratch<Sum> totals(width);
      Scratch<T> mean(width), acc(width);
      for (; b < e; ++b) {
        const int64_t s = b / chunks, k = b % chunks;
        int64_t base, at, w;
        place(s, &base, &at, &w);
        if (means)
          for (int64_t j = 0; j < w; ++j) mean[j] = T(means[at + j * out_stride]);
        const int64_t r1 = (k + 1) * rows < plan.n ? (k + 1) * rows : plan.n;
        Sum* to = chunks == 1 ? totals.get() : &partial[b * width];
        if (fold)
          folded_strip(reader, w, k * rows, r1, mean.get(), to);
        else
          strip(reader, base, stride, w, k * rows, r1, mean.get(), acc.get(), to);
        if (chunks == 1) finish(to, at, out_stride, w);
      }
    });
    if (chunks == 1) return;
    for (int64_t s = 0; s < n_strips; ++s) {
      int64_t base, at, w;
      place(s, &base, &at, &w);
      Sum* totals = &partial[s * chunks * width];
      for (int64_t k = 1; k < chunks; ++k) loops.merge(totals, totals + k * width, w);
      finish(totals, at, out_stride, w);
    }
  }
};

template <Monoid M, class T>
void reduce(const ReductionPlan& plan, const haft_tensor_view& out, double divisor = 1,
            const double* means = nullptr) {
  if (out.numel == 0) return;
  HAFT_ASSERT(out.numel == plan.n_out);
  const Reduction<T> r{plan, out, means, reduce_loops<M, T>(), divisor};
  if (plan.strip >= 0 && plan.n > 1)
    r.by_strip();
  else
    r.by_output();
}

// Sums and products compute in the type of the result.
template <Monoid M>
void accumulate(const ReductionPlan& plan, const haft_tensor_view& out, double divisor = 1) {
  switch (DType(out.dtype)) {
    case DType::f64: return reduce<M, double>(plan, out, divisor);
    case DType::f16:
    case DType::bf16:
    case DType::f32:
      if (DType(plan.x.dtype) == DType::f64) return reduce<M, double>(plan, out, divisor);
      return reduce<M, float>(plan, out, divisor);
    default: return reduce<M, int64_t>(plan, out);
  }
}

template <Monoid M>
void extreme(const ReductionPlan& plan, const haft_tensor_view& out) {
  switch (DType(plan.x.dtype)) {
    case DType::f64: return reduce<M, double>(plan, out);
    case DType::f16:
    case DType::bf16:
    case DType::f32: return reduce<M, float>(plan, out);
    case DType::boolean:
    case DType::u8: return reduce<M, uint8_t>(plan, out);
    default: return reduce<M, int64_t>(plan, out);
  }
}

// any and all are the maximum and the minimum of x != 0.
template <Monoid M>
void truth(const haft_kernel_call& c) {
  KernelCall k(c);
  if (k.dtype() == DType::boolean) return extreme<M>(ReductionPlan(k.in(0), k.attrs.ints(0)), k.out());
  HostBuffer buffer(k.in(0).numel);
  haft_tensor_view x = k.in(0);
  x.data = buffer.data();
  x.dtype = HAFT_BOOL;
  x.contiguous = 1;
  int64_t stride = 1;
  for (int d = x.ndim - 1; d >= 0; --d) x.strides[d] = stride, stride *= x.sizes[d];
  copy_view(x, k.in(0));
  extreme<M>(ReductionPlan(x, k.attrs.ints(0)), k.out());
}

template <class T>
void variance(const ReductionPlan& plan, const haft_tensor_view& out, int64_t correction) {
  Scratch<double> means(plan.n_out);
  haft_tensor_view m{};
  m.data = means.get();
  m.numel = plan.n_out;
  m.dtype = HAFT_FLOAT64;
  m.contiguous = 1;
  reduce<Monoid::sum, T>(plan, m, double(plan.n));
  const double divisor = std::max(0.0, double(plan.n) - double(correction));
  reduce<Monoid::sum_squares, T>(plan, out, divisor, means.get());
}

}  // namespace

void k_sum(const haft_kernel_call& c) {
  KernelCall k(c);
  accumulate<Monoid::sum>(ReductionPlan(k.in(0), k.attrs.ints(0)), k.out());
}
void k_mean(const haft_kernel_call& c) {
  KernelCall k(c);
  ReductionPlan plan(k.in(0), k.attrs.ints(0));
  accumulate<Monoid::sum>(plan, k.out(), double(plan.n));
}
void k_prod(const haft_kernel_call& c) {
  KernelCall k(c);
  accumulate<Monoid::prod>(ReductionPlan(k.in(0), k.attrs.ints(0)), k.out());
}
void k_amax(const haft_kernel_call& c) {
  KernelCall k(c);
  extreme<Monoid::max>(ReductionPlan(k.in(0), k.attrs.ints(0)), k.out());
}
void k_amin(const haft_kernel_call& c) {
  KernelCall k(c);
  extreme<Monoid::min>(ReductionPlan(k.in(0), k.attrs.ints(0)), k.out());
}
void k_any(const haft_kernel_call& c) { truth<Monoid::max>(c); }
void k_all(const haft_kernel_call& c) { truth<Monoid::min>(c); }
void k_var(const haft_kernel_call& c) {
  KernelCall k(c);
  ReductionPlan plan(k.in(0), k.attrs.ints(0));
  const int64_t correction = k.attrs.i(1);
  if (k.dtype() == DType::f64)
    variance<double>(plan, k.out(), correction);
  else
    variance<float>(plan, k.out(), correction);
}

}  // namespace haft::cpu
