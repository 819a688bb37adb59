// Records of losses.
#include <algorithm>
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

enum { kNoReduction = 0, kMean = 1, kSum = 2 };

Array reduce(const Array& loss, int64_t reduction, double count = -1) {
  if (reduction == kNoReduction) return loss;
  double s = 0;
  for (double v : loss.v) s += v;
  return Array(Sizes{}, reduction == kSum ? s : s / (count < 0 ? double(loss.v.size()) : count));
}

// A loss of each element, in every reduction.
void add_elementwise(Record& r, std::vector<Input> inputs, const std::function<Tensor(Ins, int64_t)>& call,
                     const std::function<double(const double*)>& f) {
  for (int64_t reduction : {kNoReduction, kMean, kSum})
    r.add(
        inputs, [call, reduction](Ins t) -> Outs { return call(t, reduction); },
        [f, reduction](const Arrays& in) -> Arrays {
          Array loss(in[0].sizes);
          for (size_t k = 0; k < loss.v.size(); ++k) {
            double x[4];
            for (size_t i = 0; i < in.size(); ++i)
              x[i] = in[i].defined ? in[i].v[in[i].v.size() == 1 ? 0 : k % in[i].v.size()] : 1;
            loss.v[k] = f(x);
          }
          return {reduce(loss, reduction)};
        });
  const int64_t none = r.name == "kl_div" ? 4 : 3;  // whose 3 is batchmean
  r.bad(inputs, [call, none](Ins t) -> Outs { return call(t, none); }, Code::invalid_argument,
        {"[" + r.name + "]", "reduction", std::to_string(none)});
}

// Rows of log-probabilities of x (N, C, ...): position of the class dimension is 1, or 0 for a vector.
struct Classes {
  Sizes x;
  size_t dim() const { return x.size() == 1 ? 0 : 1; }
  Sizes target() const {
    Sizes s = x;
    s.erase(s.begin() + int64_t(dim()));
    return s;
  }
};
Array log_probabilities(const Array& x, size_t dim) {
  Array y = x;
  Sizes lines = x.sizes;
  lines[dim] = 1;
  each_index(lines, [&](Sizes i) {
    double sum = 0;
    for (i[dim] = 0; i[dim] < x.sizes[dim]; ++i[dim]) sum += std::exp(x[i]);
    for (i[dim] = 0; i[dim] < x.sizes[dim]; ++i[dim]) y[i] = x[i] - std::log(sum);
  });
  return y;
}

// -sum over classes of q log p with q = (1 - smoothing) [class is target] + smoothing / C, both times the weight.
Arrays class_loss(const Array& log_p, const Array& target, const Array& weight, int64_t reduction,
                  int64_t ignore, double smoothing) {
  size_t dim = log_p.sizes.size() == 1 ? 0 : 1;
  int64_t classes = log_p.sizes[dim];
  double total_weight = 0;
  Array loss = make_array(target.sizes, [&](const Sizes& i) {
    int64_t t = int64_t(target[i]);
    if (t == ignore) return 0.0;
    double w = weight.defined ? weight.v[size_t(t)] : 1, s = 0;
    total_weight += w;
    Sizes at = i;
    at.insert(at.begin() + int64_t(dim), 0);
    for (int64_t c = 0; c < classes; ++c) {
      at[dim] = c;
      double q = (c == t ? 1 - smoothing : 0) + smoothing / double(classes);
      s -= q * (weight.defined ? weight.v[size_t(c)] : 1) * log_p[at];
    }
    return s;
  });
  return {reduce(loss, reduction, total_weight)};
}

Input with_ignored(Input target, double ignore) {
  target.fix = [ignore](Array& a) {
    if (a.v.size() > 1) a.v[1] = ignore;
  };
  return target;
}

double log_limited(double x) { return std::max(std::log(x), -100.0); }

Input signs(Sizes sizes) {
  return real(std::move(sizes)).constant().fixed([](Array& a) {
    for (double& v : a.v) v = v < 0 ? -1 : 1;
  });
}

double hinge(double x) { return std::max(x, 0.0); }

// A loss of each row of `rows`, in every reduction, which the call takes last.
void add_rows(Record& r, std::vector<Input> inputs, const std::function<Tensor(Ins, int64_t)>& call,
              int64_t rows, const std::function<double(const Arrays&, int64_t)>& f) {
  for (int64_t reduction : {kNoReduction, kMean, kSum})
    r.add(
        inputs, [call, reduction](Ins t) -> Outs { return call(t, reduction); },
        [f, reduction, rows](const Arrays& in) -> Arrays {
          Array loss({rows});
          for (int64_t k = 0; k < rows; ++k) loss.v[size_t(k)] = f(in, k);
          return {reduce(loss, reduction)};
        });
  r.bad(inputs, [call](Ins t) -> Outs { return call(t, 3); }, Code::invalid_argument,
        {"[" + r.name + "]", "reduction", "3"});
}

