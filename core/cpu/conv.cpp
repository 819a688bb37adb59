// conv2d and its two gradients: the batch is shared among the threads, oneDNN runs single-threaded on each piece.
#include "core/cpu/conv.h"

#include <optional>

#include "core/cpu/conv_plan.h"
#include "core/cpu/dense.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/packed_weights.h"

namespace haft::cpu {
namespace {

std::atomic<bool> g_winograd{true};

// A piece of the batch is at least this much work (about 10 us).
constexpr int64_t kFlopsAPiece = 2 << 20;
// Winograd keeps the transformed maps of a whole piece: no more than half of a usual last-level cache.
constexpr int64_t kWinogradBytes = 16 << 20;

// How a convolution is cut: images a piece, and the method.
struct Cut {
  int64_t piece;
  Winograd winograd = Winograd::off;
};

bool winograd_possible(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  return p.dtype == HAFT_DT_FLOAT32 && isa() == Isa::avx512 && winograd_enabled() && s.kh == 3 && s.kw == 3 &&
         s.sh == 1 && s.sw == 1 && s.dh == 1 && s.dw == 1 && s.ph <= 1 && s.pw <= 1 && s.groups == 1 && s.c % 16 == 0 &&
         s.o % 16 == 0 && s.c >= 32 && s.o >= 32;
}

// Transforming the weights costs about 11 ns a channel pair, as much as 256 results of a map; into the library's
// stored form it costs ten times that and is worth it only when the same weights come back often.
constexpr double kStoreNs = 115, kSavedNsAFlop = 1.0 / 440;

// The rule, measured on Zen 4 and 5 with bench/micro/conv.cpp.
Cut cut(const ConvPlan& p, const haft_view* weight) {
  const ConvShape& s = p.shape;
  int64_t threads = in_parallel() ? 1 : num_threads();
  int64_t results = p.pass == ConvPass::input ? s.h * s.w : s.oh * s.ow;
  int64_t image_bytes = 4 * (s.c * s.h * s.w + s.o * s.oh * s.ow);
  int64_t weight_bytes = 4 * s.o * (s.c / s.groups) * s.kh * s.kw;
  // At least a piece a thread where the work allows; several, so that a preempted thread delays nobody.
  int64_t busy = std::min<int64_t>(threads, std::max<int64_t>(s.flops() / kFlopsAPiece, 1));
  auto balanced = [&](int64_t images) {
    images = std::clamp<int64_t>(images, 1, (s.n + busy - 1) / busy);
    int64_t count = (s.n + images - 1) / images;
    if (count > 1) count = std::min(s.n, (count + busy - 1) / busy * busy);
    return (s.n + count - 1) / count;
  };
  int64_t pieces = threads == 1 ? 1 : threads * (p.pass == ConvPass::weight ? 2 : 4);
  int64_t image_flops = std::max<int64_t>(s.flops() / s.n, 1);
  // Every piece reads the weights again: its maps should be no smaller than they.
  Cut plain{balanced(std::max({s.n / pieces, weight_bytes / image_bytes, kFlopsAPiece / image_flops}))};
  if (!winograd_possible(p)) return plain;

  int64_t pairs = s.c * s.o;
  auto exists = [&](Cut c) {
    ConvPlan q = p.with_batch(c.piece);
    q.winograd = c.winograd;
    return plan_exists(q) && (s.n % c.piece == 0 || plan_exists(q.with_batch(s.n % c.piece)));
  };
  if (p.pass == ConvPass::forward && weight) {
    Cut stored{std::min(plain.piece, std::max<int64_t>(kWinogradBytes / (9 * (s.c + s.o) * results), 1)),
               Winograd::transformed};
    bool pays = s.n == 1 || pairs <= 256 * 256 || stored.piece * results >= 500;
    double worth = double(pairs) * kStoreNs / (double(s.flops()) * kSavedNsAFlop);
    if (pays && count_use(*weight) >= std::clamp(worth, 4.0, 64.0) && exists(stored)) return stored;
  }
  // Enough results a piece to share one transform of the weights (8192 of them make it 3 % of the work).
  int64_t wanted = std::max(s.n / pieces, 8192 / results), room = kWinogradBytes / (9 * (s.c + s.o) * results);
  int64_t least = p.pass == ConvPass::weight ? 256 : p.pass == ConvPass::forward ? 500 : 640;
  Cut fast{balanced(std::min(wanted, std::max<int64_t>(room, 1))), Winograd::transforming};
  return fast.piece * results >= least && exists(fast) ? fast : plain;
}

// Attribute `at` and the next three are stride, padding, dilation, groups.
ConvShape shape_of(std::span<const int64_t> x_size, std::span<const int64_t> w_size, const haft_view& y,
                   const AttrReader& attrs, int at) {
  ConvShape s;
  s.n = x_size[0]; s.c = x_size[1]; s.h = x_size[2]; s.w = x_size[3];
  s.o = y.sizes[1]; s.oh = y.sizes[2]; s.ow = y.sizes[3];
  s.kh = w_size[2]; s.kw = w_size[3];
  auto stride = attrs.ints(at), padding = attrs.ints(at + 1), dilation = attrs.ints(at + 2);
  auto pick = [](std::span<const int64_t> v, size_t i, int64_t otherwise) {
    return v.empty() ? otherwise : v.size() == 1 ? v[0] : v[i];
  };
  s.sh = pick(stride, 0, 1); s.sw = pick(stride, 1, 1);
  s.ph = pick(padding, 0, 0); s.pw = pick(padding, 1, 0);
  s.dh = pick(dilation, 0, 1); s.dw = pick(dilation, 1, 1);
  s.groups = attrs.i(at + 3);
  for (int64_t v : {s.n, s.c, s.h, s.w, s.o, s.oh, s.ow})
    if (v >= INT32_MAX) fail(Code::overflow, concat("conv2d: a size of ", v, " does not fit in 31 bits"));
  return s;
}

// f(index, first image, plan of the piece) over all pieces, in parallel.
template <class F>
void for_pieces(const ConvPlan& plan, int64_t piece, F&& f) {
  int64_t n = plan.shape.n, count = (n + piece - 1) / piece;
  parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i * piece;
      f(i, first, plan.with_batch(std::min(piece, n - first)));
    }
  });
}

