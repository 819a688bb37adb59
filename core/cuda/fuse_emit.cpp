// Programs of POINTWISE steps as CUDA C.
#include <algorithm>

#include "core/backend/pointwise_call.h"
#include "core/base/error.h"
#include "core/cuda/fuse.h"

namespace haft::cuda {

namespace {

constexpr int kMostOperands = 16, kMostSteps = 128,
              kMostWords = 128;  // parameters of a kernel are 4 KB at most

const char* stored(DType t) {
  switch (t) {
    case DType::f16: return "half";
    case DType::bf16: return "bfloat16";
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::boolean: return "bool";
    case DType::u8: return "uint8_t";
    case DType::i8: return "int8_t";
    case DType::i16: return "int16_t";
    case DType::i32: return "int32_t";
    default: return "int64_t";
  }
}

[[noreturn]] void refuse(std::string why) { fail(Code::unsupported, std::move(why)); }

// A join as text: what it is kept in, begins with, and its functor of fuse.cuh.
struct Join {
  std::string type, begin;
  const char* functor;
};
Join join_of(uint8_t kind, DType t) {
  const std::string s = stored(t);
  if (kind == HAFT_FUSED_MAX)
    return {concat("Extreme<", s, ">"), concat("lowest<Extreme<", s, ">>()"), "Largest()"};
  if (kind == HAFT_FUSED_MIN)
    return {concat("Extreme<", s, ">"), concat("highest<Extreme<", s, ">>()"), "Smallest()"};
  return {concat("Summed<", s, ">"), "0", "Plus()"};
}

// One element of everything: what is read in, what is stored or joined out.
void add_compute(std::string& text, const FusedProgram& p) {
  text += concat("__device__ inline void compute(const Words<", p.n_words ? p.n_words : 1u, ">& w");
  for (uint32_t i = 0; i < p.n_in; ++i) text += concat(", ", stored(p.dtypes[i]), " x", i);
  for (int k = 0; k < p.n_out(); ++k) {
    const DType t = p.dtypes[p.out[size_t(k)]];
    text += concat(", ", p.joins[size_t(k)] ? join_of(p.joins[size_t(k)], t).type : std::string(stored(t)),
                   "& y", k);
  }
  text += ") {\n";
  for (uint32_t i = 0; i < p.n_in; ++i) text += concat("  const auto v", i, " = widened(x", i, ");\n");
  for (size_t s = 0; s < p.steps.size(); ++s) {
    const haft_fused_step& step = p.steps[s];
    const OpId op = OpId(step.op);
    const char* to = stored(DType(step.dtype));
    text += concat("  const auto v", p.n_in + uint32_t(s), " = ");
    if (op == OpId::cast) {
      text += concat("cast_to<", to, ">(v", step.in[0], ");\n");
      continue;
    }
    const PointwiseArgs& args = kPointwiseArgs[int(op)];
    std::string call = concat("fn::op_", op_name(op), "::apply(");
    for (int i = 0; i < step.n_in; ++i) call += concat(i ? ", v" : "v", step.in[i]);
    for (int a = 0; a < args.n_params; ++a) {
      const std::string word = concat("w.at[", p.first_word[s] + uint32_t(a), "]");
      call += args.kinds[a] == PointwiseArgs::boolean
                  ? concat(", ", word, " != 0")
                  : concat(", number<Fused<", stored(DType(step.kernel_dtype)), ">>(", word, ")");
    }
    call += ")";
    text +=
        op_traits(op) & BOOLOUT ? concat("bool(", call, ");\n") : concat("rounded<", to, ">(", call, ");\n");
  }
  for (int k = 0; k < p.n_out(); ++k) {
    const uint16_t v = p.out[size_t(k)];
    const DType t = p.dtypes[v];
    if (const uint8_t kind = p.joins[size_t(k)]) {
      const Join j = join_of(kind, t);
      text += concat("  y", k, " = ", j.functor, "(y", k, ", ", j.type, "(v", v, "));\n");
    } else {
      text += concat("  y", k, " = narrowed<", stored(t), ">(v", v, ");\n");
    }
  }
  text += "}\n";
}

// Packs of everything at p: read, computed, stored.
void add_some(std::string& text, const FusedProgram& p, uint32_t single) {
  text += concat("template <int kN>\n__device__ inline void some(const Words<", p.n_words ? p.n_words : 1u,
                 ">& w, char* const* p");
  for (int k = 0; k < p.n_out(); ++k)
    if (p.joins[size_t(k)])
      text += concat(", ", join_of(p.joins[size_t(k)], p.dtypes[p.out[size_t(k)]]).type, "& y", k);
  text += ") {\n";
  for (uint32_t i = 0; i < p.n_in; ++i) {
    const int k = p.n_out() + int(i);
    text += concat("  const auto x", i, " = read_pack<", stored(p.dtypes[i]), ", kN, ",
                   single >> k & 1 ? "true" : "false", ">(p[", k, "]);\n");
  }
  for (int k = 0; k < p.n_out(); ++k)
    if (!p.joins[size_t(k)])
      text += concat("  Pack<", stored(p.dtypes[p.out[size_t(k)]]), ", kN> y", k, ";\n");
  text += "#pragma unroll\n  for (int j = 0; j < kN; ++j) compute(w";
  for (uint32_t i = 0; i < p.n_in; ++i) text += concat(", x", i, ".at[j]");
  for (int k = 0; k < p.n_out(); ++k) text += concat(", y", k, p.joins[size_t(k)] ? "" : ".at[j]");
  text += ");\n";
  for (int k = 0; k < p.n_out(); ++k)
    if (!p.joins[size_t(k)]) text += concat("  write_pack(p[", k, "], y", k, ");\n");
  text += "}\n";
}

std::string parameters(const FusedProgram& p, const FusedShape& s) {
  return concat("Layout<", p.operands(), ", ", s.ndim, "> l, Words<", p.n_words ? p.n_words : 1u, "> w");
}

void add_elements(std::string& text, const FusedProgram& p, const FusedShape& s) {
  text += concat("extern \"C\" __global__ void __launch_bounds__(256) haft_fused(", parameters(p, s),
                 ") {\n  char* p[", p.operands(), "];\n",
                 "  for (uint32_t i = uint32_t(grid_index()); i < l.count; i += uint32_t(grid_size())) {\n",
                 "    l.at(i, p);\n    some<", s.pack, ">(w, p);\n  }\n");
  if (s.pack > 1 && s.ndim == 1) {  // elements behind the last pack, one a thread
    text += "  if (grid_index() < l.rest) {\n    l.at(l.count, p);\n    const int64_t i = grid_index();\n";
    for (int k = 0; k < p.operands(); ++k)
      if (!(s.single >> k & 1))
        text += concat("    p[", k, "] += i * int64_t(sizeof(", stored(p.operand_dtype(k)), "));\n");
    text += "    some<1>(w, p);\n  }\n";
  }
  text += "}\n";
}

void add_rows(std::string& text, const FusedProgram& p, const FusedShape& s) {
  text += concat("extern \"C\" __global__ void __launch_bounds__(512) haft_fused(", parameters(p, s),
                 ", RowOf<", p.operands(), "> r) {\n");
  for (int k = 0; k < p.n_out(); ++k)
    if (p.joins[size_t(k)])
      text += concat("  __shared__ ", join_of(p.joins[size_t(k)], p.dtypes[p.out[size_t(k)]]).type, " shared",
                     k, "[kWarp];\n");
  // All threads of a block walk as many rows as its first: lanes of a warp that have none left still take part in
  // shuffles.
  text += concat("  char *p[", p.operands(), "], *q[", p.operands(), "];\n",
                 "  const int threads = int(r.threads), t = int(threadIdx.x) & (threads - 1), at_once = "
                 "int(blockDim.x) / threads;\n",
                 "  for (uint32_t first = blockIdx.x * uint32_t(at_once); first < l.count; first += "
                 "gridDim.x * uint32_t(at_once)) {\n",
                 "    const uint32_t row = first + threadIdx.x / uint32_t(threads);\n    const bool mine = "
                 "row < l.count;\n",
                 "    l.at(mine ? row : first, p);\n");
  for (int k = 0; k < p.n_out(); ++k)
    if (p.joins[size_t(k)]) {
      const Join j = join_of(p.joins[size_t(k)], p.dtypes[p.out[size_t(k)]]);
      text += concat("    ", j.type, " y", k, " = ", j.begin, ";\n");
    }
  text += concat("    for (int64_t i = mine ? t : r.n; i < r.n; i += threads) {\n");
  for (int k = 0; k < p.operands(); ++k)
    text += concat("      q[", k, "] = p[", k, "] + i * r.steps[", k, "];\n");
  text += concat("      some<", s.pack, ">(w, q");
  for (int k = 0; k < p.n_out(); ++k)
    if (p.joins[size_t(k)]) text += concat(", y", k);
  text += ");\n    }\n";
  for (int k = 0; k < p.n_out(); ++k) {
    const uint8_t kind = p.joins[size_t(k)];
    if (!kind) continue;
    const DType t = p.dtypes[p.out[size_t(k)]];
    const std::string to = stored(p.operand_dtype(k)),
                      value = kind == HAFT_FUSED_MEAN
                                  ? concat("y", k, " / decltype(y", k, ")(r.n * ", s.pack, ")")
                                  : concat("y", k);
    text += concat("    y", k, " = row_join(y", k, ", threads, shared", k, ", ", join_of(kind, t).functor,
                   ");\n", "    if (mine && t == 0) *reinterpret_cast<", to, "*>(p[", k, "]) = narrowed<", to,
                   ">(", value, ");\n");
  }
  text += "  }\n}\n";
}

}  // namespace

FusedProgram::FusedProgram(const haft_fused_program& p)
    : steps(p.steps, p.steps + p.n_steps),
      out(p.out, p.out + p.n_out),
      joins(p.n_out, HAFT_FUSED_STORE),
      n_in(p.n_in),
      name(p.name ? p.name : "") {
  for (uint32_t i = 0; i < p.n_in; ++i) dtypes.push_back(DType(p.in_dtypes[i]));
  if (p.struct_size >= offsetof(haft_fused_program, joins) + sizeof p.joins && p.joins)
    joins.assign(p.joins, p.joins + p.n_out);
  if (out.empty() || n_in == 0)
    refuse(out.empty() ? "a program without outputs" : "a program without inputs");
  if (operands() > kMostOperands)
    refuse(concat("a kernel reads and writes at most ", kMostOperands, " tensors, this one ", operands()));
  if (steps.size() > kMostSteps)
    refuse(concat("a kernel has at most ", kMostSteps, " steps, this one ", int64_t(steps.size())));
  for (DType t : dtypes)
    if (!is_valid(int(t))) refuse("an input of no dtype");
  for (const haft_fused_step& step : steps) {
    if (step.op >= uint32_t(kOpCount)) refuse(concat("there is no operator ", step.op));
    const OpId op = OpId(step.op);
    const bool cast = op == OpId::cast;
    if (!cast && op_kind(op) != OpKind::pointwise)
      refuse(concat(op_name(op), " does not compute element by element"));
    if (step.n_in != (cast ? 1 : kPointwiseArgs[int(op)].n_in))
      refuse(concat(op_name(op), " has ", int(step.n_in), " inputs"));
    for (int i = 0; i < step.n_in; ++i)
      if (step.in[i] >= dtypes.size()) refuse(concat(op_name(op), " reads a value that is not there yet"));
    if (!is_valid(step.dtype) || !is_valid(step.kernel_dtype)) refuse(concat(op_name(op), " has no dtype"));
    const uint32_t traits = op_traits(op);
    if (!cast && (is_float(DType(step.kernel_dtype)) ? traits & INTONLY : traits & (FLOAT | INTERNAL)))
      refuse(concat(op_name(op), " does not take ", dtype_name(DType(step.kernel_dtype))));
    first_word.push_back(n_words);
    if (!cast) n_words += kPointwiseArgs[int(op)].n_params;
    dtypes.push_back(DType(step.dtype));
  }
  if (n_words > kMostWords)
    refuse(concat("a kernel has at most ", kMostWords, " attributes, this one ", n_words));
  for (size_t k = 0; k < out.size(); ++k) {
    if (out[k] >= dtypes.size()) refuse("an output that is no value of the program");
    if (joins[k] > HAFT_FUSED_MIN) refuse(concat("there is no join ", int(joins[k])));
    if (joins[k] == HAFT_FUSED_MEAN && !is_float(dtypes[out[k]]))
      refuse(concat("a mean of ", dtype_name(dtypes[out[k]])));
    rows = rows || joins[k] != HAFT_FUSED_STORE;
  }
}

DType FusedProgram::operand_dtype(int k) const {
  if (k >= n_out()) return dtypes[size_t(k - n_out())];
  const DType t = dtypes[out[size_t(k)]];
  return joins[size_t(k)] == HAFT_FUSED_SUM && !is_float(t) ? DType::i64 : t;
}

int FusedProgram::widest_pack() const {
  int64_t least = 0;
  for (int k = 0; k < operands(); ++k)
    if (const int64_t item = item_size(operand_dtype(k)); item > 1)
      least = least ? std::min(least, item) : item;
  return least ? int(16 / least) : 8;
}

std::string fused_text(const FusedProgram& p, const FusedShape& s) {
  std::string text = "#include \"core/cuda/fuse.cuh\"\nnamespace haft::cuda {\n";
  add_compute(text, p);
  add_some(text, p, s.single);
  if (p.rows)
    add_rows(text, p, s);
  else
    add_elements(text, p, s);
  return text += "}  // namespace haft::cuda\n";
}

}  // namespace haft::cuda
