// Parametrizations beside PyTorch 1.13's numbers, which stand here, and formulas.
#include "core/nn/parametrize.h"

#include "core/autograd/hooks.h"
#include "core/nn/data_parallel.h"
#include "core/nn/layers.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::expect_error;
using testing::values;
using Numbers = std::vector<double>;

Tensor made(const Shape& sizes, double (*f)(double), double step) {
  Tensor t = new_tensor(sizes, DType::f64);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = f(double(i + 1) * step);
  return t;
}
Tensor waves(const Shape& sizes) { return made(sizes, std::sin, 1.3); }
Tensor weights(const Shape& sizes) { return made(sizes, std::cos, 0.7); }
Tensor of(const Shape& sizes, const Numbers& v) {
  return ops::reshape(testing::tensor(v, DType::f64), sizes);
}

void expect_near(const Tensor& got, const Numbers& want, double tolerance = 1e-10) {
  const Numbers v = values(got);
  ASSERT_EQ(v.size(), want.size());
  for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], want[i], tolerance) << "element " << i;
}
std::vector<std::string> names(const Module& m) {
  std::vector<std::string> out;
  for (const NamedTensor& t : m.state_dict()) out.push_back(t.name);
  return out;
}
Ref<Module> linear(int64_t in, int64_t out, bool bias = true) {
  return make_ref<Linear>(in, out, bias, Build{.dtype = DType::f64});
}
void set(Module& m, const char* name, const Tensor& t) {
  NoGradGuard off;
  ops::copy_(m.find_parameter(name), t);
}

class Parametrize : public testing::NnTest {};

TEST_F(Parametrize, WeightNormIsLengthTimesDirection) {
  for (int64_t dim : {int64_t(0), int64_t(1), int64_t(-1), kNone}) {
    auto m = linear(4, 3);
    set(*m, "weight", waves({3, 4}));
    const Tensor before = ops::clone(ops::detach(m->find_parameter("weight")));
    register_parametrization(*m, "weight", weight_norm(dim));
    EXPECT_EQ(names(*m), (std::vector<std::string>{"bias", "parametrizations.weight.original0",
                                                   "parametrizations.weight.original1"}));
    expect_near(m->find_value("weight"), values(before), 1e-15);
    const Tensor g = m->find_parameter("parametrizations.weight.original0"),
                 v = m->find_parameter("parametrizations.weight.original1");
    EXPECT_EQ(g.numel(), dim == 0 ? 3 : dim == 1 ? 4 : 1);
    set(*m, "parametrizations.weight.original0", ops::mul_scalar(g, Scalar(2.0)));
    expect_near(m->find_value("weight"), values(ops::mul_scalar(before, Scalar(2.0))), 1e-15);

    // The gradient of the length is that along the direction; that of the direction stands across it.
    const Tensor x = weights({5, 4});
    testing::backward(ops::sum(ops::mul(m->call(x), weights({5, 3}))));
    const Tensor whole = ops::matmul(ops::t(weights({5, 3})), x),
                 unit = ops::div(before, dim == 0 || dim == 1 ? ops::norm(before, 2, Shape{1 - dim}, true)
                                                              : ops::norm(before));
    const Tensor along = ops::mul(whole, unit);
    expect_near(gradient_of(g),
                values(dim == 0 || dim == 1 ? ops::sum(along, Shape{1 - dim}, true) : ops::sum(along)));
    EXPECT_NEAR(values(ops::sum(ops::mul(gradient_of(v), v)))[0], 0, 1e-10);
  }
}

