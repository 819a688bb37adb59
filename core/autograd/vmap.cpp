#include "core/autograd/vmap.h"

#include <typeinfo>
#include <unordered_set>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/generator.h"
#include "core/tape/tape.h"

namespace haft {

namespace {

using Tensors = std::vector<Tensor>;

// x with dimension `from` at `to`.
Tensor moved(const Tensor& x, int64_t from, int64_t to) {
  if (from == to) return x;
  std::vector<int64_t> order;
  for (int64_t d = 0; d < x.ndim(); ++d)
    if (d != from) order.push_back(d);
  order.insert(order.begin() + to, from);
  AttrWriter words(1);
  words.add(order);
  return call1(OpId::permute, {&x}, words.finish());
}

int64_t wrapped_dim(int64_t dim, int64_t ndim, const char* what, size_t i) {
  if (dim < -ndim || dim >= ndim)
    fail(Code::invalid_argument,
         concat("vmap: Got ", what, "_dim=", dim, " for ", what, "put ", int64_t(i),
                ", but it is a tensor of dimensionality ", what[0] == 'i' ? ndim : ndim - 1, " so expected ",
                what, "_dim to satisfy -", ndim, " <= ", what, "_dim < ", ndim),
         {}, what[0] == 'i' ? "in_dims" : "out_dims");
  return dim < 0 ? dim + ndim : dim;
}

// The inputs with their examples in dimension 0; `whole` tells of those that are the same for all.
Tensors prepared(std::span<const Tensor> inputs, std::span<const int64_t> dims, std::vector<bool>& whole,
                 int64_t& size) {
  if (!dims.empty() && dims.size() != inputs.size())
    fail(Code::invalid_argument,
         concat("vmap: ", int64_t(dims.size()), " in_dims for ", int64_t(inputs.size()), " inputs"), {},
         "in_dims");
  Tensors all;
  std::vector<int64_t> sizes;
  bool same = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i];
    const int64_t dim = dims.empty() ? 0 : dims[i];
    whole.push_back(dim == kNone);
    if (whole.back()) {
      all.push_back(x);
      continue;
    }
    all.push_back(moved(x, wrapped_dim(dim, x.ndim(), "in", i), 0));
    sizes.push_back(all.back().size(0));
    same &= sizes.back() == sizes[0];
  }
  if (sizes.empty())
    fail(Code::invalid_argument, "vmap: at least one input is to be mapped: in_dims are all none", {},
         "in_dims");
  if (!same)
    fail(Code::shape,
         concat("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes ",
                IntList(sizes), " for the mapped dimension"),
         {}, "inputs");
  size = sizes[0];
  return all;
}

Tensor part(const Tensor& x, int64_t from, int64_t to) {
  uint64_t words[] = {word(int64_t(0)), word(from), word(to), word(int64_t(1))};
  return call1(OpId::slice, {&x}, words);
}

Tensor expanded(const Tensor& x, int64_t size) {
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  sizes.insert(sizes.begin(), size);
  AttrWriter words(1);
  words.add(sizes);
  return call1(OpId::expand, {&x}, words.finish());
}

// One call, whose results have their examples in dimension 0 but for those that are answered as they are.
Tensors call_for(const TensorsFunction& fn, std::span<const Tensor> inputs, const std::vector<bool>& whole,
                 int64_t size, const VmapOptions& o) {
  Tensors out;
  {
    BatchScope scope(size, o.randomness, o.warns);
    Tensors in;
    for (size_t i = 0; i < inputs.size(); ++i) in.push_back(whole[i] ? inputs[i] : scope.wrap(inputs[i]));
    Tensors answer = fn(in);
    if (o.out_dims.size() > 1 && o.out_dims.size() != answer.size())
      fail(Code::invalid_argument,
           concat("vmap: ", int64_t(o.out_dims.size()), " out_dims for ", int64_t(answer.size()), " outputs"),
           {}, "out_dims");
    for (size_t i = 0; i < answer.size(); ++i) {
      if (!answer[i].defined())
        fail(Code::callback, concat("vmap: the function left its output ", int64_t(i), " empty"));
      bool many;
      Tensor y = scope.unwrap(answer[i], many);
      const int64_t dim = o.out_dims.empty() ? 0 : o.out_dims[o.out_dims.size() == 1 ? 0 : i];
      if (dim == kNone && many)
        fail(Code::invalid_argument,
             concat("vmap: output ", int64_t(i),
                    " differs between examples, and its out_dim is none: it cannot be answered once"),
             "give the dimension in which the examples are to stand", "out_dims");
      out.push_back(many || dim == kNone ? std::move(y) : expanded(y, size));
    }
  }
  return out;
}

}  // namespace

