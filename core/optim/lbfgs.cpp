#include "core/optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/autograd/hooks.h"
#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"
#include "core/optim/optimizer.h"
#include "core/optim/rules.h"
#include "core/tape/tape.h"
#include "core/tensor/row_gradient.h"

namespace haft {

namespace {

using LbfgsOption = rules::rule_LBFGS<double>;

double number(const Tensor& t) { return item(t).to_double(); }

// Sums of products and of sizes in double, whatever the parameters are: a line search decides by their differences.
double dot(const Tensor& a, const Tensor& b) {
  return number(ops::sum(ops::mul(a, b), {}, false, DType::f64));
}
double largest(const Tensor& x) { return x.numel() ? number(ops::amax(ops::abs(x))) : 0; }

void add_to(const Tensor& y, const Tensor& x, double factor) {
  ops::add_(y, ops::mul_scalar(x, Scalar(factor)));
}

struct Point {
  double t, value;
  Tensor gradient;
  double slope;
};

// Where the cubic through two values and slopes is lowest, within the bounds.
double cubic_minimum(const Point& a, const Point& b, std::pair<double, double> bounds) {
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t),
               square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (bounds.first + bounds.second) / 2;
  const double d2 = std::sqrt(square);
  const double at = a.t <= b.t ? b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
                               : a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
  return std::min(std::max(at, bounds.first), bounds.second);
}

class Search {
  std::span<const Tensor> parameters_;
  const LossClosure& closure_;
  const bool climbs_;  // then all of this goes down the negated loss
  std::vector<Tensor> before_;

 public:
  int64_t calls = 0;
  Tensor first;  // the first loss

  Search(std::span<const Tensor> parameters, const LossClosure& closure, bool climbs)
      : parameters_(parameters), closure_(closure), climbs_(climbs) {}

  double loss() {
    ++calls;
    ScopedValue<bool> recording(thread_state().grad_enabled, true);
    Tensor l = closure_();
    if (!l.defined() || l.numel() != 1)
      fail(Code::callback, "LBFGS: the closure must answer the loss, a tensor of one element");
    NoGradGuard off;
    const double value = number(ops::detach(l));
    if (!first.defined()) first = std::move(l);
    return climbs_ ? -value : value;
  }
  Tensor gradient() const {
    std::vector<Tensor> parts;
    for (const Tensor& p : parameters_) {
      Tensor g = gradient_of(p);
      if (g.defined() && is_rows(g))
        fail_rows_refused(optimizer_kind(OptimizerId::LBFGS), "its directions are of all elements");
      parts.push_back(
          ops::reshape(g.defined() ? ops::detach(g) : ops::zeros_like(ops::detach(p)), Shape{-1}));
    }
    Tensor all = parts.size() == 1 ? ops::clone(parts[0]) : ops::cat(parts);
    return climbs_ ? ops::neg_(all) : all;
  }
  void move(const Tensor& direction, double t) const {
    int64_t at = 0;
    for (const Tensor& p : parameters_) {
      const int64_t n = p.numel();
      add_to(p, ops::reshape(ops::narrow(direction, 0, at, n), p.sizes()), t);
      at += n;
    }
  }
  void hold() {
    before_.clear();
    for (const Tensor& p : parameters_) before_.push_back(ops::clone(ops::detach(p)));
  }
  Point evaluate(const Tensor& direction, double t) {
    move(direction, t);
    Point at{t, loss(), gradient(), 0};
    for (size_t i = 0; i < parameters_.size(); ++i) ops::copy_(parameters_[i], before_[i]);
    at.slope = dot(at.gradient, direction);
    return at;
  }
  // A step that lowers value and slope enough (the strong Wolfe conditions), or the best that so many evaluations
  // after the first find.
  Point strong_wolfe(const Tensor& d, const Point& start, double t, double most) {
    constexpr double c1 = 1e-4, c2 = 0.9, tolerance = 1e-9;
    hold();
    const double size = largest(d);
    Point now = evaluate(d, t), last = start;
    std::vector<Point> bracket;
    bool done = false;
    int round = 0;
    for (; double(round) < most; ++round) {
      if (now.value > start.value + c1 * now.t * start.slope || (round > 1 && now.value >= last.value)) {
        bracket = {last, now};
        break;
      }
      if (std::abs(now.slope) <= -c2 * start.slope) {
        bracket = {now};
        done = true;
        break;
      }
      if (now.slope >= 0) {
        bracket = {last, now};
        break;
      }
      const double next = cubic_minimum(last, now, {now.t + 0.01 * (now.t - last.t), now.t * 10});
      last = std::exchange(now, evaluate(d, next));
    }
    if (bracket.empty()) bracket = {start, now};
    // Between the two ends, of which `low` has the lower value.
    size_t low = bracket.size() == 1 || bracket[0].value <= bracket[1].value ? 0 : 1;
    for (bool stuck = false; !done && double(round) < most; ++round) {
      const double left = std::min(bracket[0].t, bracket[1].t), right = std::max(bracket[0].t, bracket[1].t);
      if ((right - left) * size < tolerance) break;
      t = cubic_minimum(bracket[0], bracket[1], {left, right});
      const double edge = 0.1 * (right - left);
      if (std::min(right - t, t - left) < edge) {
        // Too close to an end for the second time, or outside: well inside instead.
        const bool inside = !stuck && t < right && t > left;
        if (!inside) t = std::abs(t - right) < std::abs(t - left) ? right - edge : left + edge;
        stuck = inside;
      } else {
        stuck = false;
      }
      Point at = evaluate(d, t);
      const size_t high = 1 - low;
      if (at.value > start.value + c1 * at.t * start.slope || at.value >= bracket[low].value) {
        bracket[high] = std::move(at);
        low = bracket[0].value <= bracket[1].value ? 0 : 1;
      } else {
        done = std::abs(at.slope) <= -c2 * start.slope;
        if (!done && at.slope * (bracket[high].t - bracket[low].t) >= 0) bracket[high] = bracket[low];
        bracket[low] = std::move(at);
      }
    }
    return bracket[low];
  }
};

// The direction: the gradient through the inverse Hessian that the history stands for.
Tensor direction(const LbfgsMemory& m, const Tensor& gradient) {
  Tensor q = ops::neg(gradient);
  const size_t n = m.old_dirs.size();
  std::vector<double> al(n);
  for (size_t i = n; i-- > 0;) {
    al[i] = dot(m.old_stps[i], q) * m.ro[i];
    add_to(q, m.old_dirs[i], -al[i]);
  }
  ops::mul_scalar_(q, Scalar(m.h_diag));
  for (size_t i = 0; i < n; ++i) add_to(q, m.old_stps[i], al[i] - dot(m.old_dirs[i], q) * m.ro[i]);
  return q;
}

void remember(LbfgsMemory& m, const Tensor& gradient, size_t most) {
  Tensor y = ops::sub(gradient, m.prev_flat_grad), s = ops::mul_scalar(m.d, Scalar(m.t));
  const double ys = dot(y, s);
  if (!(ys > 1e-10)) return;
  while (m.old_dirs.size() >= most) {
    m.old_dirs.erase(m.old_dirs.begin());
    m.old_stps.erase(m.old_stps.begin());
    m.ro.erase(m.ro.begin());
  }
  m.h_diag = ys / dot(y, y);
  m.old_dirs.push_back(std::move(y));
  m.old_stps.push_back(std::move(s));
  m.ro.push_back(1 / ys);
}

}  // namespace

