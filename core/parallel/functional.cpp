#include "core/parallel/functional.h"

#include <cstring>
#include <numeric>

#include "core/autograd/function.h"
#include "core/ops/arithmetic.h"
#include "core/parallel/calls.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

using dist::Job;
using dist::Kind;

namespace {

enum class Way : uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  copy,
  sum,
  split,
  join
};
constexpr const char* kNames[] = {"all_reduce",     "broadcast",         "reduce",  "all_gather",
                                  "reduce_scatter", "all_to_all_single", "copy_to", "reduce_from",
                                  "split_to",       "gather_from"};

struct Call {
  Way way;
  GroupRef group;
  // Avg also where values only move: scaled by 1 / size, as the conjugate of a mean.
  ReduceOp op = ReduceOp::sum;
  int root = -1;
  int64_t dim = 0;
  Rows rows, from = {};  // all_to_all: what goes, what comes
};

[[noreturn, gnu::cold]] void bad(const Call& c, Code code, std::string_view text, const char* argument,
                                 std::string_view hint = {}) {
  fail(code, concat("[", kNames[int(c.way)], "] ", text), std::string(hint), argument);
}

// Along dim of a tensor of n there: equal rows unless they are given.
void check_rows(const Call& c, Rows& rows, int64_t n, const char* name) {
  const int size = c.group->size();
  if (rows.empty()) {
    if (n % size)
      bad(c, Code::shape, concat("a size of ", n, " has no ", size, " equal parts"), name,
          "give the size of each rank's part");
    rows.assign(size_t(size), n / size);
  }
  if (rows.size() != size_t(size))
    bad(c, Code::invalid_argument,
        concat("takes a size for each of ", size, " ranks, got ", int64_t(rows.size())), name);
  if (*std::ranges::min_element(rows) < 0 || std::reduce(rows.begin(), rows.end()) != n)
    bad(c, Code::shape, concat("the parts ", IntList(rows), " do not add up to a size of ", n), name);
}

Tensor to_front(const Tensor& x, int64_t dim) { return dim ? ops::movedim(x, Shape{dim}, Shape{0}) : x; }
Tensor from_front(const Tensor& x, int64_t dim) { return dim ? ops::movedim(x, Shape{0}, Shape{dim}) : x; }

Tensor with_rows(const Tensor& x, int64_t n) {
  Shape sizes(x.sizes());
  sizes[0] = n;
  return new_tensor(sizes, x.dtype(), x.device());
}
Rows elements(const Rows& rows, const Tensor& x) {
  int64_t row = 1;
  for (int64_t s : x.sizes().subspan(1)) row *= s;
  Rows r = rows;
  for (int64_t& n : r) n *= row;
  return r;
}

Tensor exchange(const Call& c, const Tensor& x, const Rows& to, const Rows& from) {
  Tensor y = with_rows(x, std::reduce(from.begin(), from.end()));
  Job j;
  j.call.kind = Kind::all_to_all;
  j.in = {x};
  j.out = {y};
  j.in_parts = elements(to, x);
  j.out_parts = elements(from, x);
  c.group->run(std::move(j));
  return y;
}

Tensor scatter_sum(const Call& c, const Tensor& whole) {
  dist::Group& g = *c.group;
  const Tensor x = to_front(whole, c.dim);
  const int64_t mine = c.rows[size_t(g.rank())];
  Tensor y;
  if (std::ranges::adjacent_find(c.rows, std::not_equal_to{}) == c.rows.end()) {
    y = with_rows(x, mine);
    Job j;
    j.call.kind = Kind::reduce_scatter;
    j.call.reduce = c.op;
    j.in = {x};
    j.out = {y};
    j.in_parts = elements(c.rows, x);
    g.run(std::move(j));
  } else {  // what groups have in equal parts only: the parts travel, and are added here in the order of ranks
    Tensor parts = exchange(c, x, c.rows, Rows(size_t(g.size()), mine));
    Shape sizes{g.size(), mine};
    for (int64_t s : x.sizes().subspan(1)) sizes.push_back(s);
    y = ops::sum(as_dtype(ops::view(parts, sizes), wide_dtype(x.dtype())), Shape{0});
    if (c.op == ReduceOp::avg) y = y / double(g.size());
    y = as_dtype(y, x.dtype());
  }
  return from_front(y, c.dim);
}

