// haft/_ops.py, haft/nn/functional/_activations.py and _operators.py: the functions of the Python package whose
// signature in PyTorch follows from the schema. Methods are the shim's own, which take the schema's names as
// keywords, but for those that take more than the schema says.
#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

// PyTorch's function takes more than the schema says, or takes it otherwise: numbers for tensors, strings for
// numbers, a bool for a list, several forms under one name. bindings/python/haft/_ops_*.py have these.
// clang-format off
constexpr std::string_view kByHand[] = {
    "add", "sub", "div", "pow",
    "round", "square", "polygamma", "clamp", "where", "masked_fill", "lerp", "dropout",                    // pointwise
    "squeeze", "split", "split_sizes", "sum_to_size", "as_strided", "tensor_split", "tensor_split_indices",  // shapes
    "repeat_interleave", "atleast_1d", "atleast_2d", "atleast_3d", "meshgrid",
    "unfold", "view", "expand", "expand_as", "detach", "flatten", "t", "slice", "unsqueeze", "unbind",
    "cast", "contiguous", "clone", "copy", "to", "fill", "as_strided_scatter", "repeat",
    "any", "all", "max_dim", "min_dim", "var", "std", "norm", "cumsum", "cumprod",      // reductions
    "median", "nanmedian", "median_dim", "nanmedian_dim", "unique", "unique_consecutive",
    "tensordot", "einsum", "bincount", "bucketize", "searchsorted", "isin", "one_hot", "embedding",
    "scatter", "scatter_add", "index_add", "index", "index_put", "nonzero",
    "bernoulli", "multinomial", "linear", "batch_norm", "layer_norm", "rms_norm", "group_norm", "instance_norm",
    "local_response_norm", "embedding_bag", "embedding_renorm", "var_mean", "std_mean", "matrix_norm", "normalize", "vecdot", "allclose", "equal",
    "linalg_eigh", "linalg_eigvalsh", "linalg_lu_factor", "linalg_lu_factor_ex", "linalg_lu", "linalg_lstsq", "linalg_cond", "linalg_pinv",
    "linalg_matrix_rank", "clamp_tensor", "lerp_tensor", "div_rounded", "searchsorted_by", "histogram", "gradient", "segment_reduce",
};
// clang-format on
// They take `dtype` in PyTorch: the input is cast first, and the result, which has a type of its own for integers.
constexpr std::string_view kCast[] = {"mean", "prod", "softmax", "log_softmax"};
// They take their tensors one by one.
constexpr std::string_view kSpread[] = {"broadcast_tensors", "cartesian_prod", "block_diag", "chain_matmul"};
// They make a tensor of numbers.
constexpr std::string_view kMade[] = {"tril_indices",   "triu_indices", "bartlett_window", "blackman_window",
                                      "hamming_window", "hann_window",  "kaiser_window"};
// They call the dimension `axis`, too.
constexpr std::string_view kAxis[] = {"cat", "stack", "sort", "argsort"};
// What PyTorch takes besides: the engine always sorts stably, and its gradients are dense.
constexpr std::pair<std::string_view, std::string_view> kWithoutEffect[] = {
    {"sort", "stable=False"},      {"argsort", "stable=False"},       {"topk", "sorted=True"},
    {"linalg_svd", "driver=None"}, {"linalg_svdvals", "driver=None"}, {"gather", "sparse_grad=False"}};
// Numbers that are said by name: what scales a product, or is multiplied.
constexpr std::string_view kByName[] = {"alpha", "beta", "value", "include_self", "interpolation"};
// Activations of torch.nn.functional that are functions of one element elsewhere, and those with a form in place there.
constexpr std::string_view kAlsoActivations[] = {"sigmoid", "tanh"};
constexpr std::string_view kInPlaceToo[] = {"relu", "hardtanh", "leaky_relu", "elu",
                                            "selu", "celu",     "threshold"};
