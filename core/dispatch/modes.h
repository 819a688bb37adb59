// Modes: interceptors of every operator call of a thread. Each bit of ThreadState::modes may have a handler,
// which does its work around `dispatch(c)`; inside, its own bit is cleared, so handlers nest and never see
// themselves. It may have an observer, too, which is told of every call that has run, as the kernel took it.
// The casts, expansions and copies that prepare a call see all modes again: they are calls of their own,
// whose results the tape may keep.
#pragma once
#include "core/base/thread_state.h"
#include "core/dispatch/call.h"

namespace haft {

// What ran. The spans live only while an observer looks at them: what it keeps, it copies.
struct FinishedCall {
  const Call& call;             // as it was made
  Inputs in;                    // what the kernel took: cast, expanded, made dense
  Words words;                  // as the shape rule left them
  std::span<const Tensor> out;  // the results; of a call in place the tensor written
};

struct Mode {
  void (*handler)(const Call&) = nullptr;           // NULL: the call just runs
  void (*finished)(const FinishedCall&) = nullptr;  // every call that ran under the mode
  void (*host_read)(const Tensor&) = nullptr;       // values of this tensor are copied to the host
};
void set_mode(ModeBit bit, Mode mode);  // from core/init.cpp, before the first call
void dispatch_modes(const Call& c, ThreadState& ts);
// Tells the modes at work on the call; they are off meanwhile.
void tell_modes(ThreadState& ts, const FinishedCall& f);
// Tells all modes of the thread.
void tell_host_read(ThreadState& ts, const Tensor& x);

// While it lives, calls see the modes whose handlers are at work on the call that they prepare.
class AllModes {
  ThreadState& ts_;
  const uint32_t modes_, entered_;

 public:
  explicit AllModes(ThreadState& ts) : ts_(ts), modes_(ts.modes), entered_(ts.entered) {
    ts_.modes |= entered_;
    ts_.entered = 0;
  }
  ~AllModes() {
    ts_.modes = modes_;
    ts_.entered = entered_;
  }
  AllModes(const AllModes&) = delete;
};

}  // namespace haft