Tensors vmap(const TensorsFunction& fn, std::span<const Tensor> inputs, const VmapOptions& o) {
  std::vector<bool> whole;
  int64_t size = 0;
  const Tensors all = prepared(inputs, o.in_dims, whole, size);
  if (o.chunk_size < 0)
    fail(Code::invalid_argument, concat("vmap: chunk_size must be positive, got ", o.chunk_size), {},
         "chunk_size");
  const int64_t chunk = o.chunk_size && size ? std::min(o.chunk_size, size) : size;
  Tensors out;
  if (chunk == size) {
    out = call_for(fn, all, whole, size, o);
  } else {
    std::vector<Tensors> rows;
    Generator& numbers = random_source().generator ? *random_source().generator : default_generator();
    const uint64_t before = numbers.offset.load();
    for (int64_t from = 0; from < size; from += chunk) {
      const int64_t to = std::min(from + chunk, size);
      if (o.randomness == Randomness::same) numbers.offset.store(before);
      Tensors some;
      for (size_t i = 0; i < all.size(); ++i) some.push_back(whole[i] ? all[i] : part(all[i], from, to));
      rows.push_back(call_for(fn, some, whole, to - from, o));
      if (rows.back().size() != rows[0].size())
        fail(Code::callback, concat("vmap: the function answered ", int64_t(rows.back().size()),
                                    " outputs, for the first chunk ", int64_t(rows[0].size())));
    }
    for (size_t i = 0; i < rows[0].size(); ++i) {
      const int64_t dim = o.out_dims.empty() ? 0 : o.out_dims[o.out_dims.size() == 1 ? 0 : i];
      Tensors parts;
      for (Tensors& r : rows) parts.push_back(std::move(r[i]));
      uint64_t front[] = {word(int64_t(0))};
      out.push_back(dim == kNone ? parts[0] : call1_list(OpId::cat, {}, parts, front));
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t dim = o.out_dims.empty() ? 0 : o.out_dims[o.out_dims.size() == 1 ? 0 : i];
    if (dim != kNone) out[i] = moved(out[i], 0, wrapped_dim(dim, out[i].ndim(), "out", i));
  }
  return out;
}

int64_t bytes_of_a_seed(const Tensor& t) {
  if (!t.requires_grad()) return 0;
  int64_t most = std::max<int64_t>(t.bytes(), 1);
  std::vector<Ref<Node>> waiting{gradient_node(*t.impl())};
  std::unordered_set<const Node*> seen{waiting[0].get()};
  while (!waiting.empty()) {
    const Ref<Node> n = std::move(waiting.back());
    waiting.pop_back();
    const bool own = typeid(*n) == typeid(OpNode);
    if (n->hooks || (!n->is_leaf() && !own)) return 0;
    if (own) {
      const auto& op = static_cast<const OpNode&>(*n);
      for (uint32_t i = 0; i < op.n_saved; ++i)
        if (op.saved[i].value.defined()) most = std::max(most, op.saved[i].value.bytes());
    }
    for (int e = 0; e < n->n_in; ++e)
      if (const Ref<Node>& to = n->edges[e].node; to && seen.insert(to.get()).second) waiting.push_back(to);
  }
  return most;
}

}  // namespace haft
