#include "core/cpu/elementwise.h"

#include <unistd.h>

#include <atomic>
#include <bit>

#include "core/cpu/kernel.h"
#include "core/cpu/loop.h"
#include "hwy/cache_control.h"

namespace haft::cpu {
namespace {

// What dtypes narrower than their row are widened to before and narrowed from after a block: the row's own type.
constexpr DType wide_of(DType t) {
  switch (t) {
    case DType::f16:
    case DType::bf16: return DType::f32;
    case DType::u8:
    case DType::i8:
    case DType::i16: return DType::i32;
    default: return t;
  }
}
struct PointwiseOp {
  PointwiseArgs args;
  uint8_t typed = 0;  // the first input that is no mask: its dtype is the op's
  int32_t grain = 0;  // elements below which a call stays on its thread (~20 us)
  int32_t small = 0;  // the same for what goes straight to its block; -1: nothing does
};

struct Engine {
  PointwiseTable table;
  const BlockFn* rows[kDTypeCount] = {};    // by dtype; narrow ones share a wider one's
  const BlockFn* native[kDTypeCount] = {};  // those of the dtype itself
  PointwiseOp ops[kOpCount];

  Engine();
};

Engine::Engine() {
  fill_blocks_f32(table);
  fill_blocks_f64(table);
  fill_blocks_int(table);
  auto row = [&](DType t, Row r) {
    rows[int(t)] = table.blocks[r];
    if (wide_of(t) == t) native[int(t)] = table.blocks[r];
  };
  row(DType::boolean, kRowBool);
  row(DType::u8, kRowI32);
  row(DType::i8, kRowI32);
  row(DType::i16, kRowI32);
  row(DType::i32, kRowI32);
  row(DType::i64, kRowI64);
  row(DType::f16, kRowF32);
  row(DType::bf16, kRowF32);
  row(DType::f32, kRowF32);
  row(DType::f64, kRowF64);
#define POINTWISE(name, signature, traits, ...)                                      \
  ops[int(OpId::name)] = {pointwise_args(signature), uint8_t(((traits)&MASK0) != 0), \
                          pointwise_grain(OpId::name, traits), pointwise_grain(OpId::name, traits)};
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
  ops[int(OpId::pow_scalar)].small = -1;  // simpler_power() comes first
}

const Engine& engine() {
  static const Engine e;
  return e;
}

// Powers that have cheaper functions with the same value.
BlockFn simpler_power(const BlockFn* row, BlockFn f, const uint64_t* params) {
  double e = std::bit_cast<double>(params[0]);
  if (e == 2) return row[int(OpId::square)];
  if (e == 0.5) return row[int(OpId::sqrt)];
  if (e == -1) return row[int(OpId::reciprocal)];
  return f;
}

struct Stage {
  ConvertFn widen = nullptr, narrow = nullptr;
};
Stage stage_of(DType t) {
  const DType wide = wide_of(t);
  if (wide == t) return {};
  const Conversions& c = conversions();
  return {c.cast[int(t)][int(wide)], c.cast[int(wide)][int(t)]};
}

struct Job {
  Loop loop;
  BlockFn block;
  Stage stage[kMaxOperands];
  uint64_t params[kMaxParams];
  bool stream;  // write past the caches

