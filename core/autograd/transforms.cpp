#include "core/autograd/transforms.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/vmap.h"
#include "core/dispatch/batching.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/layout.h"

namespace haft {

namespace {

using Tensors = std::vector<Tensor>;

void fill(Tensor t, double value) {
  const Scalar v(value);
  uint64_t w[] = {word_kind(v), word_bits(v)};
  NoGradGuard off;
  call1_inplace(OpId::fill, {&t}, w);
}

Tensor filled(const Tensor& like, double value) {
  Tensor t = new_tensor(like.sizes(), like.dtype(), like.device());
  if (t.numel()) fill(t, value);
  return t;
}

// Without any history, that of a batched tensor's examples included.
Tensor detached(const Tensor& t) {
  return is_batched(t) ? call1(OpId::detach, {&t}) : shallow_copy(*t.impl());
}

Tensor viewed(const Tensor& t, IntList sizes) {
  AttrWriter words(1);
  words.add(sizes);
  return call1(OpId::view, {&t}, words.finish());
}

// The inputs as the function gets them: what hangs on the caller's graph stays there where results are recorded. Only
// the gradient itself is taken of complex numbers: what it is made of twice, and matrices of it, are of real ones.
Tensors fresh(std::span<const Tensor> inputs, bool create_graph, const char* what, bool complex = false) {
  if (inputs.empty()) fail(Code::invalid_argument, concat(what, ": no inputs were given"), {}, "inputs");
  Tensors out;
  for (const Tensor& x : inputs) {
    if (!(complex ? is_differentiable(x.dtype()) : is_float(x.dtype())))
      fail(Code::dtype,
           concat(what, ": input ", int64_t(out.size()), " is ", dtype_name(x.dtype()),
                  ", wanted a floating type", complex ? ", or a complex one" : ""),
           is_complex(x.dtype()) ? "give it view_as_real() of it"
                                 : "values that are not differentiated belong into the function itself",
           "inputs");
    if (create_graph && x.requires_grad()) {
      out.push_back(call1(OpId::alias, {&x}));
    } else {
      const Tensor own = create_graph ? shallow_copy(*x.impl()) : detached(x);
      out.push_back(at_innermost_level(own));
      set_requires_grad(out.back(), true);
    }
  }
  return out;
}

Tensors done(Tensors all, bool create_graph) {
  if (!create_graph)
    for (Tensor& t : all) t = detached(t);
  return all;
}

Tensors called(const TensorsFunction& fn, const Tensors& inputs, const char* what) {
  Tensors out = fn(inputs);
  if (out.empty()) fail(Code::callback, concat(what, ": the function answered no tensor"));
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i].defined())
      fail(Code::callback, concat(what, ": the function left its output ", int64_t(i), " empty"));
  return out;
}

Tensors vectors_for(std::span<const Tensor> vectors, const Tensors& like, const char* what, const char* of) {
  if (vectors.empty()) {
    if (like.size() != 1 || like[0].numel() != 1)
      fail(Code::invalid_argument,
           concat(what, ": without vectors there must be one ", of, " of one element, there are ",
                  int64_t(like.size()),
                  like.size() == 1 ? concat(", of shape ", like[0].sizes()) : std::string()),
           concat("give a vector for each ", of), "vectors");
    return {filled(like[0], 1)};
  }
  if (vectors.size() != like.size())
    fail(Code::invalid_argument,
         concat(what, ": ", int64_t(vectors.size()), " vectors were given, wanted one for each ", of, ", ",
                int64_t(like.size())),
         {}, "vectors");
  Tensors all(vectors.begin(), vectors.end());
  for (size_t i = 0; i < like.size(); ++i) {
    const Tensor& v = vectors[i];
    const bool casts = v.dtype() != like[i].dtype() && is_float(v.dtype()) && is_float(like[i].dtype());
    if (!std::ranges::equal(v.sizes(), like[i].sizes()) || (v.dtype() != like[i].dtype() && !casts) ||
        v.device() != like[i].device())
      fail(Code::shape,
           concat(what, ": vector ", int64_t(i), " is ", dtype_name(v.dtype()), " of shape ", v.sizes(),
                  ", the ", of, " ", dtype_name(like[i].dtype()), " of shape ", like[i].sizes()),
           {}, "vectors");
    uint64_t to[] = {word(like[i].dtype())};
    if (casts) all[i] = call1(OpId::cast, {&v}, to);
  }
  return all;
}

