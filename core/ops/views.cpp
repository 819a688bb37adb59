// Operators that answer with another view of the same memory.
#include "core/dispatch/layout.h"
#include "core/dispatch/modes.h"
#include "core/ops/gradient.h"
#include "core/tensor/order.h"

namespace haft {

namespace {

// The memory a view is taken of: the tensor's own, or its strided twin when it is blocked.
const TensorImpl& memory(ShapeContext& c) { return resolve(*c.in(0).impl(), false); }

// Dense memory in another shape: what nearly every view() and reshape() is.
Tensor dense_view(const TensorImpl& x, IntList wanted) {
  if (!has_numel(wanted, x.view.numel)) [[unlikely]] {
    Shape size = infer_size(wanted, x.view.numel, "view");
    return view_over(x, size, contiguous_strides(size), 0);
  }
  auto p = new_impl(thread_state());
  haft_tensor_view& v = p->view;
  v.data = x.view.data;
  v.numel = x.view.numel;
  set_meta(v, meta(x.view));
  v.ndim = uint8_t(wanted.size());
  v.version_key = 0;
  int64_t stride = 1;
  for (int i = v.ndim; i-- > 0;) {
    v.sizes[i] = wanted[size_t(i)];
    v.strides[i] = stride;
    stride *= std::max<int64_t>(1, wanted[size_t(i)]);
  }
  p->storage = x.storage;
  return Tensor(std::move(p));
}

// Gradient words of a view that is undone by a permutation.
Shape inverse_permutation(IntList dims) {
  Shape inv(int64_t(dims.size()));
  for (size_t i = 0; i < dims.size(); ++i) inv[dims[i]] = int64_t(i);
  return inv;
}

// Zeros in the shape of the viewed tensor with g where the view was: the gradient of slices, diagonals and windows.
// What other views of the tensor gave already takes g in; else many slices of a tensor would cost its size each.
Tensor scatter_into_zeros(Backward& b, IntList sizes, IntList strides, int64_t offset) {
  if (Tensor sum = b.take_sum()) {
    if (sum.dtype() == b.grad().dtype() && std::ranges::equal(sum.sizes(), b.in_sizes(0)))
      return ops::add_(ops::as_strided(sum, sizes, strides, offset), b.grad()), sum;
    return ops::add(sum, scatter_into_zeros(b, sizes, strides, offset));
  }
  Tensor zero = ops::zeros(b.in_sizes(0), b.in_dtype(0), b.in_device(0));
  if (!thread_state().grad_enabled && b.grad().dtype() == zero.dtype())
    return ops::copy_(ops::as_strided(zero, sizes, strides, offset), b.grad()), zero;
  return ops::as_strided_scatter(zero, b.grad(), sizes, strides, offset);
}

// The same for views that may show an element twice: gradients are added at flat positions instead of written.
Tensor add_into_zeros(Backward& b, IntList sizes, IntList strides, int64_t offset) {
  int64_t numel = checked_numel(b.in_sizes(0));
  Tensor position =
      ops::arange(Scalar(int64_t(0)), Scalar(numel), Scalar(int64_t(1)), DType::i64, b.in_device(0));
  Tensor sum = b.take_sum();
  Tensor index = ops::reshape(ops::as_strided(position, sizes, strides, offset), Shape{-1});
  int64_t flat[] = {numel};
  Tensor zero = ops::zeros(flat, b.in_dtype(0), b.in_device(0));
  Tensor g = ops::reshape(ops::index_add(zero, 0, index, ops::reshape(b.grad(), Shape{-1})), b.in_sizes(0));
  return sum ? ops::add(sum, g) : g;
}

// The same memory with its dimensions in the order in which they lie.
Tensor in_memory_order(const Tensor& x) {
  Shape order(x.ndim());
  for (int64_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return x.strides()[size_t(a)] > x.strides()[size_t(b)]; });
  return ops::permute(x, order);
}

// False when, by rising stride, each dimension steps over all that the ones before it reach.
bool may_overlap(IntList sizes, IntList strides) {
  Shape order;
  for (int64_t i = 0; i < int64_t(sizes.size()); ++i)
    if (sizes[size_t(i)] != 1) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return strides[size_t(a)] < strides[size_t(b)]; });
  int64_t reach = 0;
  for (int64_t i : order) {
    if (strides[size_t(i)] <= reach) return true;
    reach += (sizes[size_t(i)] - 1) * strides[size_t(i)];
  }
  return false;
}

}  // namespace