// They call the dimension `axis`, too, and refuse one without elements.
constexpr std::string_view kExtremes[] = {"argmax", "argmin", "kthvalue"};
// Numbers that are words in PyTorch, in the order of the numbers, and what it says to others.
struct Words {
  std::string_view op, parameter, words, error, refusal;
};
constexpr Words kWords[] = {
    {"scatter_reduce", "reduce", "sum prod mean amax amin", "RuntimeError",
     "reduce argument must be either sum, prod, mean, amax or amin."},
    {"index_reduce", "reduce", " prod mean amax amin", "RuntimeError",
     "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."},
    {"quantile", "interpolation", "linear lower higher midpoint nearest", "RuntimeError",
     "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
     "{interpolation}"},
    {"nanquantile", "interpolation", "linear lower higher midpoint nearest", "RuntimeError",
     "nanquantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
     "{interpolation}"},
    {"linalg_qr", "mode", "reduced complete r", "RuntimeError",
     "qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"},
    {"grid_sample", "mode", "nearest bilinear bicubic", "ValueError",
     "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
     "'{mode}'"},
    {"grid_sample", "padding_mode", "zeros border reflection", "ValueError",
     "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
     "'{padding_mode}'"},
};
// Tensors that may be numbers: of which size and like what they are made.
constexpr std::pair<std::string_view, std::string_view> kNumberForTensor[] = {
    {"quantile", "q"}, {"nanquantile", "q"}, {"scatter_reduce", "src"}};
// Operators that PyTorch writes into `out` only where that has the result's type; the others cast.
// clang-format off
constexpr std::string_view kExactOut[] = {
    "gather", "index_select", "take", "take_along_dim", "masked_select", "mm", "bmm", "matmul", "mv", "dot",
    "addmm", "addmv", "addbmm", "baddbmm", "tril", "triu", "diag", "amax", "amin", "argmax", "argmin",
    "quantile", "nanquantile", "msort", "scatter", "scatter_add", "cross", "renorm", "scatter_reduce",
    "index_add", "index_copy", "index_reduce", "logcumsumexp", "softmax", "log_softmax", "chain_matmul",
    "nan_to_num", "vdot", "histc", "linalg_inv", "linalg_solve", "linalg_cholesky", "linalg_det",
};
// clang-format on
// Families whose functions are those of torch.nn.functional, or have no tensor to begin with.
constexpr std::string_view kElsewhere[] = {"activations.cpp", "creation.cpp",  "conv.cpp",
                                           "pool_nd.cpp",     "conv_nd.cpp",   "resample.cpp",
                                           "loss.cpp",        "optimizer.cpp", "recurrent.cpp",
                                           "sequences.cpp",   "ctc.cpp",       "linear_cross_entropy.cpp",
                                           "attention.cpp"};

// Those of torch.nn.functional whose signature there follows from the schema.
constexpr std::string_view kFunctionals[] = {
    "max_pool2d",       "adaptive_avg_pool2d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d",    "bilinear",
    "pixel_shuffle",    "pixel_unshuffle",     "channel_shuffle",
    "group_norm",       "local_response_norm", "layer_norm",
    "affine_grid",      "grid_sample",         "scaled_dot_product_attention",
};
// They are called as methods, which tensors that are spread over processes have, too.
constexpr std::string_view kByMethod[] = {"layer_norm", "scaled_dot_product_attention"};

