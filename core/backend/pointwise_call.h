// What a device must know of a POINTWISE op's arguments: how many tensors there are, and its attributes as its
// kernels take them.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/schema/attrs.h"
#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"

namespace haft {

constexpr int kMaxPointwiseInputs = 3, kMaxPointwiseParams = 3;

// Of an op's arguments in ops.def: tensors, then numbers.
struct PointwiseArgs {
  enum Kind : uint8_t { scalar, number, boolean };
  uint8_t n_in = 0, n_params = 0;
  Kind kinds[kMaxPointwiseParams] = {};
};
constexpr PointwiseArgs pointwise_args(std::string_view s) {
  PointwiseArgs r;
  size_t at = 1;
  for (size_t end = s.find(')'); at < end;) {
    size_t stop = s.find_first_of(",)", at);
    std::string_view word = s.substr(at, stop - at);
    if (word.starts_with("Tensor"))
      ++r.n_in;
    else
      r.kinds[r.n_params++] = word.starts_with("Scalar ") || word.starts_with("Scalar? ")
                                  ? PointwiseArgs::scalar
                              : word.starts_with("bool ") ? PointwiseArgs::boolean
                                                          : PointwiseArgs::number;
    at = stop + 2;
  }
  return r;
}

// By op; empty for what is no POINTWISE op.
inline constexpr auto kPointwiseArgs = [] {
  std::array<PointwiseArgs, kOpCount> all{};
#define POINTWISE(name, signature, ...) all[int(OpId::name)] = pointwise_args(signature);
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
  return all;
}();

// The limits of an integer dtype, for bounds that may lie outside of it.
struct IntegerLimits {
  int64_t lo, hi;
};
inline IntegerLimits integer_limits(DType t) {
  switch (t) {
    case DType::boolean: return {0, 1};
    case DType::u8: return {0, 255};
    case DType::i8: return {INT8_MIN, INT8_MAX};
    case DType::i16: return {INT16_MIN, INT16_MAX};
    case DType::i32: return {INT32_MIN, INT32_MAX};
    default: return {INT64_MIN, INT64_MAX};
  }
}

// Attribute words to the words that kernels take: the bits of a double for floating types, an int64 for integers; a
// bool is 0 or 1.
inline void read_pointwise_params(const PointwiseArgs& args, OpId id, DType t, const uint64_t* attrs,
                                  uint64_t* out) {
  const bool floating = is_float(t);
  AttrReader r{attrs};
  if (floating && args.n_params == 1 && args.kinds[0] == PointwiseArgs::scalar) {
    const Scalar s = r.scalar(0);  // x * 2, x + 1
    if (s.kind == ScalarKind::floating) {
      out[0] = std::bit_cast<uint64_t>(s.d);
      return;
    }
  }
  int at = 0;
  for (int p = 0; p < args.n_params; ++p) {
    Scalar s;
    switch (args.kinds[p]) {
      case PointwiseArgs::boolean: out[p] = r.b(at++); continue;
      case PointwiseArgs::number: s = Scalar(r.d(at++)); break;
      case PointwiseArgs::scalar:
        s = r.scalar(at);
        at += 2;
        break;
    }
    if (floating) {
      double v = s.to_double();
      if (s.kind == ScalarKind::none) v = p == 0 ? -HUGE_VAL : HUGE_VAL;
      out[p] = std::bit_cast<uint64_t>(v);
    } else {
      const IntegerLimits l = integer_limits(t);
      int64_t v = s.to_int();
      if (s.kind == ScalarKind::none) v = p == 0 ? l.lo : l.hi;
      if (id == OpId::clamp || id == OpId::hardtanh) v = v < l.lo ? l.lo : v > l.hi ? l.hi : v;
      out[p] = uint64_t(v);
    }
  }
}

}  // namespace haft
