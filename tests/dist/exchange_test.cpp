// What an exchange does while its transport says what real ones say seldom.
#include "core/dist/exchange.h"

#include "tests/dist/ranks.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

// Its peer is alive and never writes; other things of the group move all the time.
struct Busy final : Transport {
  Bell own{};
  std::byte memory[4096];
  int carried = 0, lendings = 0;
  bool lends = false, lent = false;
  Failure why;
  Busy() : Transport(0, 2) { bell = &own; }
  const char* name() const override { return "busy"; }
  std::span<std::byte> room(int, Channel) override { return memory; }
  void push(int, Channel, size_t) override {}
  bool lend(int, Channel, const std::byte*, size_t) override {
    lendings += lends;
    lent |= lends;
    return lends;
  }
  bool has_lent(int) override { return lent; }
  void keep_lent() noexcept override { lent = false; }
  std::span<const std::byte> waiting(int, Channel) override { return {}; }
  void pop(int, Channel, size_t) override {}
  void wait(uint32_t, int64_t) override {}
  bool carry(uint32_t) override { return ++carried; }
  void announce(const Header&) override {}
  uint64_t started(int) override { return 0; }
  bool announced(int, uint64_t, Header*) override { return false; }
  void fail_all(const Failure& f) noexcept override { why = f; }
  bool aborted(Failure* f) override {
    *f = why;
    return why.code != Code::ok;
  }
  Life life(int) override { return Life::there; }
  void leave() noexcept override {}
};

std::string failure_of(Busy& t, const std::function<bool()>& meanwhile) {
  init();
  Exchange e(t, meanwhile);
  Header call;
  call.kind = Kind::barrier;
  call.seq = 1;
  try {
    run_collective(e, call, {}, Deadline::in(kSecond / 20));
  } catch (const Error& error) {
    return concat(int(error.code), ": ", error.message);
  }
  return "it came to its end";
}

constexpr const char* kLate =
    "23: rank 0 has waited 0.05 s in barrier #1 for ranks [1], which have not called it: rank 1 came as far "
    "as #0";

TEST(Exchange, WhatIsCarriedForOthersDoesNotPutATimeLimitOff) {
  Busy t;
  EXPECT_EQ(failure_of(t, [] { return false; }), kLate);
  EXPECT_GT(t.carried, 0);
}

TEST(Exchange, MessagesThatMoveMeanwhileDoNotPutATimeLimitOff) {
  Busy t;
  int64_t moved = 0;
  EXPECT_EQ(failure_of(t, [&] { return ++moved > 0; }), kLate);
  EXPECT_GT(moved, 1);
}

// Whoever gets an error may free what he sent.
TEST(Exchange, WhatWasLentIsTheCallersAgainBehindAFailure) {
  init();
  Busy t;
  t.lends = true;
  Exchange e(t, [] { return false; });
  std::vector<float> data(1 << 20);
  Header call;
  call.kind = Kind::broadcast;
  call.dtype = DType::f32;
  call.root = 0;
  call.seq = 1;
  Buffers buffers;
  buffers.out = {{reinterpret_cast<std::byte*>(data.data()), int64_t(data.size())}};
  EXPECT_THROW(run_collective(e, call, buffers, Deadline::in(kSecond / 20)), Error);
  EXPECT_GT(t.lendings, 0);
  EXPECT_FALSE(t.lent);
}

}  // namespace
