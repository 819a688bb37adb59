// ops.def by inclusion; only the headings of its families, which the preprocessor does not keep, are read as
// text.
#include <algorithm>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

struct Line {
  const char *name, *signature;
  const char *since, *doc;
  int number;
};

constexpr Line kLines[] = {
#define POINTWISE(name, signature, traits, since, doc) {#name, signature, since, doc, __LINE__},
#define VIEW POINTWISE
#define GENERAL POINTWISE
#define COMPOSITE POINTWISE
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};

constexpr const char* kAliases[][2] = {
#define POINTWISE(...)
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#define ALIAS(alias, name) {#alias, #name},
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
#undef ALIAS
};

// What the C and C++ texts rely on; said here once instead of wherever it would break.
void check(const Op& op) {
  auto refuse = [&](const char* what) {
    fail(Code::invalid_argument, concat("ops.def: ", op.name, ": ", what));
  };
  const std::vector<Argument>& args = op.signature.arguments;
  if (op.has(INPLACE) || op.has(OUT)) {
    if (op.signature.results.size() != 1 || op.signature.returns_list)
      refuse("INPLACE and OUT want one result");
    if (op.kind == OpKind::composite || op.kind == OpKind::view) refuse("INPLACE and OUT want a kernel");
    if (op.has(INPLACE) && (args.empty() || args[0].type != ArgType::tensor))
      refuse("INPLACE wants a tensor as the first argument");
    if (op.has(OUT) && std::any_of(args.begin(), args.end(), [](auto& a) { return is_list_input(a.type); }))
      refuse("OUT does not go with a list of tensors");
  }
  if (op.signature.returns_list && op.kind != OpKind::composite) refuse("only a COMPOSITE returns a list");
  const bool effect = op.signature.results.empty();
  if (effect && (op.is_public() || op.kind != OpKind::general))
    refuse("only an INTERNAL GENERAL op has no result");
  if (effect != std::any_of(args.begin(), args.end(), [](auto& a) { return a.mutated; }) &&
      op.kind != OpKind::composite)
    refuse("an op with a kernel writes into its inputs when it has no result, and then only");
  if (!effect && std::count_if(args.begin(), args.end(), [](auto& a) { return is_list_input(a.type); }) > 1)
    refuse("only an op without results takes several lists");
  for (const Argument& a : args) {
    if (effect && is_input(a.type) && !is_list_input(a.type)) refuse("takes its tensors as lists");
    if (a.type >= ArgType::generator && op.kind != OpKind::composite)
      refuse("only a COMPOSITE takes a generator or a text");
    if (op.is_public() && a.type == ArgType::floats) refuse("float[] is for operators of the engine alone");
    if (op.is_public() && a.name == "out") refuse("`out` is the name of the result");
    for (const std::string& r : op.signature.results)
      if (a.name == r) refuse("an argument has the name of a result");
  }
}

}  // namespace

std::vector<Form> forms(const Op& op) {
  std::vector<Form> out{Form::plain};
  if (op.has(INPLACE)) out.push_back(Form::inplace);
  if (op.has(OUT)) out.push_back(Form::out);
  return out;
}

std::string form_name(const Op& op, Form form) {
  return op.name + (form == Form::inplace ? "_" : form == Form::out ? "_out" : "");
}

std::string family_title(const Catalogue& c, int family) {
  std::string title = c.families[size_t(family)];
  size_t file = title.find(".cpp");
  if (file != std::string::npos) title.erase(file, 4);
  title[0] = char(title[0] - 'a' + 'A');
  return title;
}

Catalogue read_catalogue(const std::string& root) {
  Catalogue c;
  std::vector<int> family_lines;
  int number = 0;
  for (const std::string& line : split(read_file(root + "/core/schema/ops.def"), '\n')) {
    ++number;
    if (line.rfind("// ---- ", 0) != 0) continue;
    c.families.push_back(trim(line.substr(8, line.find_last_not_of("- ") - 7)));
    family_lines.push_back(number);
  }
  for (const Line& line : kLines) {
    size_t i = size_t(&line - kLines);
    Op op{line.name,   line.signature, line.since, line.doc,
          kOpKinds[i], kOpTraits[i],   0,          parse_signature(line.name, line.signature)};
    op.family =
        int(std::upper_bound(family_lines.begin(), family_lines.end(), line.number) - family_lines.begin()) -
        1;
    if (op.family < 0)
      fail(Code::invalid_argument, concat("ops.def: ", op.name, " stands before the first family"));
    check(op);
    c.ops.push_back(std::move(op));
  }
  for (auto [alias, name] : kAliases) {
    if (std::none_of(c.ops.begin(), c.ops.end(), [n = name](auto& op) { return op.name == n; }))
      fail(Code::invalid_argument,
           concat("ops.def: ", alias, " is another name of ", name, ", which is not there"));
    c.aliases.emplace_back(alias, name);
  }
  return c;
}

}  // namespace haft::generate
