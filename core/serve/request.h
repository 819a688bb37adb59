// A request: inputs on their way through a session, then outputs or an error.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "core/modes/stop.h"
#include "core/tensor/tensor.h"

namespace haft::serve {

class Session;
struct Model;

constexpr int64_t kForever = INT64_MAX;

class Request : public RefCounted {
 public:
  // Runs once, after the answer, without locks, on the thread that answers.
  using Done = std::function<void(Request&)>;

  Request(Ref<Session> session, std::vector<Tensor> inputs, int64_t rows);
  ~Request();
  Request(const Request&) = delete;

  void on_done(Done done) { done_ = std::move(done); }  // before it is submitted
  bool is_done() const;
  // False when the time has passed; the request goes on.
  bool wait(int64_t timeout_us);
  // Waits; the outputs, or the error thrown.
  std::vector<Tensor> result();
  Code status();  // of an answered request
  // Without effect once it is answered.
  void cancel() noexcept;
  // Of another process than its session; in the child of a fork it cannot even be destroyed.
  bool is_foreign() const;
  void check_process() const;

 private:
  friend class Session;
  enum class State : uint8_t { fresh, queued, running, answered };

  Ref<Session> session_;
  std::vector<Tensor> inputs_;  // the runner's while it runs, let go of by who answers
  Done done_;
  int64_t rows_;
  int64_t submitted_ns_ = 0, deadline_ns_ = INT64_MAX;
  bool own_thread_ = false;  // somebody in Session::run waits for it, and can compute

  // Under the session's mutex:
  State state_ = State::fresh;
  Request* to_run_ = nullptr;  // the captain of a batch that its own thread is to run, be it in it or not
  bool left_queue_ = false;    // answered without having run
  Code code_ = Code::ok;
  std::vector<Tensor> outputs_;
  std::unique_ptr<Error> error_;
  Request *prev_ = nullptr, *next_ = nullptr;  // in a group, then in a batch
  bool waits_ = false;                         // queued, and its own thread sleeps
  Request *prev_waiting_ = nullptr, *next_waiting_ = nullptr;
  Request* next_answered_ = nullptr;
  Request* captain_ = nullptr;  // while running
  Condition changed_;

  // What the runner has for it, before it becomes the answer:
  bool worked_ = false;
  std::vector<Tensor> found_;
  std::unique_ptr<Error> trouble_;  // not even that when memory is out
  Code cause_ = Code::ok;           // what lies behind it when it is a callback's

  // Of a captain: its batch. Part of the request, so that starting one allocates nothing and cannot fail.
  Request* next_batch_ = nullptr;
  int batch_count_ = 0, unanswered_ = 0;
  int64_t batch_rows_ = 0;
  bool alone_ = false;  // as many batches run as there are processors: operators stay on their thread
  Ref<Model> batch_model_;
  StopFlag flag_;
};

}  // namespace haft::serve
