// What the tests of the device seam share: the plug-in "sim", raw views, one kernel call.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/cpu/backend.h"
#include "core/schema/attrs.h"
#include "core/tensor/storage.h"
#include "tests/backend/held_stream.h"

namespace haft {

// An environment variable for the length of a scope.
struct Environment {
  std::string name;
  Environment(const char* n, const std::string& value) : name(n) { setenv(n, value.c_str(), 1); }
  ~Environment() { unsetenv(name.c_str()); }
};

// Of the type that HAFT_TEST_DEVICE names, otherwise "sim".
inline uint16_t sim_type() {
  static const uint16_t type = [] {
    register_cpu(cpu_backend());
    set_memory_source(device_memory_source());
    const char* named = std::getenv("HAFT_TEST_DEVICE");
    return named && *named ? parse_device(named).type : load_backend(HAFT_SIM_DEVICE);
  }();
  return type;
}
inline Device sim(int index = 0) { return {sim_type(), uint16_t(index)}; }

inline haft_tensor_view view_of(Device d, void* data, DType dtype, std::vector<int64_t> sizes) {
  haft_tensor_view v = {};
  v.data = data;
  v.dtype = uint8_t(dtype);
  v.ndim = uint8_t(sizes.size());
  v.contiguous = 1;
  v.device_type = d.type;
  v.device_index = d.index;
  v.numel = 1;
  for (int i = v.ndim - 1; i >= 0; --i) {
    v.sizes[i] = sizes[i];
    v.strides[i] = v.numel;
    v.numel *= sizes[i];
  }
  return v;
}

constexpr struct Unset {
} kUnset;

// Memory of a device that holds numbers.
template <class T>
struct Numbers {
  Device device;
  int64_t n;
  DeviceBlock block;
  void* p;

  Numbers(Device d, Unset, int64_t count)
      : device(d), n(count), block(device_alloc(d, bytes())), p(block.p) {}
  Numbers(Device d, const std::vector<T>& values) : Numbers(d, kUnset, int64_t(values.size())) {
    write(values);
  }
  ~Numbers() { device_free(device, block, bytes()); }
  int64_t bytes() const { return n * int64_t(sizeof(T)); }
  Numbers(const Numbers&) = delete;

  void write(const std::vector<T>& values) { copy_bytes(device, p, Device{}, values.data(), bytes(), false); }
  std::vector<T> read() const {
    std::vector<T> out(static_cast<size_t>(n));
    copy_bytes(Device{}, out.data(), device, p, bytes(), true);
    return out;
  }
  haft_tensor_view view(std::vector<int64_t> sizes = {}) const {
    if (sizes.empty()) sizes = {n};
    return view_of(device, p, DTypeOf<T>::value, sizes);
  }
};

struct Answer {
  int32_t status;
  std::string text;
};

// One kernel call as the dispatcher makes it. Everything it points to is gone on return.
inline Answer call_kernel(OpId op, std::vector<haft_tensor_view> in, std::vector<haft_tensor_view> out,
                          std::vector<uint64_t> words = {}, haft_raw_stream stream = 0) {
  std::vector<const haft_tensor_view*> pin, pout;
  for (auto& v : in) pin.push_back(&v);
  for (auto& v : out) pout.push_back(&v);
  const haft_tensor_view& lead = typing_view(op, pin, pout);
  char error[512] = "";
  haft_kernel_call c = {};
  c.struct_size = sizeof c;
  c.dtype = lead.dtype;
  c.op = uint32_t(op);
  c.n_in = uint16_t(in.size());
  c.n_out = uint16_t(out.size());
  c.in = pin.data();
  c.out = pout.data();
  c.attrs = words.data();
  c.n_attrs = uint32_t(words.size());
  c.stream = stream;
  c.device_index = lead.device_index;
  c.error = error;
  c.error_size = sizeof error;
  int32_t status = backend(lead.device_type).kernel(op, DType(lead.dtype))(&c);
  // What the device has not copied is spoiled here.
  for (auto& v : in) v = {};
  for (auto& v : out) v = {};
  for (auto& w : words) w = ~uint64_t(0);
  return {status, error};
}

// The Error that f throws; fails the test when it throws none.
template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(Code::ok, "");
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace haft
