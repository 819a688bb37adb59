// Chains that tests of fusion share, as the seam has them.
#pragma once
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/backend/pointwise_call.h"
#include "core/dispatch/call.h"

namespace haft::fusion {

// A program while it is made; what `program()` answers points into it.
struct Chain {
  std::string name;
  std::vector<uint8_t> in;  // dtypes
  std::vector<haft_fused_step> steps;
  std::vector<uint64_t> words;
  std::vector<uint16_t> out;
  std::vector<uint8_t> joins;

  Chain(std::string n, std::initializer_list<DType> types) : name(std::move(n)) {
    for (DType t : types) in.push_back(uint8_t(t));
  }
  DType dtype(uint16_t v) const { return DType(v < in.size() ? in[v] : steps[v - in.size()].dtype); }
  uint16_t step(OpId op, std::initializer_list<uint16_t> of, std::vector<uint64_t> attrs = {}) {
    haft_fused_step s = {};
    s.op = uint32_t(op);
    for (uint16_t v : of) s.in[s.n_in++] = v;
    s.kernel_dtype = uint8_t(dtype(s.in[op_traits(op) & MASK0 ? 1 : 0]));
    s.dtype = op == OpId::cast          ? uint8_t(attrs[0])
              : op_traits(op) & BOOLOUT ? uint8_t(DType::boolean)
                                        : s.kernel_dtype;
    s.attrs = uint32_t(words.size());
    s.n_attrs = uint32_t(attrs.size());
    words.insert(words.end(), attrs.begin(), attrs.end());
    steps.push_back(s);
    return uint16_t(in.size() + steps.size() - 1);
  }
  Chain& store(uint16_t v, uint8_t join = HAFT_FUSED_STORE) {
    out.push_back(v);
    joins.push_back(join);
    return *this;
  }
  haft_fused_program program() const {
    return {sizeof(haft_fused_program),
            uint32_t(in.size()),
            uint32_t(out.size()),
            uint32_t(steps.size()),
            in.data(),
            steps.data(),
            out.data(),
            name.c_str(),
            joins.data()};
  }
};

inline std::vector<uint64_t> scalar(double x) {
  return {uint64_t(ScalarKind::floating), std::bit_cast<uint64_t>(x)};
}

// Attributes that an operator computes something with, whatever its arguments are.
inline std::vector<uint64_t> attributes_of(OpId op, DType t) {
  std::vector<uint64_t> words;
  const PointwiseArgs& args = kPointwiseArgs[int(op)];
  for (int i = 0; i < args.n_params; ++i) {
    const double x = op == OpId::zeta ? 3 : args.n_params == 2 && i == 1 ? 3 : 1.5;
    if (args.kinds[i] == PointwiseArgs::boolean)
      words.push_back(1);
    else if (args.kinds[i] == PointwiseArgs::number)
      words.push_back(std::bit_cast<uint64_t>(x));
    else if (is_float(t))
      words.insert(words.end(), {uint64_t(ScalarKind::floating), std::bit_cast<uint64_t>(x)});
    else  // a kind that leaves the type
      words.insert(words.end(), {uint64_t(t == DType::boolean ? ScalarKind::boolean : ScalarKind::integer),
                                 uint64_t(i + 1)});
  }
  return words;
}

// What networks are full of.
inline std::vector<Chain> patterns(DType t) {
  const DType f = DType::f32, b = DType::boolean;
  std::vector<Chain> all;
  auto begin = [&](const char* name, std::initializer_list<DType> types) -> Chain& {
    return all.emplace_back(concat(name, " ", dtype_name(t)), types);
  };
  {
    Chain& c = begin("bias gelu", {t, t});
    c.store(c.step(OpId::gelu, {c.step(OpId::add, {0, 1})}, {1}));
  }
  {
    Chain& c = begin("residual", {t, t, t});
    c.store(c.step(OpId::add, {c.step(OpId::mul, {0, 1}), 2}));
  }
  {
    Chain& c = begin("dropout scale", {t, b, t});  // a mask that is given
    const uint16_t zero = c.step(OpId::masked_fill, {0, 1}, scalar(0));
    c.store(c.step(OpId::add, {c.step(OpId::mul_scalar, {zero}, scalar(1.25)), 2}));
  }
  {
    Chain& c = begin("swish gate", {t, t});
    c.store(c.step(OpId::mul, {c.step(OpId::silu, {0}), 1}));
  }
  {
    Chain& c = begin("gated linear unit", {t, t});
    c.store(c.step(OpId::mul, {0, c.step(OpId::sigmoid, {1})}));
  }
  {
    Chain& c = begin("adam", {t, t, f, f});  // parameter, gradient, both moments; three outputs
    const uint16_t g = c.step(OpId::cast, {1}, {uint64_t(f)});
    const uint16_t m = c.step(
        OpId::add, {c.step(OpId::mul_scalar, {2}, scalar(0.9)), c.step(OpId::mul_scalar, {g}, scalar(0.1))});
    const uint16_t v =
        c.step(OpId::add, {c.step(OpId::mul_scalar, {3}, scalar(0.99)),
                           c.step(OpId::mul_scalar, {c.step(OpId::square, {g})}, scalar(0.01))});
    const uint16_t d =
        c.step(OpId::div, {m, c.step(OpId::add_scalar, {c.step(OpId::sqrt, {v})}, scalar(1e-8))});
    const uint16_t p = c.step(
        OpId::sub, {c.step(OpId::cast, {0}, {uint64_t(f)}), c.step(OpId::mul_scalar, {d}, scalar(1e-3))});
    c.store(c.step(OpId::cast, {p}, {uint64_t(t)})).store(m).store(v);
  }
  {
    Chain& c = begin("gelu backward", {t, t});
    c.store(c.step(OpId::gelu_backward, {0, 1}, {1}));
  }
  {
    Chain& c = begin("rows of squares", {t, t});
    const uint16_t sum = c.step(OpId::add, {0, 1});
    c.store(sum).store(c.step(OpId::square, {sum}), HAFT_FUSED_MEAN);
  }
  {
    Chain& c = begin("rows' extremes", {t});
    const uint16_t x = c.step(OpId::abs, {0});
    c.store(x, HAFT_FUSED_MAX).store(x, HAFT_FUSED_MIN).store(x, HAFT_FUSED_SUM);
  }
  return all;
}

// Every op that takes the type and of which `of` is true, `together` to a kernel.
inline std::vector<Chain> all_ops(
    DType t, size_t together = 8, bool (*of)(OpId) = [](OpId) { return true; }) {
  std::vector<Chain> all;
  const uint32_t refused = is_float(t) ? INTONLY : FLOAT | INTERNAL;
  for (int i = 0; i < kOpCount; ++i) {
    const OpId op = OpId(i);
    const uint32_t traits = op_traits(op);
    if (op_kind(op) != OpKind::pointwise || traits & refused || (traits & NOBOOL && t == DType::boolean) ||
        !of(op))
      continue;
    if (all.empty() || all.back().out.size() == together)
      all.emplace_back(concat("ops ", dtype_name(t), " ", all.size()),
                       std::initializer_list<DType>{t, t, t, DType::boolean});
    Chain& c = all.back();
    const int n = kPointwiseArgs[i].n_in;
    const std::vector<uint64_t> words = attributes_of(op, t);
    c.store(traits & MASK0   ? c.step(op, {3, 0, 1}, words)
            : traits & MASK1 ? c.step(op, {0, 3}, words)
            : n == 1         ? c.step(op, {0}, words)
            : n == 2         ? c.step(op, {0, 1}, words)
                             : c.step(op, {0, 1, 2}, words));
  }
  return all;
}

}  // namespace haft::fusion
