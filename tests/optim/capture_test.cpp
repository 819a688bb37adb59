// A training step as a capture sees it: of the words of its calls only those that the schema marks (the place in the
// generator's stream, step, rate and options of the optimizer) change from step to step. Run again with the next
// step's, the recorded calls are the next step.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "core/autograd/engine.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/modes.h"
#include "core/dispatch/op_table.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "core/optim/scheduler.h"
#include "tests/optim/trajectories.h"

namespace haft {
namespace {

struct Recorded {
  OpId op;
  bool inplace;
  std::vector<Tensor> in, out;
  std::vector<uint64_t> words;
};
std::vector<Recorded>* recording = nullptr;

void record_call(const FinishedCall& f) {
  Recorded r{f.call.op, f.call.inplace, {}, {f.out.begin(), f.out.end()}, {f.words.begin(), f.words.end()}};
  for (const Tensor* t : f.in) r.in.push_back(*t);
  recording->push_back(std::move(r));
}

bool is_marked(const OpInfo& op, size_t word) {
  if (int(word) == op.seed_word || int(word) == op.offset_word) return true;
  if (word < 32 && op.set_words >> word & 1) return true;
  // The numbers of the last list, which is marked.
  return op.set_words && word >= size_t(std::bit_width(op.set_words));
}

// A small network that draws, an optimizer and a rate that falls.
struct Training {
  Generator generator{11};
  Tensor w, b;
  Ref<Optimizer> optimizer;
  Ref<Scheduler> schedule;

  explicit Training(const Trajectory& c) {
    w = ops::reshape(ops::arange(0, 12, 1, DType::f64), Shape{4, 3});
    b = ops::full(Shape{3}, 0.5, DType::f64);
    w = ops::mul_scalar(w, 0.1);
    for (Tensor* t : {&w, &b}) set_requires_grad(*t, true);
    optimizer = make_optimizer(c.id, std::vector{w, b}, c.options);
    schedule = make_exponential_lr(optimizer, 0.9);
  }
  void step() {
    optimizer->zero_grad();
    Tensor x = ops::uniform(Shape{8, 4}, 0, 1, DType::f64, {}, &generator);
    Tensor y = ops::dropout(ops::tanh(ops::add(ops::matmul(x, w), b)), 0.5, true, &generator);
    Tensor loss = ops::sum(ops::square(y));
    backward({&loss, 1}, {});
    optimizer->step();
  }
  std::vector<Recorded> recorded_step() {
    std::vector<Recorded> calls;
    set_mode(kModeCapture, {.finished = record_call});
    {
      ScopedValue<std::vector<Recorded>*> here(recording, &calls);
      ScopedValue<uint32_t> on(thread_state().modes, kModeCapture);
      step();
    }
    set_mode(kModeCapture, {});
    schedule->step();
    return calls;
  }
  std::vector<double> point() const {
    std::vector<double> v(15);
    copy_to_host(w, v.data());
    copy_to_host(b, v.data() + 12);
    return v;
  }
};

// Runs the calls again; what none of them made is where it was.
void replay(const std::vector<Recorded>& calls) {
  NoGradGuard off;
  std::map<std::pair<const void*, std::vector<int64_t>>, Tensor> now;  // a tensor is its piece of memory
  auto key = [](const Tensor& t) {
    std::vector<int64_t> shape(t.sizes().begin(), t.sizes().end());
    shape.insert(shape.end(), t.strides().begin(), t.strides().end());
    return std::pair<const void*, std::vector<int64_t>>(t.view().data, shape);
  };
  for (const Recorded& c : calls) {
    std::vector<Tensor> in;
    std::vector<const Tensor*> pointers;
    for (const Tensor& t : c.in) {
      auto at = t.defined() ? now.find(key(t)) : now.end();
      in.push_back(at == now.end() ? t : at->second);
    }
    for (const Tensor& t : in) pointers.push_back(&t);
    std::vector<Tensor> out(c.inplace ? 0 : c.out.size());
    std::vector<uint64_t> words = c.words;
    dispatch({.op = c.op,
              .n_in = uint16_t(in.size()),
              .n_out = uint8_t(c.inplace ? 1 : c.out.size()),
              .inplace = c.inplace,
              .in = pointers.data(),
              .words = words,
              .out = out.data()});
    for (size_t k = 0; k < out.size(); ++k) now[key(c.out[k])] = out[k];
  }
}

TEST(CapturedStep, OnlyWhatTheSchemaMarksChanges) {
  init();
  for (const Trajectory& c : kTrajectories) {
    SCOPED_TRACE(c.name);
    Training eager(c), captured(c);
    for (Training* t : {&eager, &captured}) t->recorded_step();  // the first one makes the states
    std::vector<Recorded> second = eager.recorded_step(), third = eager.recorded_step(),
                          calls = captured.recorded_step();
    ASSERT_EQ(second.size(), third.size());
    ASSERT_EQ(second.size(), calls.size());
    int changed = 0;
    for (size_t i = 0; i < second.size(); ++i) {
      const OpInfo& op = op_info(second[i].op);
      ASSERT_EQ(op.name, op_info(third[i].op).name);
      ASSERT_EQ(second[i].words.size(), third[i].words.size());
      for (size_t k = 0; k < second[i].words.size(); ++k) {
        if (second[i].words[k] == third[i].words[k]) continue;
        ++changed;
        EXPECT_TRUE(is_marked(op, k)) << op.name << " word " << k << " is not the same in the next step";
        calls[i].words[k] = third[i].words[k];
      }
    }
    EXPECT_GE(changed, 3);  // two draws and the rate
    replay(calls);
    EXPECT_EQ(captured.point(), eager.point());
  }
}

// A step of a small network in bfloat16. Its casts are calls like others, those of the weights, too: a region that
// has cast them before does not keep them out of what is captured.
struct MixedTraining {
  Tensor x, w, b;
  Ref<Optimizer> optimizer;