template <size_t N>
bool among(const std::string& name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

const Words* words_of(const Op& op, const Argument& a) {
  auto found = std::find_if(std::begin(kWords), std::end(kWords),
                            [&](const Words& w) { return op.name == w.op && a.name == w.parameter; });
  return found == std::end(kWords) ? nullptr : found;
}

// A word as its number; "" is a number without a word.
std::string default_word(const Words& w, const Argument& a) {
  return "\"" + split(std::string(w.words), ' ').at(size_t(a.default_value[0] - '0')) + "\"";
}
std::string refusal_of(const Words& w) {
  const std::string words = "\"" + std::string(w.words) + "\".split()", text(w.refusal);
  return "    if " + std::string(w.parameter) + " not in " + words + ":\n        raise " +
         std::string(w.error) + "(" + (text.find('{') == text.npos ? "" : "f") + "\"" + text + "\")\n";
}
std::string number_of(const Words& w) {
  return "\"" + std::string(w.words) + "\".split(\" \").index(" + std::string(w.parameter) + ")";
}

std::string file_of(const Catalogue& c, const Op& op) {
  const std::string& family = c.families[size_t(op.family)];
  return family.substr(0, family.find(".cpp") + 4);
}

// Functions of two elements, of which one may be a number.
bool is_binary(const Op& op) {
  const std::vector<Argument>& args = op.signature.arguments;
  return op.kind == OpKind::pointwise && args.size() == 2 && args[0].name == "input" &&
         args[1].name == "other" && is_input(args[1].type);
}

bool follows_from_schema(const Catalogue& c, const Op& op) {
  const std::vector<Argument>& args = op.signature.arguments;
  return op.is_public() && !args.empty() &&
         (args[0].type == ArgType::tensor || args[0].type == ArgType::tensors || among(op.name, kMade)) &&
         !op.signature.results.empty() && !among(op.name, kByHand) && !among(file_of(c, op), kElsewhere) &&
         // add_scalar and the like, which share the name of the operator of two tensors
         !(op.kind == OpKind::pointwise &&
           std::any_of(args.begin(), args.end(),
                       [](auto& a) { return is_scalar(a.type) && !a.has_default; })) &&
         std::none_of(args.begin(), args.end(), [](auto& a) { return a.type == ArgType::generator; });
}

std::string python_default(const Argument& a) {
  if (a.type == ArgType::boolean) return a.default_value == "true" ? "True" : "False";
  return a.default_value == "none" || a.default_value == "[]" || a.type == ArgType::device || !a.has_default
             ? "None"
             : a.default_value;
}

const Argument* reduced(const Op& op) {
  const Argument* dim = op.signature.find("dim");
  return dim && dim->type == ArgType::ints && dim->has_default && op.signature.find("keepdim") ? dim
                                                                                               : nullptr;
}

// They answer a tuple with the names of its fields.
bool is_several(const Op& op) { return op.signature.results.size() > 1; }

// A view has no memory of its own that the caller could give.
bool takes_out(const Catalogue& c, const Op& op) {
  return file_of(c, op) != "views.cpp" && !op.signature.returns_list;
}

std::string function(const Catalogue& c, const Op& op) {
  std::vector<std::string> positional, keywords, arguments;
  const bool cast = among(op.name, kCast), extreme = among(op.name, kExtremes), dims = reduced(op) || extreme,
             axis = dims || among(op.name, kAxis);
  std::string first;  // what is refused or made of the arguments
  if (extreme) first = "    _not_empty(input, \"" + op.name + "\", dim if axis is None else axis)\n";
  for (auto& [name, parameter] : kNumberForTensor)
    if (op.name == name)
      first += concat("    if not isinstance(", parameter, ", Tensor):\n        ", parameter, " = R.full(",
                      parameter == "src" ? "index.shape" : "()", ", ", parameter,
                      ", input.dtype, input.device)\n");
  for (const Argument& a : op.signature.arguments) {
    const bool may_lack = a.has_default || a.type == ArgType::optional_tensor;
    const Words* words = words_of(op, a);
    std::string parameter = (among(op.name, kSpread) ? "*" : "") + a.name;
    if (may_lack) parameter += "=" + (words ? default_word(*words, a) : python_default(a));
    if (words) first += refusal_of(*words);
    const bool by_name = a.type == ArgType::dtype || a.type == ArgType::device ||
                         (among(a.name, kByName) && !among(op.name, kMade));
    (by_name ? keywords : positional).push_back(parameter);
    arguments.push_back(words                         ? number_of(*words)
                        : axis && a.name == "dim"     ? "dim if axis is None else axis"
                        : dims && a.name == "keepdim" ? "keepdim or keepdims"
                                                      : a.name);
  }
  if (cast) {
    arguments[0] = "_cast(input, dtype)";
    (dims ? keywords : positional).push_back("dtype=None");
  }
  for (auto& [name, parameter] : kWithoutEffect)
    if (op.name == name) positional.emplace_back(parameter);
  if (takes_out(c, op)) keywords.push_back("out=None");
  if (axis) keywords.push_back("axis=None");
  if (dims) keywords.push_back("keepdims=False");
  std::string parameters = join(positional, ", ");
  if (!keywords.empty()) parameters += (among(op.name, kSpread) ? ", " : ", *, ") + join(keywords, ", ");
  std::string value = "_" + op.name + "(" + join(arguments, ", ") + ")";
  if (cast) value = "_cast(" + value + ", dtype)";
  if (is_binary(op)) value += " if isinstance(input, Tensor) else _" + op.name + "(*_operands(input, other))";
  std::string doc = op.doc;
  for (size_t at = 0; (at = doc.find('\\', at)) != std::string::npos; at += 2) doc.insert(at, "\\");
  std::string out = "\n\n_" + op.name + " = R." + op.name + "\n";
  if (is_several(op))
    out += "_" + op.name + "_result = _result(\"" + op.name + "\", \"" +
           join(op.signature.results, "\", \"") + "\")\n";
  out += "\n\ndef " + op.name + "(" + parameters + "):\n    \"\"\"" + doc + "\"\"\"\n" + first;
  if (is_several(op))
    out += "    return _outs(_" + op.name + "_result(" + value + "), out)\n";
  else if (takes_out(c, op))
    out += "    t = " + value + "\n    return t if out is None else _into(out, t" +
           (among(op.name, kExactOut) ? ", True" : "") + ")\n";
  else
    out += "    return " + value + "\n";
  return out;
}

std::string activation(const Op& op) {
  std::string parameters = "input: Tensor", arguments = "input";
  for (size_t i = 1; i < op.signature.arguments.size(); ++i) {
    const Argument& a = op.signature.arguments[i];
    parameters += ", " + a.name + (a.type == ArgType::integer ? ": int" : ": float") +
                  (a.has_default ? " = " + python_default(a) : "");
    arguments += ", " + a.name;
  }
  const std::string value = "R." + op.name + "(" + arguments + ")";
  // A composition has no form in place of its own; its steps may keep their input for backward.
  const std::string written =
      op.has(INPLACE) ? "R." + op.name + "_(" + arguments + ")"
                      : "input.copy_(R." + op.name + "(input.clone()" + arguments.substr(5) + "))";
  const bool inplace = (op.has(INPLACE) && !among(op.name, kAlsoActivations)) || among(op.name, kInPlaceToo);
  std::string out =
      "\n\ndef " + op.name + "(" + parameters + (inplace ? ", inplace: bool = False" : "") +
      ") -> Tensor:\n    \"\"\"" + op.doc + "\"\"\"\n" +
      (op.name == "hardtanh" ? "    if min_val > max_val:\n        raise ValueError(\"min_val cannot be "
                               "greater than max_val\")\n"
                             : "") +
      "    return ";
  if (inplace) out += written + " if inplace else ";
  out += value + "\n";
  if (among(op.name, kInPlaceToo))
    out += "\n\ndef " + op.name + "_(" + parameters + ") -> Tensor:\n    \"\"\":func:`" + op.name +
           "` in place.\"\"\"\n    return " + written + "\n";
  return out;
}

// A function of torch.nn.functional. One number stands for all of a list, which the engine takes as it is.
std::string functional(const Op& op, bool pools, bool indexed) {
  std::vector<std::string> parameters, arguments;
  std::string refusals;
  for (const Argument& a : op.signature.arguments) {
    std::string text = a.name, value = a.name;
    if (a.type == ArgType::generator) continue;  // the default one
    if (const Words* words = words_of(op, a)) {
      parameters.push_back(text + ": str = " + default_word(*words, a));
      arguments.push_back(number_of(*words));
      refusals += refusal_of(*words);
      continue;
    }
    switch (a.type) {
      case ArgType::tensor: text += ": Tensor"; break;
      case ArgType::optional_tensor: text += ": Tensor | None = None"; break;
      case ArgType::integer: text += ": int"; break;
      case ArgType::optional_integer: text += ": int | None"; break;
      case ArgType::boolean: text += ": bool"; break;
      case ArgType::floating: text += ": float"; break;
      case ArgType::optional_scalar: text += ": float | None"; break;
      case ArgType::ints:
        if (a.name == "output_size" && !a.has_default) value = "_kept(output_size)";
        if (a.name == "padding" || a.name == "output_padding") text += "=0";
        if (a.name == "dilation" || (a.name == "stride" && !pools)) text += "=1";
        if ((a.name == "stride" && pools) || (a.name == "output_size" && a.has_default)) text += "=None";
        break;
      default: fail(Code::internal, concat(op.name, ": ", a.name, " has a type that no functional takes"));
    }
    if (a.has_default && a.type != ArgType::ints) text += " = " + python_default(a);
    parameters.push_back(text);
    arguments.push_back(value);
  }
  if (indexed) parameters.push_back("return_indices: bool = False");
  const std::string values =
      "(" + join({arguments.begin() + among(op.name, kByMethod), arguments.end()}, ", ") + ")";
  std::string doc = op.doc;
  for (size_t at = 0; (at = doc.find('\\', at)) != std::string::npos; at += 2) doc.insert(at, "\\");
  return "\n\n" + call("def " + op.name + "(", parameters, indexed ? "):" : ") -> Tensor:") + "\n    \"\"\"" +
         doc + "\"\"\"\n" + refusals +
         (indexed ? "    if return_indices:\n        return R." + op.name + "_with_indices" + values + "\n"
                  : "") +
         "    return " + (among(op.name, kByMethod) ? arguments[0] : "R") + "." + op.name + values + "\n";
}

}  // namespace

