// Check 5: the same numbers in other memory give the same results and gradients; NaN and infinities go where
// the reference says.
#include <limits>

#include "core/autograd/engine.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

Sizes reversed_dims(const Tensor& x) {
  Sizes dims;
  for (int64_t d = x.ndim() - 1; d >= 0; --d) dims.push_back(d);
  return dims;
}

// Another arrangement of x's values. Written with recorded operators on a leaf-like tensor `memory`, so that
// gradients of the memory can be compared; `collect` turns such a gradient into x's.
struct Arrangement {
  const char* name;
  Tensor (*memory)(const Tensor& x);
  Tensor (*arrange)(const Tensor& memory, const Tensor& x);
};

const Arrangement kArrangements[] = {
    {"transposed memory", [](const Tensor& x) { return ops::contiguous(ops::permute(x, reversed_dims(x))); },
     [](const Tensor& m, const Tensor& x) { return ops::permute(m, reversed_dims(x)); }},
    {"every second element of larger memory",
     [](const Tensor& x) {
       Sizes big(x.sizes().begin(), x.sizes().end());
       for (int64_t& s : big) s = 2 * s + 1;
       Tensor m = is_float(x.dtype()) ? ops::full(big, std::numeric_limits<double>::quiet_NaN(), x.dtype())
                                      : ops::ones(big, x.dtype());
       Tensor part = m;
       for (int64_t d = 0; d < x.ndim(); ++d) part = ops::slice(part, d, 1, 1 + 2 * x.size(d), 2);
       ops::copy_(part, x);
       return m;
     },
     [](const Tensor& m, const Tensor& x) {
       Tensor part = m;
       for (int64_t d = 0; d < x.ndim(); ++d) part = ops::slice(part, d, 1, 1 + 2 * x.size(d), 2);
       return part;
     }},
    {"memory that starts unaligned",
     [](const Tensor& x) {
       Tensor flat = ops::reshape(x, Sizes{-1});
       Tensor parts[] = {ops::zeros(Sizes{1}, x.dtype()), flat};
       return ops::cat(parts, 0);
     },
     [](const Tensor& m, const Tensor& x) {
       return ops::view(ops::slice(m, 0, 1, m.numel(), 1), x.sizes());
     }},
};

Tolerance close(const Record& r, DType t) {
  Tolerance tol = tolerance(r, t);
  return t == DType::f64 ? Tolerance{tol.relative * 10, tol.absolute * 10} : tol;
}
// By the dtypes of the results: integers that become floats round, too.
void expect_close(const Record& r, const Outs& got, const Outs& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    expect_near({got[i]}, {want[i]}, close(r, want[i].dtype()), "result " + std::to_string(i));
}

// Gradients of what was computed already, for seeds in transposed memory.
std::vector<Tensor> gradients_by_strided_seeds(const std::vector<Tensor>& outs,
                                               const std::vector<Tensor>& wanted, uint64_t s) {
  Random random(s);
  std::vector<Tensor> live;
  std::vector<Tensor> seeds = make_seeds(outs, &live, random);
  if (live.empty()) return {};
  for (Tensor& g : seeds) g = kArrangements[0].arrange(kArrangements[0].memory(g), g);
  return grad(live, wanted, seeds, {}, true);
}

void arrangement(const Record& r, const Case& c, const Arrangement& how, DType t, Random& random) {
  SCOPED_TRACE(std::string(how.name) + " in " + dtype_name(t));
  Drawn d = draw(c, t, random, true);
  std::vector<Tensor> memories(d.tensors.size()), inputs(d.tensors.size()), wanted;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!d.tensors[i].defined()) continue;
    memories[i] = how.memory(d.tensors[i]);
    if (c.inputs[i].grad && is_float(t) && c.inputs[i].kind == Input::kValue) {
      set_requires_grad(memories[i], true);
      wanted.push_back(memories[i]);
    }
    inputs[i] = how.arrange(memories[i], d.tensors[i]);
  }
  Outs want = c.call(d.tensors), got = c.call(inputs);
  if (!r.random) expect_close(r, got, want);
  if (!r.differentiable() || !c.grad || wanted.empty() || !is_float(t)) return;
  uint64_t s = random();
  std::vector<Tensor> expected = gradients(c, d.tensors, s);
  std::vector<Tensor> g = gradients_by_strided_seeds(got, wanted, s);
  if (g.empty() || r.random) return;
  // Sums in another order: a half-precision result may land on a neighbour.
  Tolerance tol = t == DType::f64   ? Tolerance{1e-9, 1e-10}
                  : t == DType::f32 ? Tolerance{1e-4 * r.loose, 2e-5 * r.loose}
                                    : close(r, t);
  for (size_t i = 0, k = 0; i < inputs.size(); ++i) {
    if (!memories[i].defined() || !memories[i].requires_grad()) continue;
    if (g[k].defined())
      expect_near({ops::contiguous(how.arrange(g[k], d.tensors[i]))}, {expected[k]}, tol,
                  "gradient of input " + std::to_string(i));
    ++k;
  }
}

