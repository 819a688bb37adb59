// What every operator of the plug-in is written with.
//
// The kernel of a GENERAL op is `void k_<op>(const Call& c)` in namespace haft::cuda: host code that checks, plans
// and enqueues on c.stream. It may throw Error; `guarded` (kernels.cpp) turns it into the C function of the table.
// Device code stands in .cu files, whose only include of CUDA's is device.cuh, so that tests/cuda can compile them
// for the host.
#pragma once
#include <haft/backend.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/backend/kernel_call.h"
#include "core/base/error.h"
#include "core/cuda/scope.h"

namespace haft::cuda {

extern const haft_backend_host* host;  // the engine's table

// Fails with what CUDA said; `what` is the call as the user sees it ("softmax", "a copy to the host").
void check(int status, const char* what);

// The CUDA stream of a number of the seam; 0 is the device's own default stream, which never waits for others.
Stream stream_of(int device, haft_raw_stream raw);

struct DeviceState;

struct Call : CallView {
  DeviceState& state;
  Stream stream;

  explicit Call(const haft_kernel_call& c);

  int device() const { return call.device_index; }
  // Makes the device the thread's current one until the call ends. Launches do without; whatever else a kernel calls
  // of CUDA or of NVIDIA's libraries wants it.
  void use_device() const;
  bool deterministic() const { return call.flags & HAFT_CALL_DETERMINISTIC; }
  bool exact() const { return call.flags & HAFT_CALL_EXACT; }
  bool tf32() const { return call.flags & HAFT_CALL_TF32; }

  // n elements for the work that this call enqueues; from the engine's cache of the stream, aligned to 256 bytes.
  template <class T>
  T* scratch(int64_t n) const {
    return static_cast<T*>(scratch_bytes(n * int64_t(sizeof(T))));
  }
  void* scratch_bytes(int64_t bytes) const;
  void zero(void* p, int64_t bytes) const;                     // on the stream
  void copy(void* to, const void* from, int64_t bytes) const;  // within the device, on the stream
  // A __global__ function, by its name on the host.
  void enqueue(Launch& l, const void* function) const;
  void allow_shared(const void* function, size_t bytes) const;  // more than 48 KB of dynamic shared memory

 private:
  mutable std::optional<DeviceScope> scope_;
};

struct Shape3 {
  Dim3 grid, block;
  size_t shared = 0;
};

// Enqueues a kernel whose handle is known; `what` is told where that fails.
void launch_kernel(const Call& c, const Launch& l, const char* what);

// Enqueues a __global__ function. Arguments are converted to its parameters', which must be trivially copyable.
template <class... P>
void launch(const Call& c, const Shape3& shape, void (*kernel)(P...),
            const std::type_identity_t<P>&... arguments) {
  static_assert((std::is_trivially_copyable_v<P> && ...));
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  const size_t sizes[] = {sizeof(P)..., 0};
  Launch l{nullptr, nullptr, shape.grid, shape.block, addresses, shape.shared, c.stream, sizes, sizeof...(P)};
#ifdef HAFT_CUDA_ON_HOST
  l.invoke = [](const void* f, void** a) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      reinterpret_cast<void (*)(P...)>(const_cast<void*>(f))(*static_cast<P*>(a[I])...);
    }
    (std::index_sequence_for<P...>());
  };
#endif
  c.enqueue(l, reinterpret_cast<const void*>(kernel));
}

// Blocks for n elements of work, `each` a thread: at most what fills the device a few times over; kernels step by the
// whole grid (grid_stride in device.cuh), so any number is right.
constexpr int kThreads = 256;
Shape3 blocks_for(const Call& c, int64_t n, int64_t each = 1, int threads = kThreads);
int multiprocessors(int device);

// Kernels compute in three types only, as the CPU's: float (which the 16-bit floats share), double, and int64_t for
// integers and bool. `visit_stored` calls f.template operator()<T>() with the type in memory (fn::half, fn::bfloat16,
// bool, ...; device.cuh).
[[noreturn, gnu::cold]] void fail_not_float(const Call& c, DType t);
[[noreturn, gnu::cold]] void fail_dtype(const Call& c, DType t, const char* wanted);

// ---- shared routines (copy.cu) ----
// Writes src into dst elementwise with a cast: equal sizes, any strides.
void copy_view(const Call& c, const haft_tensor_view& dst, const haft_tensor_view& src);
// `v` itself where it is dense in row-major order, else a dense copy in scratch memory, in dtype t (none: its own).
haft_tensor_view dense(const Call& c, const haft_tensor_view& v, DType t = DType::none);
// A view of fresh scratch memory: dense, row-major.
haft_tensor_view scratch_view(const Call& c, std::span<const int64_t> sizes, DType t);

}  // namespace haft::cuda
