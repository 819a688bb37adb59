// What the tests of the CUDA plug-in share: its table, with the simulated GPUs under it (on_host/simulated.h).
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/cuda/device.h"
#include "core/cuda/kernel.h"
#include "core/schema/op_hash.h"
#include "tests/cuda/on_host/simulated.h"

extern "C" const haft_backend* haft_backend_entry(const haft_backend_host* host, char* reason,
                                                  uint32_t reason_size);

namespace haft::cuda {

// Scratch memory of the tests: it stays until a test's end.
struct ScratchForTests {
  int device;
  void* p;
  int64_t bytes;
  haft_raw_stream stream;
};
inline std::vector<ScratchForTests> scratch_in_use;
inline int32_t scratch_for_tests(const haft_kernel_call* c, int64_t bytes, void** out);

inline const haft_backend& table() {
  static const haft_backend* t = [] {
    static haft_backend_host host{
        sizeof(haft_backend_host), HAFT_BACKEND_ABI, "test", kOpsHash, kOpCount, nullptr, nullptr, nullptr,
        scratch_for_tests,         nullptr};
    char reason[512] = "";
    const haft_backend* found = haft_backend_entry(&host, reason, sizeof reason);
    if (!found) std::fprintf(stderr, "%s\n", reason), std::abort();
    return found;
  }();
  return *t;
}
inline int32_t scratch_for_tests(const haft_kernel_call* c, int64_t bytes, void** out) {
  const int32_t s = table().alloc(c->device_index, bytes, c->stream, out, c->error, c->error_size);
  if (!s) scratch_in_use.push_back({c->device_index, *out, bytes, c->stream});
  return s;
}

// What the simulation calls a mistake, as an exception.
struct Mistake : std::runtime_error {
  using runtime_error::runtime_error;
};
template <class F>
std::string mistake_of(F&& f) {
  try {
    f();
  } catch (const Mistake& m) {
    return m.what();
  }
  return "";
}

// A slot's answer with its text.
struct Answer {
  int32_t status;
  std::string text;
};
template <class Slot, class... A>
Answer call(Slot slot, A... arguments) {
  char error[512] = "";
  const int32_t status = slot(arguments..., error, uint32_t(sizeof error));
  return {status, error};
}
template <class Slot, class... A>
void must(Slot slot, A... arguments) {
  const Answer a = call(slot, arguments...);
  ASSERT_EQ(a.status, 0) << a.text;
}

struct CudaTest : testing::Test {
  cuda_on_host::Live before;
  void SetUp() override {
    table();
    for (int d = 0; d < cuda_on_host::kDevices; ++d) DeviceScope use(d);  // what they keep is no leak
    cuda_on_host::on_mistake = [](const std::string& text) { throw Mistake(text); };
    settle();
    before = cuda_on_host::live();
  }
  void TearDown() override {
    cuda_on_host::limit_memory(size_t(8) << 30);
    for (const ScratchForTests& s : scratch_in_use) table().free(s.device, s.p, s.bytes, s.stream);
    scratch_in_use.clear();
    settle();
    const cuda_on_host::Live after = cuda_on_host::live();
    EXPECT_EQ(after.blocks, before.blocks) << "memory was not given back";
    EXPECT_EQ(after.pinned, before.pinned) << "pinned memory was not given back";
    EXPECT_EQ(after.streams, before.streams) << "streams were not destroyed";
    EXPECT_EQ(after.events, before.events) << "events were not destroyed";
    EXPECT_EQ(after.graphs, before.graphs) << "graphs were not destroyed";
    EXPECT_EQ(after.reserved, before.reserved) << "addresses were not given back";
    cuda_on_host::on_mistake = nullptr;
  }
  // All that is on its way out has gone.
  static void settle() {
    for (int d = 0; d < cuda_on_host::kDevices; ++d) {
      int64_t freed;
      must(table().trim, d, &freed);
    }
  }

  void* memory(int64_t bytes, haft_raw_stream s = 0, int device = 0) {
    void* p = nullptr;
    must(table().alloc, device, bytes, s, &p);
    return p;
  }
  haft_raw_stream stream(int device = 0) {
    haft_raw_stream s = 0;
    must(table().stream_create, device, &s);
    return s;
  }
  haft_raw_event event(int device = 0, uint32_t flags = 0) {
    haft_raw_event e = 0;
    must(table().event_create, device, flags, &e);
    return e;
  }
  void write(void* p, const std::vector<int>& v, haft_raw_stream s = 0, int device = 0) {
    must(table().copy_from_host, device, p, static_cast<const void*>(v.data()),
         int64_t(v.size() * sizeof(int)), s, 0u);
  }
  std::vector<int> read(const void* p, size_t n, haft_raw_stream s = 0, int device = 0) {
    std::vector<int> v(n);
    must(table().copy_to_host, device, static_cast<void*>(v.data()), p, int64_t(n * sizeof(int)), s,
         uint32_t(HAFT_COPY_BLOCKING));
    return v;
  }
  void free(void* p, int64_t bytes, haft_raw_stream s = 0, int device = 0) {
    table().free(device, p, bytes, s);
  }
};

inline void expect_has(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace haft::cuda