void add_margins(Records& r) {
  const Input x = real({3, 4});
  auto record = [&](const char* name) -> Record& { return r.op(name).on(kFloats, 0).tolerance(8, 8); };
  for (bool full : {false, true}) {
    if (!full) record("poisson_nll_loss");
    auto stirling = [full](double t) {
      return full && t > 1 ? t * std::log(t) - t + std::log(2 * M_PI * t) / 2 : 0;
    };
    add_elementwise(
        r.all.back(), {x, real({3, 4}, 0.1, 4)},
        [full](Ins t, int64_t k) { return ops::poisson_nll_loss(t[0], t[1], true, full, 1e-8, k); },
        [=](const double* v) { return std::exp(v[0]) - v[1] * v[0] + stirling(v[1]); });
    add_elementwise(
        r.all.back(), {real({3, 4}, 0.2, 3), real({3, 4}, 0.1, 4)},
        [full](Ins t, int64_t k) { return ops::poisson_nll_loss(t[0], t[1], false, full, 0.01, k); },
        [=](const double* v) { return v[0] - v[1] * std::log(v[0] + 0.01) + stirling(v[1]); });
  }
  Record& gaussian = record("gaussian_nll_loss");
  add_elementwise(
      gaussian, {x, x, real({3, 4}, 0.5, 2)},
      [](Ins t, int64_t k) { return ops::gaussian_nll_loss(t[0], t[1], t[2], true, 1e-6, k); },
      [](const double* v) {
        return (std::log(2 * M_PI) + std::log(v[2]) + (v[0] - v[1]) * (v[0] - v[1]) / v[2]) / 2;
      });
  for (const Sizes& var :
       {Sizes{3}, Sizes{3, 1},
        Sizes{1, 4}})  // one a row or a column; the least is below eps, and takes its gradient all the same
    gaussian
        .add({x, x, real(var, 0.5, 2).fixed([](Array& a) { a.v[0] = 0.25; })},
             CALL(ops::gaussian_nll_loss(t[0], t[1], t[2], false, 0.375, kSum)),
             [](const Arrays& in) -> Arrays {
               double s = 0;
               each_index({3, 4}, [&](const Sizes& i) {
                 const double v = std::max(in[2].v[size_t(i[in[2].size(0) == 1])], 0.375),
                              d = in[0][i] - in[1][i];
                 s += (std::log(v) + d * d / v) / 2;
               });
               return {Array({}, s)};
             })
        .no_grad();
  gaussian
      .bad({x, x, real({3, 4}, 0.5, 2).fixed([](Array& a) { a.v[2] = -1; })},
           CALL(ops::gaussian_nll_loss(t[0], t[1], t[2])), Code::invalid_argument,
           {"[gaussian_nll_loss]", "negative", "-1"})
      .bad({x, x, real({4}, 0.5, 2)}, CALL(ops::gaussian_nll_loss(t[0], t[1], t[2])), Code::shape,
           {"[gaussian_nll_loss]", "[4]", "[3, 4]"});

  add_elementwise(
      record("hinge_embedding_loss"), {x, signs({3, 4})},
      [](Ins t, int64_t k) { return ops::hinge_embedding_loss(t[0], t[1], 1.03, k); },
      [](const double* v) { return v[1] == 1 ? v[0] : hinge(1.03 - v[0]); });
  add_elementwise(
      record("soft_margin_loss"), {x, signs({3, 4})},
      [](Ins t, int64_t k) { return ops::soft_margin_loss(t[0], t[1], k); },
      [](const double* v) { return std::log1p(std::exp(-v[1] * v[0])); });
  Record& ranking = record("margin_ranking_loss");
  add_elementwise(
      ranking, {x, x, signs({3, 4})},
      [](Ins t, int64_t k) { return ops::margin_ranking_loss(t[0], t[1], t[2], 0.31, k); },
      [](const double* v) { return hinge(-v[2] * (v[0] - v[1]) + 0.31); });
  ranking.bad({x, real({4}), signs({3, 4})}, CALL(ops::margin_ranking_loss(t[0], t[1], t[2])), Code::shape,
              {"[margin_ranking_loss]", "[3, 4]", "[4]"});
  ranking.bad({x, x, signs({4})}, CALL(ops::margin_ranking_loss(t[0], t[1], t[2])), Code::shape,
              {"[margin_ranking_loss]", "[3, 4]", "[4]"});

  auto cosine = [](const Arrays& in, int64_t row) {
    double dot = 0, a = 0, b = 0;
    for (int64_t c = 0; c < 4; ++c) {
      const double u = in[0].v[size_t(4 * row + c)], v = in[1].v[size_t(4 * row + c)];
      dot += u * v, a += u * u, b += v * v;
    }
    return dot / std::sqrt(a * b);
  };
  Record& embedding = record("cosine_embedding_loss");
  add_rows(
      embedding, {x, x, signs({3})},
      [](Ins t, int64_t k) { return ops::cosine_embedding_loss(t[0], t[1], t[2], 0.13, k); }, 3,
      [cosine](const Arrays& in, int64_t k) {
        return in[2].v[size_t(k)] == 1 ? 1 - cosine(in, k) : hinge(cosine(in, k) - 0.13);
      });
  embedding
      .add({real({4}), real({4}), signs({})}, CALL(ops::cosine_embedding_loss(t[0], t[1], t[2])),
           [cosine](const Arrays& in) -> Arrays {
             return {Array({}, in[2].v[0] == 1 ? 1 - cosine(in, 0) : hinge(cosine(in, 0)))};
           })
      .bad({x, x, signs({3, 4})}, CALL(ops::cosine_embedding_loss(t[0], t[1], t[2])), Code::shape,
           {"[cosine_embedding_loss]", "[3, 4]"})
      .bad({real({4}), x, signs({3})}, CALL(ops::cosine_embedding_loss(t[0], t[1], t[2])), Code::shape,
           {"[cosine_embedding_loss]", "[4]", "[3, 4]"});

  Record& triplet = record("triplet_margin_loss");
  auto distance = [](const Array& a, const Array& b, int64_t row) {
    double s = 0;
    for (size_t c = size_t(4 * row); c < size_t(4 * row + 4); ++c)
      s += (a.v[c] - b.v[c] + 0.01) * (a.v[c] - b.v[c] + 0.01);
    return std::sqrt(s);
  };
  for (bool swap : {false, true})
    add_rows(
        triplet, {x, x, x},
        [swap](Ins t, int64_t k) {
          return ops::triplet_margin_loss(t[0], t[1], t[2], 0.9, 2, 0.01, swap, k);
        },
        3,
        [=](const Arrays& in, int64_t k) {
          double far = distance(in[0], in[2], k);
          if (swap) far = std::min(far, distance(in[1], in[2], k));
          return hinge(distance(in[0], in[1], k) - far + 0.9);
        });
  triplet.bad({x, real({4}), x}, CALL(ops::triplet_margin_loss(t[0], t[1], t[2])), Code::shape,
              {"[triplet_margin_loss]", "1D"});

  Record& margins = record("multi_margin_loss");
  for (int64_t p : {1, 2})
    add_rows(
        margins, {x, index_below({3}, 4), p == 2 ? real({4}, 0.2, 2).constant() : absent()},
        [p](Ins t, int64_t k) { return ops::multi_margin_loss(t[0], t[1], t[2], p, 0.83, k); }, 3,
        [p](const Arrays& in, int64_t row) {
          const int64_t own = int64_t(in[1].v[size_t(row)]);
          double s = 0;
          for (int64_t c = 0; c < 4; ++c)
            if (c != own) s += std::pow(hinge(0.83 - in[0][{row, own}] + in[0][{row, c}]), double(p));
          return s / 4 * (in[2].defined ? in[2].v[size_t(own)] : 1);
        });
  for (const Sizes& target : {Sizes{}, Sizes{1}})
    margins.add({real({4}), index_below(target, 4)},
                CALL(ops::multi_margin_loss(t[0], t[1], Tensor(), 1, 0.83, kNoReduction)),
                [](const Arrays& in) -> Arrays {
                  const size_t own = size_t(in[1].v[0]);
                  double s = 0;
                  for (size_t c = 0; c < 4; ++c)
                    if (c != own) s += hinge(0.83 - in[0].v[own] + in[0].v[c]);
                  return {Array({}, s / 4)};
                });
  margins
      .bad({x, index_below({3}, 4)}, CALL(ops::multi_margin_loss(t[0], t[1], Tensor(), 3)),
           Code::invalid_argument, {"[multi_margin_loss]", "p", "3"})
      .bad({x, index_below({4}, 4)}, CALL(ops::multi_margin_loss(t[0], t[1], Tensor())), Code::shape,
           {"[multi_margin_loss]", "[4]", "[3]"})
      .bad({x, real({3})}, CALL(ops::multi_margin_loss(t[0], t[1], Tensor())), Code::dtype,
           {"[multi_margin_loss]", "float32"})
      .bad({real({2, 3, 4}), index_below({2, 4}, 3)}, CALL(ops::multi_margin_loss(t[0], t[1], Tensor())),
           Code::shape, {"[multi_margin_loss]", "[2, 3, 4]"});

  // Classes 2 and 0; none; all but one.
  Record& sets = record("multilabel_margin_loss");
  const Input labels = index_values({3, 4}, {2, 0, -1, 1, -1, 3, 3, 3, 1, 2, 3, -1});
  auto labelled = [](const Array& scores, const Array& sets, int64_t row) {
    std::vector<int64_t> of_row;
    for (int64_t k = 0; k < 4 && sets.v[size_t(4 * row + k)] >= 0; ++k)
      of_row.push_back(int64_t(sets.v[size_t(4 * row + k)]));
    double s = 0;
    for (int64_t t : of_row)
      for (int64_t c = 0; c < 4; ++c)
        if (std::find(of_row.begin(), of_row.end(), c) == of_row.end())
          s += hinge(1 - scores.v[size_t(4 * row + t)] + scores.v[size_t(4 * row + c)]);
    return s / 4;
  };
  add_rows(
      sets, {x, labels}, [](Ins t, int64_t k) { return ops::multilabel_margin_loss(t[0], t[1], k); }, 3,
      [labelled](const Arrays& in, int64_t k) { return labelled(in[0], in[1], k); });
  sets.add({real({4}), index_values({4}, {3, 0, -1, 1})},
           CALL(ops::multilabel_margin_loss(t[0], t[1], kNoReduction)),
           [labelled](const Arrays& in) -> Arrays { return {Array({}, labelled(in[0], in[1], 0))}; })
      .bad({x, index_below({3}, 4)}, CALL(ops::multilabel_margin_loss(t[0], t[1])), Code::shape,
           {"[multilabel_margin_loss]", "[3]", "[3, 4]"})
      .bad({x, x}, CALL(ops::multilabel_margin_loss(t[0], t[1])), Code::dtype,
           {"[multilabel_margin_loss]", "float32"})
      .bad({real({4}), index_values({4}, {3, -1, -2, 0})}, CALL(ops::multilabel_margin_loss(t[0], t[1])),
           Code::index, {"is -2", "4 elements"})
      .bad({real({1, 2, 2}), index_below({1, 2, 2}, 2)}, CALL(ops::multilabel_margin_loss(t[0], t[1])),
           Code::shape, {"[multilabel_margin_loss]", "(N, C)"});

  Record& soft = record("multilabel_soft_margin_loss");
  for (bool weighted : {false, true})
    add_rows(
        soft, {x, real({3, 4}, 0, 1).constant(), weighted ? real({4}, 0.2, 2).constant() : absent()},
        [](Ins t, int64_t k) { return ops::multilabel_soft_margin_loss(t[0], t[1], t[2], k); }, 3,
        [](const Arrays& in, int64_t row) {
          double s = 0;
          for (int64_t c = 0; c < 4; ++c) {
            const double v = in[0][{row, c}], t = in[1][{row, c}];
            s += (t * std::log1p(std::exp(-v)) + (1 - t) * std::log1p(std::exp(v))) *
                 (in[2].defined ? in[2].v[size_t(c)] : 1);
          }
          return s / 4;
        });
}

}  // namespace

