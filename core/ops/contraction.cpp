// Products over several dimensions, powers and distances.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

int64_t count_of(const Tensor& x, const Shape& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= x.size(d);
  return n;
}

// ---- einsum ----

// A tensor whose dimensions have labels.
struct Labelled {
  Shape labels;
  Tensor t;
  bool has(int64_t label) const { return std::ranges::count(labels, label) > 0; }
};

Labelled summed(Labelled x, auto&& keep) {
  Shape gone, left;
  for (int64_t i = 0; i < x.labels.size(); ++i)
    if (keep(x.labels[i]))
      left.push_back(x.labels[i]);
    else
      gone.push_back(i);
  if (gone.empty()) return x;
  return {left, sum(x.t, gone, false, x.t.dtype())};
}

// What only one of them has and nobody wants is summed first; then one batched product.
Labelled contract(Labelled a, Labelled b, auto&& wanted) {
  a = summed(a, [&](int64_t l) { return b.has(l) || wanted(l); });
  b = summed(b, [&](int64_t l) { return a.has(l) || wanted(l); });
  std::map<int64_t, int64_t> size;
  for (const Labelled* x : {&a, &b})
    for (int64_t i = 0; i < x->labels.size(); ++i) {
      int64_t& s = size.try_emplace(x->labels[i], 1).first->second;
      if (s == 1) s = x->t.size(i);
    }
  Shape batch, inner, only_a, only_b;
  for (int64_t l : a.labels) (!b.has(l) ? only_a : wanted(l) ? batch : inner).push_back(l);
  for (int64_t l : b.labels)
    if (!a.has(l)) only_b.push_back(l);
  auto numel = [&](const Shape& labels) {
    int64_t n = 1;
    for (int64_t l : labels) n *= size[l];
    return n;
  };
  auto arranged = [&](const Labelled& x, const Shape& second, const Shape& third) {
    Shape order, sizes;
    for (const Shape* group : {static_cast<const Shape*>(&batch), &second, &third})
      for (int64_t l : *group) {
        order.push_back(std::ranges::find(x.labels, l) - x.labels.begin());
        sizes.push_back(size[l]);
      }
    return reshape(expand(permute(x.t, order), sizes), Shape{numel(batch), numel(second), numel(third)});
  };
  Tensor y = bmm(arranged(a, only_a, inner), arranged(b, inner, only_b));
  Labelled out;
  Shape sizes;
  for (const Shape* group : {&batch, &only_a, &only_b})
    for (int64_t l : *group) {
      out.labels.push_back(l);
      sizes.push_back(size[l]);
    }
  out.t = reshape(y, sizes);
  return out;
}

// The diagonal of dimensions with the same label, which becomes the last.
Labelled without_repeats(Labelled x) {
  for (int64_t i = 0; i < x.labels.size(); ++i)
    for (int64_t j = i + 1; j < x.labels.size(); ++j)
      if (x.labels[i] == x.labels[j]) {
        const int64_t label = x.labels[i];
        x.t = diagonal(x.t, 0, i, j);
        x.labels.erase(j);
        x.labels.erase(i);
        x.labels.push_back(label);
        i = -1;
        break;
      }
  return x;
}

// A letter's label is its number; the dimensions under "..." have -1, the last of them, -2, ...
std::string label_text(int64_t label) {
  return label > 0 ? concat("'", std::string(1, char(label)), "'") : std::string("'...'");
}

// The subscripts of an operand, or of the result.
struct Subscripts {
  Shape before, after;  // "..."
  bool dots = false;
  Shape labels(int64_t under_dots) const {
    Shape all = before;
    for (int64_t l = -under_dots; l < 0; ++l) all.push_back(l);
    for (int64_t l : after) all.push_back(l);
    return all;
  }
};

Subscripts read_subscripts(std::string_view equation, std::string_view text) {
  Subscripts s;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      (s.dots ? s.after : s.before).push_back(c);
    } else if (!s.dots && text.substr(i, 3) == "...") {
      s.dots = true;
      i += 2;
    } else if (c != ' ') {
      fail(Code::invalid_argument,
           concat("[einsum] in \"", equation, "\" the subscripts \"", text, "\" have no letter at position ",
                  int64_t(i)),
           "letters, and ... at most once, as in \"...ij,jk->...ik\"", "equation");
    }
  }
  return s;
}

struct Equation {
  std::vector<Labelled> operands;
  Shape output;
};

