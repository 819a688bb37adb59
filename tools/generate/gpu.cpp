// docs/gpu-operators.md: what runs on CUDA devices, and what they refuse.
#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

constexpr const char* kRefused[][2] = {
#define REFUSED(name, reason) {#name, reason},
#include "core/cuda/refused.def"
#undef REFUSED
    {"to_device", nullptr},  // copies of the device seam; an entry, so that the list is never empty
};
const char* refusal(const std::string& name) {
  for (const auto& [refused, reason] : kRefused)
    if (name == refused) return reason;
  return nullptr;
}

}  // namespace

std::string gpu_page(const Catalogue& c) {
  // By family: kernels of their own, views, compositions.
  std::string rows, refused;
  int kernels = 0, others = 0;
  for (int family = 0; family < int(c.families.size()); ++family) {
    std::string cells[3];
    for (const Op& op : c.ops) {
      if (op.family != family) continue;
      const bool has_kernel = op.kind == OpKind::pointwise || op.kind == OpKind::general;
      if (const char* reason = has_kernel ? refusal(op.name) : nullptr) {
        refused += "| `" + op.name + "` | " + reason + " |\n";
        continue;
      }
      (has_kernel ? kernels : others) += 1;
      if (!op.is_public()) continue;
      std::string& cell = cells[has_kernel ? 0 : op.kind == OpKind::view ? 1 : 2];
      cell += (cell.empty() ? "`" : " `") + op.name + "`";
    }
    if (cells[0].empty() && cells[1].empty() && cells[2].empty()) continue;
    rows += "| " + family_title(c, family) + " | " + cells[0] + " | " + cells[1] + " | " + cells[2] + " |\n";
  }
  std::string out =
      "<!-- Generated from core/schema/ops.def and core/cuda/refused.def by tools/generate; do not edit. "
      "-->\n"
      R"(
# Operators on CUDA devices

What [operators.md](operators.md) lists runs on the GPU as it runs on the CPU, with the same dtypes, rules of shapes and gradients:
)" + concat(kernels, " operators (the engine's own among them) have kernels, ", others) +
      R"( are views of memory or compositions of
other operators. Those that the device refuses answer `HAFT_ERROR_UNSUPPORTED` with the reason; a composition that needs one of them
does so, too.

| family | kernels | views | compositions |
|---|---|---|---|
)" + rows +
      "\n## Refused\n\n";
  out += refused.empty() ? "None.\n" : "| operator | why |\n|---|---|\n" + refused;
  return out;
}

}  // namespace haft::generate
