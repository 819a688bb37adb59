#include <haft/dlpack.h>

#include "capi/src/boundary.h"
#include "capi/src/lent_memory.h"
#include "core/backend/commit.h"
#include "core/backend/device.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/dispatch/layout.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"

using namespace haft;
using namespace haft::capi;

// DLPack's structs, as its specification lays them out.
extern "C" {
struct DLDevice {
  int32_t device_type, device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLPackVersion {
  uint32_t major, minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};
}

namespace {

enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 };
enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8E4M3FN = 10,
  kDLFloat8E5M2 = 12
};
constexpr uint64_t kReadOnly = 1;

DLDataType data_type(DType t) {
  const auto bits = uint8_t(8 * item_size(t));
  switch (t) {
    case DType::boolean: return {kDLBool, bits, 1};
    case DType::u8: return {kDLUInt, bits, 1};
    case DType::bf16: return {kDLBfloat, bits, 1};
    case DType::c64:
    case DType::c128: return {kDLComplex, bits, 1};
    case DType::f8e4m3fn: return {kDLFloat8E4M3FN, bits, 1};
    case DType::f8e5m2: return {kDLFloat8E5M2, bits, 1};
    default: return {uint8_t(is_float(t) ? kDLFloat : kDLInt), bits, 1};
  }
}

DType dtype_of(DLDataType d) {
  for (int t = 1; t < kDTypeCount; ++t) {
    const DLDataType one = data_type(DType(t));
    if (one.code == d.code && one.bits == d.bits && d.lanes == 1) return DType(t);
  }
  fail_argument(Code::dtype,
                concat("managed has elements of DLPack code ", int(d.code), " with ", int(d.bits),
                       " bits and ", d.lanes, " lanes, for which there is no dtype"),
                0, "managed", "convert it in the library that made it");
}

DLDevice device_number(Device d) {
  if (d.is_cpu()) return {kDLCPU, 0};
  if (d.type == kCuda) return {kDLCUDA, d.index};
  fail_argument(Code::unsupported,
                concat("t lives on ", device_text(d), ", a device that DLPack has no number for"), 0, "t",
                "move it to the CPU with haft_to");
}

Device device_of(DLDevice d) {
  if (d.device_type == kDLCPU || d.device_type == kDLCUDAHost) return {kCpu, 0};
  if (d.device_type != kDLCUDA || d.device_id < 0 || d.device_id > 0xffff)
    fail_argument(Code::unsupported,
                  concat("managed lives on device ", d.device_id, " of DLPack's kind ", d.device_type), 0,
                  "managed", "kinds 1 (CPU), 2 (CUDA) and 3 (pinned host memory) can be shared");
  const Device cuda{load_backend_by_name("cuda"), uint16_t(d.device_id)};
  check_device(cuda);
  return cuda;
}

// What a managed tensor points to; the memory lives by its tensor.
template <class Managed>
struct Shared {
  Managed managed{};
  Tensor tensor;
  int64_t sizes[HAFT_MAX_DIMS], strides[HAFT_MAX_DIMS];
};

template <class Managed>
void delete_managed(Managed* m) {
  delete static_cast<Shared<Managed>*>(m->manager_ctx);
}

template <class Managed>
std::unique_ptr<Shared<Managed>> share(const haft_tensor* handle) {
  const Tensor& t = arg(handle, 0, "t");
  if (t.requires_grad())
    fail_argument(Code::autograd,
                  "t requires a gradient, and what the taker does with it would not be recorded", 0, "t",
                  "share haft_detach's result");
  const DLDevice device = device_number(t.device());
  auto s = std::make_unique<Shared<Managed>>();
  s->tensor = shallow_copy(resolve(*t.impl(), false));
  check_committed(*s->tensor.impl()->storage, "to_dlpack", s->tensor.view().data);
  s->tensor.impl()->storage->expose();
  const haft_tensor_view& v = s->tensor.view();
  std::ranges::copy(s->tensor.sizes(), s->sizes);
  std::ranges::copy(s->tensor.strides(), s->strides);
  s->managed.dl_tensor = {v.data, device, int32_t(v.ndim), data_type(t.dtype()), s->sizes, s->strides, 0};
  s->managed.manager_ctx = s.get();
  s->managed.deleter = delete_managed<Managed>;
  return s;
}

template <class Managed>
haft_tensor* take(Managed* m, bool read_only) {
  const DLTensor& d = m->dl_tensor;
  if (d.ndim < 0 || d.ndim > HAFT_MAX_DIMS || (d.ndim && !d.shape))
    fail_argument(
        Code::shape,
        concat("managed has ", d.ndim, " dimensions, wanted 0..", HAFT_MAX_DIMS, " with their sizes"), 0,
        "managed");
  const LentMemory memory{static_cast<char*>(d.data) + d.byte_offset,
                          int_list(d.shape, d.ndim, 0, "managed.shape"), d.ndim ? d.strides : nullptr,
                          dtype_of(d.dtype), device_of(d.device)};
  auto give_back = [](void* user) {
    auto* taken = static_cast<Managed*>(user);
    if (taken->deleter) taken->deleter(taken);
  };
  if (!read_only) return tensor_on_lent_memory(memory, give_back, m, 0, 0);
  haft_tensor* lent = tensor_on_lent_memory(memory, nullptr, nullptr, 0, 0);
  struct Release {
    haft_tensor* h;
    ~Release() { release_handle(h, HandleType::tensor); }
  } release{lent};
  haft_tensor* copy = hand_out(ops::clone(arg(lent, 0, "managed")));
  // It is read until then.
  if (!memory.device.is_cpu()) synchronize_stream(memory.device, current_stream(memory.device));
  give_back(m);
  return copy;
}

}  // namespace

extern "C" {

haft_status haft_tensor_to_dlpack(const haft_tensor* t, DLManagedTensor** out) noexcept {
  return boundary("haft_tensor_to_dlpack", [&] {
    check_out(out, 1, "out");
    *out = &share<DLManagedTensor>(t).release()->managed;
  });
}

haft_status haft_tensor_to_dlpack_versioned(const haft_tensor* t, DLManagedTensorVersioned** out) noexcept {
  return boundary("haft_tensor_to_dlpack_versioned", [&] {
    check_out(out, 1, "out");
    auto s = share<DLManagedTensorVersioned>(t);
    s->managed.version = {1, 0};
    *out = &s.release()->managed;
  });
}

haft_status haft_tensor_from_dlpack(DLManagedTensor* managed, haft_tensor** out) noexcept {
  return boundary("haft_tensor_from_dlpack", [&] {
    check_out(out, 1, "out");
    if (!managed) fail_argument(Code::invalid_argument, "managed is NULL", 0, "managed");
    *out = take(managed, false);
  });
}

haft_status haft_tensor_from_dlpack_versioned(DLManagedTensorVersioned* managed, haft_tensor** out) noexcept {
  return boundary("haft_tensor_from_dlpack_versioned", [&] {
    check_out(out, 1, "out");
    if (!managed) fail_argument(Code::invalid_argument, "managed is NULL", 0, "managed");
    if (managed->version.major != 1)
      fail_argument(Code::unsupported,
                    concat("managed is of DLPack ", managed->version.major, ".", managed->version.minor,
                           ", wanted 1.x"),
                    0, "managed", "ask the library that made it for version 1");
    *out = take(managed, managed->flags & kReadOnly);
  });
}

}  // extern "C"
