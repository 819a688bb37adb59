#include "core/cpu/conv_plan.h"

#include "core/cpu/conv_columns.h"
#include "core/cpu/multiversion.h"
#include "core/cpu/pack_weight.h"

namespace haft::cpu {
namespace {

enum Role : uint64_t { kConv, kPackX, kPackWeight, kPackY, kUnpackX, kUnpackWeight, kUnpackY };
constexpr uint64_t kConvolution = 2;

CallKey key_of(const ConvPlan& p, Role role) {
  const ConvShape& s = p.shape;
  CallKey k;
  k.word[0] = kConvolution << 56 | uint64_t(role) << 48 | uint64_t(p.pass) << 40 | uint64_t(p.dtype) << 32 |
              uint64_t(p.x_layout) << 24 | uint64_t(p.y_layout) << 16 | uint64_t(p.bias) << 8 |
              uint64_t(p.winograd);
  k.word[1] = CallKey::pair(s.n, s.c);
  k.word[2] = CallKey::pair(s.h, s.w);
  k.word[3] = CallKey::pair(s.o, s.groups);
  k.word[4] = CallKey::pair(s.kh, s.kw);
  k.word[5] = CallKey::pair(s.sh, s.sw);
  k.word[6] = CallKey::pair(s.ph, s.pw);
  k.word[7] = CallKey::pair(s.dh, s.dw);
  k.word[8] = CallKey::pair(s.oh, s.ow);
  if (s.volume) {
    k.word[9] = CallKey::pair(s.d, s.od);
    k.word[10] = CallKey::pair(s.kd, s.sd);
    k.word[11] = CallKey::pair(s.pd, s.dd);
    k.word[12] = 1;
  }
  return k;
}

dnnl_format_tag_t tag_of(const ConvPlan& p, uint8_t layout) {
  return p.shape.volume                    ? dnnl_ncdhw
         : layout == HAFT_LAYOUT_BLOCKED16 ? dnnl_nChw16c
         : layout == HAFT_LAYOUT_BLOCKED8  ? dnnl_nChw8c
                                           : dnnl_nchw;
}

// Owns a primitive descriptor on the cold path.
struct Descriptor {
  dnnl_primitive_desc_t pd = nullptr;
  Descriptor() = default;
  Descriptor(Descriptor&& o) noexcept : pd(std::exchange(o.pd, nullptr)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    std::swap(pd, o.pd);
    return *this;
  }
  ~Descriptor() {
    if (pd) dnnl_primitive_desc_destroy(pd);
  }
  const dnnl_memory_desc_t& md(int arg) const {
    return *dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
  }
  bool named(const char* prefix) const {
    const char* name = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    return std::strncmp(name, prefix, 3) == 0;
  }
  bool generated_code() const { return named("jit") || named("brg"); }
  bool tiles() const {
    const char* name = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    return std::strstr(name, "amx");
  }
  // Loops over single elements, a hundred times slower than a product over columns.
  bool loops() const { return named("ref"); }
};

struct Dims {
  int64_t x[5], y[5], weight[6], stride[3], pad[3], pad_end[3], dilation[3];
  int rank, weight_rank = 0;
  dnnl_format_tag_t plain_weight;

