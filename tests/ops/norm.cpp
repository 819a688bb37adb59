// Records of softmax, batch norm and layer norm.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

// exp(x) / sum(exp(x)) of each line along dim, or its logarithm.
Array softmax(const Array& x, size_t dim, bool log) {
  Array y(x.sizes);
  Sizes lines = x.sizes;
  if (x.sizes.empty()) return Array(Sizes{}, log ? 0 : 1);
  lines[dim] = 1;
  each_index(lines, [&](Sizes i) {
    double top = -INFINITY, sum = 0;
    for (i[dim] = 0; i[dim] < x.sizes[dim]; ++i[dim]) top = std::max(top, x[i]);
    for (i[dim] = 0; i[dim] < x.sizes[dim]; ++i[dim]) sum += std::exp(x[i] - top);
    for (i[dim] = 0; i[dim] < x.sizes[dim]; ++i[dim])
      y[i] = log ? x[i] - top - std::log(sum) : std::exp(x[i] - top) / sum;
  });
  return y;
}

// Mean and biased variance of the elements of x that belong to each group.
struct Statistics {
  std::vector<double> mean, variance;
  template <class G>
  Statistics(const Array& x, int64_t groups, G&& group) : mean(size_t(groups)), variance(size_t(groups)) {
    std::vector<double> n(static_cast<size_t>(groups));
    each_index(x.sizes, [&](const Sizes& i) { mean[group(i)] += x[i], n[group(i)] += 1; });
    for (size_t g = 0; g < n.size(); ++g) mean[g] /= n[g];
    each_index(x.sizes, [&](const Sizes& i) {
      variance[group(i)] += (x[i] - mean[group(i)]) * (x[i] - mean[group(i)]);
    });
    for (size_t g = 0; g < n.size(); ++g) variance[g] /= n[g];
  }
};

double at_or(const Array& a, size_t i, double otherwise) { return a.defined ? a.v[i] : otherwise; }

// (x - mean) / sqrt(variance + eps) * weight + bias per channel.
Array channels_normalised(const Array& x, const Array& weight, const Array& bias,
                          const std::vector<double>& mean, const std::vector<double>& variance, double eps) {
  return make_array(x.sizes, [&](const Sizes& i) {
    size_t c = size_t(i[1]);
    return (x[i] - mean[c]) / std::sqrt(variance[c] + eps) * at_or(weight, c, 1) + at_or(bias, c, 0);
  });
}
Statistics channel_statistics(const Array& x) {
  return Statistics(x, x.sizes[1], [](const Sizes& i) { return size_t(i[1]); });
}

// The last `rank` dimensions normalised: result, mean and 1 / standard deviation of each row.
Arrays rows_normalised(const Array& x, size_t rank, const Array& weight, const Array& bias, double eps) {
  Sizes lead(x.sizes.begin(), x.sizes.end() - int64_t(rank));
  Sizes stats = lead;
  stats.resize(x.sizes.size(), 1);
  Array mean(stats), rstd(stats);
  auto row = [&](Sizes i) {
    for (size_t d = lead.size(); d < i.size(); ++d) i[d] = 0;
    return mean.at(i);
  };
  Statistics s(x, mean.numel(), row);
  mean.v = s.mean;
  for (size_t k = 0; k < rstd.v.size(); ++k) rstd.v[k] = 1 / std::sqrt(s.variance[k] + eps);
  int64_t width = mean.numel() ? x.numel() / mean.numel() : 1;
  Array y = make_array(x.sizes, [&](const Sizes& i) {
    size_t k = x.at(i) % size_t(width);
    return (x[i] - mean.v[row(i)]) * rstd.v[row(i)] * at_or(weight, k, 1) + at_or(bias, k, 0);
  });
  return {y, mean, rstd};
}