// A piece's operand in the library's layout: the caller's memory, or a packed copy.
struct Piece {
  HostBuffer buffer;
  const void* data;
  Piece(int64_t library_bytes, const void* caller) : data(caller) {
    if (!library_bytes) return;
    buffer = HostBuffer(library_bytes);
    data = buffer.data();
  }
};

struct Typed {
  DType type;       // in which the library computes
  int64_t item;
};
Typed library_type(DType t) {
  bool bf16 = t == DType::bf16 && cpu_has_bf16();
  return {bf16 ? DType::bf16 : DType::f32, bf16 ? 2 : 4};
}
bool by_library(DType t) { return t == DType::f32 || t == DType::bf16 || t == DType::f16; }

// The weights as the pieces want them; the last, smaller piece may want another layout.
class PieceWeights {
  ConvPlan whole_;
  PackedWeights packed_;
  std::optional<PackedWeights> tail_;

  static PackedWeights make(const ConvPlan& p, const haft_view& view, const void* plain) {
    return PackedWeights(view, plan_weight_format(p), plan_bytes(p).weight, [&](void* to) { pack_weight(p, plain, to); },
                         plain);
  }

 public:
  PieceWeights(const ConvPlan& p, int64_t piece, const haft_view& view, const void* plain)
      : whole_(p.with_batch(std::min(piece, p.shape.n))), packed_(make(whole_, view, plain)) {
    int64_t rest = p.shape.n % piece;
    if (rest == 0 || rest == whole_.shape.n) return;
    ConvPlan last = p.with_batch(rest);
    if (plan_weight_format(last) != plan_weight_format(whole_)) tail_.emplace(make(last, view, plain));
  }
  const void* data(const ConvPlan& q) const {
    return tail_ && q.shape.n != whole_.shape.n ? tail_->data() : packed_.data();
  }
};

