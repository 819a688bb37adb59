// Convolution of planes and volumes and its two gradients. Kernels 3x3 over enough float32 tiles are winograd.h's, few
// results of many weights conv_few.h's, many bfloat16 weights over small maps conv_columns.h's, depthwise
// convolutions of rows conv_rows.h's and of blocks, for the weights, conv_depthwise.h's, maps of one row
// conv_lines.h's; otherwise the batch is shared among the threads, or where the weights outweigh the maps the
// channels of the result are, and oneDNN runs single-threaded on each piece.
#include "core/cpu/conv.h"

#include <optional>

#include "core/cpu/conv_columns.h"
#include "core/cpu/conv_depthwise.h"
#include "core/cpu/conv_few.h"
#include "core/cpu/conv_lines.h"
#include "core/cpu/conv_plan.h"
#include "core/cpu/conv_rows.h"
#include "core/cpu/dense.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/packed_weights.h"
#include "core/cpu/winograd.h"

namespace haft::cpu {
namespace {

// A piece of the batch is at least this much work (about 10 us).
constexpr int64_t kFlopsAPiece = 2 << 20, kTileFlopsAPiece = 16 << 20;
// Winograd keeps the transformed maps of a whole piece: no more than half of a usual last-level cache.
constexpr int64_t kWinogradBytes = 16 << 20;

// Fewer channels a part than these, and reading the maps for every part costs more than it saves.
constexpr int64_t kChannelsAPart = 128;
// Weights that no second cache holds.
constexpr int64_t kManyWeightBytes = 4 << 20;

// The same where a stride makes the maps small: 10 to 25 % at two threads (conv l3a and l4a of bench/kernels.c).
constexpr int64_t kStridedWeightBytes = 1 << 20;

// With strides the library's forward pass reads the maps once for each block of channels that it makes. Large
// images come in pieces of so many bytes that they stay near: 10 to 60 % from sixteen images on.
constexpr int64_t kStridedImageBytes = 192 << 10, kStridedPieceBytes = 2 << 20;

constexpr int64_t kPackedPieceBytes = 1 << 20;

// How a convolution is cut: images a piece, channels of the result a part, and the method.
struct Cut {
  int64_t piece;
  int64_t channels;
  Winograd winograd = Winograd::off;

