// The end of a call: what the tape and the modes learn of it, in one place, and what the caller's record is
// afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/autograd/engine.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/generator.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/modes.h"
#include "core/dispatch/shape_context.h"
#include "core/init.h"
#include "core/ops/functions.h"
#include "core/ops/table.h"

namespace haft {
namespace {

using Names = std::vector<std::string>;

struct Seen {
  Names names;
  std::vector<std::vector<Tensor>> in;
  std::vector<std::vector<uint64_t>> words;
  std::vector<std::vector<Tensor>> out;
};
Seen* seen = nullptr;

void observe(const FinishedCall& f) {
  ASSERT_TRUE(seen);
  seen->names.push_back(op_name(f.call.op));
  auto& in = seen->in.emplace_back();
  for (const Tensor* t : f.in) in.push_back(*t);
  seen->words.emplace_back(f.words.begin(), f.words.end());
  seen->out.emplace_back(f.out.begin(), f.out.end());
}

// An autocast that computes additions in bfloat16, as a test wants it.
void cast_additions(const Call& c) {
  if (c.op != OpId::add || c.inplace) return dispatch(c);
  uint64_t w[] = {word(DType::bf16)};
  Tensor a = call1(OpId::cast, {c.in[0]}, w), b = call1(OpId::cast, {c.in[1]}, w);
  const Tensor* in[] = {&a, &b};
  dispatch({.op = c.op, .n_in = 2, .in = in, .words = c.words, .out = c.out});
}

struct Finish : ::testing::Test {
  static void SetUpTestSuite() { init(); }
  ~Finish() override {
    set_mode(kModeCapture, {});
    set_mode(kModeAutocast, {.handler = autocast_or_dispatch});
    seen = nullptr;
  }

