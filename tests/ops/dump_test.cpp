// Writes what the records call, with inputs, results and gradients, for the tests of the languages: each
// repeats every call through its own binding. HAFT_DUMP_OPS names the file. Every public operator must be in
// it.
//
//   op conv2d                         a call; its arguments follow in order
//   seed 7                            for the default generator
//   in 1 float64 2,3 : 0.5 ...        inputs; the number tells whether it wants a gradient
//   arg tensor 0                      see recording.h
//   out float64 2,3 : ...             results
//   by float64 2,3 : ...              what comes into backward, for each result that has a gradient ("none"
//   otherwise) grad 0 float64 2,3 : ...          the gradient of an input end
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "core/autograd/engine.h"
#include "core/dispatch/generator.h"
#include "tests/ops/checks.h"

namespace haft::test {
namespace {

std::string tensor_text(const Tensor& t) {
  std::string s = std::string(dtype_name(t.dtype())) + " ";
  for (int64_t i = 0; i < t.ndim(); ++i) s += (i ? "," : "") + std::to_string(t.sizes()[size_t(i)]);
  s += " :";
  for (double v : to_array(t).v) {
    char digits[40];
    std::snprintf(digits, sizeof digits, " %.17g", v);
    s += std::isnan(v) ? " NaN" : std::isinf(v) ? (v > 0 ? " Infinity" : " -Infinity") : digits;
  }
  return s + "\n";
}

// What backward starts from: the same numbers for every language, no two neighbours equal.
Tensor start_of(const Tensor& out) {
  Array a(Sizes(out.sizes().begin(), out.sizes().end()));
  for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = double(i % 7 + 1) / 4;
  return to_tensor(a, out.dtype());
}

std::string entry_text(const Recording::Entry& e, const std::vector<Tensor>& inputs, int64_t seed) {
  std::string s = "op " + e.op + "\nseed " + std::to_string(seed) + "\n";
  for (const Tensor& t : inputs)
    s += !t.defined() ? "in 0 none\n"
                      : std::string("in ") + (t.requires_grad() ? "1 " : "0 ") + tensor_text(t);
  for (const std::string& a : e.arguments) s += "arg " + a + "\n";
  std::vector<Tensor> live, starts, wanted;
  for (const Tensor& t : e.outs) s += "out " + tensor_text(t);
  for (const Tensor& t : e.outs) {
    if (!t.requires_grad()) {
      s += "by none\n";
      continue;
    }
    live.push_back(t);
    starts.push_back(start_of(t));
    s += "by " + tensor_text(starts.back());
  }
  if (!live.empty()) {
    for (const Tensor& t : inputs)
      if (t.defined() && t.requires_grad()) wanted.push_back(t);
    std::vector<Tensor> grads = grad(live, wanted, starts, {}, true);
    for (size_t i = 0, k = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
      if (grads[k].defined()) s += "grad " + std::to_string(i) + " " + tensor_text(grads[k]);
      ++k;
    }
  }
  return s + "end\n";
}

// Also when the call fails: other tests come behind it.
struct Recorded {
  explicit Recorded(Recording& r) { Recording::use(&r); }
  ~Recorded() { Recording::use(nullptr); }
};

bool is_small(const Tensor& t) { return !t.defined() || (t.numel() <= 512 && !is_complex(t.dtype())); }
// Complex numbers have no text here; tests/bindings/python/test_complex.py and the parity cases have their operators.
bool is_of_complex(std::string_view op) {
  return op.starts_with("fft_") || op == "view_as_real" || op == "view_as_complex" || op == "complex" ||
         op == "polar" || op == "imag" || op == "stft" || op == "istft" || op == "linalg_eig" ||
         op == "linalg_eigvals";
}

TEST(Dump, HoldsEveryPublicOperator) {
  const char* path = std::getenv("HAFT_DUMP_OPS");
  std::string text;
  std::set<std::string> seen;
  int64_t seed = 0;
  for (const Record& r : records()) {
    if ((op_traits(r.id) & INTERNAL) && (op_traits(r.id) & NODIFF)) continue;  // no language calls it
    Random random = random_for(r, "dump");
    for (const Case& c : r.cases) {
      DType dtype = r.works & bit(DType::f64)   ? DType::f64
                    : r.works & bit(DType::i64) ? DType::i64
                                                : DType::boolean;
      Drawn d = draw(c, dtype, random);
      if (!std::all_of(d.tensors.begin(), d.tensors.end(), is_small)) continue;
      std::vector<Tensor> wanted, leaves = make_leaves(c, d.tensors, &wanted);
      if (op_traits(r.id) & NODIFF) leaves = d.tensors;
      Recording recording;
      recording.inputs = leaves;
      default_generator().reseed(uint64_t(++seed));
      {
        Recorded use(recording);
        c.call(leaves);
      }
      // Of several calls the record's own; only the first of them has drawn from a generator that stands at the seed.
      const auto& entries = recording.entries;
      auto e =
          std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.op == r.name; });
      if (e == entries.end()) e = entries.begin();
      const bool any_values = e != entries.end() && (e->op == "empty" || e->op == "empty_like");
      if (e == entries.end() || (!any_values && !e->is_whole()) ||
          !std::all_of(e->outs.begin(), e->outs.end(), is_small))
        continue;
      text += entry_text(*e, leaves, seed);
      seen.insert(e->op);
    }
  }
  for (int i = 0; i < kOpCount; ++i) {
    std::string name = op_name(OpId(i));
    // Drawn numbers become 8-bit floats by casts, and a call whose inputs are other calls' results is not told; each
    // language has a test of it.
    if (name == "scaled_mm" || name == "embedding_renorm" || is_of_complex(name)) continue;
    EXPECT_TRUE((op_traits(OpId(i)) & INTERNAL) || seen.count(name)) << name << " has no call here";
  }
  if (!path) return;
  FILE* f = std::fopen(path, "w");
  ASSERT_TRUE(f) << path;
  ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), f), text.size());
  ASSERT_EQ(std::fclose(f), 0);
}

}  // namespace
}  // namespace haft::test
