#include "core/ops/table.h"

#include "core/dispatch/host_access.h"
#include "core/dispatch/op_table.h"
#include "core/schema/signature.h"

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
  info.n_out = uint8_t(s.results.size());
  info.scalar_word = -1;  // anew: a first try may have ended for want of memory
  info.scalar_count = 0;
  int at = 0;
  for (const Argument& a : s.arguments) {
    if (is_scalar(a.type)) {
      if (info.scalar_word < 0) info.scalar_word = int8_t(at);
      ++info.scalar_count;
    }
    at += word_count(a.type);
  }
}

void run_to_device(Call& c) {
  AttrReader attrs{c.words.data()};
  c.out[0] = copy_to_device(*c.in[0], Device::unpack(attrs.i(0)), attrs.b(1));
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
}

}  // namespace haft