// Gradients, zeros where there is no way; outputs without a history have none to anything.
Tensors gradients(const Tensors& outputs, const Tensors& inputs, const Tensors& seeds, bool create_graph,
                  bool strict, const char* what) {
  Tensors live, used, found(inputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    live.push_back(outputs[i]);
    if (!seeds.empty()) used.push_back(seeds[i]);
  }
  if (!live.empty())
    found = grad(live, inputs, used, {.retain_graph = true, .create_graph = create_graph}, true);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].defined()) {
      if (strict && create_graph && !found[i].requires_grad())
        fail(Code::autograd,
             concat(what, ": the Jacobian is independent of input ", int64_t(i),
                    ", which strict mode does not allow with create_graph"),
             {}, "inputs");
      continue;
    }
    if (strict)
      fail(Code::autograd,
           concat(what, ": the outputs do not depend on input ", int64_t(i),
                  ", which strict mode does not allow"),
           {}, "inputs");
    found[i] = filled(inputs[i], 0);
  }
  return found;
}

struct Recording : ScopedValue<bool> {
  Recording() : ScopedValue(thread_state().grad_enabled, true) {}
};

const Tensor& one_number(const Tensors& outputs, const char* what) {
  if (outputs.size() != 1 || outputs[0].numel() != 1)
    fail(Code::shape,
         concat(what, ": wanted a function with one output of one element, it answered ",
                int64_t(outputs.size()), " outputs, the first of shape ", outputs[0].sizes()),
         "reduce it, for example by sum");
  return outputs[0];
}

// Seeds for elements `from` and on of the output, one behind the other: new ones each time, since what is recorded may
// keep them.
Tensor seeds_for(const Tensor& output, int64_t from, int64_t count) {
  const int64_t n = output.numel();
  std::vector<int64_t> sizes(output.sizes().begin(), output.sizes().end());
  sizes.insert(sizes.begin(), count);
  const Tensor all = new_tensor(sizes, output.dtype(), output.device());
  fill(all, 0);
  const int64_t diagonal[] = {count}, step[] = {n + 1};
  fill(view_over(*all.impl(), diagonal, step, from), 1);
  return all;
}

// The rows of the Jacobian for elements `from` and on of an output, of each input (count, sizes of the input): one
// walk, in which gradients are those of many seeds.
Tensors rows_at_once(const Tensor& output, const Tensors& xs, int64_t from, int64_t count, TransformOptions o,
                     const char* what) {
  const Tensor seeds = seeds_for(output, from, count);
  BatchScope scope(count, Randomness::same);
  Tensors rows = gradients({output}, xs, {scope.wrap(seeds)}, o.create_graph, o.strict, what);
  for (size_t k = 0; k < xs.size(); ++k) {
    bool many;
    rows[k] = scope.unwrap(rows[k], many);
    if (many) continue;
    std::vector<int64_t> sizes(xs[k].sizes().begin(), xs[k].sizes().end());
    sizes.insert(sizes.begin(), count);
    AttrWriter words(1);
    words.add(sizes);
    rows[k] = call1(OpId::expand, {&rows[k]}, words.finish());
  }
  return rows;
}

// The same by a walk for each.
Tensors rows_one_by_one(const Tensor& output, const Tensors& xs, int64_t from, int64_t count,
                        TransformOptions o, const char* what) {
  std::vector<Tensors> rows(xs.size());
  for (int64_t i = from; i < from + count; ++i) {
    const Tensor seed = viewed(seeds_for(output, i, 1), output.sizes());
    Tensors row = gradients({output}, xs, {seed}, o.create_graph, o.strict, what);
    uint64_t front[] = {word(int64_t(0))};
    for (size_t k = 0; k < xs.size(); ++k) rows[k].push_back(call1(OpId::unsqueeze, {&row[k]}, front));
  }
  uint64_t dim[] = {word(int64_t(0))};
  Tensors all;
  for (Tensors& r : rows) all.push_back(call1_list(OpId::cat, {}, r, dim));
  return all;
}

// How many rows a walk makes: so many that a tensor of the way, for all of them, has no more than 32 MiB.
int64_t rows_at_a_time(int64_t bytes, int64_t rows, int64_t chunk) {
  return chunk > 0 ? std::min(chunk, rows) : std::clamp<int64_t>((int64_t(32) << 20) / bytes, 1, rows);
}

