// The device "sim": four accelerators simulated on host memory, as strict as real ones. Each has an address
// space of its own (its addresses fault on the host; foreign ones are refused by name), runs everything late
// on a thread per stream, has a memory limit and may lack operators. It has a layout of its own, channels-last, and
// numerics of its own: what is float32 elsewhere is computed in float64 and rounded. Kernels are the CPU's, reached
// through the device seam alone: nothing of libhaft is linked.
//
// Knobs, read from the environment whenever they matter:
//   HAFT_SIM_REFUSE    operators that it lacks: "sort,topk,conv2d:float64"
//   HAFT_SIM_NONDETERMINISTIC  operators that refuse a call which asks for equal bits
//   HAFT_SIM_MEMORY    bytes a device has (1 GiB)
//   HAFT_SIM_DELAY_US  every kernel and copy takes at least this long
//   HAFT_SIM_UNPROFILED  1: it refuses to note what it runs
//   HAFT_SIM_NAME      type name under which the next load of the plug-in registers ("sim")
//   HAFT_SIM_BROKEN    what is wrong with the table that the next load answers: refuse, abi, hash, size,
//   slot, streams, name; or, at any time, layout: a blocked one is asked for
// A symbol beside the entry, haft_sim_hold(device, stream, on), holds a stream back: tests see what waits for it.
#pragma once
#include <haft/backend.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sim {

constexpr int kDevices = 4;

// Values of haft_status that a plug-in may answer.
enum Code : int32_t {
  kInvalidArgument = 1,
  kDevice = 4,
  kOutOfMemory = 6,
  kUnsupported = 12,
  kForked = 18,
  kCancelled = 22,
  kTimeout = 23,
  kInternal = 99,
};

struct Failure {
  int32_t code;
  std::string text;
};

// Runs the body of a slot of the table; a Failure becomes its status and text.
int32_t guarded(char* error, uint32_t error_size, void (*call)(const void*), const void* body) noexcept;
template <class F>
int32_t guarded(char* error, uint32_t error_size, const F& body) noexcept {
  return guarded(
      error, error_size, [](const void* f) { (*static_cast<const F*>(f))(); }, &body);
}
bool broken(const char* how);  // whether HAFT_SIM_BROKEN says so
int64_t env_number(const char* name, int64_t otherwise);
void check_index(int32_t index);  // a device of ours, and not in the child of a fork()

// ---- memory.cpp ----

// Memory of one allocation. Enqueued work shares it, so that `free` never pulls it away.
struct Block {
  int device;
  char* real;
  int64_t bytes;
  bool committed = true;
  Block(int device, int64_t bytes);
  ~Block();
  Block(const Block&) = delete;
};
using BlockRef = std::shared_ptr<Block>;

void* allocate(int device, int64_t bytes);
void release(int device, void* p);
void set_committed(int device, void* p, bool on);
int64_t memory_limit();
int64_t memory_used(int device);

struct Range {
  BlockRef block;
  char* real = nullptr;  // where the address handed in lies for the host
};
// Checks that [p + first, p + last) is live memory of the device, within one allocation. `what` names it in errors.
Range translate(int device, const void* p, int64_t first, int64_t last, const std::string& what);
void check_host(const void* p, const std::string& what);

haft_raw_arena create_arena(int device);
void* arena_allocate(int device, haft_raw_arena arena, int64_t bytes);
void destroy_arena(int device, haft_raw_arena arena);

// Pinned host memory counts the copies that will still use it: freeing it before is the engine's mistake.
struct PinnedUse;
void* pin(int64_t bytes);
void unpin(int device, void* p);
std::shared_ptr<PinnedUse> use_pinned(const void* p, int64_t bytes, const std::string& what);

// ---- stream.cpp ----

// Skipped once the device has failed.
void enqueue(int device, haft_raw_stream s, std::function<void()> work);
void fail_device(int device, int32_t code, const std::string& text);  // keeps the first failure
void throw_if_failed(int device);
void wait_device(int device);         // until its streams are done, whatever has failed
void synchronize_device(int device);  // answers with the failure, and forgets it
void synchronize_stream(int device, haft_raw_stream s);
bool is_idle(int device, haft_raw_stream s);
void hold_stream(int device, haft_raw_stream s, bool on);  // what is enqueued waits

haft_raw_stream create_stream(int device);
void destroy_stream(int device, haft_raw_stream s);
haft_raw_event create_event(bool timing);
void destroy_event(haft_raw_event e);
void record_event(int device, haft_raw_event e, haft_raw_stream s);
void wait_event(int device, haft_raw_event e, haft_raw_stream s);
bool event_done(haft_raw_event e);
void synchronize_event(haft_raw_event e);
double elapsed_ms(haft_raw_event start, haft_raw_event end);

// Recordings. A stream that records keeps its work instead of running it.
bool is_recording(int device, haft_raw_stream s);
void refuse_recording(int device, haft_raw_stream s, const char* what);  // throws when it records
void begin_recording(int device, haft_raw_stream s);
haft_raw_graph end_recording(int device, haft_raw_stream s, bool keep);
void replay(int device, haft_raw_graph graph, haft_raw_stream s);
void destroy_graph(haft_raw_graph graph);

void watch_process();  // fork() and exit()

// ---- profile.cpp ----

// The work, noted when it runs while profiles are on.
std::function<void()> noted(int device, haft_raw_stream s, int32_t kind, std::string name, int64_t bytes,
                            std::function<void()> work);
std::function<void()> replayed(std::function<void()> work);  // all that it runs belongs to who enqueues it
void fill_profile(haft_backend* table);

// ---- fused.cpp ----

haft_raw_fused compile_fused(int device, const haft_fused_program& program);
void launch_fused(haft_raw_fused fused, const haft_kernel_call& call);
void destroy_fused(haft_raw_fused fused);

// ---- collectives.cpp ----

const haft_collectives* collectives();
void abandon_collectives();  // nobody waits for peers any more

// ---- kernels.cpp ----

extern const haft_backend_host* host;
haft_kernel_fn find_kernel(uint32_t op, int32_t dtype, std::string* reason);
int32_t preferred_layout(uint32_t op, int32_t dtype, const int64_t* sizes, int32_t ndim);

}  // namespace sim