  int64_t pieces(const ConvPlan& p) const { return (p.shape.n + piece - 1) / piece; }
  int64_t parts(const ConvPlan& p) const { return (p.channels() + channels - 1) / channels; }
};

// Up to twice as fast, with a relative rms error of about 1e-6 against 2e-7 of the direct method.
bool winograd_possible(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  return p.dtype == HAFT_FLOAT32 && isa() == Isa::avx512 && !p.exact && s.kh == 3 && s.kw == 3 && s.sh == 1 &&
         s.sw == 1 && s.dh == 1 && s.dw == 1 && s.ph <= 1 && s.pw <= 1 && s.groups == 1 && s.c % 16 == 0 &&
         s.o % 16 == 0 && s.c >= 32 && s.o >= 32;
}

// Transforming the weights costs about 11 ns a channel pair, as much as 256 results of a map; into the
// library's stored form it costs ten times that and is worth it only when the same weights come back often.
constexpr double kStoreNs = 115, kSavedNsAFlop = 1.0 / 440;

// Channels of the result a part: all, unless the weights are larger than the maps, so that threads sharing
// the batch would each read (and with Winograd transform) all of them.
int64_t cut_channels(const ConvPlan& p, int64_t threads) {
  const ConvShape& s = p.shape;
  int64_t weight_bytes = 4 * s.o * s.c * s.taps(),
          map_bytes = 4 * s.n * (s.c * s.x_area() + s.o * s.y_area());
  int64_t all = p.channels(), blocks = all / 16;
  if (threads == 1 || s.groups != 1 || all % 16) return all;
  int64_t parts = 1;
  if (s.n == 1)
    parts = std::min({threads, s.flops() / kFlopsAPiece, blocks});
  else if (s.sh * s.sw > 1 && weight_bytes >= kStridedWeightBytes)
    parts = std::min(threads, all / kChannelsAPart);
  else if (weight_bytes >= kManyWeightBytes && weight_bytes > map_bytes)
    parts = all / kChannelsAPart;
  return parts < 2 ? all : (blocks + parts - 1) / parts * 16;
}

// The rule, measured on Zen 4 and 5 with bench/micro/conv.cpp.
Cut cut(const ConvPlan& whole, const haft_tensor_view* weight) {
  int64_t threads = in_parallel() ? 1 : num_threads();
  int64_t channels = cut_channels(whole, threads), parts = (whole.channels() + channels - 1) / channels;
  const ConvPlan p = whole.with_channels(channels);
  const ConvShape& s = p.shape;
  threads = (threads + parts - 1) / parts;  // those that share a part
  int64_t results = p.pass == ConvPass::input ? s.x_area() : s.y_area();
  int64_t image_bytes = 4 * (s.c * s.x_area() + s.o * s.y_area());
  int64_t weight_bytes = 4 * s.o * (s.c / s.groups) * s.taps();
  const bool tiles = p.dtype == HAFT_BFLOAT16 && cpu_has_tiles();
  const int64_t piece_flops = tiles ? kTileFlopsAPiece : kFlopsAPiece;
  // At least a piece a thread where the work allows; several, so that a preempted thread delays nobody.
  int64_t busy = std::min<int64_t>(threads, std::max<int64_t>(s.flops() / piece_flops, 1));
  auto balanced = [&](int64_t images) {
    images = std::clamp<int64_t>(images, 1, (s.n + busy - 1) / busy);
    int64_t count = (s.n + images - 1) / images;
    if (count > 1) count = std::min(s.n, (count + busy - 1) / busy * busy);
    return (s.n + count - 1) / count;
  };
  int64_t pieces = threads == 1 ? 1 : threads * (p.pass == ConvPass::weight ? 2 : 4);
  int64_t image_flops = std::max<int64_t>(s.flops() / s.n, 1);
  int64_t images = s.n / pieces, x_bytes = 4 * s.c * s.x_area();
  if (p.pass == ConvPass::forward && s.sh * s.sw > 1 && x_bytes >= kStridedImageBytes)
    images = std::min(images, kStridedPieceBytes / x_bytes);
  // What is brought into the library's layout and back should stay in a near cache meanwhile.
  if (tiles || (p.pass != ConvPass::weight &&
                (p.x_layout == HAFT_LAYOUT_STRIDED || p.y_layout == HAFT_LAYOUT_STRIDED)))
    images = std::min(images, std::max<int64_t>(kPackedPieceBytes / image_bytes, 1));
  // Every piece reads the weights again: its maps should be no smaller than they.
  Cut plain{balanced(std::max({images, weight_bytes / image_bytes, piece_flops / image_flops})), channels};
  if (!winograd_possible(p) || s.volume) return plain;

  int64_t pairs = s.c * s.o, last = whole.channels() % channels;
  auto exists = [&](Cut c) {
    ConvPlan q = p.with_batch(c.piece);
    q.winograd = c.winograd;
    return plan_exists(q) && (s.n % c.piece == 0 || plan_exists(q.with_batch(s.n % c.piece))) &&
           (last == 0 || plan_exists(q.with_channels(last)));
  };
  if (p.pass == ConvPass::forward && weight) {
    Cut stored{std::min(plain.piece, std::max<int64_t>(kWinogradBytes / (9 * (s.c + s.o) * results), 1)),
               channels, Winograd::transformed};
    bool pays = s.n == 1 || pairs <= 256 * 256 || stored.piece * results >= 500;
    double worth = double(pairs) * kStoreNs / (double(s.flops()) * kSavedNsAFlop);
    if (pays && count_use(*weight) >= std::clamp(worth, 4.0, 64.0) && exists(stored)) return stored;
  }
  // Enough results a piece to share one transform of the weights (8192 of them make it 3 % of the work).
  int64_t wanted = std::max(s.n / pieces, 8192 / results),
          room = kWinogradBytes / (9 * (s.c + s.o) * results);
  int64_t least = p.pass == ConvPass::weight ? 256 : p.pass == ConvPass::forward && parts == 1 ? 500 : 640;
  Cut fast{balanced(std::min(wanted, std::max<int64_t>(room, 1))), channels, Winograd::transforming};
  return fast.piece * results >= least && exists(fast) ? fast : plain;
}

// Attribute `at` and the next three are stride, padding, dilation, groups.
ConvShape shape_of(std::span<const int64_t> x_size, std::span<const int64_t> w_size,
                   const haft_tensor_view& y, const AttrReader& attrs, int at) {
  ConvShape s;
  const size_t row = x_size.size() - 2;  // the last dimensions are rows and columns
  s.volume = row == 3;
  s.n = x_size[0];
  s.c = x_size[1];
  s.h = x_size[row];
  s.w = x_size[row + 1];
  s.o = y.sizes[1];
  s.oh = y.sizes[row];
  s.ow = y.sizes[row + 1];
  s.kh = w_size[row];
  s.kw = w_size[row + 1];
  auto stride = attrs.ints(at), padding = attrs.ints(at + 1), dilation = attrs.ints(at + 2);
  auto pick = [](std::span<const int64_t> v, size_t i, int64_t otherwise) {
    return v.empty() ? otherwise : v.size() == 1 ? v[0] : v[i];
  };
  s.sh = pick(stride, row - 2, 1);
  s.sw = pick(stride, row - 1, 1);
  s.ph = pick(padding, row - 2, 0);
  s.pw = pick(padding, row - 1, 0);
  s.dh = pick(dilation, row - 2, 1);
  s.dw = pick(dilation, row - 1, 1);
  s.groups = attrs.i(at + 3);
  if (s.volume) {
    s.d = x_size[2];
    s.od = y.sizes[2];
    s.kd = w_size[2];
    s.sd = pick(stride, 0, 1);
    s.pd = pick(padding, 0, 0);
    s.dd = pick(dilation, 0, 1);
  }
  for (int64_t v : {s.n, s.c, s.d, s.h, s.w, s.o, s.od, s.oh, s.ow})
    if (v >= INT32_MAX)
      fail(Code::overflow, concat("convolution: a size of ", v, " does not fit in 31 bits"));
  return s;
}

// f(first image, first channel of the result, plan of the piece) over all pieces of all parts, in parallel.
template <class F>
void for_pieces(const ConvPlan& plan, const Cut& cut, F&& f) {
  int64_t n = plan.shape.n, pieces = cut.pieces(plan), channels = plan.channels();
  parallel_for(pieces * cut.parts(plan), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i % pieces * cut.piece, c0 = i / pieces * cut.channels;
      f(first, c0,
        plan.with_batch(std::min(cut.piece, n - first)).with_channels(std::min(cut.channels, channels - c0)));
    }
  });
}

