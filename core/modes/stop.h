// Stopping what a thread computes: each of its operators looks at the thread's flag first and fails when it
// says so. A mode (dispatch/modes.h), so that threads without a flag pay nothing.
#pragma once
#include <atomic>

#include "core/base/ref.h"
#include "core/base/sync.h"
#include "core/dispatch/call.h"

namespace haft {

struct StopFlag {
  std::atomic<bool> stopped{false};
  int64_t deadline_ns = INT64_MAX;  // operators after it fail with timeout; fixed while a thread has the flag
  const bool is_token;

  explicit StopFlag(bool token = false) : is_token(token) {}
};

// A flag that threads keep until they take another: what a user hands around.
class CancelToken : public RefCounted, public StopFlag {
 public:
  CancelToken() : StopFlag(true) {}

  // Told once when the token is cancelled, by the thread that does it; at once when it is already.
  class Listener {
    friend class CancelToken;
    CancelToken& token_;
    Listener *prev_ = nullptr, *next_ = nullptr;

   public:
    explicit Listener(CancelToken& t) : token_(t) {}
    Listener(const Listener&) = delete;
    void listen();
    void leave();  // waits for cancelled() when it runs; to be called before the object goes
    virtual void cancelled() noexcept = 0;

   protected:
    ~Listener() = default;
  };

  void cancel() noexcept;

 private:
  Mutex mutex_;
  Listener* listeners_ = nullptr;
};

// The calling thread's token; nullptr: none.
CancelToken* cancel_token();
// Answers the one before. Fails with recursive where a StopScope is in force.
Ref<CancelToken> set_cancel_token(Ref<CancelToken> token);

// The thread's operators obey `flag` instead for the scope's time.
class StopScope {
  void* before_;
  uint32_t mode_before_;

 public:
  explicit StopScope(StopFlag& flag);
  ~StopScope();
  StopScope(const StopScope&) = delete;
};

void stop_or_dispatch(const Call& c);  // the mode's handler
// What the thread's operators fail with now: cancelled, timeout or ok.
Code stop_code();

}  // namespace haft
