// A session runs one frozen module for many threads: it bounds what runs and what waits, joins concurrent
// requests into batches, and answers every request exactly once. docs/session.md is the contract.
//
// One mutex guards the queue. Requests that may run together form a group, in order of arrival; pump() cuts
// batches off groups that are due while workers are free. A batch has a captain, its first request, which keeps
// what belongs to the batch.
//
// **Who runs a batch** is settled before it starts, so that a batch which counts as running does run: nobody who
// waits for a worker waits for a thread that is busy with something else, a callback above all, which may itself
// wait in run(). In this order: a thread inside run() that is awake and has a request in it; a thread of the session
// that sleeps, or will look for a batch next without running foreign code before it (under load these go from batch
// to batch without ever sleeping, while a thread that is woken first would leave its worker idle); a thread that
// sleeps in run() with a request in it; any other thread in run() whose request is queued. When there is none of
// these the batch stays in its group: every thread of the session is busy, and pumps when it is done; and who comes
// into run() pumps before he sleeps. So with a due group and a free worker, either somebody is on his way, or no
// thread waits in run() at all.
//
// The session's threads are alike. One of those that sleep keeps the time, in which groups become due and requests'
// time passes; others in foreign code do not keep it from passing.
//
// Modules, callbacks, and whatever a tensor's release may call run without the mutex; no other lock is taken under
// it. Callbacks run in a fresh thread's state. Those of a batch that was run inside a callback of the session are
// called when that has returned: however long the queue is, the stack is not.
//
// tests/serve tries all this under every order of threads, within bounds.
#pragma once
#include <set>

#include "core/nn/module.h"
#include "core/serve/metrics.h"
#include "core/serve/request.h"
#include "core/serve/signature.h"
#include "core/tensor/account.h"

namespace haft::serve {

struct SessionOptions {
  int64_t max_batch = 1;     // rows; 1: no batching
  int64_t max_delay_us = 0;  // how long the first request of a batch waits for company
  int64_t max_queue = 1024;  // requests that wait
  int64_t memory_limit = 0;  // bytes of tensors that runs make; 0: none
  int64_t timeout_us = kForever;
  int workers = 0;   // batches at once; 0: num_threads(), a quarter of it with batching
  std::string name;  // in the process' metrics; empty: "session-" and a number
};
inline bool has_rows(const SessionOptions& o) { return o.max_batch > 1; }

class Session : public RefCounted {
 public:
  Session(Ref<nn::Module> module, const SessionOptions& options);
  ~Session();  // after close()
  Session(const Session&) = delete;

  // timeout_us < 0: the options'. `token` cancels this request, as the thread's own does.
  std::vector<Tensor> run(std::vector<Tensor> inputs, int64_t timeout_us, CancelToken* token = nullptr);
  Ref<Request> make_request(std::vector<Tensor> inputs);
  void submit(Request& r, int64_t timeout_us);

  int64_t output_count();  // of the module; -1: only running it tells

  // The new module first answers what the session has answered last, in zeros; what it fails with, or a misfit, is
  // thrown. The one before runs no more when this returns, unless it is called from inside.
  void update(Ref<nn::Module> module);
  bool drain(int64_t timeout_us);  // false when the time has passed first
  void close();
  // The same for a caller that cannot be told no: from inside a module or a callback it does not wait.
  void close_from_anywhere() noexcept;

  const std::string& name() const { return options_.name; }
  int64_t memory_limit() const { return options_.memory_limit; }
  Metrics metrics();
  void reset_metrics();
  bool is_foreign() const;  // this is a child of the process that has made it

 private:
  friend class Request;
  struct Group {
    Request *first, *last;
    int64_t rows;
  };
  // The answered of one step, for what must happen outside the mutex: callbacks, and letting go of tensors.
  class Answered {
    Session& session_;
    Request *first_ = nullptr, **end_ = &first_;

    bool calls_back_ = false;
    const bool of_batch_;  // inside a callback, its callbacks come later

   public:
    explicit Answered(Session& s, bool of_batch = false) : session_(s), of_batch_(of_batch) {}
    ~Answered();
    void add(Request& r) noexcept;
    bool calls_back() const { return calls_back_; }
    bool empty() const { return !first_; }
  };
  using Lock = std::unique_lock<Mutex>;

  void check_process() const;
  void check_outside(const char* what, bool callbacks_too) const;
  bool inside() const;

  void admit(Request& r, int64_t timeout_us);  // under the mutex, as all of this block
  void pump(int64_t now, Request* me, bool worker = false) noexcept;
  bool is_due(const Group& g, int64_t now) const;
  bool is_worker_free(bool worker) const { return sleeping_ + int(keeps_time_) + int(worker) > ready_count_; }
  int64_t next_time(int64_t now, const Request* me) const;
  void start_batch(Group& g, Request* me, bool worker) noexcept;
  void sleep(Request& r) noexcept;
  void wake(Request& r) noexcept;
  void leave_group(Request& r) noexcept;
  void answer(Request& r, Code code, std::unique_ptr<Error> error, Answered& answered) noexcept;
  void give_up(Request& r, Code code, Answered& answered) noexcept;
  void expire(int64_t now, Answered& answered) noexcept;
  bool is_idle() const { return queued_ == 0 && running_ == 0 && finishing_ == 0; }

  void execute(Request& captain, bool worker) noexcept;  // without the mutex, as all of this block
  void attempt(Request& captain) noexcept;
  void run_together(Request& captain);
  void check_rows(std::span<const Tensor> outputs, int64_t rows) const;
  void try_out(Model& next);
  [[noreturn]] void refuse_inputs(const std::string& message, const char* hint);

  void shut(bool wait) noexcept;
  void start_threads();
  static void* work_thread(void* session);
  void work();

  SessionOptions options_;
  const uint32_t call_flags_ = thread_state().call_flags;  // its creator's
  const int workers_;
  const uint32_t fork_generation_;
  Ref<MemoryAccount> account_;

  Mutex mutex_;
  Condition work_, timer_, idle_;
  Ref<Model> model_;
  std::vector<Group> groups_;
  std::vector<Request*> captains_;                          // of running batches; room for all workers
  std::set<std::pair<int64_t, Request*>> deadlines_;        // of requests that no thread of their own watches
  Request *ready_first_ = nullptr, *ready_last_ = nullptr;  // batches for the session's threads
  Request *waiting_first_ = nullptr, *waiting_last_ = nullptr;  // whose own threads sleep, longest first
  int64_t queued_ = 0, queue_peak_ = 0, finishing_ = 0;
  int running_ = 0, ready_count_ = 0;
  int sleeping_ = 0;         // threads of the session
  bool keeps_time_ = false;  // one more sleeps, until timer_ns_
  bool draining_ = false, closed_ = false, stop_threads_ = false;
  int closing_ = 0;  // threads in shut() that end the session's threads
  int64_t timer_ns_ = 0;
  std::vector<Thread> threads_;
  Counts counts_;
  Signature signature_;
  LatencyWindow window_;
  Histogram latencies_ = latency_histogram(), batch_sizes_ = batch_histogram();
};

}  // namespace haft::serve
