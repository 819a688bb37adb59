// Records of running extremes and running log-sum-exp.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

// f(values of a line) fills the results of that line, one list for each output.
using Line = std::vector<double>;
Arrays by_line(const Array& x, int64_t dim, size_t outputs,
               const std::function<void(const Line&, Line*)>& f) {
  Arrays out(outputs, Array(x.sizes));
  if (x.sizes.empty()) {
    Line y[2];
    f(x.v, y);
    for (size_t k = 0; k < outputs; ++k) out[k].v = y[k];
    return out;
  }
  const size_t d = size_t(dim < 0 ? dim + x.ndim() : dim);
  Sizes lines = x.sizes;
  lines[d] = std::min<int64_t>(1, lines[d]);
  each_index(lines, [&](Sizes i) {
    Line in, y[2];
    for (i[d] = 0; i[d] < x.sizes[d]; ++i[d]) in.push_back(x[i]);
    f(in, y);
    for (size_t k = 0; k < outputs; ++k)
      for (i[d] = 0; i[d] < x.sizes[d]; ++i[d]) out[k][i] = y[k][size_t(i[d])];
  });
  return out;
}

void running(const Line& x, Line* y, bool max) {
  double best = 0, place = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || std::isnan(x[i]) || (!std::isnan(best) && (max ? x[i] >= best : x[i] <= best)))
      best = x[i], place = double(i);
    y[0].push_back(best);
    y[1].push_back(place);
  }
}

void log_sums(const Line& x, Line* y) {
  for (size_t n = 1; n <= x.size(); ++n) {
    double top = -HUGE_VAL, sum = 0;
    for (size_t i = 0; i < n; ++i)
      top = std::isnan(x[i]) ? x[i] : std::isnan(top) ? top : std::fmax(top, x[i]);
    for (size_t i = 0; i < n; ++i) sum += std::exp(x[i] - top);
    y[0].push_back(std::isinf(top) || std::isnan(top) ? top : top + std::log(sum));
  }
}

const std::pair<Sizes, int64_t> kForms[] = {{{3, 5}, 1}, {{3, 5}, 0},   {{2, 3, 2}, -2},
                                            {{}, 0},     {{0, 3}, 0},   {{2, 0}, 0},
                                            {{700}, 0},  {{9, 300}, 0}, {{3, 4, 5}, -1}};

}  // namespace

void add_scans(Records& r) {
  for (bool max : {true, false}) {
    Record& running_extreme = r.op(max ? "cummax" : "cummin").on(kAll).gives({same, always_i64}).specials();
    for (const auto& [sizes, dim] : kForms) {
      running_extreme.add(
          {real(sizes)},
          [max, dim = dim](Ins t) -> Outs { return max ? ops::cummax(t[0], dim) : ops::cummin(t[0], dim); },
          [max, dim = dim](const Arrays& in) -> Arrays {
            return by_line(in[0], dim, 2, [max](const Line& x, Line* y) { running(x, y, max); });
          });
      if (Array(sizes).numel() > 100) running_extreme.no_grad();
    }
    running_extreme.bad({real({2, 3})},
                        [max](Ins t) -> Outs { return max ? ops::cummax(t[0], 2) : ops::cummin(t[0], 2); },
                        Code::index, {max ? "[cummax]" : "[cummin]", "2"});
  }

  Record& sums = r.op("logcumsumexp").specials();
  for (const auto& [sizes, dim] : kForms) {
    sums.add(
        {real(sizes)}, [dim = dim](Ins t) -> Outs { return ops::logcumsumexp(t[0], dim); },
        [dim = dim](const Arrays& in) -> Arrays { return by_line(in[0], dim, 1, log_sums); });
    if (Array(sizes).numel() > 100) sums.no_grad();
  }
  sums.bad({real({2, 3})}, CALL(ops::logcumsumexp(t[0], -3)), Code::index, {"[logcumsumexp]", "-3"})
      .bad({index_below({2}, 3)}, CALL(ops::logcumsumexp(t[0], 0)), Code::dtype, {"[logcumsumexp]", "int64"});

  Record& recurrence = r.op("linear_scan");
  for (bool reverse : {false, true})
    for (const auto& [sizes, dim] : kForms) {
      recurrence.add(
          {real(sizes), real(sizes, -1, 1)},
          [reverse, dim = dim](Ins t) -> Outs { return ops::linear_scan(t[0], t[1], dim, reverse); },
          [reverse, dim = dim](const Arrays& in) -> Arrays {
            Array out(in[0].sizes);
            const size_t n = out.sizes.empty() ? 1 : size_t(out.size(dim));
            size_t inner = 1;
            for (int64_t d = (dim < 0 ? dim + out.ndim() : dim) + 1; d < out.ndim(); ++d)
              inner *= size_t(out.sizes[size_t(d)]);
            for (size_t at = 0; at < out.v.size(); ++at) {
              const size_t flat = reverse ? out.v.size() - 1 - at : at, place = flat / inner % n;
              out.v[flat] = in[0].v[flat];
              if (!reverse && place > 0) out.v[flat] += in[1].v[flat] * out.v[flat - inner];
              if (reverse && place + 1 < n) out.v[flat] += in[1].v[flat + inner] * out.v[flat + inner];
            }
            return {out};
          });
      if (Array(sizes).numel() > 100) recurrence.no_grad();
    }
}

}  // namespace haft::test
