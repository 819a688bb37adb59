#include "core/ops/table.h"

#include "core/dispatch/host_access.h"
#include "core/ops/complex.h"

namespace haft {

// Shape rules and gradients by name. A NODIFF op has no gradient; POINTWISE ops have no shape rule.
#define POINTWISE(name, signature, traits, since, doc) extern const Gradient gradient_##name;
#define VIEW(name, signature, traits, since, doc) \
  extern const Gradient gradient_##name;          \
  void shape_##name(ShapeContext&);
#define GENERAL(name, signature, traits, since, doc) \
  extern const Gradient gradient_##name;             \
  void shape_##name(ShapeContext&);
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE

extern const Gradient gradient_split_sizes, gradient_unbind, gradient_linalg_solve, gradient_linalg_inv,
    gradient_linalg_det, gradient_linalg_slogdet, gradient_linalg_pinv;

void check_fits_tape(const OpInfo& op, const Signature& s) {
  auto refuse = [&](auto... what) { fail(Code::internal, concat("ops.def: [", op.name, "] ", what...)); };
  int inputs = 0;
  bool list = false;
  for (const Argument& a : s.arguments) {
    inputs += is_input(a.type) && !is_list_input(a.type);
    list |= is_list_input(a.type);
  }
  if (s.results.size() > kMaxOutputs)
    refuse("has ", int64_t(s.results.size()), " results, at most ", kMaxOutputs, " fit a call");
  if (!op.gradient) return;
  const Gradient& g = *op.gradient;
  const uint32_t all = g.always | g.saves[0] | g.saves[1] | g.saves[2] | g.saves[3];
  // Past the named ones inputs are told apart no more: an operator of that many is one with a list.
  if (inputs > kNamedInputs) refuse("has ", inputs, " inputs, at most ", kNamedInputs, " can be saved");
  for (int i = inputs; i <= kNamedInputs && !list; ++i)
    if (all & saved_input(i)) refuse("saves input ", i, " of ", inputs);
  for (int k = int(s.results.size()); k < kNamedOutputs; ++k)
    if (all & saved_output(k)) refuse("saves result ", k, " of ", int64_t(s.results.size()));
}

namespace {

// A NODIFF op must not be asked for its gradient by the linker.
template <uint32_t traits, const Gradient& g>
constexpr const Gradient* gradient_if() {
  if constexpr (traits & NODIFF)
    return nullptr;
  else
    return &g;
}

void install(OpId op, const char* signature, void (*shape)(ShapeContext&), const Gradient* gradient) {
  OpInfo& info = op_table[int(op)];
  info.name = op_name(op);
  info.signature = signature;
  info.kind = op_kind(op);
  info.traits = op_traits(op);
  info.shape = shape;
  info.gradient = gradient_table[int(op)] = gradient;
  Signature s = parse_signature(info.name, signature);
  check_fits_tape(info, s);
  OpInfo fresh{.name = info.name,
               .signature = signature,
               .kind = info.kind,
               .traits = info.traits,
               .n_out = uint8_t(s.results.size()),
               .shape = shape,
               .gradient = gradient};
  int at = 0;
  for (const Argument& a : s.arguments) {
    if (is_scalar(a.type)) {
      if (fresh.scalar_word < 0) fresh.scalar_word = int8_t(at);
      ++fresh.scalar_count;
    }
    if (a.name == "n" && a.type == ArgType::integer) fresh.list_length = int8_t(at);
    if (a.source == Source::seed) fresh.seed_word = int8_t(at);
    if (a.source == Source::offset) fresh.offset_word = int8_t(at);
    if (a.source == Source::setting) fresh.set_words |= 1u << at;
    if (is_list_input(a.type))
      fresh.written_lists |= uint8_t(a.mutated << fresh.list_count++);
    else if (is_input(a.type))
      fresh.written_inputs |= uint8_t(a.mutated << fresh.fixed_inputs++);
    at += word_count(a.type);
  }
  info = fresh;  // whole: a first try may have ended for want of memory
}

void run_to_device(Inputs in, Words words, std::span<Tensor> out) {
  AttrReader attrs{words.data()};
  out[0] = copy_to_device(*in[0], Device::unpack(attrs.i(0)), attrs.b(1));
}

}  // namespace

void install_ops() {
#define POINTWISE(name, signature, traits, since, doc) \
  install(OpId::name, signature, nullptr, gradient_if<(traits), gradient_##name>());
#define VIEW(name, signature, traits, since, doc) \
  install(OpId::name, signature, shape_##name, gradient_if<(traits), gradient_##name>());
#define GENERAL(name, signature, traits, since, doc) \
  install(OpId::name, signature, shape_##name, gradient_if<(traits), gradient_##name>());
#define COMPOSITE(name, signature, traits, since, doc) install(OpId::name, signature, nullptr, nullptr);
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
  op_table[int(OpId::to_device)].engine_kernel = run_to_device;
  run_complex = complex_call;
  // Compositions that are one node of the tape; the dispatcher never sees them.
  gradient_table[int(OpId::split_sizes)] = &gradient_split_sizes;
  gradient_table[int(OpId::unbind)] = &gradient_unbind;
  gradient_table[int(OpId::linalg_solve)] = &gradient_linalg_solve;
  gradient_table[int(OpId::linalg_inv)] = &gradient_linalg_inv;
  gradient_table[int(OpId::linalg_det)] = &gradient_linalg_det;
  gradient_table[int(OpId::linalg_slogdet)] = &gradient_linalg_slogdet;
  gradient_table[int(OpId::linalg_pinv)] = &gradient_linalg_pinv;
}

}  // namespace haft