SHAPE(as_strided) {
  Shape size(c.attrs.ints(0)), stride(c.attrs.ints(1));
  int64_t offset = c.attrs.i(2);
  if (size.size() != stride.size())
    fail(Code::shape, concat("[as_strided] got ", size.size(), " sizes and ", stride.size(), " strides"), {},
         "stride");
  int64_t numel = checked_numel(size), last = offset;
  for (int64_t i = 0; i < size.size(); ++i) {
    if (stride[i] < 0)
      fail(Code::invalid_argument, concat("[as_strided] strides must not be negative, got ", IntList(stride)),
           "use flip()", "stride");
    int64_t reach, steps = std::max<int64_t>(size[i] - 1, 0);
    if (stride[i] > kMaxNumel || __builtin_mul_overflow(steps, stride[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      fail(Code::overflow,
           concat("[as_strided] sizes ", IntList(size), ", strides ", IntList(stride), " and offset ", offset,
                  " overflow"),
           {}, "stride");
  }
  const TensorImpl* x = &memory(c);
  const char* start = static_cast<const char*>(x->storage->data);
  int64_t item = item_size(x->dtype()), at = (static_cast<const char*>(x->view.data) - start) / item;
  if (numel && (offset < -at || last >= x->storage->bytes / item - at))
    fail(Code::index,
         concat("[as_strided] sizes ", IntList(size), ", strides ", IntList(stride), " and offset ", offset,
                " reach outside the tensor's memory of ", x->storage->bytes, " bytes"),
         {}, "offset");
  // The tape needs the geometry relative to row-major memory: a view with gaps hands over to its base, and what
  // lies in another order is taken in that order.
  bool outside = numel && (offset < 0 || last >= x->view.numel);
  if ((!x->view.contiguous || (outside && x->base)) && c.in(0).requires_grad()) {
    Tensor whole = c.in(0);
    if (!is_dense(x->sizes(), x->strides()) || (outside && x->base)) {
      if (!x->live_base() || !is_dense(x->base->sizes(), resolve(*x->base, false).strides()))
        fail(Code::autograd, "[as_strided] gradients through strided external memory are not defined",
             "clone() the tensor first");
      whole = Tensor(x->base);
      const TensorImpl& base = resolve(*x->base, false);
      offset += (static_cast<const char*>(x->view.data) - static_cast<const char*>(base.view.data)) / item;
      c.set_word(2, word(offset));
      x = &base;
    }
    if (!x->view.contiguous) {
      AllModes modes(thread_state());
      whole = in_memory_order(whole);
      x = whole.impl();
    }
    c.set_in(0, whole);
  }
  c.view(view_over(*x, size, stride, numel ? offset : 0));
}
GRADIENT(as_strided, .saves = {SIZES}, .adds = true) {
  IntList size = b.attrs.ints(0), stride = b.attrs.ints(1);
  b.set(0, may_overlap(size, stride) ? add_into_zeros(b, size, stride, b.attrs.i(2))
                                     : scatter_into_zeros(b, size, stride, b.attrs.i(2)));
}

SHAPE(view) {
  const TensorImpl& x = memory(c);
  if (x.view.contiguous) return c.view(dense_view(x, c.attrs.ints(0)));
  Shape size = infer_size(c.attrs.ints(0), x.view.numel, "view"), strides;
  if (!view_strides(x.sizes(), x.strides(), size, &strides))
    fail(Code::shape,
         concat("[view] shape ", IntList(size), " cannot view shape ", x.sizes(), " with strides ",
                x.strides()),
         "use reshape(), which copies when it must", "size");
  c.view(view_over(x, size, strides, 0));
}
GRADIENT(view, .saves = {SIZES}) { b.set(0, ops::reshape(b.grad(), b.in_sizes(0))); }

SHAPE(permute) {
  const TensorImpl& x = memory(c);
  Shape dims(c.attrs.ints(0)), size(dims.size()), strides(dims.size());
  if (dims.size() != x.view.ndim)
    fail(Code::shape,
         concat("[permute] got ", dims.size(), " dims for a tensor of ", int(x.view.ndim), " dimensions"), {},
         "dims");
  uint32_t seen = 0;
  for (int64_t i = 0; i < dims.size(); ++i) {
    dims[i] = wrap_dim(dims[i], x.view.ndim, "permute", "dims");
    if (seen >> dims[i] & 1)
      fail(Code::invalid_argument,
           concat("[permute] dimension ", dims[i], " is named twice in ", IntList(dims)), {}, "dims");
    seen |= 1u << dims[i];
    size[i] = x.view.sizes[dims[i]];
    strides[i] = x.view.strides[dims[i]];
  }
  AttrWriter w;
  w.add(IntList(dims));
  c.set_words(w);
  c.view(view_over(x, size, strides, 0));
}
GRADIENT(permute) { b.set(0, ops::permute(b.grad(), inverse_permutation(b.attrs.ints(0)))); }

SHAPE(transpose) {
  const TensorImpl& x = memory(c);
  int64_t d0 = wrap_dim(c.attrs.i(0), x.view.ndim, "transpose", "dim0"),
          d1 = wrap_dim(c.attrs.i(1), x.view.ndim, "transpose", "dim1");
  Shape size(x.sizes()), strides(x.strides());
  if (x.view.ndim) {
    std::swap(size[d0], size[d1]);
    std::swap(strides[d0], strides[d1]);
  }
  c.set_word(0, word(d0));
  c.set_word(1, word(d1));
  c.view(view_over(x, size, strides, 0));
}
GRADIENT(transpose) { b.set(0, ops::transpose(b.grad(), b.attrs.i(0), b.attrs.i(1))); }

SHAPE(expand) {
  const TensorImpl& x = memory(c);
  Shape size(c.attrs.ints(0)), strides(size.size());
  int64_t lead = size.size() - x.view.ndim;
  if (lead < 0)
    fail(Code::shape,
         concat("[expand] shape ", c.attrs.ints(0), " has fewer dimensions than the tensor's ", x.sizes()),
         {}, "size");
  for (int64_t i = 0; i < size.size(); ++i) {
    int64_t have = i < lead ? 1 : x.view.sizes[i - lead];
    if (size[i] == -1 && i >= lead) size[i] = have;
    if (size[i] < 0 || (have != size[i] && have != 1))
      fail(Code::shape,
           concat("[expand] shape ", x.sizes(), " does not expand to ", c.attrs.ints(0), ": dimension ", i),
           "only dimensions of size 1 can be repeated", "size");
    strides[i] = i < lead || (have == 1 && size[i] != 1) ? 0 : x.view.strides[i - lead];
  }
  c.view(view_over(x, size, strides, 0));
}
GRADIENT(expand, .saves = {SIZES}) { b.set(0, ops::sum_to_size(b.grad(), b.in_sizes(0))); }

SHAPE(squeeze) {
  const TensorImpl& x = memory(c);
  int64_t dim = c.attrs.i(0);
  if (dim != kNone) dim = wrap_dim(dim, x.view.ndim, "squeeze");
  Shape size, strides;
  for (int64_t i = 0; i < x.view.ndim; ++i) {
    if (x.view.sizes[i] == 1 && (dim == kNone || dim == i)) continue;
    size.push_back(x.view.sizes[i]);
    strides.push_back(x.view.strides[i]);
  }
  c.view(view_over(x, size, strides, 0));
}
GRADIENT(squeeze, .saves = {SIZES}) { b.set(0, ops::reshape(b.grad(), b.in_sizes(0))); }

SHAPE(unsqueeze) {
  const TensorImpl& x = memory(c);
  int64_t dim = wrap_dim(c.attrs.i(0), x.view.ndim + 1, "unsqueeze");
  if (x.view.ndim == HAFT_MAX_DIMS)
    fail(Code::shape, concat("[unsqueeze] a tensor has at most ", HAFT_MAX_DIMS, " dimensions"), {}, "dim");
  Shape size(x.sizes()), strides(x.strides());
  int64_t stride = dim < x.view.ndim ? size[dim] * strides[dim] : 1;
  size.insert(dim, 1);
  strides.insert(dim, stride);
  c.set_word(0, word(dim));
  c.view(view_over(x, size, strides, 0));
}
GRADIENT(unsqueeze, .saves = {SIZES}) { b.set(0, ops::reshape(b.grad(), b.in_sizes(0))); }

SHAPE(slice) {
  const TensorImpl& x = memory(c);
  if (x.view.ndim == 0) fail(Code::shape, "[slice] a 0-dim tensor cannot be sliced", {}, "input");
  int64_t dim = wrap_dim(c.attrs.i(0), x.view.ndim, "slice"), n = x.view.sizes[dim];
  int64_t start = c.attrs.i(1), end = c.attrs.i(2), step = c.attrs.i(3);
  if (step <= 0)
    fail(Code::invalid_argument, concat("[slice] step must be positive, got ", step), "use flip() to reverse",
         "step");
  auto clip = [n](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + n : v, 0, n); };
  start = clip(start);
  end = std::max(start, clip(end));
  Shape size(x.sizes()), strides(x.strides());
  step = std::min(step, std::max<int64_t>(n, 1));  // larger ones say the same and overflow
  size[dim] = (end - start + step - 1) / step;
  strides[dim] *= step;
  uint64_t words[] = {word(dim), word(start), word(end), word(step)};
  for (int i = 0; i < 4; ++i) c.set_word(i, words[i]);
  c.view(view_over(x, size, strides, size[dim] ? start * x.view.strides[dim] : 0));
}
GRADIENT(slice, .saves = {SIZES}, .adds = true) {
  Shape size(b.in_sizes(0)), dense = contiguous_strides(size), strides = dense;
  int64_t dim = b.attrs.i(0), step = b.attrs.i(3);
  size[dim] = b.grad().size(dim);
  strides[dim] *= step;
  b.set(0, scatter_into_zeros(b, size, strides, size[dim] ? b.attrs.i(1) * dense[dim] : 0));
}

SHAPE(select) {
  const TensorImpl& x = memory(c);
  if (x.view.ndim == 0) fail(Code::shape, "[select] a 0-dim tensor cannot be indexed", "use item()", "input");
  int64_t dim = wrap_dim(c.attrs.i(0), x.view.ndim, "select"), n = x.view.sizes[dim], index = c.attrs.i(1);
  if (index < -n || index >= n)
    fail(Code::index,
         concat("[select] index ", index, " is out of range for dimension ", dim, " of size ", n), {},
         "index");
  if (index < 0) index += n;
  Shape size(x.sizes()), strides(x.strides());
  size.erase(dim);
  strides.erase(dim);
  c.set_word(0, word(dim));
  c.set_word(1, word(index));
  c.view(view_over(x, size, strides, index * x.view.strides[dim]));
}
GRADIENT(select, .saves = {SIZES}, .adds = true) {
  Shape size(b.in_sizes(0)), strides = contiguous_strides(size);
  int64_t dim = b.attrs.i(0), offset = b.attrs.i(1) * strides[dim];
  size.erase(dim);
  strides.erase(dim);
  b.set(0, scatter_into_zeros(b, size, strides, offset));
}

namespace {

struct Strided {
  Shape size, strides;
  int64_t offset = 0;
};

// The diagonal of a tensor with given sizes and strides; also the geometry of its gradient.
Strided diagonal_of(IntList sizes, IntList strides, int64_t offset, int64_t d1, int64_t d2) {
  int64_t rows = sizes[d1], cols = sizes[d2];
  int64_t n =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, cols - offset) : std::min(rows + offset, cols));
  Strided s{Shape(sizes), Shape(strides)};
  if (n) s.offset = offset >= 0 ? offset * strides[d2] : -offset * strides[d1];
  int64_t step = strides[d1] + strides[d2];
  for (int64_t d : {std::max(d1, d2), std::min(d1, d2)}) {
    s.size.erase(d);
    s.strides.erase(d);
  }
  s.size.push_back(n);
  s.strides.push_back(step);
  return s;
}

Strided windows_of(IntList sizes, IntList strides, int64_t dim, int64_t size, int64_t step) {
  Strided s{Shape(sizes), Shape(strides)};
  s.size.push_back(size);
  s.strides.push_back(sizes.empty() ? 1 : strides[dim]);
  if (!sizes.empty()) {
    s.size[dim] = (sizes[dim] - size) / step + 1;
    s.strides[dim] *= step;
  }
  return s;
}

}  // namespace

