// What a device is, whether its operators must be deterministic, and memory that is given back and taken again: on the
// simulated device and on the CPU.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "capi_testing.h"

namespace {

struct Devices : CapiTest {
  haft_device sim() {
    haft::load_backend(HAFT_SIM_DEVICE);
    return haft::device("sim:0");
  }
  void TearDown() override {
    haft::set_deterministic(HAFT_DETERMINISTIC_OFF);
    unsetenv("HAFT_SIM_NONDETERMINISTIC");
    haft::set_log_sink(HAFT_LOG_NONE, nullptr);
    CapiTest::TearDown();
  }
};

// ---- properties ----

TEST_F(Devices, TellWhatTheyAre) {
  const haft_device_properties p = haft::device_properties(sim());
  EXPECT_STREQ(p.name, "Simulated accelerator");
  EXPECT_STREQ(p.uuid, "sim-0000");
  EXPECT_EQ(p.compute_major, 1);
  EXPECT_EQ(p.total_memory, int64_t(1) << 30);
  const haft_memory_stats m = haft::memory_stats(sim());
  EXPECT_EQ(m.total, int64_t(1) << 30);
  EXPECT_EQ(m.total - m.free, m.reserved);
  const haft_device_properties cpu = haft::device_properties(HAFT_DEVICE_CPU);
  EXPECT_NE(std::string(cpu.name), "");
  EXPECT_GT(cpu.multiprocessors, 0);
  EXPECT_GT(cpu.total_memory, 0);
  haft_device_properties out = {};
  EXPECT_FAILS(haft_device_get_properties(HAFT_DEVICE_CPU, &out), HAFT_ERROR_BAD_STRUCT, "struct_size");
  out = HAFT_DEVICE_PROPERTIES_INIT;
  EXPECT_FAILS(haft_device_get_properties(haft::device("cpu") + 7, &out), HAFT_ERROR_DEVICE, "cpu:7");
  EXPECT_FAILS_AT(haft_device_get_properties(HAFT_DEVICE_CPU, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1,
                  "properties");
}

// ---- memory ----

// Pinned memory is host memory of a device type: both ways of trimming give it back, and both kinds of statistics
// count it.
TEST_F(Devices, PinnedMemoryIsCountedAndGivenBack) {
  const haft_device d = sim(), other = haft::device("sim:1"), cpu = HAFT_DEVICE_CPU;
  haft::trim_memory(cpu);
  const haft_memory_stats start = haft::memory_stats(d);
  EXPECT_EQ(start.pinned_reserved, start.pinned_live);
  for (haft_device trimmed : {cpu, d, other}) {
    {
      const Tensor t = haft::pin_memory(haft::zeros({1000}), d);
      for (haft_device asked : {cpu, d, other}) {
        const haft_memory_stats now = haft::memory_stats(asked);
        EXPECT_EQ(now.pinned_live, start.pinned_live + 4000);
        EXPECT_GE(now.pinned_reserved, start.pinned_reserved + 4000);
      }
      haft::trim_memory(trimmed);  // what is in use stays
      EXPECT_EQ(t.to_vector<float>(), std::vector<float>(1000));
    }
    EXPECT_EQ(haft::memory_stats(d).live, start.live);
    EXPECT_EQ(haft::memory_stats(d).pinned_live, start.pinned_live);
    EXPECT_GE(haft::memory_stats(d).pinned_reserved, start.pinned_reserved + 4000);
    EXPECT_GE(haft::trim_memory(trimmed), 4000);
    EXPECT_EQ(haft::memory_stats(d).pinned_reserved, start.pinned_reserved);
  }
}

// Whatever devices hold, they have it back: caches of all streams, pinned memory, and what a copy under way still used.
TEST_F(Devices, ShutdownGivesTheirMemoryBack) {
  const haft_device first = sim(), second = haft::device("sim:1");
  {
    const haft::Stream side(second);
    const haft::StreamGuard on(side);
    haft::zeros({5000}, HAFT_FLOAT32, second) + 1;
  }
  setenv("HAFT_SIM_DELAY_US", "20000", 1);
  haft::to(haft::pin_memory(haft::zeros({1000}), first), HAFT_DTYPE_NONE, first, true);
  unsetenv("HAFT_SIM_DELAY_US");
  EXPECT_LT(haft::memory_stats(first).free, haft::memory_stats(first).total);
  EXPECT_LT(haft::memory_stats(second).free, haft::memory_stats(second).total);
  if (before) return;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(haft_shutdown(), HAFT_OK) << haft_error_get_message();
  for (haft_device d : {first, second}) {
    const haft_memory_stats now = haft::memory_stats(d);
    EXPECT_EQ(now.live, 0);
    EXPECT_EQ(now.reserved, 0);
    EXPECT_EQ(now.free, now.total);
    EXPECT_EQ(now.pinned_reserved, 0);
  }
  EXPECT_EQ(
      haft::to(haft::ones({2}, HAFT_FLOAT32, first) + 1, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>(),
      (std::vector<float>{2, 2}));  // works on

  // What failed there and nobody has heard of is told, and memory has gone back all the same.
  haft::index_select(haft::zeros({3}, HAFT_FLOAT32, first), 0, haft::full({1}, 9, HAFT_INT64, first));
  EXPECT_FAILS(haft_shutdown(), HAFT_ERROR_INDEX, "index_select");
  EXPECT_EQ(haft::memory_stats(first).free, haft::memory_stats(first).total);
  EXPECT_EQ(haft_shutdown(), HAFT_OK);
}

// ---- several at once ----

TEST_F(Devices, ShareABatch) {
  namespace nn = haft::nn;
  const haft_device first = sim(), second = haft::device("sim:1");
  const nn::Module layer = nn::Linear(3, 2), one = nn::Linear(3, 2);
  one.load_state_dict(layer.state_dict());
  layer.to(HAFT_DTYPE_NONE, first);
  // A callback has the copies of its device, of its own parameters and of modules that it knows.
  const nn::Module m = nn::Callback(
      "Mine", [layer](const std::vector<Tensor>& in) { return std::vector<Tensor>{layer(in[0])}; });
  m.add_child("layer", layer);
  const nn::Module many = nn::DataParallel(m, {first, second});
  const Tensor x = haft::rand({5, 3});
  const Tensor y = many(x), want = one(x);
  EXPECT_EQ(y.device(), first);
  const auto here = [](const Tensor& t) {
    return haft::to(t, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>();
  };
  const auto near = [&](const Tensor& a, const Tensor& b) {
    const auto p = here(a), q = here(b);
    ASSERT_EQ(p.size(), q.size());
    for (size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], q[i], 1e-5);
  };
  near(y, want);
  haft::sum(y * y).backward();
  haft::sum(want * want).backward();
  near(layer.parameter("weight").grad(), one.parameter("weight").grad());
  EXPECT_EQ(many.state_dict()[0].first, "module.layer.weight");
  haft_module* none = nullptr;
  const haft_device twice[] = {first, first};
  EXPECT_FAILS(haft_data_parallel_module_create(m.get(), twice, 2, 0, &none), HAFT_ERROR_INVALID_ARGUMENT,
               "sim:0 is named twice");
  EXPECT_FAILS_AT(haft_data_parallel_module_create(m.get(), nullptr, 1, 0, &none),
                  HAFT_ERROR_INVALID_ARGUMENT, 1, "devices");
  EXPECT_FAILS(haft_data_parallel_module_create(m.get(), nullptr, 0, 0, &none), HAFT_ERROR_INVALID_ARGUMENT,
               "at least one device");
}

// ---- determinism ----

TEST_F(Devices, RefuseWhatIsNotDeterministicByName) {
  setenv("HAFT_SIM_NONDETERMINISTIC", "index_add,add:float64", 1);
  const haft_device d = sim();
  Tensor x = haft::ones({4}, HAFT_FLOAT32, d), one = haft::ones({2}, HAFT_FLOAT32, d);
  Tensor at = haft::to(Tensor::from<int64_t>({1, 1}), HAFT_DTYPE_NONE, d);
  auto sum = [&] {
    return haft::to(haft::index_add(x, 0, at, one), HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>();
  };
  const std::vector<float> want{1, 3, 1, 1};
  EXPECT_EQ(haft::deterministic(), HAFT_DETERMINISTIC_OFF);
  EXPECT_EQ(sum(), want);

  haft::set_deterministic(HAFT_DETERMINISTIC_ERROR);
  EXPECT_EQ(haft::deterministic(), HAFT_DETERMINISTIC_ERROR);
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_index_add(x.get(), 0, at.get(), one.get(), &out), HAFT_ERROR_UNSUPPORTED,
               "[index_add] sim adds in no fixed order");
  EXPECT_NE(std::string(last_error().hint).find("HAFT_DETERMINISTIC_WARN"), std::string::npos);
  haft::add(x, x);  // of float32 is deterministic
  std::thread([&] {
    EXPECT_EQ(haft::deterministic(), HAFT_DETERMINISTIC_OFF);
    EXPECT_EQ(sum(), want);
  }).join();

  haft::set_deterministic(HAFT_DETERMINISTIC_WARN);
  EXPECT_EQ(haft::deterministic(), HAFT_DETERMINISTIC_WARN);
  std::string log;
  haft::set_log_sink(HAFT_LOG_WARNING, [&](int32_t, const std::string& line) { log += line; });
  EXPECT_EQ(sum(), want);
  EXPECT_EQ(log, "[index_add] is not deterministic on sim:0: sim adds in no fixed order");

  haft::set_math_precision(HAFT_MATH_EXACT);  // of the same word
  EXPECT_EQ(haft::deterministic(), HAFT_DETERMINISTIC_WARN);
  haft::set_math_precision(HAFT_MATH_FAST);
  EXPECT_FAILS_AT(haft_set_deterministic(3), HAFT_ERROR_INVALID_ARGUMENT, 0, "mode");
}

TEST_F(Devices, ASessionIsAsDeterministicAsItsCreator) {
  setenv("HAFT_SIM_NONDETERMINISTIC", "mul_scalar", 1);
  const haft_device d = sim();
  haft::nn::Module twice = haft::nn::Callback(
      "Twice", [](const std::vector<Tensor>& x) -> std::vector<Tensor> { return {x[0] * 2}; });
  haft::set_deterministic(HAFT_DETERMINISTIC_ERROR);
  haft::Session session(twice);
  haft::set_deterministic(HAFT_DETERMINISTIC_OFF);
  EXPECT_THROW(session(haft::ones({1, 2}, HAFT_FLOAT32, d)), haft::Error);
  EXPECT_EQ(session(haft::ones({1, 2})).to_vector<float>(), (std::vector<float>{2, 2}));
}

// ---- memory given back ----

bool is_resident(const void* p, size_t bytes) {
  const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE)), first = (uintptr_t(p) + page - 1) & -page;
  std::vector<unsigned char> pages((uintptr_t(p) + bytes - first) / page);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(first), pages.size() * page, pages.data()), 0);
  for (unsigned char in : pages)
    if (in & 1) return true;
  return false;
}

