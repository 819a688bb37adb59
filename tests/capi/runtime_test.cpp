// The library as a guest: versions, devices, memory, log, generators, shutdown; fork, exit and threads.
#include <dlfcn.h>
#include <haft/api_table.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "capi_testing.h"

namespace {
bool in_child = false;  // of a fork that ends with exit()
}

// LeakSanitizer asks: in such a child, what the parent's threads hold looks lost.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off();
int __lsan_is_turned_off() { return in_child; }

namespace {

struct Runtime : CapiTest {};

haft_memory_stats stats() {
  haft_memory_stats s = HAFT_MEMORY_STATS_INIT;
  haft::check(haft_memory_get_stats(HAFT_DEVICE_CPU, &s));
  return s;
}

TEST_F(Runtime, VersionsPathAndTable) {
  EXPECT_EQ(haft_get_version_number(), HAFT_VERSION_NUMBER);
  EXPECT_EQ(std::string(haft_get_version_string()).substr(0, 2), std::to_string(HAFT_VERSION_MAJOR) + ".");
  EXPECT_NE(std::string(haft_get_library_path()).find("libhaft.so"), std::string::npos);
  const haft_api* api = haft_get_api(HAFT_VERSION_NUMBER);
  ASSERT_NE(api, nullptr);
  EXPECT_EQ(api->struct_size, sizeof(haft_api));
  EXPECT_EQ(haft_get_api(0), api);
  EXPECT_EQ(haft_get_api(HAFT_VERSION_NUMBER + 1000000), nullptr);
  EXPECT_EQ(haft_get_api(HAFT_VERSION_NUMBER + 1000), nullptr);
  int64_t needed = 0;
  ASSERT_EQ(haft_describe(nullptr, 0, &needed), HAFT_OK);
  std::string text(size_t(needed), 0);
  ASSERT_EQ(haft_describe(&text[0], needed, nullptr), HAFT_OK);
  EXPECT_NE(text.find("devices: cpu"), std::string::npos);
  text = haft::describe_device(haft::device("cpu"));
  EXPECT_EQ(text.find("device: cpu\nname: "), 0u) << text;
  EXPECT_EQ(text, haft::describe_device());
  char small[4];
  EXPECT_FAILS(haft_device_describe(HAFT_DEVICE_DEFAULT, small, sizeof small, nullptr),
               HAFT_ERROR_INVALID_ARGUMENT, "capacity");
  EXPECT_FAILS(haft_device_describe(0x7f000001, nullptr, 0, &needed), HAFT_ERROR_DEVICE, "device");
}

TEST_F(Runtime, DevicesAreCountedByTheirType) {
  EXPECT_EQ(haft::device_count("cpu"), 1);
  EXPECT_EQ(haft::device_count("nowhere"), 0);
  int32_t n = 7;
  for (const char* text : {"", "cpu:0", "../cpu", "CPU"})
    EXPECT_FAILS(haft_device_get_count(text, &n), HAFT_ERROR_INVALID_ARGUMENT, "device type");
  EXPECT_EQ(n, 7);
}

TEST_F(Runtime, DlcloseLeavesTheLibrary) {
  void* again = dlopen(HAFT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(again, nullptr) << dlerror();
  dlclose(again);
  dlclose(again);  // more often than it was opened
  EXPECT_EQ(floats({1, 2}).numel(), 2);
}

TEST_F(Runtime, MemoryIsCountedLimitedAndTrimmed) {
  haft_memory_stats before = stats();
  {
    Tensor t = haft::zeros({1 << 20});
    EXPECT_EQ(stats().live, before.live + (4 << 20));
    EXPECT_GE(stats().peak, stats().live);
  }
  EXPECT_EQ(stats().live, before.live);
  ASSERT_EQ(haft_memory_reset_peak(HAFT_DEVICE_CPU), HAFT_OK);
  EXPECT_EQ(stats().peak, stats().live);
  auto held = [] { return stats().reserved + stats().pinned_reserved; };
  int64_t freed = -1, reserved = held();
  ASSERT_EQ(haft_memory_trim(HAFT_DEVICE_CPU, &freed), HAFT_OK);
#if !defined(__SANITIZE_ADDRESS__)  // there nothing is cached
  EXPECT_GE(freed, 4 << 20);
#endif
  EXPECT_EQ(held(), reserved - freed);
  const int64_t limit = stats().live + (1 << 20);
  EXPECT_EQ(stats().limit, 0);
  ASSERT_EQ(haft_memory_set_limit(HAFT_DEVICE_CPU, limit), HAFT_OK);
  EXPECT_EQ(stats().limit, limit);
  haft_tensor* t = nullptr;
  const int64_t size[] = {1 << 20};
  EXPECT_FAILS(haft_zeros(size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, &t), HAFT_ERROR_OUT_OF_MEMORY, "limit");
  EXPECT_EQ(t, nullptr);
  ASSERT_EQ(haft_memory_set_limit(HAFT_DEVICE_CPU, 0), HAFT_OK);
  EXPECT_EQ(haft_memory_set_limit(HAFT_DEVICE_CPU, -1), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(haft_memory_set_allocator(nullptr, nullptr, nullptr), HAFT_OK);
  EXPECT_FAILS(haft_memory_set_allocator([](int64_t, int64_t, void*) -> void* { return nullptr; },
                                         [](void*, int64_t, void*) {}, nullptr),
               HAFT_ERROR_BUSY, "");
}

// Each of several collectors is asked at its mark, and all before a limit says no; what one lets go of is there for
// the allocation.
TEST_F(Runtime, EveryCollectorIsAskedBeforeALimitSaysNo) {
  struct Seen {
    int calls = 0, destroyed = 0;
    haft_tensor* spare = nullptr;
  } low, high;
  auto fn = [](int64_t, void* user) {
    auto* s = static_cast<Seen*>(user);
    ++s->calls;
    haft_tensor_release(std::exchange(s->spare, nullptr));
  };
  auto destroy = [](void* user) { ++static_cast<Seen*>(user)->destroyed; };
  int64_t first = 0, second = 0;
  const int64_t live = stats().live;
  ASSERT_EQ(haft_memory_add_pressure_callback(live + (2 << 20), fn, &low, destroy, &first), HAFT_OK);
  ASSERT_EQ(haft_memory_add_pressure_callback(INT64_MAX, fn, &high, destroy, &second), HAFT_OK);
  EXPECT_NE(first, second);
  { Tensor big = haft::zeros({1 << 20}); }
  EXPECT_EQ(low.calls, 1);
  EXPECT_EQ(high.calls, 0);
  // A mark that has been passed does not hide those above it, and holds again once live is below it.
  int64_t between = 0;
  Seen middle;
  ASSERT_EQ(haft_memory_add_pressure_callback(live + (6 << 20), fn, &middle, destroy, &between), HAFT_OK);
  low.calls = 0;
  for (int round = 1; round < 3; ++round) {
    Tensor some = haft::zeros({1 << 20});
    EXPECT_EQ(low.calls, round);
    EXPECT_EQ(middle.calls, round - 1);
    Tensor more = haft::zeros({1 << 20});
    EXPECT_EQ(low.calls, round);
    EXPECT_EQ(middle.calls, round);
    Tensor most = haft::zeros({1 << 20});
    EXPECT_EQ(middle.calls, round);
  }
  ASSERT_EQ(haft_memory_remove_pressure_callback(between), HAFT_OK);
  low.calls = 1;
  high.spare = haft::zeros({1 << 18}).release();
  haft::set_memory_limit(stats().live + (1 << 19));
  { Tensor fits = haft::zeros({1 << 18}); }  // in the place of what the second had
  EXPECT_GE(low.calls, 2);
  EXPECT_EQ(high.calls, 1);
  try {
    haft::zeros({1 << 20});
    ADD_FAILURE() << "above the limit";
  } catch (const haft::Error& e) {
    EXPECT_EQ(e.code(), HAFT_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(e.argument(), "memory_limit");
  }
  EXPECT_EQ(high.calls, 2);
  haft::set_memory_limit(0);
  ASSERT_EQ(haft_memory_remove_pressure_callback(first), HAFT_OK);
  EXPECT_EQ(low.destroyed, 1);
  EXPECT_EQ(high.destroyed, 0);
  ASSERT_EQ(haft_memory_remove_pressure_callback(second), HAFT_OK);
  EXPECT_EQ(high.destroyed, 1);
  EXPECT_EQ(haft_memory_remove_pressure_callback(second), HAFT_ERROR_INVALID_ARGUMENT);
  // One that arms itself again is called once.
  struct Again {
    int64_t id = 0;
    int calls = 0;
  } again;
  auto rearm = [](int64_t live, void* user) {
    auto* a = static_cast<Again*>(user);
    if (++a->calls > 5) return;
    const int64_t before = a->id;
    haft_memory_add_pressure_callback(
        live / 2, [](int64_t, void* u) { ++static_cast<Again*>(u)->calls; }, user, nullptr, &a->id);
    haft_memory_remove_pressure_callback(before);
  };
  ASSERT_EQ(haft_memory_add_pressure_callback(stats().live, rearm, &again, nullptr, &again.id), HAFT_OK);
  { Tensor big = haft::zeros({1 << 20}); }
  EXPECT_EQ(again.calls, 1);
  ASSERT_EQ(haft_memory_remove_pressure_callback(again.id), HAFT_OK);
  int cpp = 0;
  const int64_t third = haft::add_memory_pressure_callback(stats().live, [&](int64_t) { ++cpp; });
  haft::zeros({1 << 20});
  EXPECT_EQ(cpp, 1);
  EXPECT_EQ(haft_memory_remove_pressure_callback(third), HAFT_OK);
}

TEST_F(Runtime, PressureIsTold) {
  struct Seen {
    int64_t live = 0;
    int calls = 0, destroyed = 0;
    haft_tensor* spare = nullptr;
  } seen;
  seen.spare = haft::zeros({1 << 18}).release();
  auto fn = [](int64_t live, void* user) {
    auto* s = static_cast<Seen*>(user);
    s->live = live;
    ++s->calls;
    haft_tensor_release(std::exchange(s->spare, nullptr));  // what a collector does
  };
  auto destroy = [](void* user) { ++static_cast<Seen*>(user)->destroyed; };
  ASSERT_EQ(haft_memory_set_pressure_callback(stats().live + (2 << 20), fn, &seen, destroy), HAFT_OK);
  haft::zeros({1 << 10});
  EXPECT_EQ(seen.calls, 0);
  Tensor big = haft::zeros({1 << 20});
  EXPECT_EQ(seen.calls, 1);
  EXPECT_GE(seen.live, 4 << 20);
  ASSERT_EQ(haft_memory_set_pressure_callback(0, nullptr, nullptr, nullptr), HAFT_OK);
  EXPECT_EQ(seen.destroyed, 1);
}

TEST_F(Runtime, LogLinesGoToTheSink) {
  struct Seen {
    std::string text;
    int32_t level = 0;
    int destroyed = 0;
  } seen;
  auto sink = [](int32_t level, const char* text, void* user) {
    static_cast<Seen*>(user)->text += text;
    static_cast<Seen*>(user)->level = level;
  };
  ASSERT_EQ(haft_set_log_sink(HAFT_LOG_WARNING, sink, &seen,
                              [](void* user) { ++static_cast<Seen*>(user)->destroyed; }),
            HAFT_OK);
  haft_tensor* gone = floats({1}).release();
  haft_tensor_release(gone);
  haft_tensor_release(gone);
  EXPECT_NE(seen.text.find("released"), std::string::npos);
  EXPECT_EQ(seen.level, HAFT_LOG_WARNING);
  ASSERT_EQ(haft_set_log_sink(HAFT_LOG_NONE, nullptr, nullptr, nullptr), HAFT_OK);
  EXPECT_EQ(seen.destroyed, 1);
  seen.text.clear();
  haft_tensor_release(gone);
  EXPECT_EQ(seen.text, "");
  EXPECT_EQ(haft_set_log_sink(9, sink, &seen, nullptr), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Runtime, DefaultsAreTheThreads) {
  ASSERT_EQ(haft_set_default_dtype(HAFT_FLOAT64), HAFT_OK);
  EXPECT_EQ(haft::zeros({1}).dtype(), HAFT_FLOAT64);
  std::thread([] { EXPECT_EQ(haft::zeros({1}).dtype(), HAFT_FLOAT32); }).join();
  EXPECT_FAILS(haft_set_default_dtype(HAFT_INT64), HAFT_ERROR_DTYPE, "floating");
  ASSERT_EQ(haft_set_default_dtype(HAFT_DTYPE_NONE), HAFT_OK);
  EXPECT_EQ(haft::zeros({1}).dtype(), HAFT_FLOAT32);
}

TEST_F(Runtime, GeneratorsGoOnWhereTheyWere) {
  haft_generator* g = nullptr;
  ASSERT_EQ(haft_generator_create(11, &g), HAFT_OK);
  haft::rand({100}, 0, 0, g);
  int64_t seed = 0, offset = 0;
  ASSERT_EQ(haft_generator_get_state(g, &seed, &offset), HAFT_OK);
  EXPECT_EQ(seed, 11);
  EXPECT_EQ(offset, 25);
  auto a = haft::randn({7}, 0, 0, g).to_vector<float>();
  ASSERT_EQ(haft_generator_set_state(g, seed, offset), HAFT_OK);
  EXPECT_EQ(haft::randn({7}, 0, 0, g).to_vector<float>(), a);
  haft_generator_release(g);
  haft::manual_seed(3);
  auto b = haft::rand({4}).to_vector<float>();
  haft::manual_seed(3);
  EXPECT_EQ(haft::rand({4}).to_vector<float>(), b);
}

TEST_F(Runtime, RandomStreams) {
  const auto drawn = [](std::int64_t stream, std::int64_t n) {  // apart, and then together
    haft::manual_seed(3);
    std::vector<float> apart;
    {
      const haft::RandomStream scope(stream);
      apart = haft::rand({n}).to_vector<float>();
    }
    return std::pair(apart, haft::rand({4}).to_vector<float>());
  };
  EXPECT_NE(drawn(1, 8).first, drawn(2, 8).first);
  EXPECT_EQ(drawn(2, 8).first, drawn(2, 8).first);
  EXPECT_EQ(drawn(1, 8).second, drawn(2, 1000).second);  // whatever was drawn, generators stay equal
  EXPECT_EQ(haft::set_random_stream(5), 0);
  EXPECT_EQ(haft::set_random_stream(0), 5);
  EXPECT_FAILS_AT(haft_random_set_stream(-1, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 0, "stream");
}

TEST_F(Runtime, ShutdownMayBeCalledTwice) {
  Tensor t = floats({1});
  EXPECT_FAILS(haft_shutdown(), HAFT_ERROR_BUSY, "1 tensor");
  t = Tensor();
  if (before == 0) {
    EXPECT_EQ(haft_shutdown(), HAFT_OK);
    EXPECT_EQ(haft_shutdown(), HAFT_OK);
  }
  EXPECT_EQ(floats({1, 2}).numel(), 2);
}

int train_a_little() {
  Tensor w = haft::ones({128, 128}).set_requires_grad(), x = haft::ones({256, 128});
  haft::sum(haft::relu(haft::matmul(x, w))).backward();
  return w.grad().to_vector<float>()[0] == 256.f ? 0 : 1;
}

TEST_F(Runtime, TheChildOfAForkWorksOn) {
  ASSERT_EQ(haft_set_num_threads(2), HAFT_OK);
  Tensor parents = floats({1, 2, 3});
  EXPECT_EQ(train_a_little(), 0);  // the pool has run
  for (int i = 0; i < 5; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      int bad = train_a_little();
      bad += parents.to_vector<float>()[2] != 3;
      parents = Tensor();
      _exit(bad);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(train_a_little(), 0);
}

TEST_F(Runtime, ExitWithLiveHandlesAndThreads) {
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    in_child = true;
    floats({1}).release();
    haft::zeros({1 << 20}).release();
    train_a_little();
    std::thread([] {
      for (;;) haft::relu(floats({1}));
    }).detach();
    exit(7);  // runs every destructor while the thread works
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST_F(Runtime, InferenceFromEightThreads) {
  haft::nn::Module net =
      haft::nn::Sequential({haft::nn::Linear(16, 32), haft::nn::ReLU(), haft::nn::Linear(32, 4)});
  net.eval();
  Tensor x = haft::randn({8, 16});
  auto want = net(x).to_vector<float>();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&] {
      haft::InferenceMode inference;
      for (int i = 0; i < 100; ++i) wrong += net(x).to_vector<float>() != want;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