Tensor gather_rows(const Call& c, const Tensor& part) {
  const Tensor x = to_front(part, c.dim);
  Tensor y = with_rows(x, std::reduce(c.rows.begin(), c.rows.end()));
  Job j;
  j.call.kind = Kind::all_gather;
  j.in = {x};
  j.out = {y};
  j.out_parts = elements(c.rows, x);
  c.group->run(std::move(j));
  return from_front(y, c.dim);
}

// Without history; x is left as it is.
Tensor run(const Call& c, const Tensor& x) {
  dist::Group& g = *c.group;
  Tensor y;
  switch (c.way) {
    case Way::copy: return x;
    case Way::split: {
      const auto before = c.rows.begin() + g.rank();
      return ops::clone(ops::narrow(x, c.dim, std::reduce(c.rows.begin(), before), *before));
    }
    case Way::all_reduce:
    case Way::sum:
      y = ops::clone(x);
      g.run(all_reduce_job(y, c.op));
      return y;
    case Way::broadcast:
      y = g.rank() == c.root ? ops::clone(x) : new_tensor(x.sizes(), x.dtype(), x.device());
      g.run(broadcast_job(y, c.root));
      break;
    case Way::reduce: {
      y = ops::clone(x);
      Job j;
      j.call.kind = Kind::reduce;
      j.call.root = c.root;
      j.call.reduce = c.op;
      j.in = {y};
      if (g.rank() == c.root) j.out = {y};
      g.run(std::move(j));
      return g.rank() == c.root ? y : ops::zeros(x.sizes(), x.dtype(), x.device());
    }
    case Way::all_gather:
    case Way::join: y = gather_rows(c, x); break;
    case Way::reduce_scatter: return scatter_sum(c, x);
    case Way::all_to_all: return exchange(c, x, c.rows, c.from);
  }
  return c.op == ReduceOp::avg ? y / double(g.size()) : y;
}

Call conjugate(Call c) {
  constexpr Way kConjugate[] = {Way::all_reduce, Way::reduce,     Way::broadcast, Way::reduce_scatter,
                                Way::all_gather, Way::all_to_all, Way::sum,       Way::copy,
                                Way::join,       Way::split};
  c.way = kConjugate[int(c.way)];
  if (c.way == Way::all_to_all) c.rows.swap(c.from);
  return c;
}

Tensor apply(const Call& c, const Tensor& x) {
  if (!thread_state().grad_enabled || !x.requires_grad()) {
    NoGradGuard off;
    return run(c, x);
  }
  auto fn = make_ref<CustomFunction>();
  fn->name = kNames[int(c.way)];
  fn->forward = [c](FunctionContext&, std::span<const Tensor> in) {
    return std::vector<Tensor>{run(c, in[0])};
  };
  fn->backward = [back = conjugate(c)](FunctionContext&, std::span<const Tensor> grads) {
    return or_kill(*back.group, kNames[int(back.way)],
                   [&] { return std::vector<Tensor>{apply(back, grads[0])}; });
  };
  return apply_function(std::move(fn), {&x, 1})[0];
}

// Of this rank's tensor: what does not fit on one is told to all.
template <class F>
Tensor checked(Call c, const Tensor& x, F&& check) {
  return or_kill(*c.group, kNames[int(c.way)], [&] {
    check(c);
    return apply(c, x);
  });
}
Tensor checked(const Call& c, const Tensor& x) {
  return checked(c, x, [](Call&) {});
}

void check_root(const Call& c) {
  if (c.root < 0 || c.root >= c.group->size())
    bad(c, Code::invalid_argument, concat("root must be 0 to ", c.group->size() - 1, ", got ", c.root),
        "root");
}
void check_mean(const Call& c) {
  if (c.op != ReduceOp::sum && c.op != ReduceOp::avg)
    bad(c, Code::invalid_argument, concat("joins by sum or avg, got ", dist::reduce_name(c.op)), "op");
}
void check_dim(Call& c, const Tensor& x) {
  if (!x.ndim()) bad(c, Code::shape, "takes a tensor of at least 1 dimension, got a scalar", "x");
  c.dim = wrap_dim(c.dim, x.ndim(), kNames[int(c.way)]);
}

