// docs/operators.md.
#include "tools/generate/generate.h"

namespace haft::generate {

std::string reference_page(const Catalogue& c) {
  std::string out = "<!-- " + std::string(kBanner) + R"( -->
# Operators

In C an operator is `haft_<name>` (`haft/ops.h`), in C++ `haft::<name>` (`haft/haft.hpp`). `Tensor?` may be
absent, `Tensor[]` is a list. The column *forms* names the variants: `_` writes into the first argument, `_out`
into a given tensor. An operator has gradients of every order unless it says *no gradient*.
)";
  auto cell = [](const std::string& text) {
    std::string escaped;
    for (char ch : text) escaped += ch == '|' ? std::string("\\|") : std::string(1, ch);
    return escaped;
  };
  int family = -1;
  for (const Op& op : c.ops) {
    if (!op.is_public()) continue;
    if (op.family != family) {
      out += "\n## " + family_title(c, family = op.family) +
             "\n\n| operator | signature | forms | since | what it does |\n|---|---|---|---|---|\n";
    }
    std::vector<std::string> variants;
    if (op.has(INPLACE)) variants.push_back("`_`");
    if (op.has(OUT)) variants.push_back("`_out`");
    out += "| `" + op.name + "` | `" + cell(op.text) + "` | " + join(variants, " ") + " | " + op.since +
           " | " + cell(op.doc) + (op.has(NODIFF) ? " *No gradient.*" : "") + " |\n";
  }
  return out;
}

}  // namespace haft::generate