SHAPE(diagonal) {
  const TensorImpl& x = memory(c);
  int64_t d1 = wrap_dim(c.attrs.i(1), x.view.ndim, "diagonal", "dim1"),
          d2 = wrap_dim(c.attrs.i(2), x.view.ndim, "diagonal", "dim2");
  if (d1 == d2) fail(Code::invalid_argument, concat("[diagonal] dim1 and dim2 are both ", d1), {}, "dim2");
  c.set_word(1, word(d1));
  c.set_word(2, word(d2));
  Strided s = diagonal_of(x.sizes(), x.strides(), c.attrs.i(0), d1, d2);
  c.view(view_over(x, s.size, s.strides, s.offset));
}
GRADIENT(diagonal, .saves = {SIZES}, .adds = true) {
  Strided s =
      diagonal_of(b.in_sizes(0), contiguous_strides(b.in_sizes(0)), b.attrs.i(0), b.attrs.i(1), b.attrs.i(2));
  b.set(0, scatter_into_zeros(b, s.size, s.strides, s.offset));
}

SHAPE(unfold) {
  const TensorImpl& x = memory(c);
  int64_t dim = wrap_dim(c.attrs.i(0), x.view.ndim, "unfold"), size = c.attrs.i(1), step = c.attrs.i(2);
  int64_t n = x.view.ndim ? x.view.sizes[dim] : 1;
  if (size < 0 || size > n || step <= 0)
    fail(Code::invalid_argument,
         concat("[unfold] size must be in 0..", n, " and step positive, got size ", size, " and step ", step),
         {}, "size");
  step = std::min(step, std::max<int64_t>(n, 1));  // larger ones say the same and overflow
  c.set_word(0, word(dim));
  c.set_word(2, word(step));
  Strided s = windows_of(x.sizes(), x.strides(), dim, size, step);
  c.view(view_over(x, s.size, s.strides, 0));
}
GRADIENT(unfold, .saves = {SIZES}) {
  Strided s =
      windows_of(b.in_sizes(0), contiguous_strides(b.in_sizes(0)), b.attrs.i(0), b.attrs.i(1), b.attrs.i(2));
  b.set(0, add_into_zeros(b, s.size, s.strides, 0));
}