Tensors jacobian_of(const Tensors& outputs, const Tensors& xs, TransformOptions o, const char* what) {
  Tensors all;
  for (const Tensor& output : outputs) {
    const int64_t n = output.numel();
    const int64_t bytes = n > 1 ? bytes_of_a_seed(output) : 0;
    const bool batches = bytes > 0;
    const int64_t chunk = batches ? rows_at_a_time(bytes, n, o.chunk_size) : std::max<int64_t>(n, 1);
    std::vector<Tensors> rows(xs.size());
    for (int64_t from = 0; from < n; from += chunk) {
      const int64_t count = std::min(chunk, n - from);
      Tensors some = batches && count > 1 ? rows_at_once(output, xs, from, count, o, what)
                                          : rows_one_by_one(output, xs, from, count, o, what);
      for (size_t k = 0; k < xs.size(); ++k) rows[k].push_back(std::move(some[k]));
    }
    for (size_t k = 0; k < xs.size(); ++k) {
      std::vector<int64_t> sizes(output.sizes().begin(), output.sizes().end());
      sizes.insert(sizes.end(), xs[k].sizes().begin(), xs[k].sizes().end());
      if (rows[k].empty()) {
        all.push_back(new_tensor(sizes, xs[k].dtype(), xs[k].device()));
        continue;
      }
      uint64_t dim[] = {word(int64_t(0))};
      Tensor whole = rows[k].size() == 1 ? rows[k][0] : call1_list(OpId::cat, {}, rows[k], dim);
      if (!whole.is_contiguous()) whole = call1(OpId::contiguous_copy, {&whole});
      all.push_back(viewed(whole, sizes));
    }
  }
  return all;
}

}  // namespace

Products vjp(const TensorsFunction& fn, std::span<const Tensor> inputs, std::span<const Tensor> vectors,
             TransformOptions o) {
  Recording on;
  Tensors xs = fresh(inputs, o.create_graph, "vjp", true), outputs = called(fn, xs, "vjp");
  Tensors found =
      gradients(outputs, xs, vectors_for(vectors, outputs, "vjp", "output"), o.create_graph, o.strict, "vjp");
  return {done(std::move(outputs), o.create_graph), done(std::move(found), o.create_graph)};
}

Products jvp(const TensorsFunction& fn, std::span<const Tensor> inputs, std::span<const Tensor> vectors,
             TransformOptions o) {
  Recording on;
  Tensors xs = fresh(inputs, o.create_graph, "jvp"), v = vectors_for(vectors, xs, "jvp", "input"),
          outputs = called(fn, xs, "jvp"), seeds;
  for (const Tensor& y : outputs) {
    seeds.push_back(filled(y, 0));
    if (is_float(y.dtype())) set_requires_grad(seeds.back(), true);
  }
  Tensors first = gradients(outputs, xs, seeds, true, o.strict, "jvp"), live, wanted, products;
  for (const Tensor& s : seeds)
    if (s.requires_grad()) wanted.push_back(s);
  Tensors found = gradients(first, wanted, v, o.create_graph, false, "jvp");
  auto next = found.begin();
  for (const Tensor& s : seeds) products.push_back(s.requires_grad() ? *next++ : filled(s, 0));
  return {done(std::move(outputs), o.create_graph), done(std::move(products), o.create_graph)};
}

Tensors jacobian(const TensorsFunction& fn, std::span<const Tensor> inputs, TransformOptions o) {
  Recording on;
  Tensors xs = fresh(inputs, o.create_graph, "jacobian");
  return done(jacobian_of(called(fn, xs, "jacobian"), xs, o, "jacobian"), o.create_graph);
}

Tensors hessian(const TensorsFunction& fn, std::span<const Tensor> inputs, TransformOptions o) {
  Recording on;
  Tensors xs = fresh(inputs, o.create_graph, "hessian"), outputs = called(fn, xs, "hessian");
  Tensors first = gradients({one_number(outputs, "hessian")}, xs, {}, true, o.strict, "hessian");
  return done(jacobian_of(first, xs, o, "hessian"), o.create_graph);
}

Products hvp(const TensorsFunction& fn, std::span<const Tensor> inputs, std::span<const Tensor> vectors,
             TransformOptions o) {
  Recording on;
  Tensors xs = fresh(inputs, o.create_graph, "hvp"), v = vectors_for(vectors, xs, "hvp", "input"),
          outputs = called(fn, xs, "hvp");
  Tensors first = gradients({one_number(outputs, "hvp")}, xs, {}, true, o.strict, "hvp");
  Tensors found = gradients(first, xs, v, o.create_graph, o.strict, "hvp");
  return {done(std::move(outputs), o.create_graph), done(std::move(found), o.create_graph)};
}

}  // namespace haft