std::string python_functionals(const Catalogue& c) {
  std::vector<std::string> names;
  std::string functions;
  for (const Op& op : c.ops) {
    const bool pools = file_of(c, op) == "pool_nd.cpp";
    if (!op.is_public() || op.name.ends_with("_with_indices") || (!pools && !among(op.name, kFunctionals)))
      continue;
    const bool indexed = std::any_of(c.ops.begin(), c.ops.end(),
                                     [&](const Op& o) { return o.name == op.name + "_with_indices"; });
    names.push_back("\"" + op.name + "\"");
    functions += functional(op, pools || op.name == "max_pool2d", indexed);
  }
  return "\"\"\"Functions that are operators. " + std::string(kBanner) + R"("""
from __future__ import annotations

from ... import Tensor
from ..._library import raw as R

)" + call("__all__ = [", names, "]") +
         R"(


def _kept(size):
    """None, alone or in a list, keeps the input's size."""
    return size if isinstance(size, int) else [-2 ** 63 if s is None else s for s in ([None] if size is None else size)]
)" + functions;
}

std::string python_activations(const Catalogue& c) {
  std::vector<std::string> names;
  std::string functions;
  for (const Op& op : c.ops) {
    if (!among(op.name, kAlsoActivations) && (!op.is_public() || file_of(c, op) != "activations.cpp" ||
                                              op.name == "gelu"))  // which takes a word for `tanh`
      continue;
    names.push_back("\"" + op.name + "\"");
    if (among(op.name, kInPlaceToo)) names.push_back("\"" + op.name + "_\"");
    functions += activation(op);
  }
  return "\"\"\"Activations that are operators. " + std::string(kBanner) + R"("""
from ... import Tensor
from ..._library import raw as R

)" + call("__all__ = [", names, "]") +
         "\n" + functions;
}