SHAPE(detach) { c.view(shallow_copy(memory(c))); }

SHAPE(alias) { c.view(shallow_copy(memory(c))); }
GRADIENT(alias) { b.set(0, b.grad()); }

// ---- several views at once ----
// The parts of split_sizes and unbind are slices to the modes, but one node with as many results to the tape: their
// gradients come back side by side in one tensor. Written in place, a part gives its base a history like any view.

namespace {

constexpr size_t kMaxParts = UINT16_MAX;  // results of a node

// Whether the parts of x are to have a node of their own.
bool is_recorded(const Tensor& x, size_t parts) {
  return thread_state().grad_enabled && parts > 1 && parts <= kMaxParts && x.requires_grad() &&
         !is_batched(x);  // whose examples may have a history, too
}

void record_parts(OpId op, const Tensor& x, std::span<Tensor> parts, AttrWriter& words) {
  const Tensor* in[] = {&x};
  record(op, in, parts, words.finish());
}

// The gradients of all parts; `size(k)` is the shape of part k, whose gradient is 0 where nobody used it.
template <class F>
std::vector<Tensor> part_gradients(Backward& b, size_t parts, F size) {
  std::vector<Tensor> all(parts);
  const Tensor* zero = nullptr;
  for (size_t k = 0; k < parts; ++k) {
    if (b.has_grad(int(k))) {
      all[k] = b.take_grad(int(k));
      continue;
    }
    const Shape wanted = size(k);
    if (zero && std::ranges::equal(zero->sizes(), IntList(wanted)))
      all[k] = *zero;
    else
      all[k] = ops::zeros(wanted, b.in_dtype(0), b.in_device(0));
    zero = &all[k];
  }
  return all;
}

}  // namespace

