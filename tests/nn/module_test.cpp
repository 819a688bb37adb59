// The tree: names, states, modes, hooks, sharing, moving.
#include <gtest/gtest.h>

#include <thread>

#include "core/dispatch/host_access.h"
#include "core/nn/containers.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"
#include "tests/nn/nn_testing.h"

namespace haft::nn {
namespace {

using testing::backward;
using testing::values;

Ref<Sequential> small_net() {
  auto net = make_ref<Sequential>();
  net->append(make_ref<Conv>(
      2, ConvOptions{.in_channels = 3, .out_channels = 8, .kernel_size = {3, 3}, .bias = false}));
  net->append(make_ref<BatchNorm>(2, BatchNormOptions{.num_features = 8}));
  net->append(relu());
  auto head = make_ref<Sequential>();
  head->append(flatten());
  head->append(make_ref<Linear>(32, 4));
  head->append(make_ref<LayerNorm>(Shape{4}));
  head->append(make_ref<Embedding>(3, 4));
  net->append(head);
  return net;
}

std::vector<std::string> names(const std::vector<NamedTensor>& list) {
  std::vector<std::string> out;
  for (const NamedTensor& n : list) out.push_back(n.name);
  return out;
}

struct ModuleTree : testing::NnTest {};

// What PyTorch 1.13 answers for the same tree.
TEST_F(ModuleTree, NamesAndKeysArePyTorchs) {
  auto net = small_net();
  EXPECT_EQ(names(net->named_parameters()),
            (std::vector<std::string>{"0.weight", "1.weight", "1.bias", "3.1.weight", "3.1.bias",
                                      "3.2.weight", "3.2.bias", "3.3.weight"}));
  auto state = net->state_dict();
  EXPECT_EQ(names(state), (std::vector<std::string>{"0.weight", "1.weight", "1.bias", "1.running_mean",
                                                    "1.running_var", "1.num_batches_tracked", "3.1.weight",
                                                    "3.1.bias", "3.2.weight", "3.2.bias", "3.3.weight"}));
  EXPECT_EQ(Shape(state[0].tensor.sizes()).size(), 4);
  EXPECT_EQ(state[5].tensor.dtype(), DType::i64);
  EXPECT_EQ(state[5].tensor.ndim(), 0);
  EXPECT_EQ(net->parameter_count(), 8 * 27 + 16 + 32 * 4 + 4 + 8 + 12);
  std::vector<std::string> modules;
  for (const NamedModule& m : net->named_modules()) modules.push_back(m.name);
  EXPECT_EQ(modules, (std::vector<std::string>{"", "0", "1", "2", "3", "3.0", "3.1", "3.2", "3.3"}));
  EXPECT_EQ(net->find("3.1")->type(), "Linear");
  EXPECT_EQ(net->find_parameter("3.1.weight").impl(), state[6].tensor.impl());
  EXPECT_EQ(net->find_buffer("1.running_var").impl(), state[4].tensor.impl());
  testing::expect_error([&] { net->find("3.7"); }, Code::invalid_argument, "no child \"7\"");
  testing::expect_error([&] { net->find_parameter("3.1.x"); }, Code::invalid_argument, "no \"x\"");
  testing::expect_error([&] { net->find_buffer("0.weight"); }, Code::invalid_argument, "names no buffer");
}

TEST_F(ModuleTree, SharedParametersAppearOnceAndTheirStateTwice) {
  auto shared = make_ref<Linear>(2, 2);
  auto net = make_ref<Sequential>(std::vector<Ref<nn::Module>>{shared, relu(), shared});
  EXPECT_EQ(names(net->named_parameters()), (std::vector<std::string>{"0.weight", "0.bias"}));
  EXPECT_EQ(names(net->state_dict()), (std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias"}));
  EXPECT_EQ(net->parameter_count(), 6);

  auto other = make_ref<Linear>(2, 2, false);  // tied by its tensor
  other->register_parameter("weight", shared->find_parameter("weight"));
  net->append(other);
  EXPECT_EQ(net->parameters().size(), 2u);
  testing::expect_error(
      [&] {
        other->register_parameter("weight", ops::zeros(Shape{3, 2}));
      },
      Code::shape, "[2, 2]");
}

TEST_F(ModuleTree, ApplyVisitsChildrenFirst) {
  auto net = small_net();
  std::vector<std::string> seen;
  net->apply([&](const std::string& name, nn::Module&) { seen.push_back(name); });
  EXPECT_EQ(seen, (std::vector<std::string>{"0", "1", "2", "3.0", "3.1", "3.2", "3.3", "3", ""}));
}

TEST_F(ModuleTree, RefusesBadTrees) {
  auto inner = make_ref<Sequential>(), outer = make_ref<Sequential>();
  outer->append(inner);
  testing::expect_error([&] { inner->append(outer); }, Code::invalid_argument, "part of itself");
  testing::expect_error([&] { outer->append(outer); }, Code::invalid_argument, "part of itself");
  testing::expect_error([&] { outer->add_child("a.b", relu()); }, Code::invalid_argument, "dot");
  testing::expect_error([&] { outer->add_child("", relu()); }, Code::invalid_argument, "empty");
  auto linear = make_ref<Linear>(1, 1);
  testing::expect_error([&] { linear->add_child("weight", relu()); }, Code::invalid_argument,
                        "has a parameter");
  testing::expect_error([&] { linear->register_buffer("weight", ops::zeros(Shape{1})); },
                        Code::invalid_argument, "has a parameter");
  Tensor x = ops::zeros(Shape{2});
  set_requires_grad(x, true);
  testing::expect_error([&] { linear->register_parameter("w", ops::mul(x, x)); }, Code::autograd, "leaf");
  testing::expect_error([&] { linear->register_parameter("w", ops::zeros(Shape{2}, DType::i64)); },
                        Code::dtype, "floating");
  testing::expect_error([&] { make_ref<ModuleList>()->call(x); }, Code::unsupported, "ModuleList");
  outer->add_child("0", relu());  // replaced
  EXPECT_EQ(outer->text(), "Sequential(\n  (0): ReLU()\n)");
}

TEST_F(ModuleTree, LoadsStates) {
  auto from = small_net(), to = small_net();
  to->load_state_dict(from->state_dict());
  auto a = from->state_dict(), b = to->state_dict();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(values(a[i].tensor), values(b[i].tensor)) << a[i].name;
  EXPECT_NE(a[0].tensor.impl()->storage.get(), b[0].tensor.impl()->storage.get());

  // Other dtypes are cast.
  for (NamedTensor& n : a)
    n.tensor = ops::detach(ops::cast(n.tensor, n.tensor.dtype() == DType::i64 ? DType::i32 : DType::f64));
  small_net()->load_state_dict(a);

  auto bad = from->state_dict();
  bad.erase(bad.begin());
  bad.push_back({"9.weight", ops::zeros(Shape{1})});
  auto untouched = values(to->find_parameter("3.1.bias"));
  try {
    to->load_state_dict(bad);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::invalid_argument);
    EXPECT_EQ(e.message, "the state does not fit this Sequential: missing 0.weight; unexpected 9.weight");
  }
  to->load_state_dict(bad, false);
  for (NamedTensor& n : bad)
    if (n.name == "3.1.bias") n.tensor = ops::zeros(Shape{5});
  testing::expect_error([&] { to->load_state_dict(bad, false); }, Code::shape,
                        "\"3.1.bias\" ([5], the module has [4])");
  EXPECT_EQ(values(to->find_parameter("3.1.bias")), untouched);
  bad.push_back(bad.back());
  testing::expect_error([&] { to->load_state_dict(bad, false); }, Code::invalid_argument, "twice");
}

TEST_F(ModuleTree, TrainsFreezesAndForgetsGradients) {
  auto net =
      make_ref<Sequential>(std::vector<Ref<nn::Module>>{make_ref<Linear>(3, 2), make_ref<Dropout>(0.5)});
  EXPECT_TRUE(net->training());
  net->eval();
  EXPECT_FALSE(net->find("1")->training());
  backward(ops::sum(net->call(ops::ones(Shape{4, 3}))));
  EXPECT_TRUE(gradient_of(net->find_parameter("0.weight")));
  net->zero_grad();
  EXPECT_FALSE(gradient_of(net->find_parameter("0.weight")));
  net->set_requires_grad(false);
  EXPECT_FALSE(net->call(ops::ones(Shape{4, 3})).requires_grad());
  EXPECT_EQ(net->parameter_count(true), 0);
  net->zero_grad();
}

TEST_F(ModuleTree, HooksSeeAndReplace) {
  auto net = make_ref<Sequential>(std::vector<Ref<nn::Module>>{relu(), identity()});
  int calls = 0;
  uint64_t pre = net->find("0")->add_forward_pre_hook([&](nn::Module& m, std::span<Tensor> in) {
    EXPECT_EQ(m.type(), "ReLU");
    ++calls;
    in[0] = ops::add_scalar(in[0], Scalar(1));
  });
  uint64_t post = net->add_forward_hook([&](nn::Module&, std::span<const Tensor> in, std::span<Tensor> out) {
    EXPECT_EQ(values(in[0]), (std::vector<double>{1, -3}));
    out[0] = ops::neg(out[0]);
  });
  Tensor x = testing::tensor({1, -3});
  EXPECT_EQ(values(net->call(x)), (std::vector<double>{-2, -0.0}));
  EXPECT_EQ(values(net->call_many({&x, 1})[0]), (std::vector<double>{-2, -0.0}));
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(net->remove_hook(post));
  EXPECT_FALSE(net->remove_hook(post));
  EXPECT_TRUE(net->find("0")->remove_hook(pre));
  EXPECT_EQ(values(net->call(x)), (std::vector<double>{1, 0}));
  EXPECT_EQ(calls, 2);

  // What a running module is cannot be changed, also not by its own hook.
  net->add_forward_hook([&](nn::Module& m, std::span<const Tensor>, std::span<Tensor>) { m.append(relu()); });
  testing::expect_error([&] { net->call(x); }, Code::busy, "running");
  testing::expect_error([&] { net->call(x); }, Code::busy, "running");  // and the refusal left nothing behind
}

TEST_F(ModuleTree, ReadersShareAndMeetNoChange) {
  auto net = small_net();
  Ref<nn::Module> head = net->find("3");
  {
    ReadingTree one(*net), two(*net);
    Running forward(*head);
    EXPECT_EQ(net->state_dict().size(), net->state_dict().size());
    testing::expect_error([&] { head->append(relu()); }, Code::busy, "being read");
    testing::expect_error([&] { net->train(); }, Code::busy, "being read");
  }
  Changing changing(*head);
  EXPECT_GT(net->state_dict().size(), 4u);  // who changes may read
  EXPECT_EQ(net->find("3.1")->type(), "Linear");
  std::thread([&] {
    for (auto f : std::vector<std::function<void()>>{
             [&] { net->state_dict(); }, [&] { net->named_parameters(); }, [&] { net->named_modules(); },
             [&] { net->find("3.1"); }, [&] { head->find_parameter("1.weight"); },
             [&] { head->find_buffer("x"); }, [&] { net->text(); }, [&] { head->append(relu()); },
             [&] { net->add_child("again", head); }})
      testing::expect_error(f, Code::busy, "being changed");
    EXPECT_EQ(net->find("0")->type(), "Conv2d");
  }).join();
}

TEST_F(ModuleTree, UserModulesTakeAndAnswerSeveral) {
  auto scale = make_ref<Callback>("Scale", [](nn::Module& self, std::span<const Tensor> in) {
    Tensor y = ops::mul(ops::add(in[0], in[1]), self.find_parameter("scale"));
    return std::vector<Tensor>{y, in[0]};
  });
  scale->register_parameter("scale", testing::tensor({3}));
  Tensor in[] = {testing::tensor({1, 2}), testing::tensor({10, 20})};
  auto out = scale->call_many(in);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(values(out[0]), (std::vector<double>{33, 66}));
  backward(ops::sum(out[0]));
  EXPECT_EQ(values(gradient_of(scale->find_parameter("scale"))), (std::vector<double>{33}));
  auto one = make_ref<Callback>("Two", [](nn::Module&, std::span<const Tensor> in) {
    return std::vector<Tensor>{in[0], in[0]};
  });
  testing::expect_error([&] { one->call(in[0]); }, Code::invalid_argument, "answered 2");
  testing::expect_error([&] { relu()->call_many(in); }, Code::invalid_argument, "takes one tensor, got 2");
}

TEST_F(ModuleTree, MovesKeepIdentity) {
  auto net = small_net();
  Tensor w = net->find_parameter("0.weight");
  auto before = values(w);
  net->to(DType::f64, kDefaultDevice);
  EXPECT_EQ(w.dtype(), DType::f64);
  EXPECT_EQ(net->find_parameter("0.weight").impl(), w.impl());
  EXPECT_EQ(values(w), before);
  EXPECT_EQ(net->find_buffer("1.num_batches_tracked").dtype(), DType::i64);
  Tensor y = net->find("3.1")->call(ops::ones(Shape{2, 32}, DType::f64));
  EXPECT_EQ(y.dtype(), DType::f64);
  backward(ops::sum(y));
  Tensor bias = net->find_parameter("3.1.bias");
  EXPECT_EQ(gradient_of(bias).dtype(), DType::f64);
  net->to(DType::f32, kDefaultDevice);
  EXPECT_EQ(gradient_of(bias).dtype(), DType::f32);
  EXPECT_EQ(values(gradient_of(bias)), (std::vector<double>{2, 2, 2, 2}));
  backward(ops::sum(net->find("3.1")->call(ops::ones(Shape{1, 32}))));
  EXPECT_EQ(values(gradient_of(bias)), (std::vector<double>{3, 3, 3, 3}));
  testing::expect_error([&] { net->to(DType::i64, kDefaultDevice); }, Code::dtype, "floating");
  testing::expect_error([&] { net->to(DType::none, Device{7, 0}); }, Code::device, "");
  net->register_buffer("made", ops::mul(w, w));
  testing::expect_error([&] { net->to(DType::f64, kDefaultDevice); }, Code::autograd,
                        "\"made\" is the result of an operator");
  EXPECT_EQ(w.dtype(), DType::f32);  // nothing has moved
}

TEST_F(ModuleTree, PrintsLikePyTorch) {
  EXPECT_EQ(small_net()->text(), R"(Sequential(
  (0): Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), bias=False)
  (1): BatchNorm2d(8, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
  (2): ReLU()
  (3): Sequential(
    (0): Flatten(start_dim=1, end_dim=-1)
    (1): Linear(in_features=32, out_features=4, bias=True)
    (2): LayerNorm((4,), eps=1e-05, elementwise_affine=True)
    (3): Embedding(3, 4)
  )
))");
  auto net = make_ref<Sequential>(
      std::vector<Ref<nn::Module>>{make_ref<Linear>(784, 128), relu(), make_ref<Linear>(128, 10)});
  net->find("2")->set_requires_grad(false);
  EXPECT_EQ(net->summary(), R"(Sequential(  # 101,770 parameters
  (0): Linear(in_features=784, out_features=128, bias=True)  # 100,480 parameters
  (1): ReLU()
  (2): Linear(in_features=128, out_features=10, bias=True)  # 1,290 parameters
)
parameters: 101,770 (trainable: 100,480), in buffers: 0, 0.41 MB)");
}

TEST_F(ModuleTree, DeepTreesOfContainers) {
  Ref<nn::Module> m = identity();
  for (int i = 0; i < 200; ++i) m = make_ref<Sequential>(std::vector<Ref<nn::Module>>{m});
  EXPECT_EQ(values(m->call(testing::tensor({1, 2}))), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace haft::nn
