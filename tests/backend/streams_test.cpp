// Memory and streams: free lists by stream, what record_stream holds, copies that really happen later.
#include <cstring>

#include "core/backend/cache.h"
#include "core/backend/pinned.h"
#include "core/dispatch/host_access.h"
#include "tests/backend/sim_fixture.h"

namespace haft {
namespace {

class Streams : public testing::Test {
 protected:
  const Device d = sim(1);
  haft_raw_stream s = create_stream(d);
  ~Streams() override { destroy_stream(d, s); }

  Ref<Storage> storage(int64_t bytes) { return new_storage(thread_state(), d, bytes); }
  void* address_of_next(int64_t bytes) { return storage(bytes)->data; }
};

TEST_F(Streams, EachHasItsFreeBlocks) {
  device_memory_trim(d);
  void *of_default = address_of_next(4000), *of_s;
  {
    StreamGuard on(d, s);
    of_s = address_of_next(4000);
    EXPECT_NE(of_s, of_default);
    EXPECT_EQ(address_of_next(4000), of_s);
  }
  EXPECT_EQ(address_of_next(4000), of_default);
}

// A stream's own later work runs after what still uses a block, so no event and no wait stand between.
TEST_F(Streams, AFreedBlockServesItsStreamAtOnce) {
  HeldStream held(d, s);
  StreamGuard on(d, s);
  void* first;
  {
    Ref<Storage> a = storage(4000);
    first = a->data;
    std::vector<char> data(4000, 'x');
    copy_bytes(d, a->data, Device{}, data.data(), 4000, false);  // has not run yet
  }
  EXPECT_EQ(address_of_next(4000), first);
}

TEST_F(Streams, ABlockGoesBackToItsOwnStreamFromAnyThread) {
  Ref<Storage> a;
  {
    StreamGuard on(d, s);
    a = storage(6000);
  }
  void* p = a->data;
  std::thread([moved = std::move(a)]() mutable { moved.reset(); }).join();
  EXPECT_NE(address_of_next(6000), p);
  StreamGuard on(d, s);
  EXPECT_EQ(address_of_next(6000), p);
}

TEST_F(Streams, RecordStreamHoldsMemoryUntilTheStreamHasPassed) {
  device_memory_trim(d);
  void* p;
  HeldStream held(d, s);
  {
    Ref<Storage> a = storage(5000);
    p = a->data;
    Numbers<char> sink(d, kUnset, 1);
    {
      StreamGuard on(d, s);
      Ref<Storage> b = storage(5000);
      copy_bytes(d, b->data, d, a->data, 5000, false);  // reads a on s, later
    }
    record_stream(*a, d, s);
    record_stream(*a, d, s);
    record_stream(*a, d, 0);  // its own stream: nothing to hold for
  }
  EXPECT_NE(address_of_next(5000), p);
  held.let_go();
  synchronize_stream(d, s);
  std::set<void*> seen;
  std::vector<Ref<Storage>> all;
  for (int i = 0; i < 2; ++i) seen.insert(all.emplace_back(storage(5000))->data);
  EXPECT_TRUE(seen.count(p));
}

TEST_F(Streams, MemoryOfOthersIsReleasedAfterTheStreamsThatUseIt) {
  static int released;
  released = 0;
  Numbers<float> memory(d, {1, 2});
  synchronize(d);  // another stream reads it
  HeldStream held(d, s);
  {
    Ref<Storage> lent = wrap_storage(
        d, memory.p, 8, [](Storage&) { ++released; }, nullptr);
    StreamGuard on(d, s);
    Numbers<float> out(d, kUnset, 2);
    copy_bytes(d, out.p, d, lent->data, 8, false);
    record_stream(*lent, d, s);
  }
  EXPECT_EQ(released, 0);
  held.let_go();
  synchronize(d);
  EXPECT_EQ(released, 1);
}

TEST_F(Streams, RecordStreamRefusesMemoryThatIsElsewhere) {
  Ref<Storage> host = new_storage(thread_state(), Device{}, 1000);
  Error e = error_of([&] { record_stream(*host, d, s); });
  EXPECT_EQ(e.code, Code::device);
  EXPECT_HAS(e.message, "the memory is on cpu, the stream on sim:1");
  record_stream(*host, Device{}, 0);  // the host has no streams
}

TEST_F(Streams, RecordStreamTakesMemoryWithoutBytes) {
  for (int i = 0; i < 8; ++i) {
    {
      Ref<Storage> used = new_storage(thread_state(), Device{}, kInlineBytes);  // its cell serves the next
      std::memset(used->data, 0x5a, size_t(used->bytes));
    }
    Ref<Storage> empty = storage(0);
    record_stream(*empty, d, s);
    EXPECT_EQ(empty->uses.load(), nullptr);
  }
}

// A device may give the number of a stream that is gone to a new one.
TEST_F(Streams, ABlockOfAGoneStreamDoesNotServeItsSuccessor) {
  BlockCache& cache = detail::device_cache(d);
  const haft_raw_stream number = create_stream(d);
  StreamBlocks& list = cache.list_of(number);
  void* p = cache.alloc(list, 3000);
  EXPECT_TRUE(list.serves(number));
  EXPECT_FALSE(list.serves(s));
  destroy_stream(d, number);
  EXPECT_FALSE(list.serves(number));
  EXPECT_NE(&cache.list_of(number), &list);
  cache.free(list, p, 3000);
  cache.retire_list(number);
}

TEST_F(Streams, BlocksOfADestroyedStreamServeTheDefaultOne) {
  device_memory_trim(d);
  haft_raw_stream other = create_stream(d);
  Ref<Storage> kept;
  void *freed, *later;
  {
    StreamGuard on(d, other);
    freed = address_of_next(7000);
    kept = storage(9000);
    later = kept->data;
  }
  destroy_stream(d, other);
  EXPECT_EQ(address_of_next(7000), freed);
  kept.reset();
  EXPECT_EQ(address_of_next(9000), later);
}

TEST_F(Streams, AStreamThatIsGoneIsNotMadeCurrentAgain) {
  haft_raw_stream other = create_stream(d);
  set_current_stream(d, other);
  {
    StreamGuard off(d, s);
    destroy_stream(d, other);
  }
  EXPECT_EQ(current_stream(d), 0u);
}

TEST_F(Streams, EventsTellTime) {
  haft_raw_event a = create_event(d, HAFT_EVENT_TIMING), b = create_event(d, HAFT_EVENT_TIMING),
                 plain = create_event(d);
  EXPECT_HAS(error_of([&] { elapsed_time(d, a, b); }).message, "never recorded");
  Numbers<float> x(d, {1});
  synchronize(d);
  record_event(d, a, s);
  {
    Environment delay("HAFT_SIM_DELAY_US", "3000");
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(call_kernel(OpId::add, {x.view(), x.view()}, {x.view()}, {}, s).status, 0);
  }
  record_event(d, b, s);
  synchronize_event(d, b);
  EXPECT_TRUE(query_event(d, b));
  EXPECT_GE(elapsed_time(d, a, b), 9);
  EXPECT_LE(elapsed_time(d, b, a), -9);
  record_event(d, plain, s);
  synchronize_event(d, plain);
  EXPECT_HAS(error_of([&] { elapsed_time(d, a, plain); }).message, "HAFT_EVENT_TIMING");
  EXPECT_EQ(error_of([] { elapsed_time(Device{}, 0, 0); }).code, Code::unsupported);
  for (haft_raw_event e : {a, b, plain}) destroy_event(d, e);
}

// ---- pinned memory and copies that nobody waits for ----

using Copies = Streams;

TEST_F(Copies, PinnedMemoryIsCached) {
  pinned_memory_trim(d);
  EXPECT_EQ(pinned_memory_stats(d).reserved, 0);
  void* p;
  {
    Ref<Storage> a = new_pinned_storage(d, 3000);
    p = a->data;
    EXPECT_TRUE(a->device.is_cpu());
    EXPECT_EQ(a->pinned, d.type);
    EXPECT_EQ(pinned_memory_stats(d).live, 3000);
    std::memset(p, 1, 3000);  // the host writes it
  }
  EXPECT_EQ(new_pinned_storage(d, 3072)->data, p);
  EXPECT_GE(pinned_memory_trim(d), 3072);
  EXPECT_EQ(pinned_memory_stats(d).reserved, 0);
  // Where there is none, and for nothing, it is ordinary memory.
  EXPECT_EQ(new_pinned_storage(Device{}, 3000)->pinned, 0);
  EXPECT_EQ(new_pinned_storage(d, 0)->pinned, 0);
}

TEST_F(Copies, FromPinnedMemoryReturnsAtOnceAndHoldsBothSides) {
  StreamGuard on(d, s);
  HeldStream held(d, s);
  haft_raw_event done = create_event(d);
  void* from;
  Ref<Storage> to = storage(4000);
  {
    Ref<Storage> host = new_pinned_storage(d, 4000);
    from = host->data;
    std::memset(from, 7, 4000);
    copy_between(*to, to->data, *host, from, 4000, false);
    record_event(d, done, s);
  }
  EXPECT_FALSE(query_event(d, done));
  Ref<Storage> other = new_pinned_storage(d, 4000);
  EXPECT_NE(other->data, from);  // the copy will still read it
  std::memset(other->data, 8, 4000);
  held.let_go();
  synchronize_event(d, done);
  std::vector<char> back(4000);
  copy_bytes(Device{}, back.data(), d, to->data, 4000, true);
  EXPECT_EQ(back, std::vector<char>(4000, 7));
  EXPECT_EQ(new_pinned_storage(d, 4000)->data, from);  // it has
  destroy_event(d, done);
}

TEST_F(Copies, ToPinnedMemoryAnswersWithoutWaiting) {
  StreamGuard on(d, s);
  Numbers<float> x(d, std::vector<float>(1000, 3));
  synchronize(d);
  HeldStream held(d, s);
  Ref<Storage> host = new_pinned_storage(d, 4000);
  std::fill_n(static_cast<float*>(host->data), 1000, 1.f);
  {
    Ref<Storage> gone = storage(4000);  // goes right after the copy was asked for
    copy_bytes(d, gone->data, d, x.p, 4000, false);
    copy_between(*host, host->data, *gone, gone->data, 4000, false);
  }
  EXPECT_EQ(static_cast<float*>(host->data)[999], 1.f);
  held.let_go();
  synchronize_stream(d, s);
  EXPECT_EQ(static_cast<float*>(host->data)[999], 3.f);
}

// The destination of a copy that was dropped before the copy has happened.
TEST_F(Copies, ADroppedDestinationOutlivesTheCopy) {
  StreamGuard on(d, s);
  HeldStream held(d, s);
  void* p;
  {
    Ref<Storage> x = storage(4000), host = new_pinned_storage(d, 4000);
    p = host->data;
    copy_between(*host, p, *x, x->data, 4000, false);
  }
  EXPECT_NE(new_pinned_storage(d, 4000)->data, p);
  held.let_go();
  synchronize(d);  // sim fails here when memory was freed under a copy
  pinned_memory_trim(d);
  synchronize(d);
}

TEST_F(Copies, OtherHostMemoryIsReadOrWrittenOnReturn) {
  std::vector<float> data(1000, 5), back(1000);
  Ref<Storage> host = wrap_storage(Device{}, data.data(), 4000, nullptr, nullptr),
               result = wrap_storage(Device{}, back.data(), 4000, nullptr, nullptr), x = storage(4000);
  copy_between(*x, x->data, *host, data.data(), 4000, false);
  data.assign(1000, 6);
  copy_between(*result, back.data(), *x, x->data, 4000, false);
  EXPECT_EQ(back, std::vector<float>(1000, 5));
}

// A tensor made on one stream, copied on another: the other holds it.
TEST_F(Copies, OfAnotherStreamsMemoryHoldIt) {
  Ref<Storage> host = new_pinned_storage(d, 8000);
  void* p;
  HeldStream held(d, s);
  {
    Ref<Storage> x = storage(8000);  // of the default stream
    p = x->data;
    StreamGuard on(d, s);
    copy_between(*host, host->data, *x, x->data, 8000, false);
  }
  EXPECT_NE(address_of_next(8000), p);
  held.let_go();
  synchronize_stream(d, s);
}

TEST_F(Copies, TensorsGoBothWaysWithoutWaiting) {
  StreamGuard on(d, s);
  Tensor x = new_tensor(Shape{100}, DType::f32);
  for (int i = 0; i < 100; ++i) x.data<float>()[i] = float(i);
  Tensor pinned = pin_memory(x, d);
  EXPECT_TRUE(is_pinned(pinned));
  EXPECT_FALSE(is_pinned(x));
  EXPECT_EQ(pin_memory(pinned, d).impl(), pinned.impl());
  HeldStream held(d, s);
  Tensor there = copy_to_device(pinned, d, true), back = copy_to_device(there, Device{}, true);
  EXPECT_TRUE(is_pinned(back));
  pinned.reset();
  there.reset();
  held.let_go();
  synchronize_stream(d, s);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(back.data<float>()[i], float(i));
  EXPECT_EQ(error_of([&] { pin_memory(copy_to_device(x, d), d); }).code, Code::device);
}

}  // namespace
}  // namespace haft
