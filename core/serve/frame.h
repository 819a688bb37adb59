// Which sessions the thread is inside of, innermost first: how a module or callback that calls back into its
// own session is noticed.
#pragma once
#include <utility>

#include "core/base/error.h"
#include "core/base/thread_state.h"

namespace haft::serve {

class Request;
class Session;

struct Frame {
  const Session* session;
  const bool in_module;  // otherwise in a callback
  // What a callback of the module answered last: its errors all are Code::callback.
  Code failed_with = Code::ok;
  Frame* outer;
  // What a callback's run answers: told when it has returned, so that callbacks do not pile up on the stack.
  Request *later = nullptr, **later_end = &later;

  Frame(const Session* s, bool module) : session(s), in_module(module) {
    outer = static_cast<Frame*>(std::exchange(thread_state().slots[kSlotSession], this));
  }
  ~Frame() { thread_state().slots[kSlotSession] = outer; }
  Frame(const Frame&) = delete;
};

inline Frame* current_frame() { return static_cast<Frame*>(thread_state().slots[kSlotSession]); }

}  // namespace haft::serve
