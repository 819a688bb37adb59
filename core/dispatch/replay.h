// What a replay of a device's recording takes anew, by the marks in ops.def: (seed) and (offset) from the generator
// that was drawn from, (set) from the object that made the call. While a thread records, each call with such
// attributes gets a place for its words (core/backend/capture.h), and what changes them is noted here.
#pragma once
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/backend/capture.h"
#include "core/base/thread_state.h"
#include "core/dispatch/call.h"
#include "core/dispatch/generator.h"
#include "core/tensor/tensor.h"

namespace haft {

struct ReplayNotes;

// A thread's recording, from here to end(): what is enqueued on its current stream of the arena's device.
class CaptureScope {
  DeviceCapture capture_;
  std::unique_ptr<ReplayNotes> notes_;
  const ScopedValue<void*> slot_;
  // Operators that would keep something for later see that they are recorded.
  const ScopedValue<uint32_t> modes_;

 public:
  explicit CaptureScope(Ref<MemoryArena> arena);
  ~CaptureScope();
  Ref<DeviceGraph> end();
};

// Runs a call of a thread that records; what the device refuses to record in it is told with the operator's name.
void named_in_recordings(const Call& c);

inline bool is_recording() { return thread_state().slots[kSlotReplay] != nullptr; }
uint64_t recording_number();  // of the thread's, none is given twice

// For haft_kernel_call.live; NULL where nothing of the call changes.
const uint64_t* live_words(OpId op, Words words);
// A generator answered d for n numbers on the thread's stream of random numbers.
void note_draw(Generator& g, uint64_t stream, int64_t n, Draw d);

// The settings of the operator that is called in its scope: before each replay `change` writes them into the call's
// words. What it holds lives as long as the recording. Of a thread that records.
class ReplaySettings {
 public:
  explicit ReplaySettings(std::function<void(uint64_t* words)> change);
  ~ReplaySettings();
  ReplaySettings(const ReplaySettings&) = delete;
};

// n float64 numbers in memory of the recording's device, which `write` says anew before each replay. Of a thread that
// records; what `write` holds lives as long as the recording, and the tensor as long as it is made.
Tensor replay_numbers(int64_t n, std::function<void(std::span<double>)> write);

// What the steps of optimizers depend on while a thread records: whether gradients are finite is known when the
// recording is replayed.
struct ReplayGate {
  Device device;
  Tensor found;  // one float32 number, not 0: the step is left out
  // Of one recorded call, outside of the recording: a number that counts the steps left out, and kMaxNumbers for what
  // a rule keeps.
  std::function<std::pair<Tensor, Tensor>()> make_memory;
  bool used = false;
};
// Of the thread's recording, until they are set anew or it ends; empty: steps are made.
void set_replay_gates(std::vector<ReplayGate> gates);
ReplayGate* replay_gate(Device d);  // NULL: none
std::span<const ReplayGate> replay_gates();

}  // namespace haft