// Norms of groups of channels, of neighbouring channels, and by the root of the mean square.
void add_other_norms(Records& r) {
  const Sizes x{2, 4, 3};
  auto groups = [x](int64_t count, int weight, double eps) {
    return [=](const Arrays& in) -> Arrays {
      Array rows = in[0];
      rows.sizes = {x[0] * count, x[1] / count * x[2]};
      Array none;
      none.defined = false;
      Array y = rows_normalised(rows, 1, none, none, eps)[0];
      y.sizes = x;
      each_index(x, [&](const Sizes& i) {
        const size_t c = size_t(i[1]);
        y[i] = y[i] * (in[size_t(weight)].defined ? in[size_t(weight)].v[c] : 1) +
               (in[size_t(weight) + 1].defined ? in[size_t(weight) + 1].v[c] : 0);
      });
      return {y};
    };
  };
  r.op("group_norm")
      .tolerance(8, 10)
      .add({real(x), real({4}, 0.3, 2), real({4})}, CALL(ops::group_norm(t[0], 2, t[1], t[2], 0.1)),
           groups(2, 1, 0.1))
      .add({real(x), absent(), absent()}, CALL(ops::group_norm(t[0], 4, t[1], t[2], 0.1)), groups(4, 1, 0.1))
      .bad({real({4})}, CALL(ops::group_norm(t[0], 2, Tensor(), Tensor())), Code::shape,
           {"[group_norm]", "at least 2"})
      .bad({real(x)}, CALL(ops::group_norm(t[0], 3, Tensor(), Tensor())), Code::invalid_argument,
           {"[group_norm]", "num_groups=3"})
      .bad({real({1, 1})}, CALL(ops::group_norm(t[0], 1, Tensor(), Tensor())), Code::shape,
           {"[group_norm]", "more than 1 value"})
      .bad({real(x), real({3})}, CALL(ops::group_norm(t[0], 2, t[1], Tensor())), Code::shape,
           {"[group_norm]", "weight", "[3]"});
  r.op("instance_norm")
      .tolerance(8, 10)
      .add({real(x), real({4}, 0.3, 2), real({4})},
           CALL(ops::instance_norm(t[0], t[1], t[2], Tensor(), Tensor(), true, 0.1, 0.1)), groups(4, 1, 0.1))
      .add({real(x), real({4}).constant(), real({4}, 0.5, 2).constant()},
           CALL(ops::instance_norm(t[0], Tensor(), Tensor(), t[1], t[2], false, 0.1, 0.1)),
           [x](const Arrays& in) -> Arrays {
             return {make_array(x, [&](const Sizes& i) {
               return (in[0][i] - in[1].v[size_t(i[1])]) / std::sqrt(in[2].v[size_t(i[1])] + 0.1);
             })};
           })
      .bad({real({2, 3})}, CALL(ops::instance_norm(t[0], Tensor(), Tensor(), Tensor(), Tensor())),
           Code::shape, {"[instance_norm]", "[2, 3]"})
      .bad({real({2, 3, 1})}, CALL(ops::instance_norm(t[0], Tensor(), Tensor(), Tensor(), Tensor())),
           Code::shape, {"[instance_norm]", "more than 1 spatial"})
      .bad({real(x), real({4}), real({3})}, CALL(ops::instance_norm(t[0], Tensor(), Tensor(), t[1], t[2])),
           Code::shape, {"[instance_norm]", "running statistics", "[4]", "[3]"})
      .bad({real(x)}, CALL(ops::instance_norm(t[0], Tensor(), Tensor(), Tensor(), Tensor(), false)),
           Code::invalid_argument, {"running_mean"});
  auto without_eps = [](const Arrays& in) -> Arrays {
    return {make_array({2, 3}, [&](const Sizes& i) {
      double s = 0;
      for (int64_t k = 0; k < 3; ++k) s += std::pow(in[0][{i[0], k}], 2) / 3;
      return in[0][i] / std::sqrt(s);
    })};
  };
  auto by_root = [](const Arrays& in) -> Arrays {
    return {make_array(in[0].sizes, [&](const Sizes& i) {
      const size_t n = in[1].v.size(), k = in[0].at(i) % n, row = in[0].at(i) - k;
      double s = 0;
      for (size_t j = 0; j < n; ++j) s += std::pow(in[0].v[row + j], 2) / double(n);
      return in[0][i] / std::sqrt(s + 0.1) * in[1].v[k];
    })};
  };
  r.op("rms_norm")
      .tolerance(8)
      .add({real({2, 3, 4}), real({3, 4})}, CALL(ops::rms_norm(t[0], Sizes{3, 4}, t[1], 0.1)), by_root)
      .add({real({2, 3}, 0.5, 2), absent()}, CALL(ops::rms_norm(t[0], Sizes{3}, t[1])), without_eps)
      .add({real({2, 3}, 300, 600), absent()}, CALL(ops::rms_norm(t[0], Sizes{3}, t[1])),
           without_eps)  // squares are no float16
      .add({real({3, 131}), real({131})}, CALL(ops::rms_norm(t[0], Sizes{131}, t[1], 0.1)), by_root)
      .bad({real({2, 3})}, CALL(ops::rms_norm(t[0], Sizes{2}, Tensor())), Code::shape,
           {"[rms_norm]", "[2]", "[2, 3]"})
      .bad({real({2, 3}), real({2})}, CALL(ops::rms_norm(t[0], Sizes{3}, t[1])), Code::shape,
           {"[rms_norm] weight", "[3]", "[2]"});
  r.op("local_response_norm")
      .tolerance(8)
      .add({real({2, 5, 3})}, CALL(ops::local_response_norm(t[0], 4, 0.5, 0.75, 1.5)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 5, 3}, [&](const Sizes& i) {
               double s = 0;
               for (int64_t c = std::max<int64_t>(i[1] - 2, 0); c < std::min<int64_t>(i[1] + 2, 5); ++c)
                 s += std::pow(in[0][{i[0], c, i[2]}], 2) / 4;
               return in[0][i] / std::pow(1.5 + 0.5 * s, 0.75);
             })};
           })
      .bad({real({2, 3})}, CALL(ops::local_response_norm(t[0], 2)), Code::shape,
           {"[local_response_norm]", "2 dimensions"})
      .bad({real({2, 3, 1})}, CALL(ops::local_response_norm(t[0], 0)), Code::invalid_argument,
           {"[local_response_norm]", "size", "0"});
}