// All slices along the first dimension are one slice with stride 0.
void expanded(const Record& r, const Case& c, DType t, Random& random) {
  Drawn d = draw(c, t, random, true);
  std::vector<Tensor> inputs = d.tensors, dense = d.tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || c.inputs[i].kind != Input::kValue || inputs[i].ndim() == 0 ||
        inputs[i].size(0) < 1)
      continue;
    inputs[i] = ops::expand(ops::slice(inputs[i], 0, 0, 1, 1), d.tensors[i].sizes());
    dense[i] = ops::clone(inputs[i]);
  }
  SCOPED_TRACE(std::string("expanded in ") + dtype_name(t));
  if (r.random)
    c.call(inputs);
  else
    expect_close(r, c.call(inputs), c.call(dense));
}

// ---- blocked layouts ----

Tensor blocked(const Tensor& x, uint8_t layout) {
  int64_t block = layout == HAFT_LAYOUT_BLOCKED16 ? 16 : 8, channels = x.size(1),
          plane = x.size(2) * x.size(3);
  Tensor y = new_tensor(x.sizes(), x.dtype(), {}, layout);
  int64_t item = item_size(x.dtype());
  for (int64_t n = 0; n < x.size(0); ++n)
    for (int64_t ch = 0; ch < channels; ++ch)
      for (int64_t p = 0; p < plane; ++p) {
        int64_t from = (n * channels + ch) * plane + p;
        int64_t to = ((n * (channels / block) + ch / block) * plane + p) * block + ch % block;
        std::memcpy(y.data<char>() + to * item, x.data<char>() + from * item, size_t(item));
      }
  return y;
}

bool blockable(const Tensor& t, int64_t block) {
  return t.defined() && t.ndim() == 4 && t.size(1) > 0 && t.size(1) % block == 0 && t.numel() > 0;
}

void blocked_inputs(const Record& r, const Case& c, uint8_t layout, bool first_only, DType t,
                    Random& random) {
  int64_t block = layout == HAFT_LAYOUT_BLOCKED16 ? 16 : 8;
  Drawn d = draw(c, t, random, true);
  std::vector<Tensor> inputs = d.tensors;
  bool any = false;
  for (size_t i = 0; i < inputs.size() && !(first_only && any); ++i)
    if (c.inputs[i].kind != Input::kIndex && blockable(inputs[i], block))
      inputs[i] = blocked(inputs[i], layout), any = true;
  if (!any) return;
  SCOPED_TRACE("blocks of " + std::to_string(block) + (first_only ? ", first input only" : "") + " in " +
               dtype_name(t));
  Outs want = c.call(d.tensors), got = c.call(inputs);
  if (!r.random) expect_close(r, got, want);
  std::vector<Tensor> wanted;
  Case flagged = c;
  for (Input& in : flagged.inputs) in.grad = in.grad && in.kind == Input::kValue;
  if (r.traits() & NODIFF) return;
  std::vector<Tensor> leaves = inputs, dense = d.tensors, wanted_dense;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !flagged.inputs[i].grad) continue;
    for (auto [list, from, into] :
         {std::tuple{&leaves, &inputs, &wanted}, std::tuple{&dense, &d.tensors, &wanted_dense}}) {
      // The memory of a blocked tensor again, as a leaf.
      Tensor leaf = shallow_copy(*(*from)[i].impl());
      set_requires_grad(leaf, true);
      (*list)[i] = leaf;
      into->push_back(leaf);
    }
  }
  if (wanted.empty()) return;
  uint64_t s = random();
  for (bool blocked_seed : {false, true}) {
    Outs a = c.call(leaves), b = c.call(dense);
    Random r1(s), r2(s);
    std::vector<Tensor> live_a, live_b, seeds_a = make_seeds(a, &live_a, r1),
                                        seeds_b = make_seeds(b, &live_b, r2);
    if (live_a.empty() || r.random) return;
    if (blocked_seed)
      for (Tensor& g : seeds_a)
        if (blockable(g, block)) g = blocked(g, layout);
    std::vector<Tensor> ga = grad(live_a, wanted, seeds_a, {}, true),
                        gb = grad(live_b, wanted_dense, seeds_b, {}, true);
    Tolerance tol = t == DType::f64   ? Tolerance{1e-9, 1e-10}
                    : t == DType::f32 ? Tolerance{2e-4 * r.loose, 1e-4 * r.loose}
                                      : close(r, t);
    expect_near(ga, gb, tol, blocked_seed ? "gradients, the seed blocked too" : "gradients");
  }
}

