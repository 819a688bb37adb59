// Saved-tensor hooks: what is packed, when it comes back, and with which history.
#include "core/tape/saved_hooks.h"
#include "tests/autograd/autograd_testing.h"

namespace haft {
namespace {

using namespace testing;

struct Counts {
  int packed = 0, unpacked = 0, alive = 0;
};

// Keeps a copy, as offloading does, and counts.
Ref<SavedTensorHooks> copying(Counts& n) {
  auto h = make_ref<SavedTensorHooks>();
  h->pack = [&n](const Tensor& t) -> std::shared_ptr<void> {
    EXPECT_FALSE(t.requires_grad());
    ++n.packed;
    ++n.alive;
    return std::shared_ptr<Tensor>(new Tensor(ops::clone(t)), [&n](Tensor* p) {
      --n.alive;
      delete p;
    });
  };
  h->unpack = [&n](const std::shared_ptr<void>& p) {
    ++n.unpacked;
    return *static_cast<Tensor*>(p.get());
  };
  return h;
}

struct Scope {
  explicit Scope(Ref<SavedTensorHooks> h) { push_saved_tensor_hooks(std::move(h)); }
  ~Scope() { pop_saved_tensor_hooks(); }
};

struct SavedHooks : AutogradTest {};

TEST_F(SavedHooks, PackWhatIsKeptAndUnpackWhatBackwardReads) {
  Counts n;
  Tensor x = leaf({2, 3}), y;
  {
    Scope hooks(copying(n));
    y = ops::sum(ops::exp(ops::mul(x, x)));  // mul keeps x twice, exp its result
  }
  EXPECT_EQ(n.packed, 3);
  EXPECT_EQ(n.unpacked, 0);
  backward(y, {.retain_graph = true});
  EXPECT_EQ(n.unpacked, 3);
  EXPECT_EQ(n.alive, 3);
  EXPECT_NEAR(grad_of(x)[0], 4 * std::exp(4.0), 1e-9);
  backward(y);
  EXPECT_EQ(n.unpacked, 6);
  EXPECT_EQ(n.alive, 0);  // freed with the graph
  expect_error([&] { backward(y); }, Code::autograd, "second time");
  ops::mul(x, x);  // outside of the scope
  EXPECT_EQ(n.packed, 3);
}

TEST_F(SavedHooks, HigherDerivativesGoThroughUnpackedTensors) {
  Counts n;
  Tensor x = leaf({2});
  Scope hooks(copying(n));
  Tensor y = ops::mul(ops::mul(x, x), x);
  Tensor g = grad(y, x, {.create_graph = true}), gg = grad(g, x, {.create_graph = true});
  EXPECT_EQ(values(g), (Numbers{12}));
  EXPECT_EQ(values(gg), (Numbers{12}));
  EXPECT_EQ(values(grad(gg, x)), (Numbers{6}));
  Tensor e = ops::exp(x);  // through a result that was kept
  Tensor ge = grad(e, x, {.create_graph = true});
  EXPECT_NEAR(values(grad(ge, x))[0], std::exp(2.0), 1e-9);
}

TEST_F(SavedHooks, TheInnermostServe) {
  Counts outer, inner;
  Tensor x = leaf({2});
  Scope a(copying(outer));
  {
    Scope b(copying(inner));
    ops::square(x);
  }
  EXPECT_EQ(outer.packed, 0);
  EXPECT_EQ(inner.packed, 1);
  ops::square(x);
  EXPECT_EQ(outer.packed, 1);
}

TEST_F(SavedHooks, AreOffInsideThemselves) {
  Tensor x = leaf({2});
  int calls = 0;
  auto h = make_ref<SavedTensorHooks>();
  h->pack = [&](const Tensor& t) -> std::shared_ptr<void> {
    ++calls;
    ScopedValue<bool> on(thread_state().grad_enabled, true);
    Tensor own = leaf({3});
    backward(ops::sum(ops::mul(own, own)));  // records and saves: not packed again
    EXPECT_EQ(grad_of(own), (Numbers{6}));
    return std::make_shared<Tensor>(t);
  };
  h->unpack = [](const std::shared_ptr<void>& p) { return *static_cast<Tensor*>(p.get()); };
  Scope hooks(h);
  backward(ops::sum(ops::square(x)));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(grad_of(x), (Numbers{4}));
}

TEST_F(SavedHooks, OfCustomFunctions) {
  Counts n;
  auto f = make_ref<CustomFunction>();
  f->name = "cube";
  f->forward = [](FunctionContext& c, std::span<const Tensor> in) {
    Tensor y = ops::mul(ops::mul(in[0], in[0]), in[0]);
    c.save(in[0]);
    c.save(y);
    return std::vector<Tensor>{y};
  };
  f->backward = [](FunctionContext& c, std::span<const Tensor> g) {
    Tensor x = c.saved(0);
    EXPECT_EQ(values(c.saved(1)), (Numbers{8}));
    return std::vector<Tensor>{ops::mul_scalar(ops::mul(g[0], ops::mul(x, x)), 3.0)};
  };
  Tensor x = leaf({2});
  Tensor y;
  {
    Scope hooks(copying(n));
    y = apply_function(f, {&x, 1})[0];
  }
  EXPECT_EQ(n.packed, 2);
  Tensor g = grad(y, x, {.create_graph = true});
  EXPECT_EQ(values(g), (Numbers{12}));
  EXPECT_EQ(values(grad(g, x)), (Numbers{12}));  // x came back with its history
}

TEST_F(SavedHooks, AWrongAnswerFails) {
  auto h = make_ref<SavedTensorHooks>();
  h->pack = [](const Tensor&) { return std::shared_ptr<void>(); };
  h->unpack = [](const std::shared_ptr<void>&) { return ops::zeros(Shape{3}, DType::f64); };
  Tensor x = leaf({1, 2}), y;
  {
    Scope hooks(h);
    y = ops::sum(ops::mul(x, x));
  }
  expect_error([&] { backward(y); }, Code::callback, "of shape [2] on cpu");
  h->unpack = [](const std::shared_ptr<void>&) { return Tensor(); };
  expect_error([&] { backward(y); }, Code::callback, "answered no tensor");
  h->unpack = [](const std::shared_ptr<void>&) -> Tensor { fail(Code::io, "the disk is gone"); };
  expect_error([&] { backward(y); }, Code::io, "the disk is gone");
  h->unpack = [](const std::shared_ptr<void>&) { return ops::ones(Shape{2}, DType::f64); };
  backward(y);  // what failed has freed nothing
  EXPECT_EQ(grad_of(x), (Numbers{2, 2}));
  h->pack = [](const Tensor&) -> std::shared_ptr<void> { fail(Code::io, "the disk is full"); };
  {
    Scope hooks(h);
    expect_error([&] { ops::mul(x, x); }, Code::io, "the disk is full");
  }
  expect_error([] { pop_saved_tensor_hooks(); }, Code::invalid_argument, "no saved-tensor hooks");
}

}  // namespace
}  // namespace haft