Tensor lbfgs_step(std::span<const Tensor> parameters, std::span<const double> o, LbfgsMemory& memory,
                  const LossClosure& closure) {
  NoGradGuard no_grad;
  LbfgsMemory m = memory;
  if (m.n_iter && (!m.d.defined() || !m.prev_flat_grad.defined() || m.old_dirs.size() != m.ro.size() ||
                   m.old_stps.size() != m.ro.size()))
    fail(Code::invalid_argument, "LBFGS: only a part of its state was set",
         "set d, prev_flat_grad and equally many old_dirs, old_stps and ro", "o");
  Search search(parameters, closure, o[LbfgsOption::maximize] != 0);
  const double most = o[LbfgsOption::max_iter], small = o[LbfgsOption::tolerance_grad],
               change = o[LbfgsOption::tolerance_change];
  const double evaluations =
      o[LbfgsOption::max_eval] < 0 ? std::floor(most * 5 / 4) : o[LbfgsOption::max_eval];
  double loss = search.loss();
  Tensor gradient = search.gradient();
  bool settled = !(largest(gradient) > small);
  for (int64_t n = 1; !settled && double(n) <= most; ++n) {
    ++m.n_iter;
    if (m.n_iter == 1) {
      m.d = ops::neg(gradient);
      m.h_diag = 1;
    } else {
      remember(m, gradient, size_t(o[LbfgsOption::history_size]));
      m.d = direction(m, gradient);
    }
    m.prev_flat_grad = gradient;
    m.prev_loss = loss;
    m.t = o[LbfgsOption::lr];
    if (m.n_iter == 1) m.t *= std::min(1.0, 1 / number(ops::sum(ops::abs(gradient), {}, false, DType::f64)));
    const double slope = dot(gradient, m.d);
    if (slope > -change) break;
    if (o[LbfgsOption::strong_wolfe] != 0) {
      const Point at =
          search.strong_wolfe(m.d, {0, loss, gradient, slope}, m.t, evaluations - double(search.calls));
      loss = at.value;
      gradient = at.gradient;
      m.t = at.t;
      search.move(m.d, m.t);
      settled = largest(gradient) <= small;
    } else {
      search.move(m.d, m.t);
      if (double(n) != most) {
        loss = search.loss();
        gradient = search.gradient();
        settled = largest(gradient) <= small;
      }
    }
    settled = settled || double(search.calls) >= evaluations || std::abs(m.t) * largest(m.d) <= change ||
              std::abs(loss - m.prev_loss) < change;
  }
  m.func_evals += search.calls;
  memory = std::move(m);
  return search.first;
}