struct Typed {
  DType type;  // in which the library computes
  int64_t item;
};
Typed library_type(DType t) {
  bool bf16 = t == DType::bf16 && cpu_has_bf16();
  return {bf16 ? DType::bf16 : DType::f32, bf16 ? 2 : 4};
}
bool by_library(DType t) { return t == DType::f32 || t == DType::bf16 || t == DType::f16; }

// One part of the weights as its pieces want them; the last, smaller piece may want another layout. `row`:
// bytes from one output's plain weights to the next's.
class PartWeights {
  PackedWeights packed_;
  std::optional<PackedWeights> tail_;
  int64_t piece_;

  static PackedWeights make(const ConvPlan& p, const haft_tensor_view& view, const char* plain, int64_t row,
                            int64_t item) {
    ChannelSlice rows{p.shape.o, p.shape.c / p.shape.groups * p.shape.taps() * item, row};
    int64_t bytes = plan_bytes(p).weight;
    if (bytes || rows.contiguous())
      return PackedWeights(
          view, plan_weight_format(p), bytes, [&](void* to) { pack_weight(p, plain, to, rows); }, plain);
    return PackedWeights(
        view, plan_weight_format(p), rows.total(),
        [&](void* to) { rows.gather(plain, static_cast<char*>(to)); }, plain);
  }

 public:
  PartWeights(const ConvPlan& p, int64_t piece, const haft_tensor_view& view, const char* plain, int64_t row,
              int64_t item)
      : packed_(make(p.with_batch(piece), view, plain, row, item)), piece_(piece) {
    int64_t rest = p.shape.n % piece;
    if (rest == 0) return;
    ConvPlan last = p.with_batch(rest);
    if (plan_weight_format(last) != plan_weight_format(p.with_batch(piece)))
      tail_.emplace(make(last, view, plain, row, item));
  }
  const void* data(const ConvPlan& q) const {
    return tail_ && q.shape.n != piece_ ? tail_->data() : packed_.data();
  }
};