Equation read_equation(std::string_view equation, std::span<const Tensor> xs) {
  Equation e;
  const size_t arrow = equation.find("->");
  std::string_view left = equation.substr(0, arrow);
  std::vector<std::string_view> texts;
  for (size_t comma; (comma = left.find(',')) != left.npos; left.remove_prefix(comma + 1))
    texts.push_back(left.substr(0, comma));
  texts.push_back(left);
  if (texts.size() != xs.size())
    fail(Code::invalid_argument,
         concat("[einsum] \"", equation, "\" has subscripts of ", int64_t(texts.size()), " operands, got ",
                int64_t(xs.size())),
         {}, "operands");
  std::map<int64_t, int64_t> times;  // that a letter stands there
  int64_t under_dots = 0;
  bool dots = false;
  for (size_t k = 0; k < xs.size(); ++k) {
    const Subscripts s = read_subscripts(equation, texts[k]);
    const int64_t more = xs[k].ndim() - s.before.size() - s.after.size();
    if (more < 0 || (more && !s.dots))
      fail(Code::shape,
           concat("[einsum] in \"", equation, "\" operand ", int64_t(k), " has ",
                  s.before.size() + s.after.size(), " subscripts, got shape ", xs[k].sizes()),
           "a letter for each dimension, or ... for those without", "operands");
    under_dots = std::max(under_dots, more);
    dots = dots || s.dots;
    e.operands.push_back({s.labels(more), xs[k]});
    for (int64_t l : e.operands.back().labels)
      if (l > 0) ++times[l];
  }
  if (arrow != equation.npos) {
    const Subscripts s = read_subscripts(equation, equation.substr(arrow + 2));
    e.output = s.labels(s.dots ? under_dots : 0);
    for (int64_t i = 0; i < e.output.size(); ++i)
      if (const int64_t l = e.output[i];
          l > 0 && (!times.count(l) || std::ranges::count(IntList(e.output).first(size_t(i)), l)))
        fail(Code::invalid_argument,
             concat("[einsum] the result of \"", equation, "\" has ", label_text(l),
                    times.count(l) ? " twice" : ", which no operand has"),
             {}, "equation");
    return e;
  }
  Subscripts implied{.dots = dots};
  for (const auto& [label, count] : times)
    if (count == 1) implied.after.push_back(label);
  e.output = implied.labels(under_dots);
  return e;
}

}  // namespace

Tensor uncast::einsum(std::string_view equation, std::span<const Tensor> xs) {
  if (xs.empty()) fail(Code::invalid_argument, "[einsum] needs at least one tensor", {}, "operands");
  Equation read = read_equation(equation, xs);
  std::vector<Labelled>& parts = read.operands;
  const Shape& output = read.output;
  std::map<int64_t, int64_t> size;
  for (Labelled& part : parts) {
    for (int64_t i = 0; i < part.labels.size(); ++i) {
      int64_t& s = size.try_emplace(part.labels[i], 1).first->second;
      if (const int64_t own = part.t.size(i); s != 1 && own != 1 && s != own)
        fail(Code::shape,
             concat("[einsum] in \"", equation, "\" ", label_text(part.labels[i]), " has sizes ", s, " and ",
                    own),
             "sizes of one letter are equal, or 1", "operands");
      if (s == 1) s = part.t.size(i);
    }
    part = without_repeats(part);
  }
  auto in_output = [&](int64_t l) { return std::ranges::count(output, l) > 0; };
  while (parts.size() > 1) {  // the pair whose product is smallest goes first
    size_t first = 0, second = 1;
    auto later = [&](size_t i, size_t j, int64_t l) {
      bool some = in_output(l);
      for (size_t k = 0; k < parts.size() && !some; ++k) some = k != i && k != j && parts[k].has(l);
      return some;
    };
    double least = INFINITY;
    for (size_t i = 0; parts.size() > 2 && i < parts.size(); ++i)
      for (size_t j = i + 1; j < parts.size(); ++j) {
        double n = 1;
        for (auto [label, s] : size)
          if ((parts[i].has(label) || parts[j].has(label)) && later(i, j, label)) n *= double(s);
        if (n < least) least = n, first = i, second = j;
      }
    Labelled both = contract(parts[first], parts[second], [&](int64_t l) { return later(first, second, l); });
    parts.erase(parts.begin() + int64_t(second));
    parts[first] = std::move(both);
  }
  Labelled y = summed(parts[0], in_output);
  Shape order;
  for (int64_t l : output) order.push_back(std::ranges::find(y.labels, l) - y.labels.begin());
  return permute(y.t, order);
}

// ---- products ----

