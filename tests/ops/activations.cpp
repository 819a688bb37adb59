// Records of the activation functions.
#include <cmath>

#include "tests/ops/record.h"

namespace haft::test {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double clip(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double tanh_gelu(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

}  // namespace

void add_activations(Records& r) {
  const Records::Range wide{-4, 4};
  r.pointwise("relu", {wide}, CALL(ops::relu(t[0])), EACH(x[0] < 0 ? 0 : x[0]));
  r.pointwise("gelu", {wide}, CALL(ops::gelu(t[0])), EACH(x[0] / 2 * (1 + std::erf(x[0] / std::sqrt(2)))))
      .add({real({9}, -4, 4)}, CALL(ops::gelu(t[0], true)), [](const Arrays& in) -> Arrays {
        Array y = in[0];
        for (double& v : y.v) v = tanh_gelu(v);
        return {y};
      });
  r.pointwise("silu", {wide}, CALL(ops::silu(t[0])), EACH(x[0] * sigmoid(x[0]))).allow(2);
  r.pointwise("mish", {wide}, CALL(ops::mish(t[0])), EACH(x[0] * std::tanh(softplus(x[0])))).allow(4, 1e-3);
  r.pointwise("softplus", {wide}, CALL(ops::softplus(t[0], 2, 5)),
              EACH(2 * x[0] > 5 ? x[0] : softplus(2 * x[0]) / 2))
      .with({2, 5})
      .allow(2);
  r.pointwise("elu", {wide}, CALL(ops::elu(t[0], 1.5)), EACH(x[0] > 0 ? x[0] : 1.5 * std::expm1(x[0])))
      .with({1.5})
      .allow(2);
  r.pointwise("leaky_relu", {wide}, CALL(ops::leaky_relu(t[0], 0.2)), EACH(x[0] > 0 ? x[0] : 0.2 * x[0]))
      .with({0.2});
  r.pointwise("hardtanh", {wide}, CALL(ops::hardtanh(t[0], -1, 2)), EACH(clip(x[0], -1, 2)));
  r.pointwise("hardsigmoid", {wide}, CALL(ops::hardsigmoid(t[0])), EACH(clip(x[0] / 6 + 0.5, 0, 1)))
      .allow(2, 1);
  r.pointwise("hardswish", {wide}, CALL(ops::hardswish(t[0])), EACH(x[0] * clip(x[0] / 6 + 0.5, 0, 1)))
      .allow(2, 1);
  r.pointwise("logsigmoid", {wide}, CALL(ops::logsigmoid(t[0])), EACH(-softplus(-x[0]))).allow(2);

  // Compositions, for floating tensors.
  auto composed = [&](const char* name, CallFn call, double (*f)(const double*)) -> Record& {
    Record& record = r.op(name).on(kFloats, 0).tolerance(4, 4);
    for (const Sizes& sizes : {Sizes{3, 4}, Sizes{}, Sizes{0, 2}})
      record.add({real(sizes, -4, 4)}, call, [f](const Arrays& in) -> Arrays {
        Array y = in[0];
        for (double& v : y.v) v = f(&v);
        return {y};
      });
    return record;
  };
  composed("selu", CALL(ops::selu(t[0])),
           EACH(1.0507009873554805 * (x[0] > 0 ? x[0] : 1.6732632423543772 * std::expm1(x[0]))));
  composed("celu", CALL(ops::celu(t[0], 1.5)), EACH(x[0] > 0 ? x[0] : 1.5 * std::expm1(x[0] / 1.5)))
      .bad({real({3})}, CALL(ops::celu(t[0], 0)), Code::invalid_argument, {"[celu]", "alpha"});
  composed("softsign", CALL(ops::softsign(t[0])), EACH(x[0] / (1 + std::fabs(x[0]))));
  composed("tanhshrink", CALL(ops::tanhshrink(t[0])), EACH(x[0] - std::tanh(x[0])));
  composed("hardshrink", CALL(ops::hardshrink(t[0], 0.71)), EACH(std::fabs(x[0]) > 0.71 ? x[0] : 0));
  composed("softshrink", CALL(ops::softshrink(t[0], 0.71)), EACH(x[0] - clip(x[0], -0.71, 0.71)))
      .bad({real({3})}, CALL(ops::softshrink(t[0], -1)), Code::invalid_argument,
           {"[softshrink]", "lambda", "-1"});
  composed("threshold", CALL(ops::threshold(t[0], 0.31, 7)), EACH(x[0] > 0.31 ? x[0] : 7));
  r.op("glu")
      .on(kFloats, 0)
      .tolerance(4, 4)
      .add({real({3, 4}, -4, 4)}, CALL(ops::glu(t[0])),
           [](const Arrays& in) -> Arrays {
             return {make_array({3, 2}, [&](const Sizes& i) {
               return in[0][i] * sigmoid(in[0][{i[0], i[1] + 2}]);
             })};
           })
      .add({real({4, 3}, -4, 4)}, CALL(ops::glu(t[0], 0)),
           [](const Arrays& in) -> Arrays {
             return {make_array({2, 3}, [&](const Sizes& i) {
               return in[0][i] * sigmoid(in[0][{i[0] + 2, i[1]}]);
             })};
           })
      .bad({real({3, 3})}, CALL(ops::glu(t[0], 1)), Code::shape, {"[glu]", "even", "[3, 3]"})
      .bad({real({})}, CALL(ops::glu(t[0])), Code::shape, {"[glu]", "0-dimensional"});
}

}  // namespace haft::test