TEST_F(Parametrize, SpectralNormGoesOnFromItsVectors) {
  auto m = linear(4, 3, false);
  const Tensor own = m->find_parameter("weight");
  set(*m, "weight", waves({3, 4}));
  register_parametrization(*m, "weight", spectral_norm(2, 1e-12, kNone));
  EXPECT_EQ(names(*m),
            (std::vector<std::string>{"parametrizations.weight.original", "parametrizations.weight.0._u",
                                      "parametrizations.weight.0._v"}));
  EXPECT_EQ(m->find_parameter("parametrizations.weight.original").impl(), own.impl());  // optimizers go on
  ops::copy_(m->find_buffer("parametrizations.weight.0._u"),
             of({3}, {1 / std::sqrt(14), 2 / std::sqrt(14), 3 / std::sqrt(14)}));
  ops::copy_(m->find_buffer("parametrizations.weight.0._v"),
             of({4}, {1 / std::sqrt(7), -1 / std::sqrt(7), 1 / std::sqrt(7), 2 / std::sqrt(7)}));
  const Tensor w = m->find_value("weight");
  expect_near(
      w, {0.509245724728, 0.272445269694, -0.363488143713, -0.466910575018, 0.113692079934, 0.527735571431,
          0.168645214429, -0.437510776805, -0.402712455041, 0.222060556813, 0.521514332703, 0.0569483894048});
  expect_near(m->find_buffer("parametrizations.weight.0._u"),
              {-0.755657070672, -0.63495034695, 0.160687424683});
  expect_near(m->find_buffer("parametrizations.weight.0._v"),
              {-0.521714785488, -0.505278739595, 0.251391843547, 0.639772786944});
  testing::backward(ops::sum(ops::mul(w, weights({3, 4}))));
  expect_near(gradient_of(own), {0.362270809405, 0.0491977883434, -0.246598835948, -0.446523833367,
                                 -0.530173494929, -0.293246015287, 0.115558762601, 0.453118735789,
                                 0.537351725332, 0.40708139732, 0.0767602651506, -0.285386606665});
  m->eval();
  const Numbers u = values(m->find_buffer("parametrizations.weight.0._u"));
  m->call(weights({2, 4}));
  EXPECT_EQ(values(m->find_buffer("parametrizations.weight.0._u")), u);
  m->train();
  m->call(weights({2, 4}));
  EXPECT_NE(values(m->find_buffer("parametrizations.weight.0._u")), u);
  // 15 iterations at the start and many uses: the largest singular value is 1.
  for (int i = 0; i < 50; ++i) m->call(weights({2, 4}));
  const Tensor a = ops::detach(m->find_value("weight"));
  Tensor v = weights({4});
  for (int i = 0; i < 200; ++i) {
    v = ops::mv(ops::t(a), ops::mv(a, v));
    v = ops::div(v, ops::norm(v));
  }
  EXPECT_NEAR(values(ops::norm(ops::mv(a, v)))[0], 1, 1e-9);
}

TEST_F(Parametrize, SpectralNormOfTransposedConvolutionsAndVectors) {
  auto conv = conv_transpose2d(3, 5, Shape{2, 2}, {}, {}, {}, 1, true, {}, Build{.dtype = DType::f64});
  register_parametrization(*conv, "weight", spectral_norm());
  EXPECT_EQ(conv->find_buffer("parametrizations.weight.0._u").numel(), 5);
  EXPECT_EQ(conv->find_buffer("parametrizations.weight.0._v").numel(), 12);
  auto m = linear(4, 3);
  register_parametrization(*m, "bias", spectral_norm());
  EXPECT_NEAR(values(ops::norm(m->find_value("bias")))[0], 1, 1e-12);
}

struct MapCase {
  int64_t map, rows, columns;
  Numbers value, gradient;
};

