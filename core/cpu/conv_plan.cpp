#include "core/cpu/conv_plan.h"

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
  return k;
}

dnnl_format_tag_t tag_of(uint8_t layout) {
  return layout == HAFT_LAYOUT_BLOCKED16  ? dnnl_nChw16c
         : layout == HAFT_LAYOUT_BLOCKED8 ? dnnl_nChw8c
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
  bool generated_code() const {
    const char* name = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    return std::strncmp(name, "jit", 3) == 0 || std::strncmp(name, "brg", 3) == 0;
  }
};

struct Dims {
  int64_t x[4], y[4], weight[5], stride[2], pad[2], pad_end[2], dilation[2];
  int weight_rank;
  explicit Dims(const ConvShape& s)
      : x{s.n, s.c, s.h, s.w},
        y{s.n, s.o, s.oh, s.ow},
        stride{s.sh, s.sw},
        pad{s.ph, s.pw},
        dilation{s.dh - 1, s.dw - 1} {
    // The far edge takes what the last window reaches, which may be less than the padding (or negative).
    pad_end[0] = (s.oh - 1) * s.sh + (s.kh - 1) * s.dh + 1 - s.h - s.ph;
    pad_end[1] = (s.ow - 1) * s.sw + (s.kw - 1) * s.dw + 1 - s.w - s.pw;
    if (s.groups == 1) {
      weight_rank = 4;
      int64_t w[] = {s.o, s.c, s.kh, s.kw};
      std::copy(w, w + 4, weight);
    } else {
      weight_rank = 5;
      int64_t w[] = {s.groups, s.o / s.groups, s.c / s.groups, s.kh, s.kw};
      std::copy(w, w + 5, weight);
    }
  }
};

int x_arg(const ConvPlan& p) { return p.pass == ConvPass::input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC; }
int weight_arg(const ConvPlan& p) {
  return p.pass == ConvPass::weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS;
}
int y_arg(const ConvPlan& p) { return p.pass == ConvPass::forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST; }

Descriptor describe(const ConvPlan& p, dnnl_format_tag_t x_tag, dnnl_format_tag_t y_tag) {
  Dims d(p.shape);
  dnnl_data_type_t t = dnnl_dtype(p.dtype);
  dnnl_memory_desc_t x = tagged_desc(t, d.x, x_tag), y = tagged_desc(t, d.y, y_tag);
  dnnl_memory_desc_t w =
      tagged_desc(t, std::span<const int64_t>(d.weight, d.weight_rank), dnnl_format_tag_any);
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
                       &b_desc, algorithm, &x, &w, nullptr, &y, d.stride, d.dilation, d.pad, d.pad_end),
             "a convolution's description");
  result.pd = try_primitive_desc(&b_desc, forward.pd);
  return result;
}

// The caller's layouts when generated code exists for them, else whatever the library likes best.
Descriptor describe(const ConvPlan& p) {
  Descriptor own = describe(p, tag_of(p.x_layout), tag_of(p.y_layout));
  bool both_blocked = p.x_layout != HAFT_LAYOUT_STRIDED && p.y_layout != HAFT_LAYOUT_STRIDED;
  if (own.pd && own.generated_code() && (both_blocked || p.shape.c <= 3)) return own;
  Descriptor any = describe(p, dnnl_format_tag_any, dnnl_format_tag_any);
  return any.pd ? std::move(any) : std::move(own);
}

// Whether our own packing writes the form that the library chose.
WeightBlocks blocks_of(const ConvPlan& p, const Dims& d, const dnnl_memory_desc_t& weight) {
  if (isa() != Isa::avx512 || p.dtype != HAFT_FLOAT32 || p.shape.groups != 1 || p.shape.c % 16 ||
      p.shape.o % 16)
    return WeightBlocks::other;
  std::span<const int64_t> dims(d.weight, 4);
  dnnl_memory_desc_t out = tagged_desc(dnnl_f32, dims, dnnl_OIhw16i16o),
                     in = tagged_desc(dnnl_f32, dims, dnnl_OIhw16o16i);
  if (dnnl_memory_desc_equal(&out, &weight)) return WeightBlocks::inner_out;
  return dnnl_memory_desc_equal(&in, &weight) ? WeightBlocks::inner_in : WeightBlocks::other;
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
  Dims dims(p.shape);
  dnnl_data_type_t t = dnnl_dtype(p.dtype);
  dnnl_memory_desc_t x = tagged_desc(t, dims.x, tag_of(p.x_layout)),
                     y = tagged_desc(t, dims.y, tag_of(p.y_layout));
  dnnl_memory_desc_t w = tagged_desc(t, std::span<const int64_t>(dims.weight, dims.weight_rank),
                                     dims.weight_rank == 5 ? dnnl_goihw : dnnl_oihw);
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

void pack_x(const ConvPlan& p, const void* from, void* to) { call_for(p, kPackX).run({from, to}); }
void pack_weight(const ConvPlan& p, const void* from, void* to, const ChannelSlice& rows) {
  const ConvShape& s = p.shape;
  WeightBlocks form = WeightBlocks(call_for(p, kConv).note[5]);
  if (form != WeightBlocks::other)
    return pack_weight_blocks(form, static_cast<const float*>(from), rows.image / 4, static_cast<float*>(to),
                              s.o, s.c, s.kh * s.kw);
  if (rows.contiguous()) return call_for(p, kPackWeight).run({from, to});
  HostBuffer dense(rows.total());
  rows.gather(static_cast<const char*>(from), dense.as<char>());
  call_for(p, kPackWeight).run({dense.data(), to});
}
void pack_y(const ConvPlan& p, const void* from, void* to) { call_for(p, kPackY).run({from, to}); }
void unpack_x(const ConvPlan& p, const void* from, void* to) { call_for(p, kUnpackX).run({from, to}); }
void unpack_weight(const ConvPlan& p, const void* from, void* to) {
  const ConvShape& s = p.shape;
  WeightBlocks form = WeightBlocks(call_for(p, kConv).note[5]);
  if (form != WeightBlocks::inner_out) return call_for(p, kUnpackWeight).run({from, to});
  unpack_weight_blocks(form, static_cast<const float*>(from), static_cast<float*>(to), s.o, s.c, s.kh * s.kw);
}
void unpack_y(const ConvPlan& p, const void* from, void* to) { call_for(p, kUnpackY).run({from, to}); }

}  // namespace haft::cpu