Tensor uncast::tensordot(const Tensor& a, const Tensor& b, IntList dims_self, IntList dims_other) {
  auto wrapped = [](const Tensor& x, IntList dims, const char* name) {
    Shape out;
    for (int64_t d : dims) out.push_back(wrap_dim(d, x.ndim(), "tensordot", name));
    return out;
  };
  Shape of_a = wrapped(a, dims_self, "dims_self"), of_b = wrapped(b, dims_other, "dims_other"), kept_a,
        kept_b, sizes;
  if (of_a.size() != of_b.size())
    fail(Code::invalid_argument,
         concat("[tensordot] as many dimensions of both are summed, got ", dims_self, " and ", dims_other),
         {}, "dims_other");
  Shape spread_a, spread_b;  // over a size of 1 the other's elements are summed first
  for (int64_t i = 0; i < of_a.size(); ++i) {
    const int64_t n = a.size(of_a[i]), m = b.size(of_b[i]);
    if ((n != m && n != 1 && m != 1) || std::ranges::count(of_a, of_a[i]) > 1 ||
        std::ranges::count(of_b, of_b[i]) > 1)
      fail(Code::shape,
           concat("[tensordot] dimensions ", dims_self, " of shape ", a.sizes(), " do not fit to ",
                  dims_other, " of shape ", b.sizes()),
           "they have equal sizes, or one of them is 1; each stands once", "dims_self");
    if (n != m) (m == 1 ? spread_a : spread_b).push_back(m == 1 ? of_a[i] : of_b[i]);
  }
  if (!spread_a.empty() || !spread_b.empty())
    return tensordot(spread_a.empty() ? a : sum(a, spread_a, true, a.dtype()),
                     spread_b.empty() ? b : sum(b, spread_b, true, b.dtype()), dims_self, dims_other);
  for (int64_t d = 0; d < a.ndim(); ++d)
    if (!std::ranges::count(of_a, d)) kept_a.push_back(d), sizes.push_back(a.size(d));
  for (int64_t d = 0; d < b.ndim(); ++d)
    if (!std::ranges::count(of_b, d)) kept_b.push_back(d), sizes.push_back(b.size(d));
  const int64_t inner = count_of(a, of_a), rows = count_of(a, kept_a), columns = count_of(b, kept_b);
  for (int64_t d : of_a) kept_a.push_back(d);
  for (int64_t d : kept_b) of_b.push_back(d);
  return reshape(
      mm(reshape(permute(a, kept_a), Shape{rows, inner}), reshape(permute(b, of_b), Shape{inner, columns})),
      sizes);
}

Tensor uncast::inner(const Tensor& a, const Tensor& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return a * b;
  if (a.size(-1) != b.size(-1))
    fail(Code::shape,
         concat("[inner] the last dimensions of shapes ", a.sizes(), " and ", b.sizes(), " differ"), {},
         "other");
  return tensordot(a, b, Shape{-1}, Shape{-1});
}

// As Cormen et al. order it: cheapest[i][j] for the matrices i..j.
Tensor uncast::chain_matmul(std::span<const Tensor> given) {
  const size_t n = given.size();
  if (!n) fail(Code::invalid_argument, "[chain_matmul] needs at least one matrix", {}, "matrices");
  std::vector<Tensor> xs(given.begin(), given.end());
  const bool row = n > 1 && xs[0].ndim() == 1, column = n > 1 && xs[n - 1].ndim() == 1;
  if (row) xs[0] = unsqueeze(xs[0], 0);
  if (column) xs[n - 1] = unsqueeze(xs[n - 1], 1);
  for (size_t i = 0; i < n; ++i)
    if (xs[i].ndim() != 2)
      fail(Code::shape, concat("[chain_matmul] tensor ", int64_t(i), " has shape ", xs[i].sizes()),
           "all are matrices; the first and the last may be vectors", "matrices");
  std::vector<std::vector<double>> cost(n, std::vector<double>(n));
  std::vector<std::vector<size_t>> cut(n, std::vector<size_t>(n));
  for (size_t length = 2; length <= n; ++length)
    for (size_t i = 0, j = length - 1; j < n; ++i, ++j) {
      cost[i][j] = INFINITY;
      for (size_t k = i; k < j; ++k) {
        const double c = cost[i][k] + cost[k + 1][j] +
                         double(xs[i].size(0)) * double(xs[k].size(1)) * double(xs[j].size(1));
        if (c < cost[i][j]) cost[i][j] = c, cut[i][j] = k;
      }
    }
  auto product = [&](auto&& self, size_t i, size_t j) -> Tensor {
    return i == j ? xs[i] : mm(self(self, i, cut[i][j]), self(self, cut[i][j] + 1, j));
  };
  Tensor y = n > 1 ? product(product, 0, n - 1) : alias(xs[0]);
  if (column) y = squeeze(y, 1);
  return row ? squeeze(y, 0) : y;
}

// In 16 bits by products of matrices, whose sums have more. Of complex x the conjugates are taken.
Tensor uncast::vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  if (is_complex(x.dtype())) return sum(conj(x) * y, IntList(&dim, 1));
  if (!is_float(x.dtype()) || x.dtype() != y.dtype() || x.dtype() == wide_dtype(x.dtype()))
    return sum(x * y, IntList(&dim, 1));
  const int64_t last[] = {-1};
  const Tensor row = unsqueeze(movedim(x, IntList(&dim, 1), last), -2),
               column = unsqueeze(movedim(y, IntList(&dim, 1), last), -1);
  return squeeze(squeeze(matmul(row, column), -1), -1);
}