void forward(ConvPlan p, const haft_view& weight_view, const char* x, const void* weight, const void* bias, char* y,
             int64_t item) {
  const ConvShape& s = p.shape;
  auto [piece, winograd] = cut(p, &weight_view);
  p.winograd = winograd;
  PieceWeights weights(p, piece, weight_view, weight);
  int64_t x_image = s.c * s.h * s.w * item, y_image = s.o * s.oh * s.ow * item;
  for_pieces(p, piece, [&](int64_t, int64_t first, const ConvPlan& q) {
    ConvBytes b = plan_bytes(q);
    const char* qx = x + first * x_image;
    char* qy = y + first * y_image;
    Piece lx(b.x, qx), ly(b.y, qy);
    if (b.x) pack_x(q, qx, const_cast<void*>(lx.data));
    run_conv(q, lx.data, weights.data(q), bias, ly.data);
    if (b.y) unpack_y(q, ly.data, qy);
  });
}

void backward_input(ConvPlan p, const haft_view& weight_view, const char* dy, const void* weight, char* dx,
                    int64_t item) {
  const ConvShape& s = p.shape;
  auto [piece, winograd] = cut(p, &weight_view);
  p.winograd = winograd;
  PieceWeights weights(p, piece, weight_view, weight);
  int64_t x_image = s.c * s.h * s.w * item, y_image = s.o * s.oh * s.ow * item;
  for_pieces(p, piece, [&](int64_t, int64_t first, const ConvPlan& q) {
    ConvBytes b = plan_bytes(q);
    const char* qy = dy + first * y_image;
    char* qx = dx + first * x_image;
    Piece lx(b.x, qx), ly(b.y, qy);
    if (b.y) pack_y(q, qy, const_cast<void*>(ly.data));
    run_conv(q, lx.data, weights.data(q), nullptr, ly.data);
    if (b.x) unpack_x(q, lx.data, qx);
  });
}

HAFT_BODY void add_into_body(float* to, const float* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}
HAFT_MULTIVERSION(add_into, (float* to, const float* from, int64_t n), (to, from, n))

// Every piece of the batch writes its own sum; they are added in order.
void backward_weight(ConvPlan p, const char* dy, const char* x, void* dweight, int64_t item) {
  const ConvShape& s = p.shape;
  auto [piece, winograd] = cut(p, nullptr);
  p.winograd = winograd;
  int64_t count = (s.n + piece - 1) / piece;
  ConvPlan one = p.with_batch(std::min(piece, s.n));
  ConvBytes bytes = plan_bytes(one);
  int64_t weights = s.o * (s.c / s.groups) * s.kh * s.kw;
  int64_t size = bytes.weight ? bytes.weight : weights * item;
  bool direct = count == 1 && !bytes.weight;
  HostBuffer sums;
  if (!direct) sums = HostBuffer(size * count);
  char* base = direct ? static_cast<char*>(dweight) : sums.as<char>();
  int64_t x_image = s.c * s.h * s.w * item, y_image = s.o * s.oh * s.ow * item;
  for_pieces(p, piece, [&](int64_t i, int64_t first, const ConvPlan& q) {
    ConvBytes b = plan_bytes(q);
    const char *qx = x + first * x_image, *qy = dy + first * y_image;
    Piece lx(b.x, qx), ly(b.y, qy);
    if (b.x) pack_x(q, qx, const_cast<void*>(lx.data));
    if (b.y) pack_y(q, qy, const_cast<void*>(ly.data));
    run_conv(q, lx.data, base + i * size, nullptr, ly.data);
  });
  if (direct) return;
  parallel_for(size / 4, 1 << 16, [&](int64_t b, int64_t e) {
    for (int64_t i = 1; i < count; ++i)
      add_into(reinterpret_cast<float*>(base) + b, reinterpret_cast<const float*>(base + i * size) + b, e - b);
  });
  if (bytes.weight) unpack_weight(one, base, dweight);
  else std::memcpy(dweight, base, size_t(size));
}