void LbfgsMemory::set(std::string_view name, const Tensor& value, const Tensor& p, int64_t size) {
  auto vector = [&] {
    if (value.ndim() != 1 || value.numel() != size)
      fail(Code::shape,
           concat("LBFGS: ", name, " has shape ", value.sizes(), ", the parameters have ", size, " elements"),
           {}, "value");
    return ops::clone(ops::to(ops::detach(value), p.dtype(), p.device()));
  };
  auto put = [&](auto& list, auto entry) {
    const std::string_view digits = name.substr(name.find('.') + 1);
    size_t i = 0;
    for (char c : digits)
      i = c >= '0' && c <= '9' && i <= list.size() ? 10 * i + size_t(c - '0') : list.size() + 1;
    if (digits.empty() || i > list.size())
      fail(Code::invalid_argument,
           concat("LBFGS: ", name, " does not follow the ", int64_t(list.size()), " that there are"), {},
           "name");
    if (i == list.size()) list.emplace_back();
    list[i] = std::move(entry);
  };
  if (name == "func_evals")
    func_evals = to_count(number(value), "LBFGS", "func_evals", "value");
  else if (name == "n_iter")
    n_iter = to_count(number(value), "LBFGS", "n_iter", "value");
  else if (name == "t")
    t = number(value);
  else if (name == "H_diag")
    h_diag = number(value);
  else if (name == "prev_loss")
    prev_loss = number(value);
  else if (name == "d")
    d = vector();
  else if (name == "prev_flat_grad")
    prev_flat_grad = vector();
  else if (name.starts_with("old_dirs."))
    put(old_dirs, vector());
  else if (name.starts_with("old_stps."))
    put(old_stps, vector());
  else if (name.starts_with("ro."))
    put(ro, number(value));
  else
    fail(Code::invalid_argument, concat("LBFGS: remembers no '", name, "'"), {}, "name");
}

void LbfgsMemory::write(const std::string& prefix, std::map<std::string, Tensor>& tensors,
                        std::map<std::string, double>& numbers) const {
  if (empty()) return;
  numbers[prefix + "func_evals"] = double(func_evals);
  numbers[prefix + "n_iter"] = double(n_iter);
  if (!d.defined()) return;
  numbers[prefix + "t"] = t;
  numbers[prefix + "H_diag"] = h_diag;
  numbers[prefix + "prev_loss"] = prev_loss;
  tensors[prefix + "d"] = d;
  tensors[prefix + "prev_flat_grad"] = prev_flat_grad;
  for (size_t i = 0; i < ro.size(); ++i) {
    tensors[concat(prefix, "old_dirs.", int64_t(i))] = old_dirs[i];
    tensors[concat(prefix, "old_stps.", int64_t(i))] = old_stps[i];
    numbers[concat(prefix, "ro.", int64_t(i))] = ro[i];
  }
}

LbfgsMemory LbfgsMemory::read(const std::string& prefix, const std::map<std::string, Tensor>& tensors,
                              const std::map<std::string, double>& numbers, const Tensor& p, int64_t size) {
  LbfgsMemory m;
  auto value = [&](const std::string& name) {
    auto it = numbers.find(prefix + name);
    if (it == numbers.end())
      fail(Code::invalid_argument, concat("LBFGS: the state lacks '", prefix, name, "'"), {}, "state");
    return it->second;
  };
  auto vector = [&](const std::string& name) {
    auto it = tensors.find(prefix + name);
    if (it == tensors.end())
      fail(Code::invalid_argument, concat("LBFGS: the state lacks '", prefix, name, "'"), {}, "state");
    if (it->second.ndim() != 1 || it->second.numel() != size)
      fail(Code::shape,
           concat("LBFGS: '", it->first, "' has shape ", it->second.sizes(), ", the parameters have ", size,
                  " elements"),
           {}, "state");
    return ops::clone(ops::to(ops::detach(it->second), p.dtype(), p.device()));
  };
  if (!numbers.count(prefix + "func_evals")) return m;
  m.func_evals = to_count(value("func_evals"), "LBFGS", "func_evals", "state");
  m.n_iter = to_count(value("n_iter"), "LBFGS", "n_iter", "state");
  if (!m.n_iter) return m;
  m.t = value("t");
  m.h_diag = value("H_diag");
  m.prev_loss = value("prev_loss");
  m.d = vector("d");
  m.prev_flat_grad = vector("prev_flat_grad");
  for (int64_t i = 0; tensors.count(concat(prefix, "old_dirs.", i)); ++i) {
    m.old_dirs.push_back(vector(concat("old_dirs.", i)));
    m.old_stps.push_back(vector(concat("old_stps.", i)));
    m.ro.push_back(value(concat("ro.", i)));
  }
  return m;
}

}  // namespace haft