void add_softmax(Records& rs, const char* name, Tensor (*op)(const Tensor&, int64_t), bool log) {
  Record& r = rs.op(name).tolerance(4);
  struct Form {
    Sizes x;
    int64_t dim;
  };
  for (const Form& f :
       {Form{{3, 5}, 1}, {{3, 5}, 0}, {{2, 4, 3}, -2}, {{}, 0}, {{0, 3}, 1}, {{2, 131}, 1}, {{33, 17}, 0}}) {
    r.add(
        {real(f.x, -4, 4)}, [op, f](Ins t) -> Outs { return op(t[0], f.dim); },
        [f, log](const Arrays& in) -> Arrays {
          return {softmax(in[0], size_t(f.dim < 0 ? f.dim + int64_t(f.x.size()) : f.dim), log)};
        });
    if (f.x.size() == 2 && f.x[0] * f.x[1] > 100) r.no_grad();
  }
  // Large numbers do not overflow.
  r.add(
       {real({2, 3}).fixed([](Array& a) { a.v = {1000, 1001, 999, -2000, -2001, -1999.5}; })},
       [op](Ins t) -> Outs { return op(t[0], 1); },
       [log](const Arrays& in) -> Arrays { return {softmax(in[0], 1, log)}; })
      .no_grad();
  r.bad({real({2, 3})}, [op](Ins t) -> Outs { return op(t[0], 2); }, Code::index, {"[" + r.name + "]", "2"});
}

}  // namespace