static void vjp_split_sizes(Backward& b) {
  const IntList sizes = b.attrs.ints(0);
  const int64_t dim = b.attrs.i(1);
  b.set(0, ops::cat(part_gradients(b, sizes.size(),
                                   [&](size_t k) {
                                     Shape s(b.in_sizes(0));
                                     s[dim] = sizes[k];
                                     return s;
                                   }),
                    dim));
}
static void vjp_unbind(Backward& b) {
  const int64_t dim = b.attrs.i(0);
  b.set(0, ops::stack(part_gradients(b, size_t(b.in_sizes(0)[size_t(dim)]),
                                     [&](size_t) {
                                       Shape s(b.in_sizes(0));
                                       s.erase(dim);
                                       return s;
                                     }),
                      dim));
}
extern const Gradient gradient_split_sizes, gradient_unbind;
const Gradient gradient_split_sizes = {.fn = vjp_split_sizes, .saves = {SIZES}};
const Gradient gradient_unbind = {.fn = vjp_unbind, .saves = {SIZES}};

// ---- compositions ----

namespace ops {

namespace {

// Parts of these sizes, which add up to x's, along d.
std::vector<Tensor> slices(const Tensor& x, IntList sizes, int64_t d) {
  std::vector<Tensor> parts;
  parts.reserve(sizes.size());
  const bool recorded = is_recorded(x, sizes.size());
  {
    ScopedValue<bool> as_one(thread_state().grad_enabled, thread_state().grad_enabled && !recorded);
    int64_t at = 0;
    for (int64_t s : sizes) {
      parts.push_back(slice(x, d, at, at + s, 1));
      at += s;
    }
  }
  if (recorded) {
    AttrWriter words;
    words.add(sizes).add(d);
    record_parts(OpId::split_sizes, x, parts, words);
  }
  return parts;
}

}  // namespace

Tensor reshape(const Tensor& x, IntList size) {
  if (x.is_contiguous() && has_numel(size, x.numel())) return view(x, size);
  Shape want = infer_size(size, x.numel(), "reshape"), strides;
  const haft_tensor_view& v = strided_view(x);
  if (view_strides({v.sizes, v.ndim}, {v.strides, v.ndim}, want, &strides)) return view(x, want);
  return view(contiguous(x), want);
}

Tensor flatten(const Tensor& x, int64_t start_dim, int64_t end_dim) {
  int64_t start = wrap_dim(start_dim, x.ndim(), "flatten", "start_dim"),
          end = wrap_dim(end_dim, x.ndim(), "flatten", "end_dim");
  if (start > end)
    fail(Code::invalid_argument, concat("[flatten] start_dim ", start, " comes after end_dim ", end), {},
         "start_dim");
  Shape size;
  for (int64_t i = 0; i < start; ++i) size.push_back(x.size(i));
  int64_t joined = 1;
  for (int64_t i = start; i <= end && i < x.ndim(); ++i) joined *= x.size(i);
  size.push_back(joined);
  for (int64_t i = end + 1; i < x.ndim(); ++i) size.push_back(x.size(i));
  return reshape(x, size);
}

Tensor unflatten(const Tensor& x, int64_t dim, IntList sizes) {
  int64_t d = wrap_dim(dim, x.ndim(), "unflatten");
  Shape inner = infer_size(sizes, x.size(d), "unflatten"), size;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    if (i != d)
      size.push_back(x.size(i));
    else
      for (int64_t s : inner) size.push_back(s);
  }
  return reshape(x, size);
}

