// The simulated GPUs behind runtime.cpp. Streams keep what they are given and run it when somebody waits for it, so
// that a missing wait shows as results that are not there. What a program must never do ends it with a message
// (mistake); what CUDA answers with an error is answered with that error.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/cuda/runtime.h"

// An event's recording: a place in a stream.
struct Recording {
  CUstream_st* stream;
  uint64_t position;
  double milliseconds = 0;
  bool done = false;
};
struct CUgraph_st {
  std::vector<std::function<bool()>> nodes;
  std::map<CUstream_st*, bool>
      streams;  // that belong to the recording; whether the others wait for what they got last
  CUstream_st* origin = nullptr;
  bool invalid = false;
  bool meets = false;  // other processes
};
struct CUgraphExec_st {
  std::shared_ptr<std::vector<std::function<bool()>>> nodes;
  bool meets = false;
};
struct CUstream_st {
  int device;
  int priority = 0;
  bool alive = true;
  uint64_t given = 0, done = 0;
  uint64_t meets = 0;    // up to where other processes may wait for it
  uint64_t goes_on = 0;  // up to where it goes on though nobody waits here
  struct Task {
    std::function<bool()> run;          // false: it waits for another process, and is called again
    std::shared_ptr<Recording> behind;  // waits for it
  };
  std::deque<Task> queue;
  CUgraph_st* graph = nullptr;  // it is being recorded
};
struct CUevent_st {
  int device;
  bool timing;
  std::shared_ptr<Recording> last;
  CUgraph_st* graph = nullptr;  // recorded by a stream that is being recorded, this one
  CUstream_st* stream = nullptr;
};
struct CUctx_st {
  int device;
};

namespace haft::cuda_on_host {

using cuda::Context;
using cuda::Event;
using cuda::Stream;

constexpr int kDevices = 4;

// ---- what tests see ----

// What is called with a mistake's text; it may throw. Otherwise the program ends.
extern void (*on_mistake)(const std::string& text);
[[noreturn]] void mistake(const std::string& text);

// What has been made and not been given back.
struct Live {
  int64_t blocks = 0, pinned = 0, streams = 0, events = 0, graphs = 0, reserved = 0;
  bool operator==(const Live&) const = default;
};
Live live();
void fail_device(
    int device,
    int error);  // as a kernel does that goes astray: everything answers so from then on; 0 mends it
void limit_memory(size_t bytes);  // of each device
int64_t tasks_run();              // by all streams
int64_t kernels_compiled();       // by NVRTC
extern int unended;               // decompositions from now on whose iterations come to no end
int64_t waits();                  // of the host for streams, events, devices and copies to it
// Whether launches are refused where no device is current.
void let_launches_want_a_device(bool on);
// Whether who only asks whether something is done lets work go on: off, nothing runs before somebody waits for it.
void let_queries_run(bool on);
// NVTX: names that the calling thread has opened, and "/" where it closed the last.
std::vector<std::string>& ranges();

// ---- between the files of the simulation; all under this lock ----

std::recursive_mutex& lock();

// Memory (simulated_memory.cpp). Nobody but running tasks can touch a device's memory: it is mapped without any
// permission meanwhile.
struct Block {
  char* base;  // of the mapping, guard pages included
  size_t mapped;
  char* p;
  size_t bytes;
  int device;
  bool freed = false;  // in the order of the program
  bool there = false;  // in the order of its stream
  std::string story;   // for messages
};
Block* block_at(const void* p);
// Checks that a range is one device's memory, and the device's where that is known (not -1).
Block& check_range(const void* p, size_t n, int device, const char* what);
Block& make_block(size_t bytes, int device, const std::string& story);  // not there yet
Block& make_addresses(size_t bytes, int device);                        // mapped memory, without any
void put_memory(Block& b);                                              // undefined content: bytes of 0xff
void take_memory(Block& b);  // whoever touches it from now on ends the program
void drop(Block& b);         // its addresses may come again, much later
void show(int device);       // for tasks of that device; -1: nobody, -2: of all devices
bool reaches(int device, int other);
void let_reach(int device, int other);
size_t memory_limit();
size_t memory_used(int device);
void use_memory(int device, int64_t bytes);

// Kernels that NVRTC has made (nvrtc.cpp).
int load_image(void** library, const void* image);
int kernel_in(const void** kernel, void* library, const char* name);
void (*invoke_of(const void* kernel))(const void*, void**);  // NULL: none of them

// Pinned memory: copies that still use it are counted.
void* pin(size_t bytes);
void unpin(void* p);
bool is_pinned(const void* p, size_t n);
void use_pinned(const void* p, int more);

// Streams (simulated_streams.cpp).
int& trouble(int device);
void give(Stream s, std::function<void()> run);         // a task, or a node of the recording
void give_steps(Stream s, std::function<bool()> step);  // the same, until it answers true; copies begin anew
void give_meeting(Stream s, std::function<bool()> step);  // the same, and other processes may wait for it
void run_until(Stream s, uint64_t position);            // waits, which is counted
void run_device(int device);
// That it is one of the current device; CUDA's names for default streams become those of that device.
void check_stream(Stream& s, const char* what);
void check_stream_alone(Stream& s, const char* what);  // the same, of any device
bool has_device();                                     // whether one is current
int current_device();
void fill_streams(cuda::Runtime& r);

// CUPTI (cupti.cpp): tasks that become records.
struct Noted {
  uint32_t kind;  // cuda::CuptiKind
  const char* name = "";
  size_t bytes = 0;
  uint8_t copy_kind = 0;
  uint32_t source = 0;  // of a copy between devices
};
uint32_t cupti_call();  // the number of a call that enqueues something
std::function<void()> noted(Stream s, const Noted& what, std::function<void()> run);
void run_replay(uint32_t call, const std::function<void()>& nodes);

}  // namespace haft::cuda_on_host
