// docs/operators.md.
#include <algorithm>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

// The heading of a family is its file's name; a page has words: "Ctc" is CTC, "Pool_nd" is Pool n-d.
std::string words(std::string title) {
  const size_t end = std::min(title.find(' '), title.size());
  std::string name = title.substr(0, end);
  if (name == "Ctc") name = "CTC";
  std::replace(name.begin(), name.end(), '_', ' ');
  if (name.ends_with(" nd")) name.replace(name.size() - 2, 2, "n-d");
  return name + title.substr(end);
}

}  // namespace

std::string reference_page(const Catalogue& c) {
  std::string out = "<!-- " + std::string(kBanner) + R"( -->
# Operators

In C an operator is `haft_<name>` (`haft/ops.h`), in C++ `haft::<name>` (`haft/haft.hpp`). `Tensor?` may be
absent, `Tensor[]` is a list. The column *forms* names the variants: `_` writes into the first argument, `_out`
into a given tensor, the column *takes* the dtypes of inputs (a mask is bool, an index int64 or int32); 8-bit
floats are taken where it names them, and cast first elsewhere; so are complex numbers, which others refuse. An operator has gradients of every order unless it says *no gradient*.
)";
  auto cell = [](const std::string& text) {
    std::string escaped;
    for (char ch : text) escaped += ch == '|' ? std::string("\\|") : std::string(1, ch);
    return escaped;
  };
  auto real_dtypes = [](const Op& op) -> std::string {
    const std::vector<Argument>& args = op.signature.arguments;
    if (std::none_of(args.begin(), args.end(), [](auto& a) { return is_input(a.type); })) return "";
    if (op.has(FLOATS) && op.has(FLOAT8)) return "8-bit floats";
    if (op.has(FLOAT8)) return "any, 8-bit floats too";
    return op.has(FLOATS)             ? "floats"
           : op.has(INTONLY)          ? (op.has(NOBOOL) ? "integers" : "integers, bool")
           : op.has(NUMBERS | NOBOOL) ? "numbers"
                                      : "any";
  };
  auto dtypes = [&](const Op& op) {
    const std::string real = real_dtypes(op);
    return real.empty() || !op.has(COMPLEX) ? real : real + ", complex";
  };
  int family = -1;
  for (const Op& op : c.ops) {
    if (!op.is_public()) continue;
    if (op.family != family) {
      out +=
          "\n## " + words(family_title(c, family = op.family)) +
          "\n\n| operator | signature | takes | forms | since | what it does |\n|---|---|---|---|---|---|\n";
    }
    std::vector<std::string> variants;
    if (op.has(INPLACE)) variants.push_back("`_`");
    if (op.has(OUT)) variants.push_back("`_out`");
    out += "| `" + op.name + "` | `" + cell(op.text) + "` | " + dtypes(op) + " | " + join(variants, " ") +
           " | " + op.since + " | " + cell(op.doc) + (op.has(NODIFF) ? " *No gradient.*" : "") + " |\n";
  }
  return out;
}

}  // namespace haft::generate