Tensor t(const Tensor& x) {
  if (x.ndim() > 2)
    fail(Code::shape, concat("[t] takes at most 2 dimensions, got shape ", x.sizes()), "use transpose()",
         "input");
  return x.ndim() < 2 ? alias(x) : transpose(x, 0, 1);
}

Tensor movedim(const Tensor& x, IntList source, IntList destination) {
  if (source.size() != destination.size())
    fail(Code::invalid_argument,
         concat("[movedim] source ", source, " and destination ", destination, " differ in length"), {},
         "destination");
  const int64_t n = x.ndim();
  Shape order(n, -1), dims;
  uint32_t moved = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t from = wrap_dim(source[i], n, "movedim", "source"),
                  to = wrap_dim(destination[i], n, "movedim", "destination");
    if (n && (moved >> from & 1 || order[to] >= 0))
      fail(Code::invalid_argument,
           concat("[movedim] a dimension stands twice in ", source, " or ", destination), {}, "source");
    moved |= 1u << from;
    if (n) order[to] = from;
  }
  int64_t rest = 0;
  for (int64_t to = 0; to < n; ++to) {
    while (rest < n && moved >> rest & 1) ++rest;
    dims.push_back(order[to] >= 0 ? order[to] : rest++);
  }
  return permute(x, dims);
}

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  int64_t d = wrap_dim(dim, x.ndim(), "narrow"), n = x.ndim() ? x.size(d) : 0;
  if (start < 0) start += n;
  if (start < 0 || length < 0 || start > n || length > n - start)
    fail(Code::index,
         concat("[narrow] start ", start, " and length ", length, " do not fit in dimension ", d, " of size ",
                n),
         {}, "start");
  return slice(x, d, start, start + length, 1);
}

