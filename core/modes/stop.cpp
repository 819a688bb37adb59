#include "core/modes/stop.h"

#include "core/dispatch/dispatch.h"

namespace haft {

namespace {

StopFlag* current(ThreadState& ts) { return static_cast<StopFlag*>(ts.slots[kSlotStop]); }

}  // namespace

void CancelToken::Listener::listen() {
  std::lock_guard lock(token_.mutex_);
  next_ = token_.listeners_;
  if (next_) next_->prev_ = this;
  token_.listeners_ = this;
  if (token_.stopped.load()) cancelled();
}

void CancelToken::Listener::leave() {
  std::lock_guard lock(token_.mutex_);
  (prev_ ? prev_->next_ : token_.listeners_) = next_;
  if (next_) next_->prev_ = prev_;
}

void CancelToken::cancel() noexcept {
  std::lock_guard lock(mutex_);
  if (stopped.exchange(true)) return;
  for (Listener* l = listeners_; l; l = l->next_) l->cancelled();
}

CancelToken* cancel_token() {
  StopFlag* f = current(thread_state());
  return f && f->is_token ? static_cast<CancelToken*>(f) : nullptr;
}

Ref<CancelToken> set_cancel_token(Ref<CancelToken> token) {
  ThreadState& ts = thread_state();
  CancelToken* before = cancel_token();
  if (current(ts) && !before)
    fail(Code::recursive, "this thread runs a session's request, which has its own way to be cancelled",
         "set the token outside the module");
  ts.modes = token ? ts.modes | kModeStop : ts.modes & ~uint32_t(kModeStop);
  ts.slots[kSlotStop] = static_cast<StopFlag*>(token.leak());
  ts.slot_destroy[kSlotStop] = [](void* p) {
    Ref<CancelToken>::adopt(static_cast<CancelToken*>(static_cast<StopFlag*>(p)));
  };
  return Ref<CancelToken>::adopt(before);
}

StopScope::StopScope(StopFlag& flag) {
  ThreadState& ts = thread_state();
  before_ = std::exchange(ts.slots[kSlotStop], &flag);
  mode_before_ = ts.modes & kModeStop;
  ts.modes |= kModeStop;
}

StopScope::~StopScope() {
  ThreadState& ts = thread_state();
  ts.slots[kSlotStop] = before_;
  ts.modes = (ts.modes & ~uint32_t(kModeStop)) | mode_before_;
}

Code stop_code() {
  const StopFlag* f = current(thread_state());
  if (!f) return Code::ok;
  if (f->stopped.load(std::memory_order_relaxed)) return Code::cancelled;
  return f->deadline_ns != INT64_MAX && now_ns() > f->deadline_ns ? Code::timeout : Code::ok;
}

void stop_or_dispatch(const Call& c) {
  if (const Code code = stop_code(); code != Code::ok) [[unlikely]]
    fail(code, concat("[", op_name(c.op), "] did not run: ",
                      code == Code::cancelled ? "its thread was cancelled" : "the time given has passed"));
  dispatch(c);
}

}  // namespace haft