TEST_F(Parametrize, OrthogonalMapsAsPyTorch) {
  const std::vector<MapCase> cases = {
      {1,
       4,
       3,
       {0.559470272065, 0.481637846168, -0.0285104400321, -0.600616333732, 0.0135521870183, 0.611615949982,
        0.571065106314, -0.472764610914, 0.662325279683, 0.0117336559019, 0.737790584132, 0.431785025713},
       {0, 0, 0, -0.284254193229, 0, 0, -0.071983611579, 1.2303826669, 0, 0.453914797102, 0.464385122544,
        -0.285890188903}},
      {2,
       4,
       3,
       {0.650096388194, 0.482255482693, -0.0948803755731, -0.569814987749, 0.248340421157, 0.579202930122,
        0.494161111261, -0.477018453129, 0.725790185821, 0.092143159867, 0.691527353043, 0.358817901219},
       {0, 0, 0, -0.360670736186, 0, 0, 0.00768388960528, 1.06799809605, 0, 0.371230951578, 0.385101157918,
        -0.291155653907}},
      {3,
       4,
       3,
       {0.0285868587991, -0.322625764253, 0.0692131730613, 0.858199462222, 0.0371832955742, -0.511394374652,
        -0.309976342522, -0.725605705759, -0.582232076944, -0.408155781073, 0.606651777003, -0.628244489691},
       {0, 0, 0, -0.494600440611, 0, 0, 1.17136120601, -1.22236102843, 0, -0.78903629721, -0.665811530288,
        -1.62566738651}},
      {1,
       3,
       4,
       {0.353039223923, 0.113295907581, -0.439213629268, -0.818302347279, -0.532803221551, 0.544153244988,
        0.493898675512, -0.419621342881, 0.652040608746, -0.13023177004, 0.735271854368, -0.131369824513},
       {0, 1.33141195447, -0.394986577702, -0.156926227453, 0, 0, -0.539519526266, -0.0735803955104, 0, 0, 0,
        0.302659193856}},
      {2,
       3,
       4,
       {0.481941312547, 0.147075291553, -0.446304953951, -0.739535880099, -0.463233533044, 0.625972824781,
        0.442671159475, -0.444539043357, 0.60670025895, -0.168596583196, 0.77000779496, -0.102849324862},
       {0, 1.14128433973, -0.362609157645, -0.146406893761, 0, 0, -0.530104969862, 0.0883978487281, 0, 0, 0,
        0.157444787372}},
      {3,
       3,
       4,
       {0.206114847288, -0.409248885292, 0.546007342314, 0.70136153427, -0.503531771592, -0.140452557388,
        0.703421076683, -0.481588645006, -0.806494647595, -0.264199841068, -0.374005984233, 0.374011164456},
       {0, 0.306155019433, 0.937847788036, -1.63800362826, 0, 0, -1.26695942461, -0.0874319656927, 0, 0, 0,
        -0.526967539971}},
      {1,
       3,
       3,
       {0.613543891071, 0.785768294331, 0.078307607251, -0.554364778088, 0.357981606071, 0.751351357575,
        0.562355391674, -0.504398014804, 0.655239693637},
       {0, 0, 0, -0.891381685861, 0, 0, -0.141940519002, 1.24601720767, 0}},
      {3,
       3,
       3,
       {-0.0625209120502, 0.508370747103, -0.858865716539, 0.938689046551, -0.262387820971, -0.223641465949,
        -0.339048682997, -0.820190108997, -0.460797326015},
       {0, 0, 0, -0.300487558028, 0, 0, 1.14007197599, -0.776311509422, 0}}};
  for (const MapCase& c : cases) {
    SCOPED_TRACE(concat("map ", c.map, " of ", c.rows, " x ", c.columns));
    Tensor x = waves({c.rows, c.columns});
    if (c.map == 3)
      for (int64_t i = 0; i < 3; ++i) x.data<double>()[i * c.columns + i] = i == 1 ? -1 : 1;
    haft::set_requires_grad(x, true);
    const Tensor y = orthogonal(c.map, false)->call(x);
    expect_near(y, c.value);
    testing::backward(ops::sum(ops::mul(y, weights({c.rows, c.columns}))));
    expect_near(gradient_of(x), c.gradient);
  }
}

TEST_F(Parametrize, OrthogonalWeightsStayOrthogonal) {
  for (int64_t map : {0, 1, 2, 3})
    for (const Shape& size : {Shape{5, 5}, Shape{7, 3}, Shape{2, 6}, Shape{2, 4, 3}, Shape{1, 1}}) {
      SCOPED_TRACE(concat("map ", map, " of ", IntList(size)));
      auto m = make_ref<Module>("Own");
      m->register_parameter("weight", waves(size));
      register_parametrization(*m, "weight", orthogonal(map));
      EXPECT_EQ(names(*m), (std::vector<std::string>{"parametrizations.weight.original",
                                                     "parametrizations.weight.0.base"}));
      auto check = [&] {
        const Tensor w = ops::detach(m->find_value("weight")),
                     flat = ops::reshape(w, Shape{-1, w.size(-2), w.size(-1)});
        const Tensor rows = w.size(-2) > w.size(-1) ? ops::transpose(flat, 1, 2) : flat;
        const int64_t k = rows.size(1);
        const Tensor product = ops::matmul(rows, ops::transpose(rows, 1, 2));
        expect_near(ops::sub(product, ops::eye(k, k, DType::f64)), Numbers(size_t(product.numel()), 0.0),
                    1e-12);
      };
      check();
      const Tensor original = m->find_parameter("parametrizations.weight.original");
      if (original.numel() == 1) continue;
      testing::backward(ops::sum(ops::mul(m->find_value("weight"), weights(size))));
      NoGradGuard off;
      ops::sub_(original, ops::mul_scalar(gradient_of(original), Scalar(0.5)));
      check();
      // Whatever is assigned is made orthogonal; what is orthogonal stays.
      const Tensor now = ops::clone(m->find_value("weight"));
      set_parametrized(*m, "weight", waves(size));
      check();
      set_parametrized(*m, "weight", now);
      expect_near(m->find_value("weight"), values(now), 1e-12);
    }
}