Tensor expand_as(const Tensor& x, const Tensor& other) { return expand(x, other.sizes()); }

std::vector<Tensor> split_sizes(const Tensor& x, IntList sizes, int64_t dim) {
  int64_t d = wrap_dim(dim, x.ndim(), "split_sizes"), n = x.ndim() ? x.size(d) : 0, total = 0;
  for (int64_t s : sizes) total = s < 0 ? -1 : total < 0 ? -1 : total + s;
  if (total != n)
    fail(Code::shape,
         concat("[split_sizes] split_sizes ", sizes, " must be non-negative and add up to ", n,
                ", the size of dimension ", d),
         {}, "split_sizes");
  return slices(x, sizes, d);
}

std::vector<Tensor> split(const Tensor& x, int64_t size, int64_t dim) {
  int64_t d = wrap_dim(dim, x.ndim(), "split"), n = x.ndim() ? x.size(d) : 0;
  if (size < 0 || (size == 0 && n > 0))
    fail(Code::invalid_argument, concat("[split] split_size must be positive, got ", size), {}, "split_size");
  std::vector<int64_t> sizes(size_t(size ? std::max<int64_t>(1, n / size + (n % size != 0)) : 1), size);
  sizes.back() = n - size * int64_t(sizes.size() - 1);
  return slices(x, sizes, d);
}

std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  if (chunks <= 0)
    fail(Code::invalid_argument, concat("[chunk] chunks must be positive, got ", chunks), {}, "chunks");
  int64_t d = wrap_dim(dim, x.ndim(), "chunk"), n = x.ndim() ? x.size(d) : 0;
  // As PyTorch: so many empty ones.
  if (n == 0 && x.ndim()) return split_sizes(x, std::vector<int64_t>(size_t(chunks)), d);
  return split(x, std::max<int64_t>(1, (n + chunks - 1) / chunks), d);
}

std::vector<Tensor> unbind(const Tensor& x, int64_t dim) {
  int64_t d = wrap_dim(dim, x.ndim(), "unbind");
  if (x.ndim() == 0) fail(Code::shape, "[unbind] a 0-dim tensor has no dimension to unbind", {}, "input");
  const size_t n = size_t(x.size(d));
  std::vector<Tensor> parts;
  parts.reserve(n);
  const bool recorded = is_recorded(x, n);
  {
    ScopedValue<bool> as_one(thread_state().grad_enabled, thread_state().grad_enabled && !recorded);
    for (size_t i = 0; i < n; ++i) parts.push_back(select(x, d, int64_t(i)));
  }
  if (recorded) {
    AttrWriter words;
    words.add(d);
    record_parts(OpId::unbind, x, parts, words);
  }
  return parts;
}

}  // namespace ops
}  // namespace haft