  explicit Dims(const ConvShape& s) : rank(s.volume ? 5 : 4) {
    // Depth stands first where there is one.
    const int64_t in[] = {s.d, s.h, s.w}, out[] = {s.od, s.oh, s.ow}, k[] = {s.kd, s.kh, s.kw},
                  step[] = {s.sd, s.sh, s.sw}, p[] = {s.pd, s.ph, s.pw}, dilate[] = {s.dd, s.dh, s.dw};
    x[0] = y[0] = s.n;
    x[1] = s.c, y[1] = s.o;
    if (s.groups > 1) weight[weight_rank++] = s.groups;
    weight[weight_rank++] = s.o / s.groups;
    weight[weight_rank++] = s.c / s.groups;
    for (int i = 0, from = 5 - rank; i < rank - 2; ++i, ++from) {
      x[2 + i] = in[from], y[2 + i] = out[from], weight[weight_rank++] = k[from];
      stride[i] = step[from], pad[i] = p[from], dilation[i] = dilate[from] - 1;
      // The far edge takes what the last window reaches, which may be less than the padding (or negative).
      pad_end[i] = (out[from] - 1) * step[from] + (k[from] - 1) * dilate[from] + 1 - in[from] - p[from];
    }
    plain_weight = s.volume       ? (s.groups > 1 ? dnnl_goidhw : dnnl_oidhw)
                   : s.groups > 1 ? dnnl_goihw
                                  : dnnl_oihw;
  }
  std::span<const int64_t> x_dims() const { return {x, size_t(rank)}; }
  std::span<const int64_t> y_dims() const { return {y, size_t(rank)}; }
  std::span<const int64_t> weight_dims() const { return {weight, size_t(weight_rank)}; }
};

int x_arg(const ConvPlan& p) { return p.pass == ConvPass::input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC; }
int weight_arg(const ConvPlan& p) {
  return p.pass == ConvPass::weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS;
}
int y_arg(const ConvPlan& p) { return p.pass == ConvPass::forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST; }

Descriptor describe(const ConvPlan& p, dnnl_format_tag_t x_tag, dnnl_format_tag_t y_tag) {
  Dims d(p.shape);
  dnnl_data_type_t t = dnnl_dtype(p.dtype);
  dnnl_memory_desc_t x = tagged_desc(t, d.x_dims(), x_tag), y = tagged_desc(t, d.y_dims(), y_tag);
  dnnl_memory_desc_t w = tagged_desc(t, d.weight_dims(), dnnl_format_tag_any),
                     dw = tagged_desc(dnnl_f32, d.weight_dims(), dnnl_format_tag_any);
  int64_t bias_dims[] = {p.shape.o};
  dnnl_memory_desc_t b = tagged_desc(t, bias_dims, dnnl_a);
  dnnl_alg_kind_t algorithm =
      p.winograd == Winograd::off ? dnnl_convolution_direct : dnnl_convolution_winograd;
  // The library takes transformed weights in inference only.
  dnnl_prop_kind_t kind =
      p.winograd == Winograd::transformed ? dnnl_forward_inference : dnnl_forward_training;
  dnnl_convolution_desc_t f;
  Descriptor forward, result;
  if (dnnl_dilated_convolution_forward_desc_init(&f, kind, algorithm, &x, &w, p.bias ? &b : nullptr, &y,
                                                 d.stride, d.dilation, d.pad, d.pad_end) != dnnl_success)
    return result;
  forward.pd = try_primitive_desc(&f);
  if (p.pass == ConvPass::forward || !forward.pd) return forward;
  dnnl_convolution_desc_t b_desc;
  check_dnnl(p.pass == ConvPass::input
                 ? dnnl_dilated_convolution_backward_data_desc_init(&b_desc, algorithm, &x, &w, &y, d.stride,
                                                                    d.dilation, d.pad, d.pad_end)
                 : dnnl_dilated_convolution_backward_weights_desc_init(
                       &b_desc, algorithm, &x, &dw, nullptr, &y, d.stride, d.dilation, d.pad, d.pad_end),
             "a convolution's description");
  result.pd = try_primitive_desc(&b_desc, forward.pd);
  return result;
}

// Tiles where the processor has them, the caller's layouts when generated code exists for them, else whatever the
// library likes best, else channels last.
Descriptor describe(const ConvPlan& p) {
  const bool sound = plan_is_usual(p.shape);
  if (p.dtype == HAFT_BFLOAT16 && cpu_has_tiles() && sound)
    if (Descriptor tiles = describe(p, dnnl_format_tag_any, dnnl_format_tag_any); tiles.pd && tiles.tiles())
      return tiles;
  Descriptor own = describe(p, tag_of(p, p.x_layout), tag_of(p, p.y_layout));
  bool both_blocked = p.x_layout != HAFT_LAYOUT_STRIDED && p.y_layout != HAFT_LAYOUT_STRIDED;
  if (own.pd && own.generated_code() && (both_blocked || p.shape.c <= 3)) return own;
  // Blocks of 16 channels of which few are there: a product over columns is faster.
  if (own.pd && p.shape.volume && p.pass == ConvPass::input && p.shape.c < 8 && !own.loops()) return own;
  Descriptor any = describe(p, dnnl_format_tag_any, dnnl_format_tag_any);
  if (any.pd && any.tiles() && !sound) {
    const dnnl_format_tag_t blocked = p.shape.volume ? dnnl_nCdhw16c : dnnl_nChw16c;
    any = describe(p, blocked, blocked);
  }
  if (any.pd && !any.loops()) return any;
  if (own.pd && !own.loops()) return own;
  const dnnl_format_tag_t last_tag = p.shape.volume ? dnnl_ndhwc : dnnl_nhwc;
  Descriptor last = describe(p, last_tag, last_tag);
  return last.pd && !last.loops() ? std::move(last) : Descriptor();
}

// Whether our own packing writes the form that the library chose.
WeightBlocks blocks_of(const ConvPlan& p, const Dims& d, const dnnl_memory_desc_t& weight) {
  if (isa() != Isa::avx512 || p.dtype != HAFT_FLOAT32 || p.shape.groups != 1 || p.shape.c % 16 ||
      p.shape.o % 16)
    return WeightBlocks::other;
  const bool v = p.shape.volume;
  dnnl_memory_desc_t out = tagged_desc(dnnl_f32, d.weight_dims(), v ? dnnl_OIdhw16i16o : dnnl_OIhw16i16o),
                     in = tagged_desc(dnnl_f32, d.weight_dims(), v ? dnnl_OIdhw16o16i : dnnl_OIhw16o16i);
  if (dnnl_memory_desc_equal(&out, &weight)) return WeightBlocks::inner_out;
  return dnnl_memory_desc_equal(&in, &weight) ? WeightBlocks::inner_in : WeightBlocks::other;
}

// Which maps our own copies bring from blocks of sixteen 2-byte channels to channels last, and back.
constexpr int64_t kLastX = 1, kLastY = 2;
int64_t last_channels(const ConvPlan& p, const Dims& d, const dnnl_memory_desc_t& x,
                      const dnnl_memory_desc_t& y) {
  if (p.dtype != HAFT_BFLOAT16 || p.shape.volume) return 0;
  auto is_last = [&](std::span<const int64_t> dims, const dnnl_memory_desc_t& md) {
    const dnnl_memory_desc_t last = tagged_desc(dnnl_bf16, dims, dnnl_nhwc);
    return dnnl_memory_desc_equal(&last, &md);
  };
  return (p.x_layout == HAFT_LAYOUT_BLOCKED16 && is_last(d.x_dims(), x) ? kLastX : 0) |
         (p.y_layout == HAFT_LAYOUT_BLOCKED16 && is_last(d.y_dims(), y) ? kLastY : 0);
}
DnnlCall& call_for(const ConvPlan& p, Role role) {
  DnnlCall& call = cached_call(key_of(p, role));
  if (call.ready() || call.note[0]) return call;
  SingleThreaded guard;
  Descriptor d = describe(p);
  if (!d.pd) {
    call.note[0] = 1;  // asked before: the library has none
    return call;
  }
  const bool tiles = d.tiles();
  Dims dims(p.shape);
  dnnl_data_type_t t = dnnl_dtype(p.dtype);
  dnnl_memory_desc_t x = tagged_desc(t, dims.x_dims(), tag_of(p, p.x_layout)),
                     y = tagged_desc(t, dims.y_dims(), tag_of(p, p.y_layout));
  dnnl_memory_desc_t w =
      tagged_desc(p.pass == ConvPass::weight ? dnnl_f32 : t, dims.weight_dims(), dims.plain_weight);
  const dnnl_memory_desc_t &lx = d.md(x_arg(p)), &lw = d.md(weight_arg(p)), &ly = d.md(y_arg(p));
  auto bytes = [](const dnnl_memory_desc_t& ours, const dnnl_memory_desc_t& theirs) {
    return dnnl_memory_desc_equal(&ours, &theirs) ? int64_t(0) : int64_t(dnnl_memory_desc_get_size(&theirs));
  };
  switch (role) {
    case kConv: {
      call.note[1] = bytes(x, lx);
      call.note[2] = bytes(w, lw);
      call.note[3] = bytes(y, ly);
      call.note[4] = int64_t(std::hash<std::string_view>()({reinterpret_cast<const char*>(&lw), sizeof lw}));
      call.note[5] = int64_t(blocks_of(p, dims, lw));
      call.note[6] = tiles;
      call.note[7] = last_channels(p, dims, lx, ly);
      const int ids[] = {x_arg(p), weight_arg(p), y_arg(p), DNNL_ARG_BIAS};
      call.build(std::exchange(d.pd, nullptr), std::span<const int>(ids, p.bias ? 4 : 3));
      break;
    }
    case kPackX: call.build_reorder(x, lx); break;
    case kPackWeight: call.build_reorder(w, lw); break;
    case kPackY: call.build_reorder(y, ly); break;
    case kUnpackX: call.build_reorder(lx, x); break;
    case kUnpackWeight: call.build_reorder(lw, w); break;
    case kUnpackY: call.build_reorder(ly, y); break;
  }
  return call;
}

}  // namespace

// oneDNN 2.6.3 leaves sums of tiles unwritten, or reads what nobody wrote, where windows lie in the padding, leave
// cells out or hang over small maps. Of the shapes for which this holds thousands of random ones were right.
bool plan_is_usual(const ConvShape& s) {
  return !s.volume && s.groups == 1 && s.kh == s.kw && s.sh == s.sw && s.sh <= 2 && s.dh == 1 && s.dw == 1 &&
         2 * s.ph < s.kh && 2 * s.pw < s.kw && s.h >= s.kh && s.w >= s.kw;
}

bool plan_exists(const ConvPlan& p) { return call_for(p, kConv).ready(); }

uint64_t plan_weight_format(const ConvPlan& p) { return uint64_t(call_for(p, kConv).note[4]); }

ConvBytes plan_bytes(const ConvPlan& p) {
  DnnlCall& c = call_for(p, kConv);
  return {c.note[1], c.note[2], c.note[3]};
}

void run_conv(const ConvPlan& p, const void* x, const void* weight, const void* bias, const void* y) {
  DnnlCall& c = call_for(p, kConv);
  if (p.bias)
    c.run({x, weight, y, bias});
  else
    c.run({x, weight, y});
}

bool plan_uses_tiles(const ConvPlan& p) { return call_for(p, kConv).note[6]; }

void pack_x(const ConvPlan& p, const void* from, void* to) {
  const ConvShape& s = p.shape;
  if (call_for(p, kConv).note[7] & kLastX) return blocks_to_last(from, to, s.n, s.c, s.x_area());
  call_for(p, kPackX).run({from, to});
}
void pack_weight(const ConvPlan& p, const void* from, void* to, const ChannelSlice& rows) {
  const ConvShape& s = p.shape;
  WeightBlocks form = WeightBlocks(call_for(p, kConv).note[5]);
  if (form != WeightBlocks::other)
    return pack_weight_blocks(form, static_cast<const float*>(from), rows.image / 4, static_cast<float*>(to),
                              s.o, s.c, s.taps());
  if (rows.contiguous()) return call_for(p, kPackWeight).run({from, to});
  HostBuffer dense(rows.total());
  rows.gather(static_cast<const char*>(from), dense.as<char>());
  call_for(p, kPackWeight).run({dense.data(), to});
}
void pack_y(const ConvPlan& p, const void* from, void* to) {
  const ConvShape& s = p.shape;
  if (call_for(p, kConv).note[7] & kLastY) return blocks_to_last(from, to, s.n, s.o, s.y_area());
  call_for(p, kPackY).run({from, to});
}
void unpack_x(const ConvPlan& p, const void* from, void* to) {
  const ConvShape& s = p.shape;
  if (call_for(p, kConv).note[7] & kLastX) return last_to_blocks(from, to, s.n, s.c, s.x_area());
  call_for(p, kUnpackX).run({from, to});
}
void unpack_weight(const ConvPlan& p, const void* from, void* to) {
  const ConvShape& s = p.shape;
  WeightBlocks form = WeightBlocks(call_for(p, kConv).note[5]);
  if (form != WeightBlocks::inner_out) return call_for(p, kUnpackWeight).run({from, to});
  unpack_weight_blocks(form, static_cast<const float*>(from), static_cast<float*>(to), s.o, s.c, s.taps());
}
void unpack_y(const ConvPlan& p, const void* from, void* to) {
  const ConvShape& s = p.shape;
  if (call_for(p, kConv).note[7] & kLastY) return last_to_blocks(from, to, s.n, s.o, s.y_area());
  call_for(p, kUnpackY).run({from, to});
}

}  // namespace haft::cpu
