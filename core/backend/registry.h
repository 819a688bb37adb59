// The device types of this process. Entries are made once, never move and never go away, so that the path of
// an operator reads them without a lock.
#pragma once
#include <haft/backend.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/backend/device.h"
#include "core/base/error.h"
#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"

namespace haft {

constexpr int kDTypeSlots = 16;  // kDTypeCount rounded up: a kernel's place is op * 16 + dtype

struct BackendEntry {
  haft_backend table = {};            // our copy: slots that an older plug-in does not know are NULL
  haft_collectives collectives = {};  // our copy; abi is 0 where there are none
  const haft_backend* source = nullptr;
  std::string name;
  uint16_t type = 0;
  mutable std::atomic<int32_t> count{-1};  // devices; -1: not asked yet
  // The CPU's, while none of its storages is decommitted: kernels are called without more ado.
  mutable std::atomic<bool> plain{false};
  mutable std::atomic<haft_kernel_fn> kernels[kOpCount * kDTypeSlots] = {};

  // The kernel of an op for a dtype (see typing_view). Asked of the device once. A refusal is Code::unsupported
  // with the device's reason, and is asked again.
  haft_kernel_fn kernel(OpId op, DType dtype) const {
    // With what it reads.
    haft_kernel_fn fn = kernels[int(op) * kDTypeSlots + int(dtype)].load(std::memory_order_acquire);
    if (fn) [[likely]]
      return fn;
    return resolve(op, dtype);
  }
  bool has_streams() const { return table.stream_create != nullptr; }

 private:
  [[gnu::cold, gnu::noinline]] haft_kernel_fn resolve(OpId op, DType dtype) const;
};

// Where the inputs begin that type an op: a mask in front (where's condition) does not.
constexpr int typing_input(OpId op) { return op_traits(op) & MASK0 ? 1 : 0; }
// The view whose dtype chooses the kernel: the first input that is present and no mask, or the first output when
// there is none.
inline const haft_tensor_view& typing_view(OpId op, std::span<const haft_tensor_view* const> in,
                                           std::span<const haft_tensor_view* const> out) {
  for (size_t i = size_t(typing_input(op)); i < in.size(); ++i)
    if (in[i]) [[likely]]
      return *in[i];
  return *out[0];
}

// For an op without the trait FLOAT8.
[[noreturn, gnu::cold, gnu::noinline]] void fail_float8(OpId op, DType t);

namespace detail {
extern std::atomic<BackendEntry*> backends[kMaxDeviceTypes];
[[noreturn, gnu::cold, gnu::noinline]] void fail_no_backend(uint16_t type);
}  // namespace detail

// The entry of a device type that exists; fails with Code::device otherwise.
inline const BackendEntry& backend(uint16_t type) {
  BackendEntry* e = detail::backends[type % kMaxDeviceTypes].load(std::memory_order_acquire);
  if (!e || e->type != type) [[unlikely]]
    detail::fail_no_backend(type);
  return *e;
}
inline const BackendEntry& backend(Device d) { return backend(d.type); }

void register_cpu(const haft_backend* table);  // core/init.cpp, before anything else; again: no effect
// Checks version, name and required slots and gives the type its number. The table must live as long as the
// process; registering the same one twice answers the same number.
uint16_t register_backend(const haft_backend* table);

uint16_t find_backend(std::string_view name);  // kNoDevice when nobody registered it
int32_t device_count(uint16_t type);           // fails with the device's own reason, e.g. a missing driver
void check_device(Device d);                   // fails with Code::device naming the devices that exist
// How devices of the type talk to each other; fails with Code::unsupported where they do not.
const haft_collectives& collectives(uint16_t type);
// Whether d reads and writes memory of peer by itself; both exist.
bool devices_reach(Device d, Device peer);
// What the device says of itself; of one that says nothing, its type and memory.
haft_backend_properties device_properties(Device d);
std::string describe_device(Device d);  // for people: its properties and what the plug-in says, a line each

// Loads libhaft_<name>.so, from the folders of HAFT_BACKEND_PATH or from beside libhaft, unless the type
// exists already. Fails with Code::unavailable, listing each path tried and why it did not serve.
uint16_t load_backend_by_name(std::string_view name);
// Loads a plug-in from an explicit path (it must contain a '/': no search happens).
uint16_t load_backend(const char* path);

// Turns a status of a backend function into an Error. `what` names the act: "copy of 64 bytes to sim:0".
[[noreturn, gnu::cold, gnu::noinline]] void fail_backend(int32_t status, const char* error,
                                                         const std::string& what);

// True in the child of a fork(): devices other than the CPU do not survive it.
bool in_forked_child();
void fail_if_forked(Device d);

}  // namespace haft