TEST_F(Parametrize, HouseholderIsInvertedAsLapackDoes) {
  // Of full rank.
  auto cubes = [](const Shape& sizes) { return ops::mul(ops::square(waves(sizes)), waves(sizes)); };
  expect_near(right_inverse(*orthogonal(3, false), cubes({4, 3}))[0],
              {-1, -0.148822752392, 0.875876741571, -0.3401702024, -1, -0.312189035471, 0.016029397662,
               -0.46817551266, 1, 0.0365939601491, 0.778027006094, 0.996675938109});
  expect_near(right_inverse(*orthogonal(3, false), cubes({3, 4}))[0],
              {-1, 0.0659244360734, -0.156559475056, -0.331825485714, -0.444407854604, -1, 0.0512378179325,
               -0.205955538476, 0.590753761036, -0.343016942989, -1, -0.152423235494});
  expect_error(
      [] {
        right_inverse(*orthogonal(1, false), waves({3, 3}));
      },
      Code::unsupported, "without a base");
}

TEST_F(Parametrize, FunctionsOfTheUsersOwn) {
  auto doubled = make_ref<Callback>("Doubled", [](Module&, std::span<const Tensor> in) {
    return std::vector<Tensor>{ops::mul_scalar(in[0], Scalar(2.0))};
  });
  auto halved = make_ref<Callback>("Halved", [](Module&, std::span<const Tensor> in) {
    return std::vector<Tensor>{ops::mul_scalar(in[0], Scalar(0.5))};
  });
  auto squared = make_ref<Callback>(
      "Squared", [](Module&, std::span<const Tensor> in) { return std::vector<Tensor>{ops::square(in[0])}; });
  auto m = linear(4, 3);
  set(*m, "weight", waves({3, 4}));
  const Numbers before = values(m->find_parameter("weight"));
  register_parametrization(*m, "weight", doubled, halved);  // the value stays
  expect_near(m->find_value("weight"), before, 1e-15);
  expect_near(m->find_parameter("parametrizations.weight.original"),
              values(ops::mul_scalar(waves({3, 4}), Scalar(0.5))), 1e-15);
  register_parametrization(*m, "weight", squared);  // on top
  expect_near(m->find_value("weight"), values(ops::square(waves({3, 4}))), 1e-15);
  EXPECT_NE(m->text().find("ParametrizedLinear("), std::string::npos) << m->text();
  expect_error([&] { set_parametrized(*m, "weight", waves({3, 4})); }, Code::unsupported, "Squared");
  const Tensor x = weights({2, 4});
  expect_near(m->call(x), values(ops::linear(x, ops::square(waves({3, 4})), m->find_parameter("bias"))),
              1e-12);

  // Other modules see their own weights meanwhile, buffers may be parametrized, too.
  auto norm = make_ref<BatchNorm>(1, BatchNormOptions{3}, Build{.dtype = DType::f64});
  register_parametrization(*norm, "running_var", doubled);
  norm->eval();
  expect_near(norm->call(ops::ones(Shape{1, 3}, DType::f64)), Numbers(3, 1 / std::sqrt(2 + 1e-5)), 1e-12);

  remove_parametrizations(*m, "weight");
  EXPECT_EQ(names(*m), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_FALSE(is_parametrized(*m, ""));
  expect_near(m->find_parameter("weight"), values(ops::square(waves({3, 4}))), 1e-15);
  register_parametrization(*m, "weight", doubled);
  remove_parametrizations(*m, "weight", false);
  expect_near(m->find_parameter("weight"), values(ops::square(waves({3, 4}))), 1e-15);
}

TEST_F(Parametrize, StatesTravelAndModelsTrain) {
  auto build = [] {
    const Ref<Module> layers[] = {linear(4, 8), linear(8, 8), linear(8, 1)};
    auto net = make_ref<Sequential>(layers);
    register_parametrization(*net->find("0"), "weight", weight_norm());
    register_parametrization(*net->find("1"), "weight", orthogonal());
    register_parametrization(*net->find("2"), "weight", spectral_norm());
    return net;
  };
  auto net = build(), other = build();
  const Tensor x = waves({16, 4}), y = ops::sum(ops::square(x), Shape{1}, true);
  double first = 0, last = 0;
  for (int step = 0; step < 30; ++step) {
    net->zero_grad();
    const Tensor loss = ops::mean(ops::square(ops::sub(net->call(x), y)));
    testing::backward(loss);
    last = values(loss)[0];
    if (step == 0) first = last;
    NoGradGuard off;
    for (const Tensor& p : net->parameters()) ops::sub_(p, ops::mul_scalar(gradient_of(p), Scalar(0.02)));
  }
  EXPECT_LT(last, 0.7 * first);
  net->eval();
  other->eval();
  other->load_state_dict(net->state_dict());
  EXPECT_EQ(values(other->call(x)), values(net->call(x)));
  net->to(DType::f32, kDefaultDevice);
  EXPECT_EQ(net->call(ops::cast(x, DType::f32)).dtype(), DType::f32);
}

TEST_F(Parametrize, CallsWithOtherTensors) {
  const Ref<Module> layers[] = {linear(4, 3), linear(3, 2)};
  auto net = make_ref<Sequential>(layers);
  register_parametrization(*net->find("1"), "weight", weight_norm());
  Tensor w = waves({3, 4});
  haft::set_requires_grad(w, true);
  const Tensor x = weights({5, 4}), v = waves({2, 3});
  const NamedTensor others[] = {{"0.weight", w}, {"1.weight", v}};
  const Tensor y = net->functional_call(others, {&x, 1})[0];
  expect_near(
      y,
      values(ops::linear(ops::linear(x, w, net->find_parameter("0.bias")), v, net->find_parameter("1.bias"))),
      1e-12);
  testing::backward(ops::sum(y));
  EXPECT_TRUE(gradient_of(w).defined());
  EXPECT_FALSE(gradient_of(net->find_parameter("0.weight")).defined());
  EXPECT_NE(values(net->call(x)), values(y));
  const NamedTensor unknown[] = {{"0.wight", w}}, small[] = {{"0.weight", v}};
  expect_error([&] { net->functional_call(unknown, {&x, 1}); }, Code::invalid_argument, "wight");
  expect_error([&] { net->functional_call(small, {&x, 1}); }, Code::shape, "[3, 4]");
}

TEST_F(Parametrize, MisuseIsRefused) {
  auto m = linear(4, 3);
  expect_error([&] { register_parametrization(*m, "wight", weight_norm()); }, Code::invalid_argument,
               "wight");
  expect_error([&] { remove_parametrizations(*m, "weight"); }, Code::invalid_argument, "not parametrized");
  expect_error(
      [&] {
        set_parametrized(*m, "weight", waves({3, 4}));
      },
      Code::invalid_argument, "not parametrized");
  expect_error([&] { right_inverse(*m, waves({3, 4})); }, Code::unsupported, "Linear");
  auto row = make_ref<Callback>("Row", [](Module&, std::span<const Tensor> in) {
    return std::vector<Tensor>{ops::select(in[0], 0, 0)};
  });
  expect_error([&] { register_parametrization(*m, "weight", row); }, Code::shape, "makes");
  EXPECT_EQ(names(*m), (std::vector<std::string>{"weight", "bias"}));
  expect_error([&] { register_parametrization(*m, "bias", orthogonal()); }, Code::shape, "Orthogonal");
  register_parametrization(*m, "weight", weight_norm());
  expect_error(
      [&] {
        m->register_parameter("weight", waves({3, 4}));
      },
      Code::invalid_argument, "parametrized");
  expect_error([&] { m->find_parameter("weight"); }, Code::invalid_argument, "parametrized");
  expect_error([&] { remove_parametrizations(*m, "weight", false); }, Code::invalid_argument, "2 originals");
  expect_error([&] { register_parametrization(*m, "weight", weight_norm()); }, Code::invalid_argument,
               "takes lengths and directions");
  expect_error([] { spectral_norm(0); }, Code::invalid_argument, "n_power_iterations");
}

TEST_F(Parametrize, PartsOfABatchOnOtherDevices) {
  auto m = linear(4, 3);
  register_parametrization(*m, "weight", weight_norm());
  auto parallel = make_ref<DataParallel>(m, std::vector<Device>{Device{}}, 0);
  const Tensor x = weights({6, 4});
  EXPECT_EQ(values(parallel->call(x)), values(m->call(x)));
}

}  // namespace
}  // namespace haft::nn