// All parts of weights (O, C / groups, kh, kw).
class PieceWeights {
  std::vector<PartWeights> parts_;
  int64_t channels_;

 public:
  PieceWeights(const ConvPlan& p, const Cut& cut, const haft_tensor_view& view, const void* plain,
               int64_t item)
      : channels_(cut.channels) {
    const ConvShape& s = p.shape;
    int64_t parts = cut.parts(p), k = s.taps(), row = s.c / s.groups * k;
    int64_t step = cut.channels * (p.pass == ConvPass::input ? k : row);
    parts_.reserve(size_t(parts));
    for (int64_t i = 0; i < parts; ++i) {
      haft_tensor_view part = view;
      part.data = static_cast<char*>(view.data) + i * step * item_size(DType(view.dtype));
      parts_.emplace_back(p.with_channels(std::min(cut.channels, p.channels() - i * cut.channels)), cut.piece,
                          part, static_cast<const char*>(plain) + i * step * item, row * item, item);
    }
  }
  const void* data(const ConvPlan& q, int64_t first_channel) const {
    return parts_[size_t(first_channel / channels_)].data(q);
  }
};

// (n, c, area) as what it is between blocks of 16 channels and row-major.
haft_tensor_view maps_view(int64_t n, int64_t c, int64_t area, const void* data) {
  haft_tensor_view v{};
  v.numel = n * c * area;
  v.ndim = 4;
  v.sizes[0] = n, v.sizes[1] = c, v.sizes[2] = 1, v.sizes[3] = area;
  return row_major_view(v, DType::f32, data);
}
HostBuffer blocked_maps(int64_t n, int64_t c, int64_t area, const void* data) {
  const haft_tensor_view from = maps_view(n, c, area, data);
  HostBuffer out(from.numel * 4);
  haft_tensor_view to = row_major_view(from, DType::f32, out.data());
  to.layout = HAFT_LAYOUT_BLOCKED16;
  to.contiguous = 0;
  to_blocked(to, from);
  return out;
}

// (n, c, area) in rows from blocks of 16 channels.
void plain_maps(int64_t n, int64_t c, int64_t area, const void* blocks, void* data) {
  const haft_tensor_view plain = maps_view(n, c, area, data);
  haft_tensor_view from = row_major_view(plain, DType::f32, blocks);
  from.layout = HAFT_LAYOUT_BLOCKED16;
  from.contiguous = 0;
  copy_view(plain, from);
}
// Maps in blocks, whichever way they lie.
class Blocks {
  HostBuffer copy_;
  const float* data_;

 public:
  Blocks(int64_t n, int64_t c, int64_t area, uint8_t layout, const void* data)
      : data_(static_cast<const float*>(data)) {
    if (layout == HAFT_LAYOUT_BLOCKED16) return;
    copy_ = blocked_maps(n, c, area, data);
    data_ = copy_.as<float>();
  }
  const float* data() const { return data_; }
};

// Winograd of maps that may come and go row-major: f(p, weight_view, maps in blocks, weight, bias, result in blocks).
template <class F>
void maps_through_blocks(F&& f, const ConvPlan& p, const haft_tensor_view& weight_view, const char* from,
                         const void* weight, const char* bias, char* to) {
  const ConvShape& s = p.shape;
  const bool input = p.pass == ConvPass::input;
  const int64_t made = p.channels(), area = input ? s.x_area() : s.y_area();
  const Blocks blocks(s.n, input ? s.o : s.c, input ? s.y_area() : s.x_area(),
                      input ? p.y_layout : p.x_layout, from);
  const bool direct = (input ? p.x_layout : p.y_layout) == HAFT_LAYOUT_BLOCKED16;
  HostBuffer result;
  if (!direct) result = HostBuffer(s.n * made * area * 4);
  f(p, weight_view, blocks.data(), static_cast<const float*>(weight), reinterpret_cast<const float*>(bias),
    direct ? reinterpret_cast<float*>(to) : result.as<float>());
  if (!direct) plain_maps(s.n, made, area, result.data(), to);
}