  MixedTraining() {
    x = ops::cast(ops::mul_scalar(ops::reshape(ops::arange(0, 32), Shape{8, 4}), 0.0625), DType::f32);
    w = ops::cast(ops::mul_scalar(ops::reshape(ops::arange(0, 12), Shape{4, 3}), 0.09), DType::f32);
    b = ops::full(Shape{3}, 0.5, DType::f32);
    for (Tensor* t : {&w, &b}) set_requires_grad(*t, true);
    optimizer = make_optimizer(OptimizerId::SGD, std::vector{w, b}, {{"lr", 0.05}, {"momentum", 0.9}});
  }
  Tensor loss() const { return ops::sum(ops::square(ops::tanh(ops::add(ops::mm(x, w), b)))); }
  void step() const {
    optimizer->zero_grad();
    const Tensor l = loss();
    backward({&l, 1}, {});
    optimizer->step();
  }
  std::vector<float> point() const {
    std::vector<float> v(15);
    copy_to_host(w, v.data());
    copy_to_host(b, v.data() + 12);
    return v;
  }
};

TEST(CapturedStep, CastsTheWeightsThatItFinds) {
  init();
  MixedTraining eager, captured;
  std::vector<Recorded> calls;
  enter_autocast(kCpu, DType::none, true, true);
  for (const MixedTraining* t : {&eager, &captured}) {
    t->step();  // makes the states
    t->loss();  // the region keeps a cast of w
  }
  set_mode(kModeCapture, {.finished = record_call});
  {
    ScopedValue<std::vector<Recorded>*> here(recording, &calls);
    ScopedValue<uint32_t> on(thread_state().modes, thread_state().modes | kModeCapture);
    captured.step();
  }
  set_mode(kModeCapture, {});
  eager.step();
  EXPECT_EQ(captured.point(), eager.point());
  bool low = false;
  for (const Recorded& c : calls) low |= c.op == OpId::mm && c.out[0].dtype() == DType::bf16;
  EXPECT_TRUE(low);

  eager.step();
  replay(calls);  // within a region, where nothing is cast again
  EXPECT_EQ(captured.point(), eager.point());
  eager.step();
  leave_autocast();
  replay(calls);  // and outside, where its casts are calls
  EXPECT_EQ(captured.point(), eager.point());
}

}  // namespace
}  // namespace haft
