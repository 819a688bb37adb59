// What the documentation says of an operator's inputs, attributes and results: dtypes and shapes by its kind
// and traits, attributes by their names, which mean the same wherever they stand.
#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

int tensor_inputs(const Op& op) {
  int n = 0;
  for (const Argument& a : op.signature.arguments) n += a.type == ArgType::tensor;
  return n;
}

std::string dtypes(const Op& op) {
  if (op.has(FLOATS) && op.has(FLOAT8)) return "an 8-bit float";
  if (op.has(FLOATS)) return op.has(COMPLEX) ? "floating or complex" : "floating";
  if (op.has(INTONLY)) return op.has(NOBOOL) ? "integer" : "integer or bool";
  const std::string any = op.has(COMPLEX) || op.kind == OpKind::view ? "any dtype" : "any real dtype";
  if (op.has(NUMBERS | NOBOOL)) return any + " but bool";
  return op.has(FLOAT)    ? any + ", integers count as the default float"
         : op.has(FLOAT8) ? any + ", 8-bit floats too"
                          : any;
}

struct Meaning {
  ArgType type;
  const char *name, *text;
};

constexpr const char *kDim = "a dimension; negative counts from the end",
                     *kPair = "one number, or height and width";

// Attributes that every operator means alike.
constexpr Meaning kMeanings[] = {
    {ArgType::integer, "dim", kDim},
    {ArgType::integer, "dim0", kDim},
    {ArgType::integer, "dim1", kDim},
    {ArgType::integer, "dim2", kDim},
    {ArgType::integer, "start_dim", kDim},
    {ArgType::integer, "end_dim", kDim},
    {ArgType::integer, "source", kDim},
    {ArgType::integer, "destination", kDim},
    {ArgType::optional_integer, "dim", kDim},
    {ArgType::integer, "dimension", kDim},
    {ArgType::ints, "dim", "dimensions; negative ones count from the end"},
    {ArgType::ints, "dims", "dimensions; negative ones count from the end"},
    {ArgType::boolean, "keepdim", "whether what is reduced stays as a dimension of size 1"},
    {ArgType::ints, "size", "sizes of dimensions"},
    {ArgType::ints, "shape", "sizes of dimensions"},
    {ArgType::ints, "sizes", "sizes along the dimension"},
    {ArgType::ints, "split_sizes", "sizes along the dimension"},
    {ArgType::ints, "output_size", "height and width of the grid"},
    {ArgType::ints, "normalized_shape", "sizes of the last dimensions, over which is normalised"},
    {ArgType::ints, "kernel_size", "the window: one number, or height and width"},
    {ArgType::ints, "stride", "steps"},
    {ArgType::ints, "padding", kPair},
    {ArgType::ints, "dilation", kPair},
    {ArgType::ints, "shifts", "places, one number a dimension of dims"},
    {ArgType::ints, "repeats", "times, one number a dimension"},
    {ArgType::integer, "reduction", "none, mean or sum: HAFT_REDUCTION_..."},
    {ArgType::integer, "reduce", "sum, product, mean, largest or smallest: HAFT_REDUCE_..."},
    {ArgType::integer, "norm", "HAFT_FFT_BACKWARD, HAFT_FFT_ORTHO or HAFT_FFT_FORWARD"},
    {ArgType::integer, "groups",
     "groups of channels that do not see each other; divides both numbers of channels"},
    {ArgType::integer, "correction", "taken off the divisor; 1: Bessel's"},
    {ArgType::integer, "ignore_index", "a class that does not count"},
    {ArgType::integer, "steps", "number of values"},
    {ArgType::integer, "num_classes", "size of the new dimension; negative: the largest index and 1"},
    {ArgType::integer, "diagonal", "0: the main one; above 0: to its right"},
    {ArgType::boolean, "training", "whether this is training"},
    {ArgType::boolean, "ceil_mode", "whether windows that only begin inside count, too"},
    {ArgType::boolean, "count_include_pad", "whether the padding counts"},
    {ArgType::boolean, "descending", "whether the largest comes first"},
    {ArgType::boolean, "largest", "whether the largest are wanted"},
    {ArgType::boolean, "include_self", "whether what input holds counts"},
    {ArgType::boolean, "replacement", "whether an index may come twice"},
    {ArgType::boolean, "right", "whether equal elements stand before"},
    {ArgType::boolean, "accumulate", "whether values are added to what is there"},
    {ArgType::floating, "eps", "added to the variance"},
    {ArgType::floating, "momentum", "part of a new batch in the running statistics"},
    {ArgType::floating, "label_smoothing", "part of the target that all classes share, from 0 to 1"},
};

}  // namespace

std::string input_text(const Op& op, const Argument& a) {
  int at = 0;
  for (const Argument& other : op.signature.arguments) {
    if (other.name == a.name) break;
    at += is_input(other.type);
  }
  if (a.type == ArgType::optional_tensor) return "tensor, or absent";
  if (is_list_input(a.type))
    return a.type == ArgType::optional_tensors ? "tensors, or absent ones" : "tensors";
  if ((at == 0 && op.has(MASK0)) || (at == 1 && op.has(MASK1))) return "tensor, bool; broadcasts";
  if (a.name == "index" || a.name == "indices") return "tensor of indices, int64 or int32";
  if (a.name == "mask" || a.name == "condition") return "tensor, bool";
  if (op.kind == OpKind::pointwise)
    return "tensor, " + dtypes(op) +
           (tensor_inputs(op) > 1 ? "; broadcasts and promotes with the others" : "; any shape");
  if (at == 0) return "tensor, " + dtypes(op);
  if (a.name == "target") return "tensor; what input should be";
  if (op.has(FLOATS) && op.has(FLOAT8) && a.name.starts_with("scale_")) return "tensor, float32";
  return a.name == "src" || a.name == "source" || a.name == "values"
             ? "tensor, of the dtype of " + op.signature.arguments[0].name
             : "tensor, " + dtypes(op);
}

std::string attribute_text(const Argument& a) {
  for (const Meaning& m : kMeanings)
    if (m.type == a.type && a.name == m.name) return m.text;
  switch (a.type) {
    case ArgType::integer:
    case ArgType::optional_integer: return "integer";
    case ArgType::boolean: return "whether so";
    case ArgType::floating: return "number";
    case ArgType::scalar:
    case ArgType::optional_scalar: return "number; only its kind takes part in promotion";
    case ArgType::dtype: return "element type";
    case ArgType::ints: return "integers";
    case ArgType::text: return a.name == "equation" ? "text, as ij,jk->ik" : "text";
    default: return "";
  }
}

std::string result_text(const Op& op) {
  std::string shape, dtype;
  if (op.kind == OpKind::view) return "a view of the same memory";
  if (op.kind == OpKind::pointwise) {
    shape = tensor_inputs(op) > 1 ? " of the broadcast shape" : " of that shape";
    dtype = op.has(BOOLOUT) ? ", bool"
            : op.has(FLOAT) ? ", in the default float for integers"
                            : ", in the promoted dtype";
  } else if (op.has(FLOATS)) {
    dtype = ", floating";
  }
  return (op.kind == OpKind::composite ? "the result" : "a new tensor") + shape + dtype;
}

}  // namespace haft::generate
