// The answer of a call that is under way. It comes exactly once.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>

#include "core/base/fork.h"
#include "core/dist/deadline.h"
#include "core/rpc/message.h"

namespace haft::rpc {

class Agent;

class Future : public RefCounted {
 public:
  using Done = std::function<void(Future&)>;

  // agent: who calls, or absent for long work of another kind, whose thread answers.
  explicit Future(Ref<Agent> agent = {});
  ~Future();
  bool is_done();
  // False when the time has passed first; the call goes on.
  bool wait(dist::Deadline deadline);
  // Of what is done: fails with what the call failed with.
  const Payload& value();
  // Of what is done: Code::ok when it succeeded.
  Code status();
  // Called once, on one of the agent's threads, or at once.
  void on_done(Done done);
  bool is_foreign() const;  // made before a fork

  // For who makes it. True when somebody wants to be called.
  bool answer(Payload payload, std::shared_ptr<const Error> error) noexcept;
  void call_back() noexcept;

 private:
  Ref<Agent> agent_;
  const uint32_t fork_generation_ = fork_generation();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  Payload payload_;
  std::shared_ptr<const Error> error_;
  std::vector<Done> callbacks_;
};

}  // namespace haft::rpc
