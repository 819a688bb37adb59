// The operators as numbers, in the order of ops.def. Ids are of one build: plug-ins ask for names.
#pragma once
#include <cstddef>
#include <cstdint>

namespace haft {

enum class OpId : uint16_t {
#define POINTWISE(name, ...) name,
#define VIEW(name, ...) name,
#define GENERAL(name, ...) name,
#define COMPOSITE(name, ...) name,
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
  count_
};
constexpr int kOpCount = int(OpId::count_);

enum class OpKind : uint8_t { pointwise, view, general, composite };

// What ops.def's third column may hold; its head explains each.
enum Trait : uint32_t {
  INPLACE = 1,
  OUT = 2,
  NODIFF = 4,
  INTERNAL = 8,
  FLOAT = 16,
  BOOLOUT = 32,
  MASK0 = 64,
  MASK1 = 128,
  LAYOUT = 256,
  DENSE = 512,
  CLONES = 1024,
  INTONLY = 2048,
  NOBOOL = 4096,
  FLOATS = 8192,
  NUMBERS = 16384,
  WEIGHT1 = 32768,
  KEEPS = 65536,
  READS = 131072,
  LOWCAST = 262144,
  F32CAST = 524288,
  WIDECAST = 1048576,
  FLOAT8 = 2097152,
  COMPLEX = 4194304,
};

inline constexpr OpKind kOpKinds[] = {
#define POINTWISE(...) OpKind::pointwise,
#define VIEW(...) OpKind::view,
#define GENERAL(...) OpKind::general,
#define COMPOSITE(...) OpKind::composite,
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};

inline constexpr uint32_t kOpTraits[] = {
#define POINTWISE(name, signature, traits, ...) traits,
#define VIEW(name, signature, traits, ...) traits,
#define GENERAL(name, signature, traits, ...) traits,
#define COMPOSITE(name, signature, traits, ...) traits,
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};

// The names, one behind the other, and where each begins: a table of their addresses would cost a relocation a name.
struct OpNameText {
#define POINTWISE(name, ...) char name[sizeof #name];
#define VIEW(name, ...) char name[sizeof #name];
#define GENERAL(name, ...) char name[sizeof #name];
#define COMPOSITE(name, ...) char name[sizeof #name];
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};
inline constexpr OpNameText kOpNameText = {
#define POINTWISE(name, ...) #name,
#define VIEW(name, ...) #name,
#define GENERAL(name, ...) #name,
#define COMPOSITE(name, ...) #name,
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};
inline constexpr uint16_t kOpNameBegins[] = {
#define POINTWISE(name, ...) offsetof(OpNameText, name),
#define VIEW(name, ...) offsetof(OpNameText, name),
#define GENERAL(name, ...) offsetof(OpNameText, name),
#define COMPOSITE(name, ...) offsetof(OpNameText, name),
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};

constexpr OpKind op_kind(OpId op) { return kOpKinds[int(op)]; }
constexpr uint32_t op_traits(OpId op) { return kOpTraits[int(op)]; }
inline const char* op_name(OpId op) {
  return reinterpret_cast<const char*>(&kOpNameText) + kOpNameBegins[int(op)];
}

}  // namespace haft
