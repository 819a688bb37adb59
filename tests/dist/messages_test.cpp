// Messages of a group: who gets which, in what order, and how many may wait.
#include <atomic>

#include "ranks.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

TEST(Messages, TagsSourcesAndSizes) {
  constexpr int n = 4;
  expect_none(run_threads(n, [&](Group& g) {
    const int me = g.rank();
    for (int64_t count : {0, 1, 4000, 5000, 300000}) {
      // All to all at once, received in another order than sent.
      std::vector<Ref<Work>> works;
      std::vector<Tensor> got;
      for (int p = 0; p < n; ++p)
        if (p != me)
          for (int tag : {7, 8})
            works.push_back(g.start(send(filled({count}, DType::f32, me * 10 + tag), p, tag)));
      for (int tag : {8, 7})
        for (int p = n - 1; p >= 0; --p)
          if (p != me) {
            got.push_back(new_tensor(std::vector<int64_t>{count}, DType::f32));
            Tensor t = got.back();
            g.run(recv(t, p, tag));
            if (count && (at(t, 0) != p * 10 + tag || at(t, count - 1) != p * 10 + tag))
              fail(Code::internal, concat("got ", at(t, 0)));
          }
      for (auto& w : works) {
        w->wait(Deadline::never());
        w->check();
      }
    }
    // Any source, while a collective is under way.
    Tensor x = filled({100000}, DType::f64, 1);
    Ref<Work> sum = g.start(all_reduce(x));
    if (me == 0) {
      int seen = 0;
      for (int i = 1; i < n; ++i) {
        Tensor t = new_tensor(std::vector<int64_t>{3}, DType::i32);
        const int from = g.receive(recv(t, -1, 5));
        if (at(t, 1) != from) fail(Code::internal, "source is not who sent it");
        seen |= 1 << from;
      }
      if (seen != 14) fail(Code::internal, concat("sources ", seen));
    } else {
      g.run(send(filled({3}, DType::i32, me), 0, 5));
    }
    sum->wait(Deadline::never());
    sum->check();
    g.run(barrier());
  }));
}

// Both send much before either receives: nobody may wait for the other.
TEST(Messages, LargeOnesCross) {
  expect_none(run_threads(2, [&](Group& g) {
    Tensor out = filled({1 << 20}, DType::f32, g.rank()),
           in = new_tensor(std::vector<int64_t>{1 << 20}, DType::f32);
    Ref<Work> r = g.start(recv(in, 1 - g.rank())), s = g.start(send(out, 1 - g.rank()));
    s->wait(Deadline::never());
    r->wait(Deadline::never());
    r->check();
    if (at(in, 1 << 19) != 1 - g.rank()) fail(Code::internal, "wrong data");
  }));
}

TEST(Messages, MisfitIsAMismatch) {
  Failures f = run_threads(2, [&](Group& g) {
    if (g.rank() == 0)
      g.run(send(filled({4}, DType::f32, 1), 1, 3));
    else
      g.run(recv(new_tensor(std::vector<int64_t>{5}, DType::f32), 0, 3));
    g.run(barrier());
  });
  for (const std::string& text : f) {
    EXPECT_NE(text.find("25: "), std::string::npos) << text;
    EXPECT_NE(text.find("rank 0 sent 4 elements of float32 with tag 3, rank 1 receives 5"), std::string::npos)
        << text;
  }
}

// Who sends what nobody receives fills no memory there, however small the messages are.
TEST(Messages, WhatNobodyWantsIsBounded) {
  constexpr int kKept = 16 << 10, kMany = kKept + 12000;  // more than has room on the way, at 1 KB each
  std::atomic<bool> looked{false};
  expect_none(run_threads(2, [&](Group& g) {
    Tensor small = filled({256}, DType::f32, 0), go = filled({1}, DType::u8, 1);
    if (g.rank() == 0) {
      std::vector<Ref<Work>> works;
      for (int i = 0; i < kMany; ++i) works.push_back(g.start(send(small, 1, 5)));
      works[kKept - 1]->wait(Deadline::in(300 * kSecond));
      const bool all = works.back()->wait(Deadline::in(kSecond / 2));
      looked = true;
      if (all) fail(Code::internal, "all were taken in");
      for (auto& w : works) w->wait(Deadline::in(300 * kSecond));
      g.run(send(go, 1, 6));
      return;
    }
    const Ref<Work> last = g.start(recv(go, 0, 6));
    while (!looked && !last->wait(Deadline::in(kSecond / 100))) {  // which moves messages
    }
    for (int i = 0; i < kMany; ++i) g.run(recv(small, 0, 5));
    if (!last->wait(Deadline::in(300 * kSecond))) fail(Code::internal, "the last one never came");
  }));
}

// What a message is for may be said while it comes: one look at the streams ends between its head and its data.
TEST(Messages, AskedForWhileTheyCome) {
  constexpr int kFirst = 4;
  // With the heads of these and the last, one look's 64 KB.
  constexpr int64_t kBytes[kFirst] = {16384, 16384, 16384, 16224};
  for (const int64_t last : {4000, 100000})  // which goes at once, and which is offered
    expect_none(run_threads(2, [&](Group& g) {
      Member other(g.subgroup({0, 1}, {}));  // to wait there moves nothing here
      if (g.rank() == 0) {
        for (int i = 0; i < kFirst; ++i) g.run(send(filled({kBytes[i]}, DType::u8, i), 1, i));
        Ref<Work> w = g.start(send(filled({last}, DType::u8, kFirst), 1, kFirst));
        other->run(barrier());
        w->wait(Deadline::never());
        w->check();
        return;
      }
      other->run(barrier());
      for (int tag : {0, kFirst, 1, 2, 3}) {
        const int64_t bytes = tag < kFirst ? kBytes[tag] : last;
        Tensor t = filled({bytes}, DType::u8, 99);
        g.run(within(60, recv(t, 0, tag)));
        if (at(t, 0) != tag || at(t, bytes - 1) != tag)
          fail(Code::internal, concat("tag ", tag, ": got ", at(t, 0)));
      }
    }));
}

}  // namespace