// The first piece of a pass, whose call the library has or lacks.
ConvPlan first_piece(const ConvPlan& p, const Cut& c) {
  return p.with_batch(c.piece).with_channels(std::min(c.channels, p.channels()));
}

// Depthwise planes in rows on both sides: the kernels that turn nothing.
bool in_rows(const ConvPlan& p) {
  return p.dtype == HAFT_FLOAT32 && p.x_layout == HAFT_LAYOUT_STRIDED && p.y_layout == HAFT_LAYOUT_STRIDED &&
         depthwise_rows_possible(p.shape);
}

// Runs the pieces of a pass that writes maps: `from` are the maps it reads, `to` those it makes. False: nothing can.
bool make_maps(ConvPlan p, haft_tensor_view weight_view, const char* from, const void* weight,
               const char* bias, char* to, int64_t item) {
  const ConvShape& s = p.shape;
  const bool forward = p.pass == ConvPass::forward;
  // The key names memory, not strides: only one arrangement of it may use the cache.
  if (!weight_view.contiguous) weight_view.version_key = 0;
  if (winograd_possible(p) && s.volume && winograd_volume(p))
    return maps_through_blocks(winograd_volume_maps, p, weight_view, from, weight, bias, to), true;
  if (winograd_quarters(p))
    return maps_through_blocks(winograd_maps, p, weight_view, from, weight, bias, to), true;
  if (winograd_possible(p) && own_winograd(p))
    return winograd_maps(p, weight_view, reinterpret_cast<const float*>(from),
                         static_cast<const float*>(weight), reinterpret_cast<const float*>(bias),
                         reinterpret_cast<float*>(to)),
           true;
  if (in_rows(p))
    return depthwise_rows(s, !forward, reinterpret_cast<const float*>(from),
                          static_cast<const float*>(weight), reinterpret_cast<const float*>(bias),
                          reinterpret_cast<float*>(to)),
           true;
  if (lines_possible(p) &&
      lines_maps(p, reinterpret_cast<const float*>(from), static_cast<const float*>(weight),
                 reinterpret_cast<const float*>(bias), reinterpret_cast<float*>(to)))
    return true;
  if (few_results(p))
    return few_maps(p, reinterpret_cast<const float*>(from), static_cast<const float*>(weight),
                    reinterpret_cast<const float*>(bias), reinterpret_cast<float*>(to)),
           true;
  if (columns_pay(p)) return columns_maps(p, weight_view, from, weight, bias, to), true;
  Cut c = cut(p, &weight_view);
  p.winograd = c.winograd;
  if (!plan_exists(first_piece(p, c))) return false;
  PieceWeights weights(p, c, weight_view, weight, item);
  int64_t x_image = s.c * s.x_area() * item, y_image = s.o * s.y_area() * item;
  int64_t from_image = forward ? x_image : y_image, to_image = forward ? y_image : x_image,
          channel = to_image / p.channels();
  for_pieces(p, c, [&](int64_t first, int64_t c0, const ConvPlan& q) {
    ConvBytes b = plan_bytes(q);
    int64_t from_bytes = forward ? b.x : b.y, to_bytes = forward ? b.y : b.x;
    ChannelSlice slice{q.shape.n, q.channels() * channel, to_image};
    const char* source = from + first * from_image;
    char* target = to + first * to_image + c0 * channel;
    HostBuffer packed, dense, result;
    if (from_bytes) {
      packed = HostBuffer(from_bytes);
      if (forward)
        pack_x(q, source, packed.data());
      else
        pack_y(q, source, packed.data());
      source = packed.as<char>();
    }
    char* out = target;
    if (!slice.contiguous()) {
      dense = HostBuffer(slice.total());
      out = dense.as<char>();
    }
    char* made = out;
    if (to_bytes) {
      result = HostBuffer(to_bytes);
      made = result.as<char>();
    }
    const void* part = weights.data(q, c0);
    if (forward)
      run_conv(q, source, part, bias ? bias + c0 * item : nullptr, made);
    else
      run_conv(q, made, part, nullptr, source);
    if (to_bytes && forward) unpack_y(q, made, out);
    if (to_bytes && !forward) unpack_x(q, made, out);
    if (out != target) slice.scatter(out, target);
  });
  return true;
}

