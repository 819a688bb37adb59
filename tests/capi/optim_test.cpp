// Optimizers and schedules as a user of the library has them.
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "training_testing.h"

namespace {

namespace optim = haft::optim;
using haft::Tensor;
using Optim = TrainingTest;

Tensor parameter(std::initializer_list<float> v) {
  return std::move(Tensor::from<float>(v).set_requires_grad());
}
void give_gradient(const Tensor& p) { haft::sum(haft::mul(p, p)).backward(); }

TEST_F(Optim, StepsInC) {
  Tensor p = parameter({1, 2});
  haft_tensor* ps[] = {p.get()};
  haft_sgd_options options = HAFT_SGD_OPTIONS_INIT;
  options.lr = 0.25;
  haft_optimizer* o = nullptr;
  ASSERT_EQ(haft_sgd_create(ps, 1, &options, &o), HAFT_OK);
  give_gradient(p);
  ASSERT_EQ(haft_optimizer_step(o), HAFT_OK);
  EXPECT_EQ(p.to_vector<float>(), (std::vector<float>{0.5, 1}));
  ASSERT_EQ(haft_optimizer_zero_grad(o, 1), HAFT_OK);
  EXPECT_FALSE(p.grad());
  ASSERT_EQ(haft_optimizer_step(o), HAFT_OK);  // without gradients nothing moves
  EXPECT_EQ(p.to_vector<float>(), (std::vector<float>{0.5, 1}));
  EXPECT_FAILS(haft_optimizer_zero_grad(o, 2), HAFT_ERROR_INVALID_ARGUMENT, "set_to_none");
  haft_optimizer_release(o);
  EXPECT_FAILS(haft_optimizer_step(o), HAFT_ERROR_STALE_HANDLE, "optimizer");
}

TEST_F(Optim, SchedulesGoOnFromTheirState) {
  Tensor p = parameter({1}), q = parameter({1});
  optim::Optimizer o = optim::sgd({p}, optim::SGDOptions(1)), other = optim::sgd({q}, optim::SGDOptions(0.5));
  optim::Scheduler s = optim::step_lr(o, 2, 0.5), fresh = optim::step_lr(other, 2, 0.5);
  for (int i = 0; i < 3; ++i) s.step();
  auto state = s.state();
  EXPECT_EQ(state, (std::map<std::string, double>{{"base_lrs.0", 1}, {"last_epoch", 3}}));
  fresh.set_state(state);
  EXPECT_EQ(fresh.last_epoch(), 3);
  fresh.step();  // the fourth: the rate halves
  EXPECT_EQ(other.lr(), 0.25);
  double room[1];
  int64_t count = 0;
  EXPECT_FAILS(haft_scheduler_get_state(s.get(), room, 1, &count), HAFT_ERROR_INVALID_ARGUMENT, "room for 1");
  EXPECT_EQ(count, 2);
  const char* names[] = {"last_epoch"};
  EXPECT_FAILS(haft_scheduler_set_state(s.get(), names, room, 1), HAFT_ERROR_INVALID_ARGUMENT, "base_lrs.0");
  const char* both[] = {"last_epoch", "base_lrs.0"};
  for (double epoch : {1e300, -1.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
    const double bad[] = {epoch, 1};
    EXPECT_FAILS(haft_scheduler_set_state(s.get(), both, bad, 2), HAFT_ERROR_INVALID_ARGUMENT, "last_epoch");
  }
  const double no_rate[] = {5, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FAILS(haft_scheduler_set_state(s.get(), both, no_rate, 2), HAFT_ERROR_INVALID_ARGUMENT,
               "base_lrs.0");
  EXPECT_EQ(s.last_epoch(), 3);
  char name[32];
  EXPECT_FAILS(haft_scheduler_get_state_name(s.get(), 2, name, 32, nullptr), HAFT_ERROR_INDEX, "[0, 2)");
}

TEST_F(Optim, DefaultsArePyTorchs) {
  Tensor p = parameter({1});
  haft_tensor* ps[] = {p.get()};
  haft_optimizer* o = nullptr;
  double v = 0;
  ASSERT_EQ(haft_adam_create(ps, 1, nullptr, &o), HAFT_OK);
  for (auto [name, want] : {std::pair{"lr", 1e-3},
                            {"beta1", 0.9},
                            {"beta2", 0.999},
                            {"eps", 1e-8},
                            {"weight_decay", 0.0},
                            {"amsgrad", 0.0},
                            {"maximize", 0.0}}) {
    ASSERT_EQ(haft_optimizer_get_option(o, 0, name, &v), HAFT_OK);
    EXPECT_EQ(v, want) << name;
  }
  haft_optimizer_release(o);
  ASSERT_EQ(haft_adamw_create(ps, 1, nullptr, &o), HAFT_OK);
  ASSERT_EQ(haft_optimizer_get_option(o, 0, "weight_decay", &v), HAFT_OK);
  EXPECT_EQ(v, 1e-2);
  haft_optimizer_release(o);
}

TEST_F(Optim, GroupsAndState) {
  Tensor a = parameter({1}), b = parameter({1});
  optim::Optimizer o = optim::adam({a}, 0.1);
  EXPECT_EQ(o.add_group({b}), 1);
  EXPECT_EQ(o.group_count(), 2);
  o.set_lr(0, 1);
  int64_t n = 0;
  ASSERT_EQ(haft_optimizer_parameters(o.get(), 1, nullptr, 0, &n), HAFT_OK);
  EXPECT_EQ(n, 1);
  haft_tensor* got = nullptr;
  ASSERT_EQ(haft_optimizer_parameters(o.get(), 1, &got, 1, &n), HAFT_OK);
  haft_tensor_release(got);
  EXPECT_FALSE(o.state(0, "exp_avg"));
  give_gradient(haft::add(a, b));
  o.step();
  EXPECT_NEAR(a.item(), 0.9, 1e-6);
  EXPECT_EQ(b.item(), 1);  // its rate is 0
  EXPECT_EQ(o.state(1, "step").item(), 1);
  EXPECT_NEAR(o.state(1, "exp_avg").item(), 0.4, 1e-6);
  o.set_state(1, "exp_avg", Tensor::from<float>({5}));
  EXPECT_EQ(o.state(1, "exp_avg").item(), 5);
  EXPECT_FAILS(haft_optimizer_set_lr(o.get(), 2, 1), HAFT_ERROR_INDEX, "group 2");
  EXPECT_FAILS(haft_optimizer_set_option(o.get(), 0, "momentum", 1), HAFT_ERROR_INVALID_ARGUMENT, "beta1");
}

TEST_F(Optim, RefusesBadOptions) {
  Tensor p = parameter({1});
  haft_tensor* ps[] = {p.get(), p.get()};
  haft_optimizer* o = nullptr;
  haft_sgd_options options = HAFT_SGD_OPTIONS_INIT;
  options.lr = -1;
  EXPECT_FAILS(haft_sgd_create(ps, 1, &options, &o), HAFT_ERROR_INVALID_ARGUMENT, "lr");
  options.lr = 1;
  options.struct_size = 0;
  EXPECT_FAILS(haft_sgd_create(ps, 1, &options, &o), HAFT_ERROR_BAD_STRUCT, "struct_size");
  EXPECT_FAILS(haft_sgd_create(ps, 2, nullptr, &o), HAFT_ERROR_INVALID_ARGUMENT, "twice");
  EXPECT_FAILS(haft_sgd_create(nullptr, 1, nullptr, &o), HAFT_ERROR_INVALID_ARGUMENT, "params");
  EXPECT_FAILS(haft_sgd_create(ps, 0, nullptr, &o), HAFT_ERROR_INVALID_ARGUMENT, "no parameters");
  EXPECT_FAILS(haft_sgd_create(ps, 1, nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, "out");
  EXPECT_EQ(o, nullptr);
}

TEST_F(Optim, Schedules) {
  optim::Optimizer o = optim::sgd({parameter({1})}, 1);
  {
    optim::Scheduler s = optim::step_lr(o, 2, 0.5);
    for (int i = 0; i < 4; ++i) s.step();
    EXPECT_EQ(s.last_epoch(), 4);
    EXPECT_EQ(o.lr(), 0.25);
  }
  optim::Scheduler s = optim::lambda_lr(
      o, [](int64_t e) { return e == 3 ? throw std::runtime_error("no rate for 3") : double(e + 1); });
  s.step();
  EXPECT_EQ(o.lr(), 2);
  s.step();
  EXPECT_FAILS(haft_scheduler_step(s.get()), HAFT_ERROR_CALLBACK, "no rate for 3");
  EXPECT_EQ(s.last_epoch(), 2);
  EXPECT_EQ(o.lr(), 3);
  haft_scheduler* bad = nullptr;
  haft_cosine_annealing_lr_options none = HAFT_COSINE_ANNEALING_LR_OPTIONS_INIT;
  EXPECT_FAILS(haft_cosine_annealing_lr_create(o.get(), &none, &bad), HAFT_ERROR_INVALID_ARGUMENT, "t_max");
  EXPECT_FAILS(haft_cosine_annealing_lr_create(o.get(), nullptr, &bad), HAFT_ERROR_INVALID_ARGUMENT,
               "options is NULL");
}

TEST_F(Optim, UserDataIsLetGoOnce) {
  Tensor p = parameter({1});
  haft_tensor* ps[] = {p.get()};
  haft_optimizer* o = nullptr;
  ASSERT_EQ(haft_sgd_create(ps, 1, nullptr, &o), HAFT_OK);
  int gone = 0;
  auto count = [](void* user) { ++*static_cast<int*>(user); };
  haft_scheduler* s = nullptr;
  auto fails = [](int64_t, double*, void*) -> haft_status { return HAFT_ERROR_IO; };
  EXPECT_FAILS(haft_lambda_lr_create(o, fails, &gone, count, &s), HAFT_ERROR_CALLBACK, "HAFT_ERROR_IO");
  EXPECT_EQ(gone, 0);
  auto one = [](int64_t, double* factor, void*) -> haft_status { return *factor = 1, HAFT_OK; };
  ASSERT_EQ(haft_lambda_lr_create(o, one, &gone, count, &s), HAFT_OK);
  haft_optimizer_release(o);  // the scheduler keeps it
  ASSERT_EQ(haft_scheduler_step(s), HAFT_OK);
  haft_scheduler_release(s);
  EXPECT_EQ(gone, 1);
}

TEST_F(Optim, ACallbackCannotReenter) {
  optim::Optimizer o = optim::sgd({parameter({1})}, 1);
  struct Both {
    haft_optimizer* o;
    haft_status seen;
  } both{o.get(), HAFT_OK};
  haft_scheduler* s = nullptr;
  auto fn = [](int64_t, double* factor, void* user) -> haft_status {
    auto* b = static_cast<Both*>(user);
    b->seen = haft_optimizer_step(b->o);
    *factor = 1;
    return HAFT_OK;
  };
  ASSERT_EQ(haft_lambda_lr_create(o.get(), fn, &both, nullptr, &s), HAFT_OK);
  EXPECT_EQ(both.seen, HAFT_ERROR_RECURSIVE);
  std::thread([&] { both.seen = haft_optimizer_step(o.get()); }).join();
  EXPECT_EQ(both.seen, HAFT_OK);
  haft_scheduler_release(s);
}

TEST_F(Optim, Clips) {
  Tensor p = parameter({3, 4});
  give_gradient(p);
  const Tensor norm = optim::clip_grad_norm({p}, 1);
  EXPECT_TRUE(norm.sizes().empty());
  EXPECT_NEAR(norm.item(), 10, 1e-5);
  EXPECT_NEAR(p.grad().to_vector<float>()[0], 0.6, 1e-5);
  optim::clip_grad_value({p}, 0.5);
  EXPECT_EQ(p.grad().to_vector<float>(), (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(haft_grad_clip_norm(nullptr, 0, 1, 2, nullptr), HAFT_OK);
}

}  // namespace