  void run(int64_t begin, int64_t end) const;
};

void Job::run(int64_t begin, int64_t end) const {
  const Loop& l = loop;
  const int inner = l.ndim - 1;
  const int64_t row = l.sizes[inner];
  // Long rows: blocks end with a row, and operands that are dense within a row are used where they lie. Short
  // rows: blocks run across rows, and whatever is not dense all over is gathered.
  const bool by_row = l.ndim == 1 || row >= 128;
  alignas(64) char raw[kMaxOperands][kBlock * 8];
  alignas(64) float wide[kMaxOperands][kBlock];  // or int32
  const char* filled[kMaxOperands] = {};         // the element that raw[k] repeats
  bool linear[kMaxOperands];
  for (int k = 0; k < l.n; ++k) {
    int64_t dense_stride = l.ops[k].item;
    linear[k] = true;
    for (int d = inner; d >= 0; --d) {
      linear[k] = linear[k] && l.ops[k].strides[d] == dense_stride;
      dense_stride *= l.sizes[d];
    }
  }

  Cursor c(l, begin);
  for (int64_t i = begin; i < end;) {
    int64_t n = end - i < kBlock ? end - i : kBlock;
    if (by_row && row - c.at[inner] < n) n = row - c.at[inner];

    const void* in[kMaxInputs];
    for (int k = 1; k < l.n; ++k) {
      const Operand& o = l.ops[k];
      const void* p;
      if (linear[k]) {
        p = o.data + i * o.item;
      } else if (by_row && o.strides[inner] == o.item) {
        p = c.address(l, o);
      } else if (by_row && o.strides[inner] == 0) {
        const char* from = c.address(l, o);
        p = raw[k];
        if (filled[k] != from) {
          Cursor start = c;
          start.at[inner] = 0;
          gather(l, o, start, row < kBlock ? row : kBlock, raw[k]);
          filled[k] = from;
        }
      } else {
        gather(l, o, c, n, raw[k]);
        p = raw[k];
      }
      if (stage[k].widen) {
        stage[k].widen(p, wide[k], n);
        p = wide[k];
      }
      in[k - 1] = p;
    }

    const Operand& o = l.ops[0];
    char* direct = linear[0]                              ? o.data + i * o.item
                   : by_row && o.strides[inner] == o.item ? c.address(l, o)
                                                          : nullptr;
    char* dst = direct && !stream ? direct : raw[0];
    if (stage[0].narrow) {
      block(in, wide[0], n, params);
      stage[0].narrow(wide[0], dst, n);
    } else {
      block(in, dst, n, params);
    }
    if (!direct) {
      scatter(l, o, c, n, raw[0]);
    } else if (stream) {
      int64_t size = n * o.item, whole = reinterpret_cast<uintptr_t>(direct) % 64 ? 0 : size / 64 * 64;
      conversions().stream(direct, raw[0], whole);
      std::memcpy(direct + whole, raw[0] + whole, size_t(size - whole));
    }
    i += n;
    c.advance(l, n);
  }
  if (stream) hwy::FlushStream();
}

// A matrix read across its rows: turning it by tiles first costs less than what scattered reads miss in the caches.
bool is_turned(const haft_tensor_view& v) {
  if (dense(v) || v.numel < 16384 || v.strides[v.ndim - 1] == 1) return false;
  int64_t elements = 1;  // memory behind the view, without its broadcast dimensions
  bool has_unit = false;
  for (int d = 0; d < v.ndim; ++d) {
    if (v.strides[d] != 0) elements *= v.sizes[d];
    has_unit = has_unit || (v.strides[d] == 1 && v.sizes[d] >= 8);
  }
  return has_unit && elements == v.numel;
}
haft_tensor_view dense_like(const haft_tensor_view& shape, const haft_tensor_view& v, void* data) {
  haft_tensor_view r = shape;
  r.data = data;
  r.dtype = v.dtype;
  return r;
}

// Dimensions by falling stride of what is written: a dense result is row-major in its own order.
struct Order {
  int dims[HAFT_MAX_DIMS];