void add_losses(Records& r) {
  const std::vector<Input> pair{real({3, 4}), real({3, 4})};
  auto no_integers = [&](const char* name) -> Record& { return r.op(name).on(kFloats, 0).tolerance(4, 4); };
  add_elementwise(
      no_integers("mse_loss"), pair, [](Ins t, int64_t k) { return ops::mse_loss(t[0], t[1], k); },
      [](const double* x) { return (x[0] - x[1]) * (x[0] - x[1]); });
  add_elementwise(
      no_integers("l1_loss"), pair, [](Ins t, int64_t k) { return ops::l1_loss(t[0], t[1], k); },
      [](const double* x) { return std::fabs(x[0] - x[1]); });
  for (double beta : {1.0, 0.3}) {
    auto smooth = [beta](const double* x) {
      double d = std::fabs(x[0] - x[1]);
      return d < beta ? d * d / (2 * beta) : d - beta / 2;
    };
    if (beta == 1.0) no_integers("smooth_l1_loss");
    add_elementwise(
        r.all.back(), pair, [beta](Ins t, int64_t k) { return ops::smooth_l1_loss(t[0], t[1], k, beta); },
        smooth);
  }
  r.all.back().bad(pair, CALL(ops::smooth_l1_loss(t[0], t[1], 1, -1)), Code::invalid_argument,
                   {"[smooth_l1_loss]", "beta", "-1"});
  add_elementwise(
      no_integers("huber_loss"), pair, [](Ins t, int64_t k) { return ops::huber_loss(t[0], t[1], k, 0.7); },
      [](const double* x) {
        double d = std::fabs(x[0] - x[1]);
        return d < 0.7 ? d * d / 2 : 0.7 * (d - 0.35);
      });
  r.all.back().bad(pair, CALL(ops::huber_loss(t[0], t[1], 1, 0)), Code::invalid_argument,
                   {"[huber_loss]", "delta", "0"});

  // The weight has a gradient, too; the mean of the first two is over it.
  const std::vector<Input> three{real({3, 4}), real({3, 4}), real({3, 4}, 0.2, 2)};
  auto add_weighted = [&](const char* name, auto op, auto f, bool over_weights) {
    Record& weighted = no_integers(name);
    for (int64_t reduction : {kNoReduction, kMean, kSum})
      weighted.add(
          three, [op, reduction](Ins t) -> Outs { return op(t[0], t[1], t[2], reduction); },
          [f, reduction, over_weights](const Arrays& in) -> Arrays {
            Array loss(in[0].sizes);
            double total = 0;
            for (size_t k = 0; k < loss.v.size(); ++k) {
              loss.v[k] = f(in[0].v[k] - in[1].v[k]) * in[2].v[k];
              total += in[2].v[k];
            }
            return {reduce(loss, reduction, over_weights ? total : -1)};
          });
    weighted
        .bad(three, [op](Ins t) -> Outs { return op(t[0], t[1], t[2], 3); }, Code::invalid_argument,
             {"[" + std::string(name) + "]", "reduction", "3"})
        .bad({three[0], three[1], real({4})}, [op](Ins t) -> Outs { return op(t[0], t[1], t[2], 1); },
             Code::shape, {"[" + std::string(name) + "]", "weight", "[4]", "[3, 4]"});
  };
  using W = const Tensor&;
  add_weighted(
      "weighted_mse_loss", [](W x, W y, W w, int64_t k) { return ops::weighted_mse_loss(x, y, w, k); },
      [](double d) { return d * d; }, true);
  add_weighted(
      "weighted_l1_loss", [](W x, W y, W w, int64_t k) { return ops::weighted_l1_loss(x, y, w, k); },
      [](double d) { return std::fabs(d); }, true);
  add_weighted(
      "weighted_huber_loss",
      [](W x, W y, W w, int64_t k) { return ops::weighted_huber_loss(x, y, w, k, 0.7); },
      [](double d) { return std::fabs(d) < 0.7 ? d * d / 2 : 0.7 * (std::fabs(d) - 0.35); }, false);

  auto entropy = [](double p, double t) { return -(t * log_limited(p) + (1 - t) * log_limited(1 - p)); };
  Record& bce = no_integers("binary_cross_entropy");
  for (bool weighted : {false, true})
    add_elementwise(
        bce,
        {real({3, 4}, 0.05, 0.95), real({3, 4}, 0, 1).constant(),
         weighted ? real({4}, 0.2, 2).constant() : absent()},
        [](Ins t, int64_t k) { return ops::binary_cross_entropy(t[0], t[1], t[2], k); },
        [entropy](const double* x) { return x[2] * entropy(x[0], x[1]); });
  // The logarithm of 0 counts as -100.
  bce.add({real({4}).fixed([](Array& a) {
             a.v = {0, 1, 0, 1};
           }),
           real({4}).constant().fixed([](Array& a) {
             a.v = {0, 1, 1, 0};
           })},
          CALL(ops::binary_cross_entropy(t[0], t[1], Tensor(), kNoReduction)),
          [](const Arrays&) -> Arrays {
            return {Array({4}, std::vector<double>{0, 0, 100, 100})};
          })
      .no_grad();
  for (double v : {-1e-3, 1.001, HUGE_VAL, double(NAN)})
    bce.bad({real({3}, 0.1, 0.9).fixed([v](Array& a) { a.v[1] = v; }), real({3})},
            CALL(ops::binary_cross_entropy(t[0], t[1])), Code::invalid_argument,
            {"[binary_cross_entropy]", "between 0 and 1"});
  bce.bad({real({3}), real({4})}, CALL(ops::binary_cross_entropy(t[0], t[1])), Code::shape,
          {"[binary_cross_entropy]", "[4]", "[3]"});
  Record& logits = no_integers("binary_cross_entropy_with_logits");
  for (bool weighted : {false, true})
    add_elementwise(
        logits,
        {real({3, 4}, -4, 4), real({3, 4}, 0, 1).constant(),
         weighted ? real({4}, 0.2, 2).constant() : absent(),
         weighted ? real({4}, 0.2, 2).constant() : absent()},
        [](Ins t, int64_t k) { return ops::binary_cross_entropy_with_logits(t[0], t[1], t[2], t[3], k); },
        [](const double* x) {
          double p = 1 / (1 + std::exp(-x[0]));
          return -x[2] * (x[3] * x[1] * std::log(p) + (1 - x[1]) * std::log(1 - p));
        });
  logits.bad({real({3}), real({4})}, CALL(ops::binary_cross_entropy_with_logits(t[0], t[1])), Code::shape,
             {"[binary_cross_entropy_with_logits]", "[4]", "[3]"});
  Record& kl = no_integers("kl_div");
  add_elementwise(
      kl, {real({3, 4}, -3, 0), real({3, 4}, 0.05, 1)},
      [](Ins t, int64_t k) { return ops::kl_div(t[0], t[1], k); },
      [](const double* x) { return x[1] * (std::log(x[1]) - x[0]); });
  add_elementwise(
      kl, {real({3, 4}, -3, 0), real({3, 4}, -3, 0)},
      [](Ins t, int64_t k) { return ops::kl_div(t[0], t[1], k, true); },
      [](const double* x) { return std::exp(x[1]) * (x[1] - x[0]); });
  kl.add({real({2}, -3, 0), real({2}).constant().fixed([](Array& a) {
            a.v = {0, 1};
          })},
         CALL(ops::kl_div(t[0], t[1], kSum)),
         [](const Arrays& in) -> Arrays { return {Array({}, -in[0].v[1])}; });
  kl.add({real({3, 4}, -3, 0), real({3, 4}, 0.05, 1)}, CALL(ops::kl_div(t[0], t[1], 3)),
         [](const Arrays& in) -> Arrays {
           double sum = 0;
           for (size_t k = 0; k < in[0].v.size(); ++k)
             sum += in[1].v[k] * (std::log(in[1].v[k]) - in[0].v[k]);
           return {Array({}, sum / 3)};
         });

  add_margins(r);

  Record& cross = r.op("cross_entropy").tolerance(8, 10).on(kFloats, kInts | kBool);
  Record& nll = r.op("nll_loss").tolerance(4, 4).on(kFloats, kInts | kBool);
  for (const Classes& c : {Classes{{4, 5}}, Classes{{5}}, Classes{{2, 3, 2}}})
    for (int64_t reduction : {kNoReduction, kMean, kSum})
      for (int form = 0; form < 3; ++form) {  // plain; weighted with an ignored row; smoothed too
        if (form && reduction == kSum && c.x.size() != 2) continue;
        int64_t ignore = form ? 1 : -100;
        double smoothing = form == 2 ? 0.2 : 0;
        Input target = index_below(c.target(), c.x[c.dim()]);
        if (form) target = with_ignored(target.fixed({}), 1), target.low = 2;
        Input weight = form ? real({c.x[c.dim()]}, 0.2, 2).constant() : absent();
        cross.add(
            {real(c.x), target, weight},
            [=](Ins t) -> Outs { return ops::cross_entropy(t[0], t[1], t[2], reduction, ignore, smoothing); },
            [=](const Arrays& in) -> Arrays {
              return class_loss(log_probabilities(in[0], c.dim()), in[1], in[2], reduction, ignore,
                                smoothing);
            });
        if (form < 2)
          nll.add(
              {real(c.x, -4, 0), target, weight},
              [=](Ins t) -> Outs { return ops::nll_loss(t[0], t[1], t[2], reduction, ignore); },
              [=](const Arrays& in) -> Arrays {
                return class_loss(in[0], in[1], in[2], reduction, ignore, 0);
              });
      }
  // Probabilities as target.
  for (int64_t reduction : {kNoReduction, kMean, kSum})
    cross.add(
        {real({3, 4}), real({3, 4}, 0.05, 0.6)},
        [=](Ins t) -> Outs { return ops::cross_entropy(t[0], t[1], Tensor(), reduction, -100, 0.1); },
        [=](const Arrays& in) -> Arrays {
          Array log_p = log_probabilities(in[0], 1), loss({3});
          each_index({3, 4},
                     [&](const Sizes& i) { loss.v[size_t(i[0])] -= (in[1][i] * 0.9 + 0.1 / 4) * log_p[i]; });
          return {reduce(loss, reduction)};
        });
  cross
      .bad({real({3, 4}), index_below({4}, 4)}, CALL(ops::cross_entropy(t[0], t[1])), Code::shape,
           {"[cross_entropy]", "[4]", "[3]", "[3, 4]"})
      .bad({real({3, 4}), index_values({3}, {0, 4, 1})}, CALL(ops::cross_entropy(t[0], t[1])), Code::index,
           {"cross_entropy", "4"})
      .bad({real({3, 4}), mask({3})}, CALL(ops::cross_entropy(t[0], t[1])), Code::dtype,
           {"[cross_entropy]", "int64", "bool"})
      .bad({real({3, 4}), index_below({3}, 4), real({3})}, CALL(ops::cross_entropy(t[0], t[1], t[2])),
           Code::shape, {"[cross_entropy]", "weight", "[4]", "[3]"})
      .bad({real({3, 4}), index_below({3}, 4)}, CALL(ops::cross_entropy(t[0], t[1], Tensor(), 5)),
           Code::invalid_argument, {"[cross_entropy]", "reduction", "5"})
      .bad({real({3, 4}), index_below({3}, 4)}, CALL(ops::cross_entropy(t[0], t[1], Tensor(), 1, -100, 1.5)),
           Code::invalid_argument, {"[cross_entropy]", "label_smoothing", "1.5"});
  nll.bad({real({3, 4}), real({3})}, CALL(ops::nll_loss(t[0], t[1])), Code::dtype, {"[nll_loss]", "float32"})
      .bad({real({3, 4}), index_below({4}, 4)}, CALL(ops::nll_loss(t[0], t[1])), Code::shape,
           {"[nll_loss]", "[4]", "[3]"})
      .bad({real({3, 4}), index_values({3}, {0, 4, 1})}, CALL(ops::nll_loss(t[0], t[1])), Code::index, {"4"});

  // Loss, weight and log-sum-exp of each row.
  Record& rows = r.op("cross_entropy_rows").gives({wide_type}).tolerance(8, 10);
  for (bool weighted : {false, true})
    rows.add(
        {real({4, 5}),
         with_ignored(
             [] {
               Input t = index_below({4}, 5);
               t.low = 2;
               return t;
             }(),
             1),
         weighted ? real({5}, 0.2, 2).constant() : absent()},
        [](Ins t) -> Outs {
          auto [loss, weight, lse] = ops::cross_entropy_rows(t[0], t[1], t[2], 1, 0.1);
          return Outs(std::vector<Tensor>{loss, ops::detach(weight), lse});
        },
        [](const Arrays& in) -> Arrays {
          Array log_p = log_probabilities(in[0], 1), weight({4}), lse({4});
          for (size_t k = 0; k < 4; ++k) {
            lse.v[k] = in[0].v[5 * k] - log_p.v[5 * k];
            weight.v[k] = in[1].v[k] == 1 ? 0 : in[2].defined ? in[2].v[size_t(in[1].v[k])] : 1;
          }
          return {class_loss(log_p, in[1], in[2], kNoReduction, 1, 0.1)[0], weight, lse};
        });
  rows.bad({real({3, 4}), index_below({4}, 4)}, CALL(ops::cross_entropy_rows(t[0], t[1], Tensor(), -100, 0)),
           Code::shape, {"[cross_entropy]", "[4]", "[3, 4]"});

  // CTC by going through all ways: x (T, N, C), targets (N, S), lengths of both.
  auto ctc = [](const Arrays& in, int64_t blank) {
    const int64_t n = in[0].size(1), classes = in[0].size(2);
    Array loss({n});
    for (int64_t i = 0; i < n; ++i) {
      const int64_t read = int64_t(in[2].v[size_t(i)]), length = int64_t(in[3].v[size_t(i)]);
      std::vector<double> want;
      for (int64_t k = 0; k < length; ++k) want.push_back(in[1][{i, k}]);
      double total = 0;
      int64_t ways = 1;
      for (int64_t t = 0; t < read; ++t) ways *= classes;
      for (int64_t way = 0; way < ways; ++way) {
        std::vector<double> seen;
        double score = 0;
        int64_t last = -1;
        for (int64_t t = 0, rest = way; t < read; ++t, rest /= classes) {
          const int64_t c = rest % classes;
          score += in[0][{t, i, c}];
          if (c != last && c != blank) seen.push_back(double(c));
          last = c;
        }
        if (seen == want) total += std::exp(score);
      }
      loss.v[size_t(i)] = -std::log(total);
    }
    return loss;
  };
  const Sizes steps{5, 3, 3};
  const Input labels = index_values({3, 2}, {1, 2, 2, 2, 1, 0}), read = index_values({3}, {5, 4, 3}),
              lengths = index_values({3}, {2, 2, 1});
  r.op("ctc_loss_rows")
      .gives({wide_type})
      .tolerance(8, 10)
      .add(
          {real(steps), labels, read, lengths},
          [](Ins t) -> Outs {
            return Outs(std::vector<Tensor>{ops::ctc_loss_rows(t[0], t[1], t[2], t[3], 0)[0]});
          },
          [=](const Arrays& in) -> Arrays { return {ctc(in, 0)}; })
      .add(
          {real({4, 1, 3}), index_values({1, 0}, {}), index_values({1}, {4}), index_values({1}, {0})},
          [](Ins t) -> Outs {
            return Outs(std::vector<Tensor>{ops::ctc_loss_rows(t[0], t[1], t[2], t[3], 1)[0]});
          },
          [=](const Arrays& in) -> Arrays { return {ctc(in, 1)}; })
      .bad({real({5, 3}), labels, read, lengths}, CALL(ops::ctc_loss_rows(t[0], t[1], t[2], t[3], 0)[0]),
           Code::shape, {"[ctc_loss]", "[5, 3]"});
  Record& whole = r.op("ctc_loss").on(kFloats, kInts | kBool).tolerance(8, 10).depends_on_values();
  whole.on_host = true;
  for (int64_t reduction : {kNoReduction, kMean, kSum})
    whole.add({real(steps), labels, read, lengths}, CALL(ops::ctc_loss(t[0], t[1], t[2], t[3], 0, reduction)),
              [=](const Arrays& in) -> Arrays {
                Array loss = ctc(in, 0);
                if (reduction == kNoReduction) return {loss};
                double total = 0;
                for (size_t i = 0; i < 3; ++i)
                  total += reduction == kMean ? loss.v[i] / in[3].v[i] / 3 : loss.v[i];
                return {Array({}, total)};
              });
  whole
      .add({real({4, 2}), index_values({1}, {1}), index_values({}, {3}), index_values({}, {1})},
           CALL(ops::ctc_loss(t[0], t[1], t[2], t[3], 0, 0)),
           [=](const Arrays& in) -> Arrays {
             return {Array({}, ctc({Array({4, 1, 2}, in[0].v), Array({1, 1}, in[1].v), Array({1}, in[2].v),
                                    Array({1}, in[3].v)},
                                   0)
                                   .v)};
           })
      // It does not fit.
      .add({real({2, 1, 3}), index_values({1, 2}, {1, 1}), index_values({1}, {2}), index_values({1}, {2})},
           CALL(ops::ctc_loss(t[0], t[1], t[2], t[3], 0, 1, true)),
           [](const Arrays&) -> Arrays { return {Array({}, 0.0)}; })
      .bad({real(steps), labels, index_values({3}, {6, 4, 3}), lengths},
           CALL(ops::ctc_loss(t[0], t[1], t[2], t[3])), Code::shape, {"input_lengths must be in 0..5, got 6"})
      .bad({real(steps), labels, read, index_values({3}, {2, 3, 1})},
           CALL(ops::ctc_loss(t[0], t[1], t[2], t[3])), Code::shape,
           {"target_lengths must be in 0..2, got 3"})
      .bad({real(steps), index_values({3, 2}, {1, 2, 3, 2, 1, 0}), read, lengths},
           CALL(ops::ctc_loss(t[0], t[1], t[2], t[3])), Code::index,
           {"target 0 of sequence 1 is 3", "3 classes"})
      .bad({real(steps), labels, read, lengths}, CALL(ops::ctc_loss(t[0], t[1], t[2], t[3], 3)),
           Code::invalid_argument, {"blank must be in 0..2, got 3"})
      .bad({real(steps), index_values({4}, {1, 2, 2, 1}), read, lengths},
           CALL(ops::ctc_loss(t[0], t[1], t[2], t[3])), Code::shape,
           {"4 targets for target_lengths that sum to 5"});

  // A linear layer and cross entropy in one.
  auto scores = [](const Arrays& in) {
    Array z({in[0].size(0), in[1].size(0)});
    each_index(z.sizes, [&](const Sizes& at) {
      double s = in[3].defined ? in[3].v[size_t(at[1])] : 0;
      for (int64_t k = 0; k < in[0].size(1); ++k) s += in[0][{at[0], k}] * in[1][{at[1], k}];
      z[at] = s;
    });
    return z;
  };
  Record &head = r.op("linear_cross_entropy").on(kFloats, kInts | kBool).tolerance(16, 16),
         &head_rows = r.op("linear_cross_entropy_rows").gives({wide_type}).tolerance(16, 16);
  for (bool with : {false, true}) {
    const std::vector<Input> inputs{real({4, 3}, -1, 1), real({5, 3}, -1, 1), index_values({4}, {2, 0, 1, 4}),
                                    with ? real({5}, -1, 1) : absent(),
                                    with ? real({5}, 0.2, 2).constant() : absent()};
    for (int64_t reduction : {kNoReduction, kMean, kSum})
      head.add(
          inputs, CALL(ops::linear_cross_entropy(t[0], t[1], t[2], t[3], t[4], reduction, 1, with ? 0.1 : 0)),
          [=](const Arrays& in) -> Arrays {
            return class_loss(log_probabilities(scores(in), 1), in[2], in[4], reduction, 1, with ? 0.1 : 0);
          });
    head_rows.add(
        inputs,
        [](Ins t) -> Outs {
          return Outs(
              std::vector<Tensor>{ops::linear_cross_entropy_rows(t[0], t[1], t[2], t[3], t[4], 1, 0.1)[0]});
        },
        [=](const Arrays& in) -> Arrays {
          return class_loss(log_probabilities(scores(in), 1), in[2], in[4], kNoReduction, 1, 0.1);
        });
  }
  head.bad({real({4, 3}), real({5, 2}), index_below({4}, 5)},
           CALL(ops::linear_cross_entropy(t[0], t[1], t[2], Tensor(), Tensor())), Code::shape,
           {"[linear_cross_entropy]", "[4, 3]", "[5, 2]"})
      .bad({real({4, 3}), real({5, 3}), index_below({3}, 5)},
           CALL(ops::linear_cross_entropy(t[0], t[1], t[2], Tensor(), Tensor())), Code::shape,
           {"[3]", "[4, 3]"})
      .bad({real({4, 3}), real({5, 3}), index_below({4}, 5)},
           CALL(ops::linear_cross_entropy(t[0], t[1], t[2], Tensor(), Tensor(), 3)), Code::invalid_argument,
           {"reduction"});
  head_rows.bad({real({4}), real({5, 3}), index_below({4}, 5)},
                CALL(ops::linear_cross_entropy_rows(t[0], t[1], t[2], Tensor(), Tensor(), 1, 0)), Code::shape,
                {"[4]"});
}

}  // namespace haft::test