  template <class F>
  static Seen watched(F&& f, uint32_t also = 0) {
    Seen s;
    set_mode(kModeCapture, {.finished = observe});
    set_mode(kModeAutocast, {.handler = cast_additions});
    ScopedValue<Seen*> here(seen, &s);
    ScopedValue<uint32_t> on(thread_state().modes, kModeCapture | also);
    f();
    EXPECT_EQ(thread_state().modes, kModeCapture | also);
    EXPECT_EQ(thread_state().entered, 0u);
    return s;
  }
};

TEST_F(Finish, TheCallersRecordStaysAsItWas) {
  Tensor x = ops::ones(Shape{2, 3}), row = ops::ones(Shape{3}, DType::i64), out;
  const Tensor* in[] = {&x, &row};
  Call c{.op = OpId::add, .n_in = 2, .in = in, .out = &out};
  dispatch(c);
  EXPECT_EQ(c.in, in);
  EXPECT_EQ(in[1], &row);
  EXPECT_EQ(c.n_in, 2);
  Tensor mask = ops::gt_scalar(x, 0);  // index() takes it apart into two indices
  const Tensor* of[] = {&x, &mask};
  Call d{.op = OpId::index, .n_in = 2, .in = of, .out = &out};
  dispatch(d);
  EXPECT_EQ(d.in, of);
  EXPECT_EQ(d.n_in, 2);
  EXPECT_EQ(out.numel(), 6);
  AttrWriter w;
  w.add(IntList(Shape{-1}));
  auto words = w.finish();
  Call e{.op = OpId::flip, .n_in = 1, .in = of, .words = words, .out = &out};
  dispatch(e);
  EXPECT_EQ(e.words.data(), words.data());
}

TEST_F(Finish, ObserversSeeWhatTheKernelTook) {
  Tensor x = ops::ones(Shape{2, 3}), row = ops::ones(Shape{3}, DType::i64);
  Seen s = watched([&] { ops::add(x, row); });
  EXPECT_EQ(s.names, (Names{"cast", "expand", "add"}));
  EXPECT_EQ(s.in[2][1].dtype(), DType::f32);
  EXPECT_TRUE(std::ranges::equal(s.in[2][1].sizes(), x.sizes()));
  EXPECT_EQ(s.in[2][1].impl(), s.out[1][0].impl());

  s = watched([&] { ops::flip(x, Shape{-1}); });
  EXPECT_EQ(AttrReader{s.words[0].data()}.ints(0)[0], 1);  // normalised by the rule
  s = watched([&] { ops::detach(x); });
  EXPECT_EQ(s.names, (Names{"detach"}));
  s = watched([&] { ops::transpose(x, 0, 1); });
  EXPECT_EQ(s.names, (Names{"transpose"}));
}

TEST_F(Finish, ObserversSeeWhatIsWritten) {
  Tensor x = ops::ones(Shape{2, 3}), y = ops::ones(Shape{2, 3}), out = ops::zeros(Shape{2, 3}),
         row = ops::ones(Shape{3}), column = ops::ones(Shape{3, 2});
  Seen s = watched([&] {
    ops::add_(x, y);  // straight into x's memory
    ops::add_out(x, y, out);
    ops::copy_(x, row);  // general
    Tensor turned = ops::transpose(out, 0, 1);
    ops::add_(turned, column);
  });
  EXPECT_EQ(s.names, (Names{"add", "add", "expand", "copy", "transpose", "add"}));
  EXPECT_EQ(s.out[0][0].impl(), x.impl());
  EXPECT_EQ(s.out[1][0].impl(), out.impl());
  EXPECT_EQ(s.out[3][0].impl(), x.impl());
  EXPECT_EQ(s.out[5][0].impl(), s.out[4][0].impl());
}

// The result has another type than what it is written into: two operators, and each is told.
TEST_F(Finish, AWriteOfAnotherTypeIsTwoCalls) {
  Tensor x = ops::ones(Shape{2}), y = ops::full(Shape{2}, 0.5, DType::f64);
  Seen s = watched([&] { ops::mul_(x, y); });
  EXPECT_EQ(s.names, (Names{"cast", "mul", "copy"}));
  EXPECT_EQ(item(ops::sum(x)).to_double(), 1.0);
  EXPECT_EQ(x.dtype(), DType::f32);
}

// Autocast decides what is called; capture is told of that, casts included.
TEST_F(Finish, AutocastStandsBeforeCapture) {
  Tensor x = ops::ones(Shape{2}), y = ops::ones(Shape{2}), z;
  Seen s = watched([&] { z = ops::add(x, y); }, kModeAutocast);
  EXPECT_EQ(s.names, (Names{"cast", "cast", "add"}));
  EXPECT_EQ(s.in[2][0].dtype(), DType::bf16);
  EXPECT_EQ(z.dtype(), DType::bf16);
}

TEST_F(Finish, BackwardIsCapturedAndNotCast) {
  Tensor x = ops::ones(Shape{2});
  set_requires_grad(x, true);
  Seen s = watched(
      [&] {
        Tensor y = ops::sum(ops::mul(x, x));  // x's gradient is added up of two
        backward({&y, 1}, {});
      },
      kModeAutocast);
  const auto at = std::ranges::find(s.names, "add");
  ASSERT_NE(at, s.names.end());
  EXPECT_EQ(s.in[size_t(at - s.names.begin())][0].dtype(), DType::f32);
  EXPECT_EQ(gradient_of(x).dtype(), DType::f32);
}

TEST_F(Finish, AFailedCallIsNotTold) {
  Tensor x = ops::ones(Shape{2, 3}), bad = ops::ones(Shape{4});
  Seen s = watched([&] { EXPECT_THROW(ops::add(x, bad), Error); }, kModeAutocast);
  EXPECT_EQ(s.names, (Names{"cast", "cast"}));
}

// An operator made up for a test, in the place of another.
class Stand {
  OpInfo& at_;
  const Gradient*& gradient_;
  OpInfo was_;
  const Gradient* had_;