std::string python_operators(const Catalogue& c) {
  std::string out =
      "\"\"\"Operators as functions, with PyTorch's names of arguments. " + std::string(kBanner) + R"("""
from ._arguments import cast as _cast
from ._creation import into as _into, not_empty as _not_empty, operands as _operands, outs as _outs, result as _result
from ._library import _haft, raw as R

Tensor = _haft.Tensor
)";
  std::vector<std::string> functions, methods;
  for (const Op& op : c.ops) {
    if (!follows_from_schema(c, op)) continue;
    out += function(c, op);
    functions.push_back("\"" + op.name + "\": " + op.name);
    const bool of_tensor = op.signature.arguments[0].type == ArgType::tensor;
    const bool words =
        std::any_of(std::begin(kWords), std::end(kWords), [&](const Words& w) { return op.name == w.op; });
    if (words || among(op.name, kExtremes) || among(op.name, kCast) || (among(op.name, kAxis) && of_tensor) ||
        reduced(op) || is_several(op))
      methods.push_back("\"" + op.name + "\": " + op.name);
  }
  // PyTorch has the in-place form of functions of one element as functions, too.
  for (const Op& op : c.ops)
    if (file_of(c, op) == "pointwise.cpp" && op.has(INPLACE) && op.signature.arguments.size() == 1)
      functions.push_back("\"" + op.name + "_\": R." + op.name + "_");
  out += "\n\n" + call("FUNCTIONS = {", functions, "}\n");
  out += call("METHODS = {", methods, "}  # the others are the shim's\n");
  std::vector<std::string> aliases;
  for (const auto& [alias, name] : c.aliases) aliases.push_back("\"" + alias + "\": \"" + name + "\"");
  return out + call("ALIASES = {", aliases, "}\n");
}

}  // namespace haft::generate
