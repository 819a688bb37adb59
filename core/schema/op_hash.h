// What ops.def says, as one number: builds whose operators have the same numbers, signatures and traits share it.
#pragma once
#include <cstdint>

namespace haft {

namespace detail {
constexpr uint64_t hash_text(uint64_t h, const char* text) {  // FNV-1a, the final 0 included
  for (;; ++text) {
    h = (h ^ uint8_t(*text)) * 0x100000001b3u;
    if (!*text) return h;
  }
}
consteval uint64_t hash_ops() {
  uint64_t h = 0xcbf29ce484222325u;
#define HAFT_HASH(kind, name, signature, traits) \
  h = hash_text(hash_text(hash_text(hash_text(h, kind), name), signature), traits);
#define POINTWISE(name, signature, traits, ...) HAFT_HASH("POINTWISE", #name, signature, #traits)
#define VIEW(name, signature, traits, ...) HAFT_HASH("VIEW", #name, signature, #traits)
#define GENERAL(name, signature, traits, ...) HAFT_HASH("GENERAL", #name, signature, #traits)
#define COMPOSITE(name, signature, traits, ...) HAFT_HASH("COMPOSITE", #name, signature, #traits)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
#undef HAFT_HASH
  return h;
}
}  // namespace detail

constexpr uint64_t kOpsHash = detail::hash_ops();

}  // namespace haft