ConvPlan plan_for(const ConvShape& s, ConvPass pass, DType t, uint8_t x_layout, uint8_t y_layout, bool bias) {
  return {s, pass, uint8_t(t), x_layout, y_layout, bias, Winograd::off};
}

void zero(const haft_view& v) {
  DenseOut out(v);
  std::memset(out.data(), 0, size_t(bytes(v)));
  out.finish();
}

}  // namespace

bool winograd_enabled() { return g_winograd.load(std::memory_order_relaxed); }
void set_winograd(bool on) { g_winograd.store(on, std::memory_order_relaxed); }

void k_conv2d(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_view &x = k.in(0), &w = k.in(1), &y = k.out();
  if (y.numel == 0) return;
  ConvShape s = shape_of(sizes(x), sizes(w), y, k.attrs, 0);
  DType t = k.out_dtype();
  if (!by_library(t) || x.numel == 0 || w.numel == 0) {
    LaidIn rx(x), rw(w);
    LaidOut out(y);
    HostBuffer none;
    const void* bias = nullptr;
    HostBuffer bias_copy;
    if (k.has(2)) {
      bias_copy = HostBuffer(bytes(k.in(2)));
      copy_dense(bias_copy.data(), k.in(2));
      bias = bias_copy.data();
    }
    if (by_library(t)) {  // no input channels: the bias is all there is
      DenseIn b(k.has(2) ? k.in(2) : w, DType::f32);
      HostBuffer f(y.numel * 4);
      im2col_forward(s, DType::f32, rx.data(), rw.data(), k.has(2) ? b.data() : nullptr, f.data());
      convert(out.data(), t, f.data(), DType::f32, y.numel);
    } else {
      im2col_forward(s, t, rx.data(), rw.data(), bias, out.data());
    }
    return out.finish();
  }
  Typed lib = library_type(t);
  DenseIn dx(x, lib.type), dw(w, lib.type);
  DenseOut out(y, lib.type);
  std::optional<DenseIn> bias;
  if (k.has(2)) bias.emplace(k.in(2), lib.type);
  forward(plan_for(s, ConvPass::forward, lib.type, x.layout, y.layout, bias.has_value()), w, dx.as<char>(), dw.data(),
          bias ? bias->data() : nullptr, out.as<char>(), lib.item);
  out.finish();
}

void k_conv2d_input(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_view &dy = k.in(0), &w = k.in(1), &dx = k.out();
  if (dx.numel == 0) return;
  if (dy.numel == 0 || w.numel == 0) return zero(dx);
  ConvShape s = shape_of(sizes(dx), sizes(w), dy, k.attrs, 1);
  DType t = k.out_dtype();
  if (!by_library(t)) {
    LaidIn ry(dy), rw(w);
    LaidOut out(dx);
    im2col_input(s, t, ry.data(), rw.data(), out.data());
    return out.finish();
  }
  Typed lib = library_type(t);
  DenseIn iy(dy, lib.type), iw(w, lib.type);
  DenseOut out(dx, lib.type);
  backward_input(plan_for(s, ConvPass::input, lib.type, dx.layout, dy.layout, false), w, iy.as<char>(), iw.data(),
                 out.as<char>(), lib.item);
  out.finish();
}

void k_conv2d_weight(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_view &dy = k.in(0), &x = k.in(1), &dw = k.out();
  if (dw.numel == 0) return;
  if (dy.numel == 0 || x.numel == 0) return zero(dw);
  ConvShape s = shape_of(sizes(x), sizes(dw), dy, k.attrs, 1);
  DType t = k.out_dtype();
  if (!by_library(t)) {
    LaidIn ry(dy), rx(x);
    LaidOut out(dw);
    im2col_weight(s, t, ry.data(), rx.data(), out.data());
    return out.finish();
  }
  // Sums over the whole batch stay in float.
  DenseIn iy(dy, DType::f32), ix(x, DType::f32);
  DenseOut out(dw, DType::f32);
  backward_weight(plan_for(s, ConvPass::weight, DType::f32, x.layout, dy.layout, false), iy.as<char>(), ix.as<char>(),
                  out.data(), 4);
  out.finish();
}

}  // namespace haft::cpu