// The library's kernel leaves taps unwritten, or writes beside them, where the first window that begins in a volume
// (and not in the padding before it) ends behind it.
bool first_window_overhangs(const ConvShape& s) {
  return s.volume && s.sd > 1 && s.pd > 0 &&
         (s.pd + s.sd - 1) / s.sd * s.sd - s.pd + (s.kd - 1) * s.dd + 1 > s.d;
}

template <Isa>
HAFT_BODY void add_into_body(float* to, const float* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}
HAFT_MULTIVERSION(add_into, (float* to, const float* from, int64_t n), (to, from, n))

// Products of bfloat16 are exact in their float sums, so nothing is lost where the library takes the maps as they
// are. Where Winograd can serve, in float32, it is faster still.
bool weight_in_bfloat16(const ConvPlan& p) {
  const ConvShape& s = p.shape;
  if (!cpu_has_bf16()) return false;
  if (cpu_has_tiles()) {
    const ConvPlan first = first_piece(p, cut(p, nullptr));
    return plan_exists(first) && plan_uses_tiles(first);
  }
  ConvPlan wide = p;
  wide.dtype = HAFT_FLOAT32;
  if (winograd_possible(wide)) return false;
  return plan_is_usual(s) && s.c % 16 == 0 && s.o % 16 == 0 && p.x_layout == HAFT_LAYOUT_BLOCKED16 &&
         p.y_layout == HAFT_LAYOUT_BLOCKED16 && plan_exists(first_piece(p, cut(p, nullptr)));
}

// Every piece of the batch writes its own sum; they are added in order. False: nothing can.
bool backward_weight(ConvPlan p, const char* dy, const char* x, char* dweight) {
  const ConvShape& s = p.shape;
  if (winograd_possible(p) && s.volume && winograd_volume(p))
    return winograd_volume_weight(p, blocked_maps(s.n, s.c, s.x_area(), x).as<float>(),
                                  blocked_maps(s.n, s.o, s.y_area(), dy).as<float>(),
                                  reinterpret_cast<float*>(dweight)),
           true;
  if (winograd_quarters(p))
    return winograd_weight(p, Blocks(s.n, s.c, s.x_area(), p.x_layout, x).data(),
                           Blocks(s.n, s.o, s.y_area(), p.y_layout, dy).data(),
                           reinterpret_cast<float*>(dweight)),
           true;
  if (winograd_possible(p) && own_winograd(p))
    return winograd_weight(p, reinterpret_cast<const float*>(x), reinterpret_cast<const float*>(dy),
                           reinterpret_cast<float*>(dweight)),
           true;
  if (lines_possible(p) && lines_weight(p, reinterpret_cast<const float*>(dy),
                                        reinterpret_cast<const float*>(x), reinterpret_cast<float*>(dweight)))
    return true;
  if (columns_pay(p)) return columns_weight(p, dy, x, reinterpret_cast<float*>(dweight)), true;
  Cut c = cut(p, nullptr);
  if (first_window_overhangs(s)) return false;
  p.winograd = c.winograd;
  if (!plan_exists(first_piece(p, c))) return false;
  const int64_t item = item_size(DType(p.dtype));  // of the maps; sums are float
  int64_t count = c.pieces(p), parts = c.parts(p), row = (s.c / s.groups) * s.taps() * 4;
  auto plan_of = [&](int64_t part) {
    return p.with_batch(c.piece).with_channels(std::min(c.channels, s.o - part * c.channels));
  };
  int64_t size = std::max(plan_bytes(plan_of(0)).weight, c.channels * row);  // of one sum
  bool direct =
      count == 1 && plan_bytes(plan_of(0)).weight == 0 && plan_bytes(plan_of(parts - 1)).weight == 0;
  HostBuffer sums;
  if (!direct) sums = HostBuffer(size * count * parts);
  auto sum = [&](int64_t part, int64_t i) {
    return direct ? dweight + part * c.channels * row : sums.as<char>() + (part * count + i) * size;
  };
  int64_t x_image = s.c * s.x_area() * item, y_channel = s.y_area() * item, y_image = s.o * y_channel;
  for_pieces(p, c, [&](int64_t first, int64_t c0, const ConvPlan& q) {
    ConvBytes b = plan_bytes(q);
    const char *qx = x + first * x_image, *qy = dy + first * y_image + c0 * y_channel;
    ChannelSlice slice{q.shape.n, q.shape.o * y_channel, y_image};
    HostBuffer dense, packed_x, packed_y;
    if (!slice.contiguous()) {
      dense = HostBuffer(slice.total());
      slice.gather(qy, dense.as<char>());
      qy = dense.as<char>();
    }
    if (b.x) {
      packed_x = HostBuffer(b.x);
      pack_x(q, qx, packed_x.data());
      qx = packed_x.as<char>();
    }
    if (b.y) {
      packed_y = HostBuffer(b.y);
      pack_y(q, qy, packed_y.data());
      qy = packed_y.as<char>();
    }
    run_conv(q, qx, sum(c0 / c.channels, first / c.piece), nullptr, qy);
  });
  if (direct) return true;
  for (int64_t part = 0; part < parts; ++part) {
    ConvPlan one = plan_of(part);
    ConvBytes b = plan_bytes(one);
    int64_t plain = one.shape.o * row, bytes = b.weight ? b.weight : plain;
    parallel_for(bytes / 4, 1 << 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = 1; i < count; ++i)
        add_into(reinterpret_cast<float*>(sum(part, 0)) + begin,
                 reinterpret_cast<const float*>(sum(part, i)) + begin, end - begin);
    });
    char* to = dweight + part * c.channels * row;
    if (b.weight)
      unpack_weight(one, sum(part, 0), to);
    else
      std::memcpy(to, sum(part, 0), size_t(plain));
  }
  return true;
}

