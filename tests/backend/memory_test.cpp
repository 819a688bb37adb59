#include <sys/wait.h>
#include <unistd.h>

#include "core/backend/cache.h"
#include "core/tensor/storage.h"
#include "tests/backend/sim_fixture.h"

namespace haft {
namespace {

TEST(DeviceMemory, ReusesBlocksOfOneStream) {
  Device d = sim(3);
  DeviceMemoryStats before = device_memory_stats(d);
  DeviceBlock p = device_alloc(d, 1000);
  device_free(d, p, 1000);
  DeviceBlock q = device_alloc(d, 1020);  // the same size class
  EXPECT_EQ(p.p, q.p);
  DeviceBlock r = device_alloc(d, 1000);
  EXPECT_NE(q.p, r.p);
  DeviceMemoryStats s = device_memory_stats(d);
  EXPECT_EQ(s.live - before.live, 2020);
  EXPECT_EQ(s.allocations - before.allocations, 3);
  EXPECT_EQ(s.cache_hits - before.cache_hits, 1);
  EXPECT_GE(s.peak, s.live);
  EXPECT_EQ(s.total, int64_t(1) << 30);
  EXPECT_EQ(s.total - s.free, s.reserved);
  device_free(d, q, 1020);
  device_free(d, r, 1000);
  EXPECT_GE(device_memory_trim(d), 2048);
  EXPECT_EQ(device_memory_stats(d).reserved, 0);
  EXPECT_EQ(device_alloc(d, 0).p, nullptr);
  device_free(d, {}, 0);
}

TEST(DeviceMemory, SizeClassesHoldWhatWasAsked) {
  Device d = sim(3);
  device_memory_trim(d);
  for (int64_t bytes : {1, 511, 512, 513, 575, 576, 577, 1023, 1025, 4097, 1000000, (1 << 20) + 1}) {
    std::vector<char> data(size_t(bytes), 'x'), back(static_cast<size_t>(bytes));
    DeviceBlock block = device_alloc(d, bytes);
    copy_bytes(d, block.p, Device{}, data.data(), bytes, false);
    copy_bytes(Device{}, back.data(), d, block.p, bytes, true);
    EXPECT_EQ(data, back);
    device_free(d, block, bytes);
    EXPECT_LE(device_memory_stats(d).reserved, std::max<int64_t>(512, bytes + bytes / 8 + 8));
    device_memory_trim(d);
  }
}

// What lies free, by size, of all streams: with what is in use it is all that is held.
TEST(DeviceMemory, SizeClassesThatLieFree) {
  Device d = sim(3);
  device_memory_trim(d);
  EXPECT_TRUE(detail::device_cache(d).free_blocks().empty());
  const haft_raw_stream s = create_stream(d);
  DeviceBlock a = device_alloc(d, 600), b = device_alloc(d, 600), c = device_alloc(d, 100000),
              kept = device_alloc(d, 5000);
  device_free(d, a, 600);
  device_free(d, c, 100000);
  {
    const StreamGuard on(d, s);
    DeviceBlock other = device_alloc(d, 600);
    device_free(d, other, 600);
  }
  const auto free = detail::device_cache(d).free_blocks();
  ASSERT_EQ(free.size(), 2u);
  EXPECT_EQ(free[0].bytes, 640);
  EXPECT_EQ(free[0].count, 2);
  EXPECT_EQ(free[1].bytes, 106496);
  EXPECT_EQ(free[1].count, 1);
  device_free(d, b, 600);
  device_free(d, kept, 5000);
  destroy_stream(d, s);
  int64_t bytes = 0;
  for (const FreeBlocks& f : detail::device_cache(d).free_blocks()) bytes += f.bytes * f.count;
  EXPECT_EQ(bytes, device_memory_stats(d).reserved);
  device_memory_trim(d);
}

TEST(DeviceMemory, GivesCachesBackBeforeItFails) {
  Environment limit("HAFT_SIM_MEMORY", "100000");
  Device d = sim(2);
  device_memory_trim(d);
  DeviceBlock p = device_alloc(d, 60000);
  Error e = error_of([&] { device_alloc(d, 50000); });
  EXPECT_EQ(e.code, Code::out_of_memory);
  EXPECT_HAS(e.message, "50000 bytes on sim:2");
  EXPECT_HAS(e.message, "60000 bytes are live");
  device_free(d, p, 60000);
  DeviceBlock q = device_alloc(d, 90000);  // needs the cached block's memory
  device_free(d, q, 90000);
  EXPECT_EQ(error_of([&] { device_alloc(d, INT64_MAX); }).code, Code::out_of_memory);
  EXPECT_EQ(error_of([&] { device_alloc({sim_type(), 9}, 8); }).code, Code::device);
}

TEST(DeviceMemory, HasALimitOfItsOwn) {
  Device d = sim(2);
  set_device_memory_limit(d, 4096);
  DeviceBlock p = device_alloc(d, 4000);
  Error e = error_of([&] { device_alloc(d, 100); });
  EXPECT_EQ(e.code, Code::out_of_memory);
  EXPECT_HAS(e.message, "limit is 4096");
  device_free(d, p, 4000);
  set_device_memory_limit(d, 0);
  EXPECT_EQ(error_of([&] { set_device_memory_limit(d, -1); }).code, Code::invalid_argument);
}

TEST(DeviceMemory, CopiesEveryWay) {
  sim_type();
  std::vector<int64_t> data(5000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = int64_t(i * i);
  Numbers<int64_t> a(sim(0), data), b(sim(0), kUnset, 5000), c(sim(1), kUnset, 5000),
      host(Device{}, kUnset, 5000);
  const int64_t bytes = 40000;
  copy_bytes(b.device, b.p, a.device, a.p, bytes, false);
  EXPECT_EQ(b.read(), data);
  copy_bytes(c.device, c.p, b.device, b.p, bytes, true);
  EXPECT_EQ(c.read(), data);
  copy_bytes(host.device, host.p, c.device, c.p, bytes, false);
  EXPECT_EQ(host.read(), data);
  Environment name("HAFT_SIM_NAME", "twin");  // another device type: bytes go through the host
  Device twin{load_backend(HAFT_SIM_DEVICE), 1};
  Numbers<int64_t> e(twin, kUnset, 5000);
  copy_bytes(e.device, e.p, a.device, a.p, bytes, true);
  EXPECT_EQ(e.read(), data);
}

// A copy between devices runs after what the source's stream has to do, and before what it does next.
TEST(DeviceMemory, PeerCopiesAreOrderedOnBothSides) {
  std::vector<float> ones(100, 1), twos(100, 2);
  Numbers<float> a(sim(0), ones), b(sim(1), kUnset, 100);
  synchronize(sim(0));
  {
    Environment delay("HAFT_SIM_DELAY_US", "20000");
    a.write(twos);
    copy_bytes(b.device, b.p, a.device, a.p, 400, false);
    unsetenv("HAFT_SIM_DELAY_US");
    a.write(ones);
  }
  EXPECT_EQ(b.read(), twos);
  EXPECT_EQ(a.read(), ones);
}

TEST(DeviceMemory, CatchesAddressesOfTheWrongSide) {
  std::vector<float> host(4);
  Numbers<float> a(sim(0), kUnset, 4);
  Error e = error_of([&] { copy_bytes(sim(0), host.data(), Device{}, a.p, 16, false); });
  EXPECT_HAS(e.message, "memory of sim:0");
  e = error_of([&] { copy_bytes(sim(1), a.p, Device{}, host.data(), 16, false); });
  EXPECT_EQ(e.code, Code::device);
  EXPECT_HAS(e.message, "memory of sim:0, not memory of sim:1");
  e = error_of([&] { copy_bytes(sim(0), a.p, Device{}, host.data(), 1 << 20, false); });
  EXPECT_HAS(e.message, "bytes 0 to 1048576 of an allocation of 512 bytes");
}

TEST(DeviceMemory, FactsAboutStorages) {
  Device d = sim(0);
  int64_t live = device_memory_stats(d).live;
  {
    Ref<Storage> s = new_storage(thread_state(), d, 40);
    EXPECT_EQ(device_memory_stats(d).live, live + 40);
    EXPECT_NE(s->data, nullptr);
    EXPECT_EQ(new_storage(thread_state(), d, 0)->data, nullptr);
  }
  EXPECT_EQ(device_memory_stats(d).live, live);
}

#if !defined(__SANITIZE_THREAD__)
// Devices stay with the parent; the child keeps the CPU and may drop what it inherited.
TEST(DeviceMemory, ForkedChildrenAreTold) {
  Numbers<float> a(sim(0), {1, 2, 3});
  synchronize(sim(0));
  backend(sim_type()).kernel(OpId::add, DType::f32);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto forked = [](auto&& f) {
      try {
        f();
      } catch (const Error& e) {
        return e.code == Code::forked;
      }
      return false;
    };
    int wrong = 0;
    wrong |= !forked([&] { device_alloc(sim(0), 8); });
    wrong |= !forked([&] { a.read(); }) << 1;
    wrong |= !forked([&] { synchronize(sim(0)); }) << 2;
    wrong |= !forked([&] { backend(sim_type()).kernel(OpId::add, DType::f32); }) << 3;
    wrong |= !forked([&] { create_stream(sim(0)); }) << 4;
    device_free(sim(0), a.block, 12);
    DeviceBlock p = device_alloc(Device{}, 100);
    wrong |= (p.p == nullptr) << 5;
    device_free(Device{}, p, 100);
    _exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(a.read(), (std::vector<float>{1, 2, 3}));
}
#endif

}  // namespace
}  // namespace haft