// A pointwise operator on activations: all blocked, and one blocked with dense others.
Case activations_case(const Case& c) {
  Case wide = c;
  for (Input& in : wide.inputs)
    if (in.kind != Input::kAbsent) in.sizes = {2, 16, 3, 2};
  return wide;
}

// ---- NaN and infinities ----

void specials(const Record& r, const Case& c, DType t) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kValues[] = {nan, inf, -inf, 0.0, -0.0, 1, -1, 0.5, -2.5};
  constexpr size_t n = std::size(kValues);
  SCOPED_TRACE(std::string("NaN and infinities in ") + dtype_name(t));
  size_t inputs = 0, total = 1;
  for (const Input& in : c.inputs) inputs += in.kind == Input::kValue;
  for (size_t i = 0; i < inputs; ++i) total *= n;
  std::vector<Tensor> tensors;
  Arrays arrays;
  size_t stride = 1;
  for (const Input& in : c.inputs) {
    Array a(Sizes{int64_t(total)});
    for (size_t k = 0; k < total; ++k)
      a.v[k] = in.kind == Input::kMask ? double(k % 2) : kValues[k / stride % n];
    if (in.kind == Input::kValue) stride *= n;
    tensors.push_back(to_tensor(a, in.kind == Input::kMask ? DType::boolean : t));
    arrays.push_back(std::move(a));
  }
  Outs got = c.call(tensors);
  Arrays want = c.reference(arrays);
  if (got[0].dtype() == DType::boolean)
    for (double& v : want[0].v) v = v != 0;
  expect_near(to_array(got[0]), want[0], tolerance(r, t), "result");
}

// Some elements of every float input become NaN or infinite; the reference says what follows.
void poisoned_inputs(const Record& r, const Case& c, DType t, Random& random) {
  constexpr double kValues[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
  for (int rounds = 0; rounds < 3; ++rounds) {
    Drawn d = draw(c, t, random);
    for (size_t i = 0; i < d.arrays.size(); ++i) {
      if (c.inputs[i].kind != Input::kValue || d.arrays[i].v.empty()) continue;
      for (int k = 0; k <= rounds; ++k)
        d.arrays[i].v[random() % d.arrays[i].v.size()] = kValues[(random() + rounds) % 3];
      d.tensors[i] = to_tensor(d.arrays[i], t);
    }
    Outs got = c.call(d.tensors);
    Arrays want = c.reference(d.arrays);
    for (size_t k = 0; k < want.size(); ++k) {
      if (!is_float(got[k].dtype()))
        for (double& v : want[k].v) v = rounded(v, got[k].dtype());
      expect_near(
          to_array(got[k]), want[k], tolerance(r, t),
          std::string("with NaN and infinities in ") + dtype_name(t) + ", result " + std::to_string(k));
    }
  }
}

}  // namespace

void check_layouts(const Record& r) {
  Random random = random_for(r, "layouts");
  bool reads_tensors = false;
  for (const Case& c : r.cases)
    for (const Input& in : c.inputs) reads_tensors |= in.kind != Input::kAbsent;
  if (!reads_tensors) return;
  for (size_t k = 0; k < r.cases.size(); ++k) {
    const Case& c = r.cases[k];
    SCOPED_TRACE("case " + std::to_string(k));
    for (DType t : {DType::f64, DType::f32, DType::bf16, DType::i32}) {
      if (!(r.works & bit(t))) continue;
      for (const Arrangement& how : kArrangements) arrangement(r, c, how, t, random);
      expanded(r, c, t, random);
    }
    for (uint8_t layout : {HAFT_LAYOUT_BLOCKED8, HAFT_LAYOUT_BLOCKED16})
      for (bool first_only : {false, true})
        for (DType t : {DType::f32, DType::bf16})
          if (r.works & bit(t)) blocked_inputs(r, c, layout, first_only, t, random);
  }
  if (r.pointwise) {
    Case wide = activations_case(r.cases[0]);
    for (uint8_t layout : {HAFT_LAYOUT_BLOCKED8, HAFT_LAYOUT_BLOCKED16})
      for (bool first_only : {false, true})
        if (r.works & bit(DType::f32)) blocked_inputs(r, wide, layout, first_only, DType::f32, random);
  }
  for (DType t : {DType::f64, DType::f32}) {
    if (!r.with_specials || !(r.works & bit(t))) continue;
    if (r.pointwise)
      specials(r, r.cases[0], t);
    else
      for (const Case& c : r.cases) poisoned_inputs(r, c, t, random);
  }
}

}  // namespace haft::test
