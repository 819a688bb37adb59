// The ten misuses that a library must survive, in the order of the design's list.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "capi_testing.h"

namespace {

struct Misuse : CapiTest {};

// 1. NULL where a handle or a place for a result belongs.
TEST_F(Misuse, NullHandlesAndOutsNameTheArgument) {
  Tensor a = floats({1, 2});
  haft_tensor* out = nullptr;
  EXPECT_FAILS_AT(haft_add(nullptr, a.get(), &out), HAFT_ERROR_INVALID_ARGUMENT, 0, "input");
  EXPECT_FAILS_AT(haft_add(a.get(), nullptr, &out), HAFT_ERROR_INVALID_ARGUMENT, 1, "other");
  EXPECT_FAILS_AT(haft_add(a.get(), a.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, 2, "out");
  EXPECT_FAILS_AT(haft_tensor_get_ndim(a.get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1, "out");
  EXPECT_FAILS_AT(haft_module_forward(nullptr, a.get(), &out), HAFT_ERROR_INVALID_ARGUMENT, 0, "m");
  EXPECT_EQ(out, nullptr);
  haft_tensor_release(nullptr);
  haft_generator_release(nullptr);
  haft_module_release(nullptr);
  haft_optimizer_release(nullptr);
  haft_loader_release(nullptr);
  haft_profile_release(nullptr);
  haft_tensor_release_many(nullptr, 3);
  haft_tensor* holes[3] = {nullptr, nullptr, nullptr};
  haft_tensor_release_many(holes, 3);
  haft_tensor_release_many(holes, -1);
}

// 2. Released handles: found every time, also when the slot has a new tenant.
TEST_F(Misuse, StaleHandlesAreToldApart) {
  haft_tensor* gone = floats({1}).release();
  haft_tensor_release(gone);
  EXPECT_FAILS_AT(haft_neg_(gone), HAFT_ERROR_STALE_HANDLE, 0, "input");
  haft_tensor_release(gone);  // logged, no harm
  for (int i = 0; i < 1000; ++i) {
    Tensor tenant = floats({1});
    EXPECT_NE(tenant.get(), gone);
    haft_tensor_release(gone);
    EXPECT_EQ(tenant.item(), 1);
  }
  EXPECT_FAILS_AT(haft_tensor_retain(gone), HAFT_ERROR_STALE_HANDLE, 0, "t");
  EXPECT_EQ(haft_tensor_set_requires_grad(gone, 1), HAFT_ERROR_STALE_HANDLE);
  EXPECT_NE(std::string(last_error().hint).find("release each once"), std::string::npos);
}

// 3. Handles of another type, and numbers that never were handles.
TEST_F(Misuse, WrongHandlesAreToldApart) {
  haft_generator* g = nullptr;
  ASSERT_EQ(haft_generator_create(7, &g), HAFT_OK);
  auto* tensor = reinterpret_cast<haft_tensor*>(g);
  int64_t n = 42;
  EXPECT_FAILS_AT(haft_tensor_get_ndim(tensor, &n), HAFT_ERROR_WRONG_HANDLE, 0, "t");
  EXPECT_NE(std::string(last_error().message).find("generator"), std::string::npos);
  EXPECT_EQ(haft_optimizer_step(reinterpret_cast<haft_optimizer*>(g)), HAFT_ERROR_WRONG_HANDLE);
  haft_tensor_release(tensor);  // of the wrong type: no effect
  int64_t seed = 0, offset = 0;
  EXPECT_EQ(haft_generator_get_state(g, &seed, &offset), HAFT_OK);
  haft_generator_release(g);
  int local = 0;
  for (void* p : {static_cast<void*>(&local), reinterpret_cast<void*>(uintptr_t(8)),
                  reinterpret_cast<void*>(~uintptr_t(0))})
    EXPECT_EQ(haft_tensor_get_ndim(static_cast<haft_tensor*>(p), &n), HAFT_ERROR_STALE_HANDLE);
  EXPECT_EQ(n, 42);
}

// A schedule whose factor is the test's function: stepping it is exclusive.
struct Schedule {
  Tensor weight = leaf({1, 2});
  haft_optimizer* optimizer = nullptr;
  haft_scheduler* scheduler = nullptr;

  Schedule(haft_lr_factor fn, void* user) {
    haft_tensor* params[] = {weight.get()};
    haft::check(haft_sgd_create(params, 1, nullptr, &optimizer));
    haft::check(haft_lambda_lr_create(optimizer, fn, user, nullptr, &scheduler));
  }
  ~Schedule() {
    haft_scheduler_release(scheduler);
    haft_optimizer_release(optimizer);
  }
};

// 4 and 5, fork and exit, stand in runtime_test.cpp.

// 6. Two threads in an object that serves one: an answer, not a race.
TEST_F(Misuse, ConcurrentUseIsBusy) {
  struct Shared {
    std::atomic<bool> wait{false}, inside{false}, leave{false};
  } shared;
  Schedule s(
      [](int64_t, double* factor, void* user) -> haft_status {
        auto* s = static_cast<Shared*>(user);
        *factor = 1;
        if (!s->wait) return HAFT_OK;
        s->inside = true;
        while (!s->leave) std::this_thread::yield();
        return HAFT_OK;
      },
      &shared);
  shared.wait = true;
  std::thread other(
      [&] { EXPECT_EQ(haft_scheduler_step(s.scheduler), HAFT_OK) << haft_error_get_message(); });
  while (!shared.inside) std::this_thread::yield();
  EXPECT_FAILS(haft_scheduler_step(s.scheduler), HAFT_ERROR_BUSY, "another thread");
  shared.leave = true;
  other.join();
  EXPECT_EQ(haft_scheduler_step(s.scheduler), HAFT_OK);
}

// 7. A callback that calls back into what is calling it.
TEST_F(Misuse, RecursionIsAnAnswer) {
  struct Self {
    haft_scheduler* scheduler = nullptr;
    haft_status seen = HAFT_OK;
  } self;
  Schedule s(
      [](int64_t, double* factor, void* user) -> haft_status {
        auto* self = static_cast<Self*>(user);
        *factor = 1;
        if (self->scheduler) self->seen = haft_scheduler_step(self->scheduler);
        return HAFT_OK;
      },
      &self);
  self.scheduler = s.scheduler;
  EXPECT_EQ(haft_scheduler_step(s.scheduler), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(self.seen, HAFT_ERROR_RECURSIVE);
}

haft_module* module_of(haft_module_forward_fn forward, void* user = nullptr,
                       void (*destroy)(void*) = nullptr) {
  haft_module* m = nullptr;
  haft::check(haft_callback_module_create("Mine", forward, user, destroy, &m));
  return m;
}

// It gives up the object that is calling it: that lives until the call is over, and then it is gone.
TEST_F(Misuse, ACallbackMayReleaseWhatRunsIt) {
  struct Self {
    haft_module* module = nullptr;
    haft_scheduler* scheduler = nullptr;
    haft_optimizer* optimizer = nullptr;
    int destroyed = 0;
  } self;
  self.module = module_of(
      [](haft_module* me, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void* user) {
        auto* self = static_cast<Self*>(user);
        haft_module_release(self->module);
        haft_module_release(me);  // lent: not its own to release
        EXPECT_EQ(self->destroyed, 0);
        *count = 1;
        return haft_neg(in[0], out);
      },
      &self, [](void* user) { ++static_cast<Self*>(user)->destroyed; });
  Tensor x = floats({1, 2});
  haft_tensor* y = nullptr;
  ASSERT_EQ(haft_module_forward(self.module, x.get(), &y), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(Tensor(y).to_vector<float>(), (std::vector<float>{-1, -2}));
  EXPECT_EQ(self.destroyed, 1);
  y = nullptr;
  EXPECT_FAILS_AT(haft_module_forward(self.module, x.get(), &y), HAFT_ERROR_STALE_HANDLE, 0, "m");

  Schedule s(
      [](int64_t, double* factor, void* user) -> haft_status {
        auto* self = static_cast<Self*>(user);
        haft_scheduler_release(self->scheduler);
        haft_optimizer_release(self->optimizer);
        *factor = 1;
        return HAFT_OK;
      },
      &self);
  self.scheduler = s.scheduler;
  self.optimizer = s.optimizer;
  EXPECT_EQ(haft_scheduler_step(s.scheduler), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(haft_scheduler_step(s.scheduler), HAFT_ERROR_STALE_HANDLE);

  // A hook that gives up the whole graph that backward is walking.
  static std::vector<haft_tensor*> graph;
  Tensor leaf = ::leaf({3}), square = haft::square(leaf);
  int64_t id = 0;
  ASSERT_EQ(haft_tensor_add_hook(
                square.get(),
                [](haft_tensor*, haft_tensor**, void*) -> haft_status {
                  for (haft_tensor* t : graph) haft_tensor_release(t);
                  return HAFT_OK;
                },
                nullptr, nullptr, &id),
            HAFT_OK);
  graph = {haft::sum(square).release(), square.release()};
  EXPECT_EQ(haft_tensor_backward(graph[0], nullptr, 0), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(haft_tensor_backward(graph[0], nullptr, 0), HAFT_ERROR_STALE_HANDLE);
  EXPECT_EQ(leaf.grad().item(), 6);
}

// It throws, though it must not: an answer that says so, not the end of the process.
TEST_F(Misuse, ACallbackThatThrows) {
  Tensor x = floats({1});
  haft_tensor* y = nullptr;
  haft_module* worded = module_of([](haft_module*, haft_tensor* const*, int64_t, haft_tensor**, int64_t*,
                                     void*) -> haft_status { throw std::runtime_error("no luck"); });
  EXPECT_FAILS(haft_module_forward(worded, x.get(), &y), HAFT_ERROR_CALLBACK, "threw an exception: no luck");
  EXPECT_NE(std::string(last_error().hint).find("haft_error_set"), std::string::npos);
  haft_module_release(worded);
  haft_module* wordless = module_of([](haft_module*, haft_tensor* const*, int64_t, haft_tensor**, int64_t*,
                                       void*) -> haft_status { throw 7; });
  EXPECT_FAILS(haft_module_forward(wordless, x.get(), &y), HAFT_ERROR_CALLBACK, "threw an exception");
  haft_module_release(wordless);
  EXPECT_EQ(y, nullptr);
}

// Its thread is cancelled meanwhile: that waits until haft's frames are gone.
TEST_F(Misuse, AThreadCancelledInACallback) {
  static std::atomic<bool> inside{false}, returned{false}, late{false};
  haft_module* m =
      module_of([](haft_module*, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
        inside = true;
        while (!late) std::this_thread::yield();
        usleep(1000);  // a cancellation point
        *count = 1;
        return haft_neg(in[0], out);
      });
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* module) -> void* {
                  const float one = 1;
                  haft_tensor *x = nullptr, *y = nullptr;
                  haft::check(haft_tensor_from_data(&one, nullptr, 0, HAFT_FLOAT32, HAFT_DEVICE_CPU, &x));
                  EXPECT_EQ(haft_module_forward(static_cast<haft_module*>(module), x, &y), HAFT_OK);
                  haft_tensor_release(x);
                  haft_tensor_release(y);
                  returned = true;
                  pthread_testcancel();
                  return nullptr;
                },
                m),
            0);
  while (!inside) std::this_thread::yield();
  ASSERT_EQ(pthread_cancel(thread), 0);
  late = true;
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(returned);
  haft_module_release(m);
}

// 8. Sizes that no memory can hold, and memory that is not there.
TEST_F(Misuse, ImpossibleSizesAreStatuses) {
  haft_tensor* out = nullptr;
  const int64_t huge[] = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_FAILS(haft_zeros(huge, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out), HAFT_ERROR_OVERFLOW, "haft_zeros");
  const int64_t large[] = {int64_t(1) << 44};
  EXPECT_FAILS(haft_zeros(large, 1, HAFT_FLOAT64, HAFT_DEVICE_CPU, &out), HAFT_ERROR_OUT_OF_MEMORY, "");
  const int64_t negative[] = {2, -3};
  EXPECT_FAILS(haft_ones(negative, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out), HAFT_ERROR_SHAPE, "-3");
  const int64_t nine[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_FAILS(haft_ones(nine, 9, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out), HAFT_ERROR_SHAPE, "9");
  Tensor one = floats({1});
  const int64_t repeats[] = {int64_t(1) << 62};
  EXPECT_NE(haft_repeat(one.get(), repeats, 1, &out), HAFT_OK);
  EXPECT_EQ(out, nullptr);
}

// 9. Options of another version, or never filled in.
TEST_F(Misuse, OptionsOfOtherVersions) {
  Tensor w = leaf({1, 2});
  haft_tensor* params[] = {w.get()};
  haft_optimizer* o = nullptr;
  haft_sgd_options options = HAFT_SGD_OPTIONS_INIT;
  for (uint32_t size : {0u, 3u, 8u, 1u << 20, ~0u}) {
    options.struct_size = size;
    EXPECT_FAILS(haft_sgd_create(params, 1, &options, &o), HAFT_ERROR_BAD_STRUCT, "struct_size");
  }
  // A newer client: fields that this library does not know must be 0.
  struct {
    haft_sgd_options known = HAFT_SGD_OPTIONS_INIT;
    double future = 0;
  } newer;
  newer.known.struct_size = sizeof newer;
  ASSERT_EQ(haft_sgd_create(params, 1, &newer.known, &o), HAFT_OK) << haft_error_get_message();
  haft_optimizer_release(o);
  newer.future = 0.5;
  EXPECT_FAILS(haft_sgd_create(params, 1, &newer.known, &o), HAFT_ERROR_BAD_STRUCT, "does not know");

  struct {
    haft_memory_stats known = HAFT_MEMORY_STATS_INIT;
    int64_t future = 0;
  } stats;
  stats.known.struct_size = sizeof stats;
  EXPECT_EQ(haft_memory_get_stats(HAFT_DEVICE_CPU, &stats.known), HAFT_OK);
  EXPECT_EQ(stats.known.struct_size, sizeof stats);
  stats.known.limit = 77;
  stats.known.struct_size = offsetof(haft_memory_stats, limit);  // before there was a limit
  EXPECT_EQ(haft_memory_get_stats(HAFT_DEVICE_CPU, &stats.known), HAFT_OK);
  EXPECT_EQ(stats.known.limit, 77);
  stats.known.struct_size = 16;  // smaller than in any version
  EXPECT_FAILS(haft_memory_get_stats(HAFT_DEVICE_CPU, &stats.known), HAFT_ERROR_BAD_STRUCT, "stats");
}

// An absent number is clamp's alone.
TEST_F(Misuse, AbsentNumbers) {
  Tensor a = floats({1, 2, 3});
  haft_tensor* out = nullptr;
  EXPECT_FAILS_AT(haft_add_scalar(a.get(), haft_scalar_none(), &out), HAFT_ERROR_INVALID_ARGUMENT, 1,
                  "other");
  EXPECT_NE(std::string(haft_error_get_message()).find("HAFT_SCALAR_NONE"), std::string::npos);
  EXPECT_FAILS_AT(haft_pow_scalar_(a.get(), haft_scalar_none()), HAFT_ERROR_INVALID_ARGUMENT, 1, "exponent");
  EXPECT_FAILS_AT(haft_full(nullptr, 0, haft_scalar_none(), HAFT_FLOAT32, HAFT_DEVICE_CPU, &out),
                  HAFT_ERROR_INVALID_ARGUMENT, 2, "fill_value");
  EXPECT_FAILS_AT(haft_lerp(a.get(), a.get(), haft_scalar_none(), &out), HAFT_ERROR_INVALID_ARGUMENT, 2,
                  "weight");
  ASSERT_EQ(haft_clamp(a.get(), haft_scalar_none(), haft_scalar_int(2), &out), HAFT_OK)
      << haft_error_get_message();
  EXPECT_EQ(Tensor(out).to_vector<float>(), (std::vector<float>{1, 2, 2}));
}

// 10. Numbers and texts that mean nothing.
TEST_F(Misuse, BadValues) {
  Tensor a = floats({1, 2, 3});
  haft_tensor* out = nullptr;
  EXPECT_FAILS_AT(haft_cast(a.get(), 77, &out), HAFT_ERROR_INVALID_ARGUMENT, 1, "dtype");
  EXPECT_FAILS_AT(haft_to(a.get(), HAFT_DTYPE_NONE, -3, 0, &out), HAFT_ERROR_DEVICE, 2, "device");
  EXPECT_FAILS(haft_to(a.get(), HAFT_DTYPE_NONE, 0x70000, 0, &out), HAFT_ERROR_DEVICE, "");
  EXPECT_FAILS_AT(haft_mean(a.get(), nullptr, 0, 7, &out), HAFT_ERROR_INVALID_ARGUMENT, 3, "keepdim");
  EXPECT_FAILS_AT(haft_sum(a.get(), nullptr, -1, 0, HAFT_DTYPE_NONE, &out), HAFT_ERROR_INVALID_ARGUMENT, 1,
                  "dim");
  EXPECT_FAILS_AT(haft_reshape(a.get(), nullptr, 2, &out), HAFT_ERROR_INVALID_ARGUMENT, 1, "shape");
  haft_scalar strange = haft_scalar_float(1);
  strange.kind = 9;
  EXPECT_FAILS_AT(haft_add_scalar(a.get(), strange, &out), HAFT_ERROR_INVALID_ARGUMENT, 1, "other");
  haft_device d = 5;
  EXPECT_FAILS_AT(haft_device_parse("\xc0\x80", &d), HAFT_ERROR_INVALID_ARGUMENT, 0, "text");
  for (const char* text : {"", "CPU", "cpu:1", "cuda:x", "cpu:", "cuda:99999999999"})
    EXPECT_NE(haft_device_parse(text, &d), HAFT_OK) << text;
  EXPECT_EQ(d, 5);
  EXPECT_FAILS_AT(haft_tensor_backward(a.get(), nullptr, 1u << 31), HAFT_ERROR_INVALID_ARGUMENT, 2, "flags");
  haft_tensor* two[2] = {nullptr, nullptr};
  int64_t count = 0;
  EXPECT_FAILS(haft_split(a.get(), 1, 0, two, 2, &count), HAFT_ERROR_INVALID_ARGUMENT, "room for 2");
  EXPECT_EQ(count, 3);
  EXPECT_EQ(two[0], nullptr);
}

TEST_F(Misuse, ShortBuffersAreNeverOverrun) {
  Tensor a = floats({1, 2, 3});
  char text[8] = "1234567";
  int64_t needed = 0;
  EXPECT_FAILS_AT(haft_tensor_to_string(a.get(), text, 5, &needed), HAFT_ERROR_INVALID_ARGUMENT, -1,
                  "buffer");
  EXPECT_STREQ(text, "1234567");
  EXPECT_EQ(needed, int64_t(strlen("tensor([1., 2., 3.])")) + 1);
  EXPECT_EQ(haft_tensor_to_string(a.get(), nullptr, 0, &needed), HAFT_OK);
  EXPECT_NE(haft_tensor_to_string(a.get(), nullptr, 100, nullptr), HAFT_OK);
  float values[3] = {-1, -1, -1};
  EXPECT_FAILS_AT(haft_tensor_read(a.get(), values, 8), HAFT_ERROR_INVALID_ARGUMENT, 2, "bytes");
  EXPECT_EQ(values[0], -1);
  EXPECT_NE(haft_tensor_write(a.get(), values, 16), HAFT_OK);
  int64_t sizes[2] = {-9, -9}, count = 0;
  EXPECT_FAILS_AT(haft_tensor_get_size(a.get(), sizes, 0, &count), HAFT_ERROR_INVALID_ARGUMENT, 2,
                  "capacity");
  EXPECT_EQ(count, 1);
  EXPECT_EQ(sizes[0], -9);
}

// Memory that is read and written at once gives the numbers that separate memory would.
TEST_F(Misuse, OverlappingOut) {
  Tensor base = floats({1, 2, 3, 4});
  Tensor head = haft::slice(base, 0, 0, 3), tail = haft::slice(base, 0, 1, 4);
  ASSERT_EQ(haft_add_(tail.get(), head.get()), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{1, 3, 5, 7}));
  ASSERT_EQ(haft_add_out(head.get(), tail.get(), tail.get()), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(base.to_vector<float>(), (std::vector<float>{1, 4, 8, 12}));
  Tensor m = floats({1, 2, 3, 4}, {2, 2});
  ASSERT_EQ(haft_mm_out(m.get(), m.get(), m.get()), HAFT_OK) << haft_error_get_message();
  EXPECT_EQ(m.to_vector<float>(), (std::vector<float>{7, 10, 15, 22}));
  Tensor t = haft::transpose(m, 0, 1);
  ASSERT_EQ(haft_add_(m.get(), t.get()), HAFT_OK);
  EXPECT_EQ(m.to_vector<float>(), (std::vector<float>{14, 25, 25, 44}));
  Tensor wide = haft::expand(floats({1}), {3});
  EXPECT_NE(haft_add_(wide.get(), floats({1, 2, 3}).get()), HAFT_OK);  // one element, three sums
}

}  // namespace