struct Decommit : Devices, testing::WithParamInterface<const char*> {
  haft_device device() { return std::strcmp(GetParam(), "cpu") ? sim() : haft_device(HAFT_DEVICE_CPU); }
  static std::vector<float> read(const Tensor& t) {
    return haft::to(t, HAFT_DTYPE_NONE, HAFT_DEVICE_CPU).to_vector<float>();
  }
};
INSTANTIATE_TEST_SUITE_P(On, Decommit, testing::Values("cpu", "sim"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(Decommit, GivesMemoryBackAndTakesItAtTheSameAddress) {
  const haft_device d = device();
  Tensor w = haft::full({512, 1024}, 3, HAFT_FLOAT32, d), rows = haft::narrow(w, 0, 1, 2),
         whole = haft::detach(w);
  void* const address = w.data<void>();
  const haft_memory_stats before = haft::memory_stats(d);
  const int64_t version = w.version();
  EXPECT_TRUE(w.is_committed());
  w.decommit();
  EXPECT_FALSE(w.is_committed() || rows.is_committed());
  EXPECT_GT(w.version(), version);  // what it held is lost
  const haft_memory_stats without = haft::memory_stats(d);
  EXPECT_EQ(without.live, before.live - 512 * 1024 * 4);
  EXPECT_LE(without.reserved, before.reserved - 511 * 1024 * 4);
  if (d == haft::device("cpu")) {
    EXPECT_FALSE(is_resident(address, 512 * 1024 * 4));
  }
  w.commit();
  EXPECT_EQ(haft::memory_stats(d).live, before.live);
  EXPECT_EQ(haft::memory_stats(d).reserved, before.reserved);
  w.decommit();
  whole.decommit();  // it is gone already

  // Nobody reads or writes it meanwhile.
  haft_tensor* out = nullptr;
  haft_scalar number;
  float some[4];
  void* p = nullptr;
  EXPECT_FAILS(haft_add(w.get(), w.get(), &out), HAFT_ERROR_INVALID_ARGUMENT,
               "[add] input 0 was decommitted");
  EXPECT_FAILS(haft_exp(rows.get(), &out), HAFT_ERROR_INVALID_ARGUMENT, "[exp] input 0 was decommitted");
  EXPECT_FAILS(haft_fill_(w.get(), haft_scalar_int(1)), HAFT_ERROR_INVALID_ARGUMENT, "decommitted");
  Tensor item = haft::select(haft::select(w, 0, 0), 0, 0);
  EXPECT_FAILS(haft_tensor_get_item(item.get(), &number), HAFT_ERROR_INVALID_ARGUMENT, "decommitted");
  EXPECT_FAILS(haft_tensor_read(item.get(), some, sizeof some), HAFT_ERROR_INVALID_ARGUMENT, "decommitted");
  EXPECT_FAILS(haft_tensor_write(item.get(), some, 4), HAFT_ERROR_INVALID_ARGUMENT, "decommitted");
  EXPECT_FAILS(haft_tensor_get_data(w.get(), &p), HAFT_ERROR_INVALID_ARGUMENT, "decommitted");
  EXPECT_THROW(haft::to(w, HAFT_DTYPE_NONE, d == haft::device("cpu") ? sim() : haft_device(HAFT_DEVICE_CPU)),
               haft::Error);
  EXPECT_THROW(w.to_dlpack(), haft::Error);
  EXPECT_EQ(read(haft::ones({2}, HAFT_FLOAT32, d) + 1), (std::vector<float>{2, 2}));  // others go on

  w.commit();
  EXPECT_TRUE(w.is_committed() && rows.is_committed());
  EXPECT_EQ(w.data<void>(), address);
  haft::fill_(w, 5);
  EXPECT_EQ(read(rows), std::vector<float>(2 * 1024, 5.f));
  w.commit();  // it has memory
  EXPECT_EQ(read(rows)[0], 5);
}

TEST_P(Decommit, SavedWeightsAreGatheredAgainForBackward) {
  const haft_device d = device();
  Tensor x = haft::ones({1, 2}, HAFT_FLOAT32, d).set_requires_grad(), y;
  Tensor w = haft::full({2, 2}, 3, HAFT_FLOAT32, d);
  {
    // What is packed is the weight's name: it is written again when backward wants it.
    haft::SavedTensorHooks by_name(
        [&](const Tensor& t) -> std::any { return t.shares_memory(w) ? std::any() : std::any(t); },
        [&](const std::any& packed) {
          if (packed.has_value()) return std::any_cast<Tensor>(packed);
          w.commit();
          haft::fill_(w, 3);
          return w;
        });
    y = haft::sum(haft::matmul(x, w));
  }
  w.decommit();
  y.backward();
  EXPECT_EQ(read(x.grad()), (std::vector<float>{6, 6}));
}

TEST_P(Decommit, WhatDiesWithoutMemoryLeavesNothingBehind) {
  const haft_device d = device();
  const haft_memory_stats before = haft::memory_stats(d);
  for (int64_t n : {1, 8, 100, 100000, 1 << 20}) {
    haft::full({n}, 1, HAFT_FLOAT32, d).decommit();
    EXPECT_EQ(haft::memory_stats(d).live, before.live);
    Tensor next = haft::full({n}, 2, HAFT_FLOAT32, d);  // maybe at that address
    EXPECT_EQ(read(next), std::vector<float>(static_cast<size_t>(n), 2.f));
  }
  EXPECT_GE(haft::memory_stats(d).reserved, 0);
}

TEST_P(Decommit, TakesMemoryAgainWithinTheLimitOnly) {
  const haft_device d = device();
  Tensor w = haft::full({1 << 18}, 1, HAFT_FLOAT32, d);
  w.decommit();
  const haft_memory_stats now = haft::memory_stats(d);
  haft::set_memory_limit(now.live + 1000, d);
  EXPECT_FAILS(haft_tensor_commit(w.get()), HAFT_ERROR_OUT_OF_MEMORY, "limit");
  EXPECT_FALSE(w.is_committed());
  haft::set_memory_limit(0, d);
  EXPECT_EQ(haft::memory_stats(d).live, now.live);
  w.commit();
  EXPECT_EQ(haft::memory_stats(d).live, now.live + (1 << 20));
}

TEST_P(Decommit, RefusesViewsAndMemoryOfOthers) {
  const haft_device d = device();
  Tensor w = haft::zeros({4, 4}, HAFT_FLOAT32, d);
  EXPECT_FAILS(haft_tensor_decommit(haft::narrow(w, 0, 0, 2).get()), HAFT_ERROR_INVALID_ARGUMENT,
               "a part of its memory of 64 bytes");
  EXPECT_FAILS(haft_tensor_decommit(haft::expand(haft::zeros({1}), {4}).get()), HAFT_ERROR_INVALID_ARGUMENT,
               "[4]");
  float lent[4] = {1, 2, 3, 4};
  Tensor over = Tensor::over(lent, {4});
  EXPECT_FAILS(haft_tensor_decommit(over.get()), HAFT_ERROR_UNSUPPORTED, "belongs to somebody else");
  EXPECT_EQ(over.to_vector<float>()[3], 4);
  if (d == haft::device("cpu")) return;
  EXPECT_FAILS(haft_tensor_decommit(haft::pin_memory(haft::zeros({4}), d).get()), HAFT_ERROR_UNSUPPORTED,
               "pinned");
}

}  // namespace
