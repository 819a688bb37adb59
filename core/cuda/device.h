// Devices of the process: which there are, the current one of a thread, and what their kernels have found wrong.
#pragma once
#include <haft/backend.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/cuda/runtime.h"
#include "core/cuda/scope.h"

namespace haft::cuda {

// Whether there are devices that can serve; `why` when not. Called once, before anything else.
bool find_devices(std::string* why);
int device_count();
const DeviceFacts& device_facts(int device);

// What a kernel found wrong with its input, in pinned memory that device and host see: the first that raises it
// writes the rest (raise in fault.cuh), and whoever waits for the device next is answered with it.
enum FaultKind : uint32_t {
  kBadIndex,        // `value` at `position` of the index, for dimension `dim` of `size`
  kBadProbability,  // `value` holds a double's bits: element `position`
  kBadShape,        // the same: a gamma variable's parameter
  kBadWeight,       // the same: weight `dim` of row `position`
  kNoWeight,        // row `position` has no positive weight
  kBadRate,         // the same as of a probability: a Poisson variable's rate
  kBadCount,        // the same: a binomial variable's trials
  kNotFinite,       // matrix `position` of `size` has NaN or an infinity
  kNotConverged,    // the iteration of matrix `position` of `size` did not come to its end
  kBadOffset,       // `value` at `position` of the offsets of bags, behind `dim`, of `size` indices
};
enum FaultState : uint32_t { kNotRaised, kBeingWritten, kRaised };
struct Fault {
  uint32_t raised;  // a FaultState: who waits for one stream may look while a kernel of another writes
  uint32_t op;
  uint32_t kind;
  int64_t value, position, dim, size;
};
Fault* fault_of(int device);
void throw_fault(int device);  // fails with it, once

struct HeldMemory {
  void* p;
  int64_t bytes;
  Stream stream;
};

// What the plug-in keeps of a device.
struct DeviceState {
  DeviceFacts facts;
  std::mutex mutex;
  std::atomic<bool> ready{false};  // what follows is there
  Context context = nullptr;       // the primary one
  Stream own = nullptr;            // stream 0 of the seam
  Fault* fault = nullptr;
  std::vector<Stream> streams;     // all of them, under the mutex
  std::atomic<int> recordings{0};  // captures under way
  // Recordings of the device begin and end, and its memory is freed, one after the other: who frees finds one under
  // way or over.
  std::mutex held_mutex;
  std::vector<HeldMemory> held;                 // freed while it was recorded
  std::array<std::atomic<bool>, 64> reaches{};  // devices whose memory this one has been given access to
};
DeviceState& device_state(int device);  // fails where there is no such device
// The same of one that is to be used, which is made ready the first time; fails in the child of a fork(), too. It
// calls nothing of CUDA later, and changes nothing for the thread.
DeviceState& ready_device(int device);

}  // namespace haft::cuda
