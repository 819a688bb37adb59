#include "capi/src/lent_memory.h"

#include "capi/src/boundary.h"
#include "core/backend/memory.h"
#include "core/backend/stream.h"

namespace haft::capi {

namespace {

struct Lent {
  void (*release)(void*);
  void* user;
};

void give_back(Storage& s) {
  auto* lent = static_cast<Lent*>(s.owner);
  if (lent->release) lent->release(lent->user);
  delete lent;
}

}  // namespace

haft_tensor* tensor_on_lent_memory(const LentMemory& m, void (*release)(void*), void* user, int data_index,
                                   int stride_index) {
  int64_t numel = checked_numel(m.sizes), last = 1;
  Shape strides = m.strides ? Shape(IntList(m.strides, m.sizes.size())) : contiguous_strides(m.sizes);
  for (size_t i = 0; i < m.sizes.size(); ++i) {
    int64_t reach;
    // NumPy's may be negative.
    if (m.sizes[i] <= 1) strides[int64_t(i)] = std::max<int64_t>(strides[int64_t(i)], 0);
    if (strides[int64_t(i)] < 0)
      fail_argument(Code::invalid_argument, concat("stride must not be negative, got ", IntList(strides)),
                    stride_index, "stride", "copy the data instead");
    if (strides[int64_t(i)] > kMaxNumel ||
        __builtin_mul_overflow(std::max<int64_t>(m.sizes[i] - 1, 0), strides[int64_t(i)], &reach) ||
        __builtin_add_overflow(last, reach, &last) || last > kMaxNumel)
      fail_argument(Code::overflow,
                    concat("strides ", IntList(strides), " with sizes ", m.sizes, " reach beyond memory"),
                    stride_index, "stride");
  }
  if (numel && !m.data) fail_argument(Code::invalid_argument, "data is NULL", data_index, "data");
  if (m.device.is_cpu() && reinterpret_cast<uintptr_t>(m.data) % uintptr_t(item_size(m.dtype)))
    fail_argument(
        Code::invalid_argument,
        concat("data is not aligned to ", item_size(m.dtype), " bytes, as ", dtype_name(m.dtype), " needs"),
        data_index, "data", "copy the data instead");
  auto lent = std::make_unique<Lent>(Lent{nullptr, user});
  Ref<Storage> storage =
      wrap_storage(m.device, m.data, numel ? last * item_size(m.dtype) : 0, give_back, lent.get());
  Lent* keep = lent.release();
  storage->expose();
  // The caller gets a device's memory back when the work that was enqueued on it is done.
  record_stream(*storage, m.device, current_stream(m.device));
  haft_tensor* handle = hand_out(tensor_over(std::move(storage), m.sizes, strides, m.dtype));
  keep->release = release;  // only now: on failure the memory stays the caller's
  return handle;
}

}  // namespace haft::capi
