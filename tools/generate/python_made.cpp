// haft/_made.py: tensors that come from nothing, with what PyTorch asks of all of them: out, dtype, layout, device,
// requires_grad.
#include <algorithm>
#include <string_view>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

// Their first arguments are more than the schema's: bindings/python/haft/_creation.py and _random.py have them.
constexpr std::string_view kMadeByHand[] = {
    "arange",      "randint",        "uniform",         "normal",        "bernoulli",
    "multinomial", "dropout",        "feature_dropout", "alpha_dropout", "feature_alpha_dropout",
    "rrelu",       "gumbel_softmax", "exponential",     "cauchy",        "log_normal",
    "geometric"};

bool is_made(const Catalogue& c, const Op& op) {
  const std::string& family = c.families[size_t(op.family)];
  return op.is_public() && (family.starts_with("creation.cpp") || family.starts_with("random.cpp")) &&
         std::find(std::begin(kMadeByHand), std::end(kMadeByHand), op.name) == std::end(kMadeByHand);
}

std::string function(const Op& op) {
  const std::vector<Argument>& args = op.signature.arguments;
  const bool like = args[0].type == ArgType::tensor;
  std::vector<std::string> own, called;
  bool drawn = false;
  for (const Argument& a : args) {
    called.push_back(a.name);
    if (a.type == ArgType::generator)
      drawn = true;
    else if (a.type != ArgType::dtype && a.type != ArgType::device)
      own.push_back(a.name + (a.has_default ? "=" + a.default_value : ""));
  }
  // The engine's number for "as many as rows" is none that PyTorch takes.
  std::string refused, doc = op.doc;
  if (op.name == "eye") {
    own[1] = "m=None";
    called[1] = "-1 if m is None else m";
    doc = "n x m matrix (without m: n x n) with ones on the diagonal.";
    refused =
        "    if m is not None and m < 0:\n        raise RuntimeError(f\"m must be greater or equal to 0, got "
        "{m}\")\n";
  }
  // Sizes alone come one by one, too.
  const bool sizes = own.size() == 1 && args[0].type == ArgType::ints;
  if (sizes) {
    own[0] = "*size";
    called[0] = "_size(\"" + op.name + "\", size, kwargs)";
  } else {
    own.push_back("*");
  }
  if (drawn) own.push_back("generator=None");
  if (!like) own.push_back("out=None");
  for (const char* name : {"dtype", "layout", "device"}) own.push_back(std::string(name) + "=None");
  for (const char* name : {"pin_memory", "requires_grad"}) own.push_back(std::string(name) + "=False");
  if (sizes || like) own.push_back("memory_format=None");
  if (sizes) own.insert(own.end(), {"names=None", "**kwargs"});
  const std::string made = "R." + op.name + "(" + join(called, ", ") + ")";
  return "\n\n" + call("def " + op.name + "(", own, "):") + "\n    \"\"\"" + doc + "\"\"\"\n" + refused +
         "    return _finished(" + made + ", requires_grad, " + (like ? "None" : "out") + ", layout" +
         (sizes || like ? ", memory_format" : "") + (like ? ", device" : "") + ")\n";
}

}  // namespace

std::string python_made(const Catalogue& c) {
  std::vector<std::string> names;
  std::string functions;
  for (const Op& op : c.ops) {
    if (!is_made(c, op)) continue;
    names.push_back("\"" + op.name + "\"");
    functions += function(op);
  }
  return "\"\"\"Tensors that are made. " + std::string(kBanner) + R"("""
from ._creation import _finished, _size
from ._library import raw as R

)" + call("__all__ = [", names, "]") +
         "\n" + functions;
}

}  // namespace haft::generate