  explicit Order(const haft_tensor_view& out) {
    for (int d = 0; d < out.ndim; ++d) {
      int at = d;
      for (; at > 0 && out.strides[dims[at - 1]] < out.strides[d]; --at) dims[at] = dims[at - 1];
      dims[at] = d;
    }
  }
  haft_tensor_view of(const haft_tensor_view& v) const {
    haft_tensor_view r = v;
    int64_t dense_stride = 1;
    r.contiguous = 1;
    for (int d = v.ndim - 1; d >= 0; --d) {
      r.sizes[d] = v.sizes[dims[d]];
      r.strides[d] = v.strides[dims[d]];
      if (r.sizes[d] == 1) continue;
      r.contiguous &= r.strides[d] == dense_stride;
      dense_stride *= r.sizes[d];
    }
    return r;
  }
};

// A few elements into dense memory, from dense memory or from one element for all, as in gradients of sums: nothing
// is planned. False when it is otherwise.
constexpr int64_t kFew = 16;
bool run_few(const haft_kernel_call& c, const PointwiseOp& op, BlockFn block, const uint64_t* params) {
  const haft_tensor_view& out = *c.out[0];
  if (out.numel > kFew || !dense(out)) return false;
  alignas(64) char repeated[kMaxInputs][kFew * 8];
  const void* in[kMaxInputs];
  for (int k = 0; k < op.args.n_in; ++k) {
    const haft_tensor_view& v = *c.in[k];
    in[k] = v.data;
    if (dense(v)) continue;
    for (int d = 0; d < v.ndim; ++d)
      if (v.strides[d] && v.sizes[d] != 1) return false;
    const int64_t item = item_size(DType(v.dtype));
    for (int64_t i = 0; i < out.numel; ++i) std::memcpy(repeated[k] + i * item, v.data, size_t(item));
    in[k] = repeated[k];
  }
  block(in, out.data, out.numel, params);
  return true;
}

// Any views.
void pointwise_any(const haft_kernel_call& c) {
  const Engine& e = engine();
  const PointwiseOp& op = e.ops[c.op];
  const OpId id = OpId(c.op);
  const DType t = DType(c.in[op.typed]->dtype);
  if (c.out[0]->numel == 0) return;

  Job job;
  job.block = e.rows[int(t)] ? e.rows[int(t)][c.op] : nullptr;
  if (!job.block)
    fail(Code::dtype, concat(op_name(id), ": no kernel for ", dtype_name(t), " on the cpu"),
         "convert with cast");
  read_pointwise_params(op.args, id, t, c.attrs, job.params);
  if (id == OpId::pow_scalar && is_float(t)) job.block = simpler_power(e.rows[int(t)], job.block, job.params);
  if (e.native[int(t)] && run_few(c, op, job.block, job.params)) return;

  const bool turn = !dense(*c.out[0]);
  const Order order(*c.out[0]);
  const haft_tensor_view out = turn ? order.of(*c.out[0]) : *c.out[0];
  bool all_dense = dense(out);
  job.loop.add(out);
  job.stage[0] = stage_of(DType(out.dtype));
  HostBuffer turned[kMaxInputs];
  for (int k = 0; k < op.args.n_in; ++k) {
    haft_tensor_view in = turn ? order.of(*c.in[k]) : *c.in[k];
    if (out.contiguous && is_turned(in)) {
      turned[k] = HostBuffer(bytes(in));
      copy_dense(turned[k].data(), in);
      in = dense_like(out, in, turned[k].data());
    }
    HAFT_ASSERT(in.numel == out.numel);
    all_dense = all_dense && dense(in);
    job.loop.add(in);
    job.stage[k + 1] = stage_of(DType(in.dtype));
  }
  Loop& l = job.loop;
  if (all_dense) {
    l.ndim = 1;
    l.sizes[0] = l.numel;
    for (int k = 0; k < l.n; ++k) l.ops[k].strides[0] = l.ops[k].item;
  } else {
    l.collapse();
  }

  // A result too large for the caches goes past them, unless it overwrites an input that was just read.
  job.stream = bytes(out) >= stream_threshold() && l.ndim == 1 && l.linear(0);
  for (int k = 1; k < l.n; ++k) job.stream = job.stream && l.ops[k].data != l.ops[0].data;

  const int64_t blocks = (l.numel + kBlock - 1) / kBlock;
  const int64_t grain = op.grain * int64_t(4) / (item_size(t) < 4 ? 4 : item_size(t)) / kBlock;
  parallel_for(blocks, grain, [&](int64_t b, int64_t end) {
    job.run(b * kBlock, end * kBlock < l.numel ? end * kBlock : l.numel);
  });
}

std::atomic<const Engine*> g_engine = nullptr;  // set before anyone has a kernel to call

int32_t pointwise(const haft_kernel_call* c) noexcept {
  const Engine& e = *g_engine.load(std::memory_order_relaxed);
  const PointwiseOp& op = e.ops[c->op];
  const haft_tensor_view& out = *c->out[0];
  const DType t = DType(c->in[op.typed]->dtype);
  // Small and dense: one block, in place.
  const BlockFn* row = e.native[int(t)];
  bool fast = row && dense(out) && out.numel <= op.small;
  const void* in[kMaxInputs];
  for (int k = 0; k < op.args.n_in; ++k) {
    in[k] = c->in[k]->data;
    fast = fast && dense(*c->in[k]);
  }
  if (!fast || !row[c->op]) [[unlikely]]
    return guarded<pointwise_any>(c);
  uint64_t params[kMaxParams];
  if (op.args.n_params) read_pointwise_params(op.args, OpId(c->op), t, c->attrs, params);
  row[c->op](in, out.data, out.numel, params);
  return 0;
}

}  // namespace

haft_kernel_fn pointwise_kernel(OpId op, int32_t dtype) {
  const Engine& e = engine();
  g_engine.store(&e, std::memory_order_relaxed);
  if (dtype < 0 || dtype >= kDTypeCount || !e.rows[dtype] || !e.rows[dtype][int(op)]) return nullptr;
  return pointwise;
}

int64_t stream_threshold() {
  static const int64_t bytes = [] {
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return l3 > 0 ? int64_t(l3) : int64_t(32) << 20;
  }();
  return bytes;
}

}  // namespace haft::cpu
