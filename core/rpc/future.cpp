#include "core/rpc/agent.h"

namespace haft::rpc {

Future::Future(Ref<Agent> agent) : agent_(std::move(agent)) {}
Future::~Future() = default;

bool Future::is_foreign() const { return fork_generation_ != fork_generation(); }

bool Future::is_done() {
  std::lock_guard lock(mutex_);
  return done_;
}

bool Future::wait(dist::Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (deadline.is_never()) {
      changed_.wait(lock);
    } else {
      const int64_t left = deadline.left();
      if (left == 0) return false;
      changed_.wait_for(lock, std::chrono::nanoseconds(std::min(left, 3600 * dist::kSecond)));
    }
  }
  return true;
}

const Payload& Future::value() {
  std::lock_guard lock(mutex_);
  if (!done_) fail(Code::busy, "the call is not answered yet", "wait for it first");
  if (error_) throw Error(*error_);
  return payload_;
}

Code Future::status() {
  std::lock_guard lock(mutex_);
  return error_ ? error_->code : Code::ok;
}

void Future::on_done(Done done) {
  {
    std::lock_guard lock(mutex_);
    if (!done_) return callbacks_.push_back(std::move(done));
  }
  done(*this);
}

bool Future::answer(Payload payload, std::shared_ptr<const Error> error) noexcept {
  std::lock_guard lock(mutex_);
  payload_ = std::move(payload);
  error_ = std::move(error);
  done_ = true;
  changed_.notify_all();
  return !callbacks_.empty();
}

void Future::call_back() noexcept {
  std::vector<Done> callbacks;
  {
    std::lock_guard lock(mutex_);
    callbacks.swap(callbacks_);
  }
  for (Done& d : callbacks) d(*this);
}

}  // namespace haft::rpc