Tensor uncast::matrix_power(const Tensor& given, int64_t n) {
  if (given.ndim() < 2 || given.size(-1) != given.size(-2))
    fail(Code::shape, concat("[matrix_power] takes square matrices, got shape ", given.sizes()), {}, "input");
  if (n == INT64_MIN) {  // which has no positive one
    const Tensor half = matrix_power(linalg_inv(given), -(n / 2));
    return matmul(half, half);
  }
  if (n < 0) return matrix_power(linalg_inv(given), -n);
  if (n == 0)  // with a gradient, which is 0
    return masked_fill(given, ones(given.sizes(), DType::boolean, given.device()), 0.0) +
           eye(given.size(-1), -1, given.dtype(), given.device());
  Tensor square = given, y;
  for (;; square = matmul(square, square)) {
    if (n & 1) y = y.defined() ? matmul(y, square) : square;
    if (!(n >>= 1)) return y.impl() == given.impl() ? clone(y) : y;
  }
}

Tensor kron(const Tensor& a, const Tensor& b) {
  const int64_t n = std::max(a.ndim(), b.ndim());
  if (2 * n > HAFT_MAX_DIMS)
    fail(Code::shape, concat("[kron] takes at most ", HAFT_MAX_DIMS / 2, " dimensions, got ", n), {},
         "input");
  Shape of_a, of_b, sizes;
  for (int64_t d = 0; d < n; ++d) {
    const int64_t p = d < n - a.ndim() ? 1 : a.size(d - n + a.ndim()),
                  q = d < n - b.ndim() ? 1 : b.size(d - n + b.ndim());
    for (int64_t s : {p, int64_t(1)}) of_a.push_back(s);
    for (int64_t s : {int64_t(1), q}) of_b.push_back(s);
    sizes.push_back(p * q);
  }
  return reshape(reshape(a, of_a) * reshape(b, of_b), sizes);
}

// ---- distances ----

Tensor uncast::dist(const Tensor& a, const Tensor& b, double p) { return ops::norm(a - b, p); }

Tensor uncast::cdist(const Tensor& a, const Tensor& b, double p) {
  if (a.ndim() < 2 || b.ndim() < 2 || a.size(-1) != b.size(-1))
    fail(Code::shape,
         concat("[cdist] takes rows of one length, (*, P, M) and (*, R, M); got shapes ", a.sizes(), " and ",
                b.sizes()),
         {}, "x2");
  if (!(p >= 0)) fail(Code::invalid_argument, concat("[cdist] p must not be negative, got ", p), {}, "p");
  Tensor d = unsqueeze(a, -2) - unsqueeze(b, -3);
  // Rows of no elements are 0 apart by any norm.
  return d.size(-1) ? ops::norm(d, p, Shape{-1}) : sum(d, Shape{-1});
}

Tensor uncast::pdist(const Tensor& x, double p) {
  if (x.ndim() != 2)
    fail(Code::shape, concat("[pdist] takes rows (N, M), got shape ", x.sizes()), {}, "input");
  if (!(p >= 0)) fail(Code::invalid_argument, concat("[pdist] p must not be negative, got ", p), {}, "p");
  const Tensor pairs = triu_indices(x.size(0), x.size(0), 1, DType::i64, x.device());
  const Tensor d = index_select(x, 0, select(pairs, 0, 0)) - index_select(x, 0, select(pairs, 0, 1));
  return d.size(1) ? ops::norm(d, p, Shape{-1}) : sum(d, Shape{-1});
}

Tensor uncast::renorm(const Tensor& x, double p, int64_t dim, double maxnorm) {
  if (x.ndim() < 2)
    fail(Code::shape, concat("[renorm] wants at least 2 dimensions, got shape ", x.sizes()), {}, "input");
  if (!(p > 0)) fail(Code::invalid_argument, concat("[renorm] p must be positive, got ", p), {}, "p");
  if (!(maxnorm >= 0))
    fail(Code::invalid_argument, concat("[renorm] maxnorm must not be negative, got ", maxnorm), {},
         "maxnorm");
  const int64_t own = wrap_dim(dim, x.ndim(), "renorm");
  Shape others;
  for (int64_t d = 0; d < x.ndim(); ++d)
    if (d != own) others.push_back(d);
  Tensor length = norm(x, p, others, true);
  return x * where(gt_scalar(length, maxnorm), rdiv_scalar(length + 1e-7, maxnorm), ones_like(length));
}

}  // namespace haft::ops