 public:
  Stand(OpId op, const OpInfo& info)
      : at_(op_table[int(op)]), gradient_(gradient_table[int(op)]), was_(at_), had_(gradient_) {
    at_ = info;
    gradient_ = info.gradient;
  }
  ~Stand() {
    at_ = was_;
    gradient_ = had_;
  }
};

constexpr int kMany = 20;
std::vector<double> read_inputs, read_outputs;

void many_shape(ShapeContext& c) {
  for (int k = 0; k < kMaxOutputs; ++k) c.out(k, DType::f32, Shape{});
}
void many_kernel(Inputs, Words, std::span<Tensor> out) {
  for (size_t k = 0; k < out.size(); ++k) out[k] = ops::full(Shape{}, Scalar(100.0 + double(k)));
}
void many_gradient(Backward& b) {
  for (int i = 0; i < kMany; ++i) read_inputs.push_back(item(b.in(i)).to_double());
  for (int k = 0; k < kMaxOutputs; ++k) read_outputs.push_back(item(b.out(k)).to_double());
}
const Gradient kManySaved{.fn = many_gradient, .always = ALL_IN | OUT0 | OUT1 | OUT2 | OUT3 | OUT4 | OUT5};
const Gradient kNothingSaved{.fn = many_gradient};

std::array<Tensor, kMaxOutputs> call_many_inputs() {
  std::vector<Tensor> xs;
  std::vector<const Tensor*> in;
  for (int i = 0; i < kMany; ++i) xs.push_back(ops::full(Shape{}, Scalar(double(i))));
  for (Tensor& x : xs) in.push_back(&x);
  set_requires_grad(xs[0], true);
  std::array<Tensor, kMaxOutputs> out;
  dispatch({.op = OpId::cat, .n_in = kMany, .n_out = kMaxOutputs, .in = in.data(), .out = out.data()});
  return out;
}

TEST_F(Finish, TwentyInputsAndSixResultsAreSavedApart) {
  OpInfo info{.name = "many",
              .kind = OpKind::general,
              .n_out = kMaxOutputs,
              .shape = many_shape,
              .gradient = &kManySaved,
              .engine_kernel = many_kernel};
  Stand stand(OpId::cat, info);
  read_inputs.clear();
  read_outputs.clear();
  auto out = call_many_inputs();
  backward({&out[5], 1}, {});
  ASSERT_EQ(read_inputs.size(), size_t(kMany));
  for (int i = 0; i < kMany; ++i) EXPECT_EQ(read_inputs[size_t(i)], i);
  for (int k = 0; k < kMaxOutputs; ++k) EXPECT_EQ(read_outputs[size_t(k)], 100 + k);
}

TEST_F(Finish, AGradientThatReadsWhatItDidNotDeclareFails) {
  OpInfo info{.name = "many",
              .kind = OpKind::general,
              .n_out = kMaxOutputs,
              .shape = many_shape,
              .gradient = &kNothingSaved,
              .engine_kernel = many_kernel};
  Stand stand(OpId::cat, info);
  auto out = call_many_inputs();
  try {
    backward({&out[0], 1}, {});
    FAIL() << "nothing failed";
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(Code::internal));
    EXPECT_NE(e.message.find("reads input 0"), std::string::npos) << e.message;
  }
}

TEST_F(Finish, WhatTheSchemaSaysIsWrittenGetsANewVersion) {
  OpInfo info{.name = "writes",
              .kind = OpKind::general,
              .n_out = 0,
              .shape = [](ShapeContext&) {},
              .engine_kernel = [](Inputs, Words, std::span<Tensor>) {}};
  info.fixed_inputs = 2;
  info.written_inputs = 0b10;
  info.list_count = 2;
  info.written_lists = 0b10;
  info.list_length = 0;
  Stand stand(OpId::cat, info);
  std::vector<Tensor> xs;
  std::vector<const Tensor*> in;
  for (int i = 0; i < 7; ++i) xs.push_back(ops::ones(Shape{1}));
  std::vector<uint32_t> before;
  for (Tensor& x : xs) {
    in.push_back(&x);
    before.push_back(version_of(*x.impl()));
  }
  uint64_t words[] = {2};  // two tensors in the first list, the rest in the second
  dispatch({.op = OpId::cat, .n_in = 7, .n_out = 0, .in = in.data(), .words = words});
  const bool written[] = {false, true, false, false, true, true, true};
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(version_of(*xs[i].impl()) - before[i], written[i]) << i;
}

TEST_F(Finish, TheSchemaSaysWhatAReplaySetsAnew) {
  const OpInfo &dropout = op_info(OpId::philox_dropout), &step = op_info(OpId::optimizer_step);
  EXPECT_EQ(dropout.seed_word, 1);
  EXPECT_EQ(dropout.offset_word, 2);
  EXPECT_EQ(dropout.set_words, 0u);
  EXPECT_EQ(step.seed_word, -1);
  Signature s = parse_signature("optimizer_step", step.signature);
  int at = 0, marked = 0;
  for (const Argument& a : s.arguments) {
    const bool set = a.name == "step" || a.name == "lr" || a.name == "fresh" || a.name == "options";
    if (is_attribute(a.type)) {
      EXPECT_EQ(step.set_words >> at & 1, set) << a.name;
    }
    marked += set;
    at += word_count(a.type);
  }
  EXPECT_EQ(marked, 4);
  for (int i = 0; i < kOpCount; ++i) {  // whoever draws says where from
    const OpInfo& op = op_table[i];
    const bool draws =
        std::string(op.name).starts_with("philox_") || std::string(op.name).starts_with("attention");
    EXPECT_EQ(op.seed_word >= 0, draws) << op.name;
    EXPECT_EQ(op.offset_word >= 0, draws) << op.name;
  }

  // A captured draw with the words of the generator's next place is the next draw.
  Generator g(7);
  Tensor x = ops::ones(Shape{64}), first, second;
  Seen calls = watched([&] { first = ops::dropout(x, 0.5, true, &g); });
  second = ops::dropout(x, 0.5, true, &g);
  const size_t at_call = calls.names.size() - 1;
  ASSERT_EQ(calls.names[at_call], "philox_dropout");
  std::vector<uint64_t> words = calls.words[at_call];
  words[size_t(dropout.offset_word)] += 64 / 4;
  const Tensor* in[] = {&x};
  Tensor out[2];
  dispatch({.op = OpId::philox_dropout, .n_in = 1, .n_out = 2, .in = in, .words = words, .out = out});
  EXPECT_EQ(item(ops::sum(ops::ne(out[0], second))).to_int(), 0);
  EXPECT_NE(item(ops::sum(ops::ne(out[0], first))).to_int(), 0);
}

void expect_refused(const char* signature, Gradient g, const char* part) {
  OpInfo info{.name = "odd", .gradient = &g};
  try {
    check_fits_tape(info, parse_signature("odd", signature));
    ADD_FAILURE() << "nothing failed; wanted: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(Code::internal));
    EXPECT_NE(e.message.find(part), std::string::npos) << e.message;
  }
}

TEST_F(Finish, WhatTheTapeHasNoRoomForIsRefusedAtStart) {
  expect_refused("(Tensor a, Tensor b) -> Tensor", {.saves = {IN2}}, "saves input 2 of 2");
  expect_refused("(Tensor a, Tensor b) -> Tensor", {.always = OUT1}, "saves result 1 of 1");
  expect_refused("(Tensor a) -> (Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h)", {},
                 "has 7 results, at most 6");
  std::string many = "(Tensor a";
  for (int i = 0; i < kNamedInputs; ++i) many += ", Tensor b" + std::to_string(i);
  expect_refused((many + ") -> Tensor").c_str(), {.saves = {IN0}}, "has 17 inputs, at most 16");
  OpInfo fine{.name = "fine"};
  Gradient g{.saves = {ALL_IN | OUT0}};
  fine.gradient = &g;
  check_fits_tape(fine, parse_signature("fine", "(Tensor a, Tensor[] more) -> Tensor"));
}

}  // namespace
}  // namespace haft