Tensor joined(Call given, const Tensor& x) {
  return checked(std::move(given), x, [&](Call& c) {
    check_dim(c, x);
    const int64_t mine = x.size(c.dim),
                  n = c.rows.empty() ? mine * c.group->size() : std::reduce(c.rows.begin(), c.rows.end());
    check_rows(c, c.rows, n, "rows");
    if (c.rows[size_t(c.group->rank())] != mine)
      bad(c, Code::shape,
          concat("rank ", c.group->rank(), " has a size of ", mine, ", its row says ",
                 c.rows[size_t(c.group->rank())]),
          "rows");
  });
}

}  // namespace

Tensor all_reduce(const GroupRef& g, const Tensor& x, ReduceOp op) {
  const Call c{Way::all_reduce, g, op};
  if (thread_state().grad_enabled && x.requires_grad() && op != ReduceOp::sum && op != ReduceOp::avg)
    bad(c, Code::autograd, concat("has a gradient for sum and avg, not for ", dist::reduce_name(op)), "op",
        "detach() the tensor first");
  return checked(c, x);
}

Tensor broadcast(const GroupRef& g, const Tensor& x, int root) {
  Call c{Way::broadcast, g, ReduceOp::sum, root};
  check_root(c);
  return checked(c, x);
}

Tensor reduce(const GroupRef& g, const Tensor& x, int root, ReduceOp op) {
  Call c{Way::reduce, g, op, root};
  check_root(c);
  check_mean(c);
  return checked(c, x);
}

Tensor all_gather(const GroupRef& g, const Tensor& x, int64_t dim, const Rows& rows) {
  return joined({Way::all_gather, g, ReduceOp::sum, -1, dim, rows}, x);
}
Tensor gather_from(const GroupRef& g, const Tensor& x, int64_t dim, const Rows& rows) {
  return joined({Way::join, g, ReduceOp::sum, -1, dim, rows}, x);
}

Tensor reduce_scatter(const GroupRef& g, const Tensor& x, int64_t dim, ReduceOp op, const Rows& rows) {
  const Call given{Way::reduce_scatter, g, op, -1, dim, rows};
  check_mean(given);
  return checked(given, x, [&](Call& c) {
    check_dim(c, x);
    check_rows(c, c.rows, x.size(c.dim), "rows");
  });
}

Tensor all_to_all_single(const GroupRef& g, const Tensor& x, const Rows& out, const Rows& in) {
  return checked({Way::all_to_all, g, ReduceOp::sum, -1, 0, in, out}, x, [&](Call& c) {
    check_dim(c, x);
    check_rows(c, c.rows, x.size(0), "in");
    check_rows(c, c.from, out.empty() ? x.size(0) : std::reduce(out.begin(), out.end()), "out");
  });
}

Tensor copy_to(const GroupRef& g, const Tensor& x) { return checked({Way::copy, g}, x); }
Tensor reduce_from(const GroupRef& g, const Tensor& x) { return checked({Way::sum, g}, x); }

Tensor split_to(const GroupRef& g, const Tensor& x, int64_t dim) {
  return checked({Way::split, g, ReduceOp::sum, -1, dim}, x, [&](Call& c) {
    check_dim(c, x);
    c.rows = parts_of(x.size(c.dim), c.group->size());
  });
}

Part part_of(int64_t n, int ranks, int rank) {
  const int64_t whole = (n + ranks - 1) / ranks, begin = std::min(rank * whole, n);
  return {begin, std::min(whole, n - begin)};
}

Rows parts_of(int64_t n, int ranks) {
  Rows r;
  for (int i = 0; i < ranks; ++i) r.push_back(part_of(n, ranks, i).size);
  return r;
}

void sum_values(dist::Group& g, double* values, int64_t count) {
  Tensor t = new_tensor(IntList(&count, 1), DType::f64);
  const size_t bytes = size_t(count) * sizeof(double);
  if (bytes) std::memcpy(t.data<double>(), values, bytes);
  g.run(all_reduce_job(t, ReduceOp::sum));
  if (bytes) std::memcpy(values, t.data<double>(), bytes);
}

}  // namespace haft::parallel
