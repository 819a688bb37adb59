// Records of tensors made from numbers.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

Array list(const std::vector<double>& v) { return Array({int64_t(v.size())}, v); }
DType f32(DType) { return DType::f32; }

}  // namespace

// Calls without inputs have one dtype of their own; the others are asked for by name in cases of their own.
void add_creation(Records& r) {
  auto nothing = [](const char* name, Records& rs, DTypeRule rule) -> Record& {
    return rs.op(name).on(kAll).gives({rule});
  };
  nothing("full", r, f32)
      .add({}, CALL(ops::full(Sizes{2, 3}, 1.5)),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3}, 1.5)};
           })
      .add({}, CALL(ops::full(Sizes{}, -2.25)), [](const Arrays&) -> Arrays { return {Array({}, -2.25)}; })
      .add({}, CALL(ops::full(Sizes{0, 4}, 1.0)),
           [](const Arrays&) -> Arrays {
             return {Array({0, 4})};
           })
      .add({}, CALL(ops::cast(ops::full(Sizes{3}, 7), DType::f32)),
           [](const Arrays&) -> Arrays { return {Array({3}, 7)}; })
      .add({}, CALL(ops::cast(ops::full(Sizes{3}, true), DType::f32)),
           [](const Arrays&) -> Arrays { return {Array({3}, 1)}; })
      .bad({}, CALL(ops::full(Sizes{2}, 300, DType::u8)), Code::invalid_argument, {"[full]", "uint8", "300"})
      .bad({}, CALL(ops::full(Sizes{2}, 1.0, DType(15))), Code::dtype, {"[full]", "15"});
  nothing("zeros", r, f32)
      .add({}, CALL(ops::zeros(Sizes{2, 3})),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3})};
           })
      .add({}, CALL(ops::cast(ops::zeros(Sizes{1000}, DType::i16), DType::f32)),
           [](const Arrays&) -> Arrays { return {Array({1000})}; })
      .add({}, CALL(ops::zeros(Sizes{0})), [](const Arrays&) -> Arrays { return {Array({0})}; })
      .bad({}, CALL(ops::zeros(Sizes{2}, DType(15))), Code::dtype, {"[zeros]", "15"});
  nothing("ones", r, f32)
      .add({}, CALL(ops::ones(Sizes{2, 3})),
           [](const Arrays&) -> Arrays {
             return {Array({2, 3}, 1)};
           })
      .add({}, CALL(ops::cast(ops::ones(Sizes{77}, DType::boolean), DType::f32)),
           [](const Arrays&) -> Arrays { return {Array({77}, 1)}; })
      .bad({}, CALL(ops::ones(Sizes{2}, DType(15))), Code::dtype, {"[ones]", "15"});
  nothing("empty", r, f32)
      .add({}, CALL(ops::empty(Sizes{2, 0, 3})),
           [](const Arrays&) -> Arrays {
             return {Array({2, 0, 3})};
           })
      .add({}, CALL(ops::mul_scalar(ops::cast(ops::empty(Sizes{5}, DType::i8), DType::f32), 0.0)),
           [](const Arrays&) -> Arrays { return {Array({5})}; })
      .bad({}, CALL(ops::empty(Sizes{2}, DType(15))), Code::dtype, {"[empty]", "15"});

  Record& arange = nothing("arange", r, f32);
  struct Range {
    double start, end, step;
  };
  for (Range g : {Range{0, 5, 1}, {1, 2, 0.25}, {3, -2, -1.5}, {0, 0, 1}, {0, 1000, 3}})
    arange.add(
        {}, [g](Ins) -> Outs { return ops::arange(g.start, g.end, g.step); },
        [g](const Arrays&) -> Arrays {
          std::vector<double> v;
          for (int64_t i = 0;
               g.step > 0 ? g.start + double(i) * g.step < g.end : g.start + double(i) * g.step > g.end; ++i)
            v.push_back(g.start + double(i) * g.step);
          return {list(v)};
        });
  arange
      .add({}, CALL(ops::cast(ops::arange(2, 9, 3), DType::f32)),
           [](const Arrays&) -> Arrays {
             return {list({2, 5, 8})};
           })
      .add(
          {},
          CALL(ops::cast(ops::arange(-0.9, 4.2, 2.5, DType::i32), DType::f32)),  // integers count in integers
          [](const Arrays&) -> Arrays {
            return {list({0, 2, 4})};
          })
      .bad({}, CALL(ops::arange(0, 5, 0)), Code::invalid_argument, {"[arange]", "steps of 0"})
      .bad({}, CALL(ops::arange(0, 5, -1)), Code::invalid_argument, {"[arange]", "-1"})
      .bad({}, CALL(ops::arange(0, 5, 1, DType::boolean)), Code::dtype, {"[arange]", "bool"});

  Record& linspace = nothing("linspace", r, f32);
  for (int64_t n : {0, 1, 2, 5, 101})
    linspace.add(
        {}, [n](Ins) -> Outs { return ops::linspace(-1, 3, n); },
        [n](const Arrays&) -> Arrays {
          return {make_array(
              {n}, [n](const Sizes& i) { return i[0] == 0 ? -1 : -1 + 4.0 * double(i[0]) / double(n - 1); })};
        });
  linspace.add({}, CALL(ops::cast(ops::linspace(4.3, -3.9, 4, DType::i64), DType::f32)),
               [](const Arrays&) -> Arrays {
                 return {list({4, 1, 0, -3})};
               });
  linspace.bad({}, CALL(ops::linspace(0, 1, -1)), Code::invalid_argument, {"[linspace]", "-1"});
  Record& logspace = nothing("logspace", r, f32);
  for (double base : {10.0, 2.0})
    logspace.add(
        {}, [base](Ins) -> Outs { return ops::logspace(-2, 2, 9, base); },
        [base](const Arrays&) -> Arrays {
          return {
              make_array({9}, [base](const Sizes& i) { return std::pow(base, -2 + 0.5 * double(i[0])); })};
        });
  logspace.add({}, CALL(ops::cast(ops::logspace(-0.5, 1.2, 3, 10, DType::i64), DType::f32)),
               [](const Arrays&) -> Arrays {
                 return {list({1, 3, 10})};
               });
  logspace.bad({}, CALL(ops::logspace(0, 1, -1)), Code::invalid_argument, {"[logspace]", "-1"});
  Record& eye = nothing("eye", r, f32);
  for (auto [n, m] : {std::pair{3, 3}, std::pair{2, 4}, std::pair{4, 2}, std::pair{0, 3}})
    eye.add(
        {}, [n, m](Ins) -> Outs { return ops::eye(n, n == m ? -1 : m); },
        [n, m](const Arrays&) -> Arrays {
          return {make_array({n, m}, [](const Sizes& i) { return double(i[0] == i[1]); })};
        });
  eye.bad({}, CALL(ops::eye(-1)), Code::invalid_argument, {"[eye]", "-1"})
      .bad({}, CALL(ops::eye(0, -3)), Code::invalid_argument, {"[eye]", "-3"});

  // The places of a window's elements, 0 to 1: all of them, or without the last.
  auto window = [](int64_t n, bool periodic, double (*rule)(double)) {
    return [=](const Arrays&) -> Arrays {
      return {make_array({n}, [=](const Sizes& i) {
        return n == 1 ? 1 : rule(double(i[0]) / double(periodic ? n : n - 1));
      })};
    };
  };
  struct Shaped {
    const char* name;
    Tensor (*make)(int64_t, bool);
    double (*rule)(double);
  };
  for (const Shaped& s :
       {Shaped{"bartlett_window", [](int64_t n, bool p) { return ops::bartlett_window(n, p); },
               [](double t) { return 1 - std::fabs(2 * t - 1); }},
        Shaped{"blackman_window", [](int64_t n, bool p) { return ops::blackman_window(n, p); },
               [](double t) { return 0.42 - 0.5 * std::cos(2 * M_PI * t) + 0.08 * std::cos(4 * M_PI * t); }},
        Shaped{"hamming_window", [](int64_t n, bool p) { return ops::hamming_window(n, p); },
               [](double t) { return 0.54 - 0.46 * std::cos(2 * M_PI * t); }},
        Shaped{"hann_window", [](int64_t n, bool p) { return ops::hann_window(n, p); },
               [](double t) { return 0.5 - 0.5 * std::cos(2 * M_PI * t); }},
        Shaped{"kaiser_window", [](int64_t n, bool p) { return ops::kaiser_window(n, p, 5); },
               [](double t) {
                 return std::cyl_bessel_i(0, 5 * std::sqrt(std::max(0.0, 1 - (2 * t - 1) * (2 * t - 1)))) /
                        std::cyl_bessel_i(0, 5);
               }}}) {
    Record& rec = nothing(s.name, r, f32).tolerance(8);
    for (int64_t n : {0, 1, 2, 7, 16})
      for (bool periodic : {true, false})
        rec.add(
            {}, [=](Ins) -> Outs { return s.make(n, periodic); }, window(n, periodic, s.rule));
    rec.bad({}, [s](Ins) -> Outs { return s.make(-1, true); }, Code::invalid_argument,
            {std::string("[") + s.name + "]", "-1"});
  }

  struct Like {
    const char* name;
    Tensor (*make)(const Tensor&, DType);
    double value;
  };
  for (const Like& l :
       {Like{"empty_like", [](const Tensor&x, DType t) { return ops::fill_(ops::empty_like(x, t), 1); }, 1},
        Like{"zeros_like", [](const Tensor&x, DType t) { return ops::zeros_like(x, t); }, 0},
        Like{"ones_like", [](const Tensor&x, DType t) { return ops::ones_like(x, t); }, 1},
        Like{"full_like", [](const Tensor&x, DType t) { return ops::full_like(x, 3, t); }, 3}}) {
    Record& rec = r.op(l.name).on(kAll);
    for (const Sizes& s : {Sizes{2, 3}, Sizes{}, Sizes{0}, Sizes{400}})
      rec.add(
          {real(s)}, [l](Ins t) -> Outs { return l.make(t[0], DType::none); },
          [l](const Arrays& in) -> Arrays { return {Array(in[0].sizes, l.value)}; });
    rec.bad({real({2})}, [l](Ins t) -> Outs { return l.make(t[0], DType(15)); }, Code::dtype,
            {"[" + rec.name + "]", "15"});
  }
}

}  // namespace haft::test