ConvPlan plan_for(const haft_kernel_call& c, const ConvShape& s, ConvPass pass, DType t, uint8_t x_layout,
                  uint8_t y_layout, bool bias) {
  return {s, pass, uint8_t(t), x_layout, y_layout, bias, Winograd::off, (c.flags & HAFT_CALL_EXACT) != 0};
}

void zero(const haft_tensor_view& v) {
  DenseOut out(v);
  std::memset(out.data(), 0, size_t(bytes(v)));
  out.finish();
}

}  // namespace

namespace {

// What the own loops compute in: double, float for what the library lacks, and int64 for integers. Bool has no product.
DType wide_type(DType t) {
  if (t == DType::boolean) fail(Code::dtype, "convolution: no kernel for bool", "convert with cast");
  return t == DType::f64 ? DType::f64 : by_library(t) ? DType::f32 : DType::i64;
}

// Row-major elements of v as `want`.
class PlainIn {
  LaidIn laid_;
  HostBuffer copy_;
  const void* data_;

 public:
  PlainIn(const haft_tensor_view& v, DType want) : laid_(v), data_(laid_.data()) {
    if (DType(v.dtype) == want || v.numel == 0) return;
    copy_ = HostBuffer(v.numel * item_size(want));
    convert(copy_.data(), want, data_, DType(v.dtype), v.numel);
    data_ = copy_.data();
  }
  const void* data() const { return data_; }
};
class PlainOut {
  LaidOut laid_;
  DType have_, type_;
  int64_t numel_;
  HostBuffer copy_;