void add_norms(Records& r) {
  add_softmax(
      r, "softmax", [](const Tensor& x, int64_t d) { return ops::softmax(x, d); }, false);
  add_softmax(
      r, "log_softmax", [](const Tensor& x, int64_t d) { return ops::log_softmax(x, d); }, true);

  const double eps = 1e-3;
  const Sizes kSizes[] = {{3, 2, 2, 2}, {4, 3}, {2, 2, 5}, {2, 16, 3, 3}};
  Record& stats = r.op("batch_norm_stats").gives({same, wide_type, wide_type}).tolerance(8, 10);
  Record& apply = r.op("batch_norm_apply").tolerance(8).on(kFloats, 0);
  Record& batch = r.op("batch_norm").tolerance(8, 10).on(kFloats, kInts | kBool).gives({same, same, same});
  for (const Sizes& s : kSizes)
    for (bool affine : {true, false}) {
      Input weight = affine ? real({s[1]}, 0.3, 2) : absent(), bias = affine ? real({s[1]}) : absent();
      bool small = s[1] < 16;
      stats
          .add(
              {real(s), weight, bias},
              [eps](Ins t) -> Outs { return ops::batch_norm_stats(t[0], t[1], t[2], eps); },
              [eps](const Arrays& in) -> Arrays {
                Statistics m = channel_statistics(in[0]);
                Array mean({in[0].sizes[1]}, m.mean), var({in[0].sizes[1]}, m.variance);
                return {channels_normalised(in[0], in[1], in[2], m.mean, m.variance, eps), mean, var};
              })
          .cases.back()
          .grad = small;
      apply
          .add(
              {real(s), weight, bias, real({s[1]}), real({s[1]}, 0.4, 2)},
              [eps](Ins t) -> Outs { return ops::batch_norm_apply(t[0], t[1], t[2], t[3], t[4], eps); },
              [eps](const Arrays& in) -> Arrays {
                return {channels_normalised(in[0], in[1], in[2], in[3].v, in[4].v, eps)};
              })
          .cases.back()
          .grad = small;
      // The running statistics are written, so the call brings its own.
      batch
          .add(
              {real(s), weight, bias, real({s[1]}).constant(), real({s[1]}, 0.4, 2).constant()},
              [eps](Ins t) -> Outs {
                Tensor mean = ops::clone(t[3]), var = ops::clone(t[4]);
                Tensor y = ops::batch_norm(t[0], t[1], t[2], mean, var, true, 0.2, eps);
                return Outs(std::vector<Tensor>{y, mean, var});
              },
              [eps](const Arrays& in) -> Arrays {
                Statistics m = channel_statistics(in[0]);
                Array mean = in[3], var = in[4];
                double n = double(in[0].numel()) / double(in[0].sizes[1]);
                for (size_t c = 0; c < m.mean.size(); ++c) {
                  mean.v[c] = 0.8 * mean.v[c] + 0.2 * m.mean[c];
                  var.v[c] = 0.8 * var.v[c] + 0.2 * m.variance[c] * n / (n - 1);
                }
                return {channels_normalised(in[0], in[1], in[2], m.mean, m.variance, eps), mean, var};
              })
          .no_grad();
      batch
          .add(
              {real(s), weight, bias},
              [eps](Ins t) -> Outs {
                return ops::batch_norm(t[0], t[1], t[2], Tensor(), Tensor(), true, 0.2, eps);
              },
              [eps](const Arrays& in) -> Arrays {
                Statistics m = channel_statistics(in[0]);
                return {channels_normalised(in[0], in[1], in[2], m.mean, m.variance, eps)};
              })
          .cases.back()
          .grad = small;
      batch
          .add(
              {real(s), weight, bias, real({s[1]}).constant(), real({s[1]}, 0.4, 2).constant()},
              [eps](Ins t) -> Outs { return ops::batch_norm(t[0], t[1], t[2], t[3], t[4], false, 0.1, eps); },
              [eps](const Arrays& in) -> Arrays {
                return {channels_normalised(in[0], in[1], in[2], in[3].v, in[4].v, eps)};
              })
          .cases.back()
          .grad = small;
    }
  const Tensor none;
  stats
      .bad({real({3})}, CALL(ops::batch_norm_stats(t[0], none, none, 1e-5)), Code::shape,
           {"batch_norm", "[3]"})
      .bad({real({2, 3}), real({2})}, CALL(ops::batch_norm_stats(t[0], t[1], none, 1e-5)), Code::shape,
           {"batch_norm", "weight", "[3]", "[2]"});
  apply.bad({real({2, 3}), real({2})}, CALL(ops::batch_norm_apply(t[0], none, none, t[1], t[1], 1e-5)),
            Code::shape, {"batch_norm", "[3]", "[2]"});
  batch
      .bad({real({1, 3})}, CALL(ops::batch_norm(t[0], none, none, none, none, true)), Code::shape,
           {"[batch_norm]", "more than 1", "[1, 3]"})
      .bad({real({2, 3})}, CALL(ops::batch_norm(t[0], none, none, none, none, false)), Code::invalid_argument,
           {"[batch_norm]", "running_mean"})
      .bad({real({2, 3}), real({2})}, CALL(ops::batch_norm(t[0], none, none, t[1], none, true)), Code::shape,
           {"[batch_norm]", "[3]", "[2]"});

  Record& layer_stats = r.op("layer_norm_stats").gives({same, wide_type, wide_type}).tolerance(8, 10);
  Record& layer = r.op("layer_norm").tolerance(8, 10);
  for (const auto& [x, shape] : {std::pair{Sizes{3, 5}, Sizes{5}},
                                 {Sizes{2, 2, 3}, Sizes{2, 3}},
                                 {Sizes{4}, Sizes{4}},
                                 {Sizes{0, 4}, Sizes{4}},
                                 {Sizes{3, 131}, Sizes{131}}})
    for (bool affine : {true, false}) {
      std::vector<Input> in{real(x), affine ? real(shape, 0.3, 2) : absent(),
                            affine ? real(shape) : absent()};
      size_t rank = shape.size();
      auto reference = [rank, eps](const Arrays& a) -> Arrays {
        return rows_normalised(a[0], rank, a[1], a[2], eps);
      };
      bool small = x.back() < 100;
      layer_stats
          .add(
              in,
              [shape = shape, eps](Ins t) -> Outs {
                return ops::layer_norm_stats(t[0], shape, t[1], t[2], eps);
              },
              reference)
          .cases.back()
          .grad = small;
      layer
          .add(
              in,
              [shape = shape, eps](Ins t) -> Outs { return ops::layer_norm(t[0], shape, t[1], t[2], eps); },
              [reference](const Arrays& a) -> Arrays { return {reference(a)[0]}; })
          .cases.back()
          .grad = small;
    }
  layer_stats.bad({real({2, 3})}, CALL(ops::layer_norm_stats(t[0], Sizes{2}, none, none, 1e-5)), Code::shape,
                  {"[layer_norm]", "[2, 3]", "[2]"});
  layer.bad({real({2, 3})}, CALL(ops::layer_norm(t[0], Sizes{})), Code::shape, {"[layer_norm]", "[2, 3]"})
      .bad({real({2, 3}), real({2})}, CALL(ops::layer_norm(t[0], Sizes{3}, t[1])), Code::shape,
           {"weight", "[3]", "[2]"});
  add_other_norms(r);
}

}  // namespace haft::test