 public:
  PlainOut(const haft_tensor_view& v, DType have)
      : laid_(v), have_(have), type_(DType(v.dtype)), numel_(v.numel) {
    if (have != type_) copy_ = HostBuffer(v.numel * item_size(have));
  }
  void* data() const { return have_ == type_ ? laid_.data() : copy_.data(); }
  void finish() const {
    if (have_ != type_) convert(laid_.data(), type_, copy_.data(), have_, numel_);
    laid_.finish();
  }
};

// Products over columns: for types that the library does not compute in, and shapes that it has loops for only.
void forward_by_columns(const KernelCall& k, const ConvShape& s) {
  const DType wide = wide_type(k.out_dtype());
  PlainIn x(k.in(0), wide), w(k.in(1), wide);
  std::optional<PlainIn> bias;
  if (k.has(2)) bias.emplace(k.in(2), wide);
  PlainOut out(k.out(), wide);
  im2col_forward(s, wide, x.data(), w.data(), bias ? bias->data() : nullptr, out.data());
  out.finish();
}
void input_by_columns(const KernelCall& k, const ConvShape& s) {
  const DType wide = wide_type(k.out_dtype());
  PlainIn dy(k.in(0), wide), w(k.in(1), wide);
  PlainOut out(k.out(), wide);
  im2col_input(s, wide, dy.data(), w.data(), out.data());
  out.finish();
}
void weight_by_columns(const KernelCall& k, const ConvShape& s) {
  const DType wide = wide_type(k.out_dtype());
  PlainIn dy(k.in(0), wide), x(k.in(1), wide);
  PlainOut out(k.out(), wide);
  im2col_weight(s, wide, dy.data(), x.data(), out.data());
  out.finish();
}

void forward(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &x = k.in(0), &w = k.in(1), &y = k.out();
  if (y.numel == 0) return;
  ConvShape s = shape_of(sizes(x), sizes(w), y, k.attrs, 0);
  DType t = k.out_dtype();
  // Without input channels the bias is all there is.
  if (!by_library(t) || x.numel == 0 || w.numel == 0) return forward_by_columns(k, s);
  Typed lib = library_type(t);
  const ConvPlan plan = plan_for(c, s, ConvPass::forward, lib.type, x.layout, y.layout, k.has(2));
  DenseIn dx(x, lib.type), dw(w, lib.type);
  DenseOut out(y, lib.type);
  std::optional<DenseIn> bias;
  if (k.has(2)) bias.emplace(k.in(2), lib.type);
  if (!make_maps(plan, w, dx.as<char>(), dw.data(), bias ? bias->as<char>() : nullptr, out.as<char>(),
                 lib.item))
    return forward_by_columns(k, s);
  out.finish();
}

void back_input(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &dy = k.in(0), &w = k.in(1), &dx = k.out();
  if (dx.numel == 0) return;
  if (dy.numel == 0 || w.numel == 0) return zero(dx);
  ConvShape s = shape_of(sizes(dx), sizes(w), dy, k.attrs, 1);
  DType t = k.out_dtype();
  if (!by_library(t)) return input_by_columns(k, s);
  Typed lib = library_type(t);
  const ConvPlan plan = plan_for(c, s, ConvPass::input, lib.type, dx.layout, dy.layout, false);
  DenseIn iy(dy, lib.type), iw(w, lib.type);
  DenseOut out(dx, lib.type);
  if (!make_maps(plan, w, iy.as<char>(), iw.data(), nullptr, out.as<char>(), lib.item))
    return input_by_columns(k, s);
  out.finish();
}

void back_weight(const haft_kernel_call& c) {
  KernelCall k(c);
  const haft_tensor_view &dy = k.in(0), &x = k.in(1), &dw = k.out();
  if (dw.numel == 0) return;
  if (dy.numel == 0 || x.numel == 0) return zero(dw);
  ConvShape s = shape_of(sizes(x), sizes(dw), dy, k.attrs, 1);
  DType t = k.out_dtype();
  if (!by_library(t)) return weight_by_columns(k, s);
  // Sums over the whole batch stay in float. So do the maps where the library wants them so.
  ConvPlan plan = plan_for(c, s, ConvPass::weight, DType::bf16, x.layout, dy.layout, false);
  if (t != DType::bf16 || !weight_in_bfloat16(plan)) plan.dtype = HAFT_FLOAT32;
  DenseIn iy(dy, DType(plan.dtype)), ix(x, DType(plan.dtype));
  DenseOut out(dw, DType::f32);
  if (in_rows(plan))
    depthwise_rows_weight(s, ix.as<float>(), iy.as<float>(), out.as<float>());
  else if (plan.dtype == HAFT_FLOAT32 && depthwise_weight_possible(s, x.layout, dy.layout))
    depthwise_weight(s, x.layout, ix.as<float>(), dy.layout, iy.as<float>(), out.as<float>());
  else if (!backward_weight(plan, iy.as<char>(), ix.as<char>(), out.as<char>()))
    return weight_by_columns(k, s);
  out.finish();
}

}  // namespace

void k_conv2d(const haft_kernel_call& c) { forward(c); }
void k_conv2d_input(const haft_kernel_call& c) { back_input(c); }
void k_conv2d_weight(const haft_kernel_call& c) { back_weight(c); }
void k_conv3d_output(const haft_kernel_call& c) { forward(c); }
void k_conv3d_input(const haft_kernel_call& c) { back_input(c); }
void k_conv3d_weight(const haft_kernel_call& c) { back_weight(c); }

}  // namespace haft::cpu
