// The queue: admission, batches, waiting, cancelling, and the end of a session. run.cpp computes.
#include "core/serve/session.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/base/fork.h"
#include "core/base/log.h"
#include "core/base/parallel.h"
#include "core/serve/frame.h"
#include "core/serve/fresh_state.h"
#include "core/serve/model.h"

namespace haft::serve {

namespace {

constexpr int kMaxWorkers = 256;
constexpr int64_t kMaxQueue = 1 << 20;
constexpr size_t kWindow = 4096;

int64_t after(int64_t now, int64_t us) { return us > (INT64_MAX - now) / 1000 ? INT64_MAX : now + us * 1000; }

void wait_until(Condition& c, std::unique_lock<Mutex>& lock, int64_t ns) {
  if (ns == INT64_MAX)
    c.wait(lock);
  else
    c.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns)));
}

bool joinable(const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].dtype() != y[i].dtype() || x[i].device() != y[i].device() || x[i].ndim() != y[i].ndim() ||
        !std::ranges::equal(x[i].sizes().subspan(1), y[i].sizes().subspan(1)))
      return false;
  return true;
}

// A batch uses several processors by its operators, a single request hardly; and fewer batches are fuller.
int default_workers(bool batches) {
  const int threads = std::min(num_threads(), kMaxWorkers);
  return batches ? std::max(1, threads / 4) : threads;
}

void check_option(bool good, const char* name, int64_t value, const char* wanted) {
  if (!good)
    fail(Code::invalid_argument, concat("options.", name, " must be ", wanted, ", got ", value), {},
         "options");
}

// What a module answers to inputs that are not for it, when it has not answered their like before.
bool is_about_inputs(Code code) {
  return code == Code::shape || code == Code::dtype || code == Code::device || code == Code::index ||
         code == Code::invalid_argument;
}

std::unique_ptr<Error> trouble(Code code, const char* text, const char* hint) noexcept {
  try {
    return std::make_unique<Error>(code, text, hint);
  } catch (...) {
    return nullptr;  // the code alone has to do
  }
}

}  // namespace

// ---- requests ----

Request::Request(Ref<Session> session, std::vector<Tensor> inputs, int64_t rows)
    : session_(std::move(session)), inputs_(std::move(inputs)), rows_(rows) {}
Request::~Request() = default;

bool Request::is_foreign() const { return session_->is_foreign(); }
void Request::check_process() const { session_->check_process(); }

bool Request::is_done() const {
  session_->check_process();
  std::lock_guard lock(session_->mutex_);
  return state_ == State::answered;
}

bool Request::wait(int64_t timeout_us) {
  session_->check_process();
  const int64_t until = timeout_us < 0 ? INT64_MAX : after(now_ns(), timeout_us);
  Session::Lock lock(session_->mutex_);
  if (state_ != State::answered && timeout_us != 0) session_->check_outside("wait for a request of", true);
  while (state_ != State::answered) {
    if (until != INT64_MAX && now_ns() >= until) return false;
    wait_until(changed_, lock, until);
  }
  return true;
}

std::vector<Tensor> Request::result() {
  wait(-1);
  if (code_ == Code::ok) return outputs_;
  if (error_) throw Error(*error_);
  fail(code_, "the request failed, and there was no memory to say why");
}

Code Request::status() {
  wait(-1);
  return code_;
}

void Request::cancel() noexcept {
  if (is_foreign()) return;
  Session::Answered answered(*session_);
  std::lock_guard lock(session_->mutex_);
  session_->give_up(*this, Code::cancelled, answered);
}

// ---- the session ----

Session::Session(Ref<nn::Module> module, const SessionOptions& options)
    : options_(options),
      workers_(options.workers ? options.workers : default_workers(options.max_batch > 1)),
      fork_generation_(fork_generation()),
      window_(kWindow) {
  check_option(options.max_batch >= 1, "max_batch", options.max_batch, "at least 1");
  check_option(options.max_delay_us >= 0, "max_delay_us", options.max_delay_us, "0 or more");
  check_option(options.max_queue >= 1 && options.max_queue <= kMaxQueue, "max_queue", options.max_queue,
               "between 1 and 1048576");
  check_option(options.memory_limit >= 0, "memory_limit", options.memory_limit, "0 (none) or more");
  check_option(options.timeout_us > 0, "timeout_us", options.timeout_us, "positive, or HAFT_NONE");
  check_option(options.workers >= 0 && options.workers <= kMaxWorkers, "workers", options.workers,
               "between 0 and 256");
  static std::atomic<uint64_t> unnamed{0};
  if (options_.name.empty()) options_.name = concat("session-", ++unnamed);
  account_ = make_ref<MemoryAccount>(options.memory_limit);
  captains_.reserve(size_t(workers_));
  model_ = make_ref<Model>(std::move(module));
}

Session::~Session() = default;

bool Session::is_foreign() const { return fork_generation() != fork_generation_; }

void Session::check_process() const {
  if (is_foreign())
    fail(Code::forked, "the session stayed in the parent process", "create the session after fork()");
}

bool Session::inside() const {
  for (Frame* f = current_frame(); f; f = f->outer)
    if (f->session == this) return true;
  return false;
}

void Session::check_outside(const char* what, bool callbacks_too) const {
  for (Frame* f = current_frame(); f; f = f->outer)
    if (f->session == this && (f->in_module || callbacks_too))
      fail(Code::recursive,
           concat("a ", f->in_module ? "module" : "callback", " must not ", what,
                  " the session that is calling it"),
           "submit without waiting, or do it from another thread");
}

Ref<Request> Session::make_request(std::vector<Tensor> inputs) {
  int64_t rows = 1;
  if (options_.max_batch > 1) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].ndim() == 0 || inputs[i].size(0) != inputs[0].size(0))
        refuse_inputs(concat("with max_batch above 1 every input has the rows first: input ", int64_t(i),
                             " has shape ", inputs[i].sizes(), ", input 0 has ", inputs[0].sizes()),
                      "add a dimension of 1, or create the session with max_batch 1");
    if (inputs.empty()) refuse_inputs("with max_batch above 1 a request needs an input", "");
    rows = inputs[0].size(0);
  }
  return make_ref<Request>(Ref<Session>::share(this), std::move(inputs), rows);
}

void Session::refuse_inputs(const std::string& message, const char* hint) {
  {
    std::lock_guard lock(mutex_);
    ++counts_.requests;
    ++counts_.invalid;
  }
  fail(Code::shape, message, hint, "inputs");
}

// ---- the queue ----

// Everything that may fail comes first; then the request is in, and its count is the queue's.
void Session::admit(Request& r, int64_t timeout_us) {
  ++counts_.requests;
  if (draining_) {
    ++counts_.cancelled;
    fail(Code::cancelled, closed_ ? "the session is closed" : "the session is being drained",
         "it takes no more requests");
  }
  const int64_t now = now_ns();
  if (timeout_us < 0) timeout_us = options_.timeout_us;
  r.submitted_ns_ = now;
  r.deadline_ns_ = timeout_us == kForever ? INT64_MAX : after(now, timeout_us);
  auto group = std::ranges::find_if(groups_, [&](const Group& g) {
    return options_.max_batch == 1 || joinable(g.first->inputs_, r.inputs_);
  });
  const bool is_new = group == groups_.end();
  try {
    if (is_new) groups_.reserve(groups_.size() + 1);  // ends `group`
    if (!r.own_thread_ && r.deadline_ns_ != INT64_MAX) deadlines_.emplace(r.deadline_ns_, &r);
  } catch (...) {
    ++counts_.failed;
    throw;
  }
  if (is_new) {
    groups_.push_back({&r, &r, r.rows_});
  } else {
    r.prev_ = group->last;
    group->last->next_ = &r;
    group->last = &r;
    group->rows += r.rows_;
  }
  r.retain();
  r.state_ = Request::State::queued;
  ++queued_;
  pump(now, r.own_thread_ ? &r : nullptr);
  if (r.state_ == Request::State::queued && queued_ > options_.max_queue) {
    leave_group(r);
    r.state_ = Request::State::fresh;
    Ref<Request>::adopt(&r).reset();
    ++counts_.refused;
    fail(Code::queue_full,
         concat("the session's queue is full: ", options_.max_queue, " requests wait (max_queue), ", running_,
                " of ", workers_, " workers run"),
         "try again later, or raise max_queue");
  }
  queue_peak_ = std::max(queue_peak_, queued_);
}

bool Session::is_due(const Group& g, int64_t now) const {
  return options_.max_batch == 1 || options_.max_delay_us == 0 || draining_ || g.rows >= options_.max_batch ||
         after(g.first->submitted_ns_, options_.max_delay_us) <= now;
}

// Starts what is due while workers are free and somebody can run it (session.h), the longest waiting group first. `me`
// is a request whose own thread is awake and will look at `to_run_`; `worker`: this thread takes a batch next, so one
// fewer need wake.
void Session::pump(int64_t now, Request* me, bool worker) noexcept {
  auto can_run = [&] { return me && me->state_ == Request::State::queued && !me->to_run_; };
  while (running_ < workers_ && (can_run() || waiting_first_ || is_worker_free(worker))) {
    Group* due = nullptr;
    for (Group& g : groups_)
      if (is_due(g, now) && (!due || g.first->submitted_ns_ < due->first->submitted_ns_)) due = &g;
    if (!due) break;
    start_batch(*due, can_run() ? me : nullptr, worker);
  }
  const int wanted = ready_count_ - int(worker);
  for (int i = 0; i < std::min(wanted, sleeping_); ++i) work_.notify_one();
  // Who keeps the time is the last to go, and hears of what comes before he wakes: a new group, or the rest of one.
  if (wanted > sleeping_ || next_time(now, me) < timer_ns_) timer_.notify_one();
}

void Session::start_batch(Group& g, Request* me, bool worker) noexcept {
  Request *first = g.first, *last = nullptr, *own = nullptr;
  int64_t rows = 0, deadline = 0;
  int count = 0;
  for (Request* r = first; r && (!last || (options_.max_batch > 1 && rows + r->rows_ <= options_.max_batch));
       r = r->next_) {
    rows += r->rows_;
    ++count;
    deadline = std::max(deadline, r->deadline_ns_);
    r->state_ = Request::State::running;
    if (r == me || (r->waits_ && !own)) own = r;
    last = r;
  }
  Request& captain = *first;
  g.first = last->next_;
  g.rows -= rows;
  last->next_ = nullptr;
  if (g.first) {
    g.first->prev_ = nullptr;
  } else {
    std::swap(g, groups_.back());
    groups_.pop_back();
  }
  Request* runner = own && own == me         ? me
                    : is_worker_free(worker) ? nullptr
                    : own                    ? own
                    : me                     ? me
                                             : waiting_first_;
  for (Request* r = first; r; r = r->next_) {
    r->captain_ = &captain;
    if (r->waits_) wake(*r);
  }
  queued_ -= count;
  ++running_;
  captain.batch_count_ = captain.unanswered_ = count;
  captain.batch_rows_ = rows;
  captain.batch_model_ = model_;
  ++model_->batches;
  captain.alone_ = running_ >= num_threads();
  captain.flag_.deadline_ns = deadline;
  captains_.push_back(&captain);
  if (runner) {
    runner->to_run_ = &captain;
    if (runner->waits_) wake(*runner);
    if (runner != me) runner->changed_.notify_all();
    return;
  }
  captain.next_batch_ = nullptr;
  (ready_last_ ? ready_last_->next_batch_ : ready_first_) = &captain;
  ready_last_ = &captain;
  ++ready_count_;
}

// The two ends of a sleep in run(): `r` is queued, and its thread there for any batch.
void Session::sleep(Request& r) noexcept {
  r.waits_ = true;
  r.prev_waiting_ = waiting_last_;
  (waiting_last_ ? waiting_last_->next_waiting_ : waiting_first_) = &r;
  waiting_last_ = &r;
}

void Session::wake(Request& r) noexcept {
  (r.prev_waiting_ ? r.prev_waiting_->next_waiting_ : waiting_first_) = r.next_waiting_;
  (r.next_waiting_ ? r.next_waiting_->prev_waiting_ : waiting_last_) = r.prev_waiting_;
  r.prev_waiting_ = r.next_waiting_ = nullptr;
  r.waits_ = false;
}

void Session::leave_group(Request& r) noexcept {
  if (r.waits_) wake(r);
  Group& g = *std::ranges::find_if(groups_, [&](const Group& c) {
    const Request* at = &r;
    while (at->prev_) at = at->prev_;
    return c.first == at;
  });
  (r.prev_ ? r.prev_->next_ : g.first) = r.next_;
  (r.next_ ? r.next_->prev_ : g.last) = r.prev_;
  g.rows -= r.rows_;
  r.prev_ = r.next_ = nullptr;
  if (!g.first) {
    std::swap(g, groups_.back());
    groups_.pop_back();
  }
  --queued_;
  if (!r.own_thread_) deadlines_.erase({r.deadline_ns_, &r});
}

void Session::answer(Request& r, Code code, std::unique_ptr<Error> error, Answered& answered) noexcept {
  if (r.state_ == Request::State::running) {
    --r.captain_->unanswered_;
    if (!r.own_thread_) deadlines_.erase({r.deadline_ns_, &r});
  }
  r.state_ = Request::State::answered;
  r.code_ = code;
  r.error_ = std::move(error);
  switch (code) {
    case Code::ok: {
      ++counts_.completed;
      const int64_t ns = now_ns() - r.submitted_ns_;
      window_.add(ns);
      latencies_.add(double(ns) / 1e9);
      break;
    }
    case Code::cancelled: ++counts_.cancelled; break;
    case Code::timeout: ++counts_.timed_out; break;
    default: {
      const bool theirs = is_about_inputs(code == Code::callback ? r.cause_ : code);
      ++(theirs && !signature_.fits(r.inputs_, has_rows(options_)) ? counts_.invalid : counts_.failed);
    }
  }
  answered.add(r);
}

// Answers a request that waits or runs; a batch without anybody who waits for it stops.
void Session::give_up(Request& r, Code code, Answered& answered) noexcept {
  if (r.state_ != Request::State::queued && r.state_ != Request::State::running) return;
  const bool queued = r.state_ == Request::State::queued;
  auto error = code == Code::timeout ? trouble(code,
                                               queued ? "the time of the request has passed while it waited"
                                                      : "the time of the request has passed while it ran",
                                               "allow more time (timeout_us), or less load")
                                     : trouble(code,
                                               queued ? "the request was cancelled while it waited"
                                                      : "the request was cancelled while it ran",
                                               "");
  if (queued) {
    leave_group(r);
    r.left_queue_ = true;
    if (next_time(now_ns(), nullptr) < timer_ns_)
      timer_.notify_one();  // those behind it may have waited for its time
  }
  answer(r, code, std::move(error), answered);
  if (!queued && r.captain_->unanswered_ == 0) r.captain_->flag_.stopped.store(true);
  if (is_idle()) idle_.notify_all();
}

void Session::expire(int64_t now, Answered& answered) noexcept {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now)
    give_up(*deadlines_.begin()->second, Code::timeout, answered);
}

void Session::Answered::add(Request& r) noexcept {
  if (r.done_) {
    ++session_.finishing_;
    calls_back_ = true;
  }
  if (!r.left_queue_) r.retain();  // otherwise the queue's count is ours now
  *end_ = &r;
  end_ = &r.next_answered_;
}

Session::Answered::~Answered() {
  if (!first_) return;
  Frame frame(&session_, false);
  Frame* tells = &frame;
  for (Frame* f = frame.outer; of_batch_ && f && tells == &frame; f = f->outer)
    if (f->session == &session_ && !f->in_module) tells = f;
  while (Request* r = first_) {
    first_ = std::exchange(r->next_answered_, nullptr);
    r->changed_.notify_all();
    if (r->left_queue_ && !r->own_thread_)
      r->inputs_.clear();  // run() lets go of its own: a token's lock may be held here
    if (r->done_) {
      *tells->later_end = r;
      tells->later_end = &r->next_answered_;
    } else {
      Ref<Request>::adopt(r).reset();
    }
  }
  while (Request* r = frame.later) {
    frame.later = std::exchange(r->next_answered_, nullptr);
    if (!frame.later) frame.later_end = &frame.later;
    auto keep = Ref<Request>::adopt(r);
    {
      FreshState fresh(false, false, 0);
      keep->done_(*keep);
      keep->done_ = nullptr;
    }
    std::lock_guard lock(session_.mutex_);
    --session_.finishing_;
    if (session_.is_idle()) session_.idle_.notify_all();
  }
}

// ---- the two ways in ----

namespace {

// Cancels a request that a thread waits for when the thread's token is.
class CancelledByToken final : public CancelToken::Listener {
  Request& request_;

 public:
  CancelledByToken(CancelToken& t, Request& r) : Listener(t), request_(r) { listen(); }
  ~CancelledByToken() { leave(); }
  void cancelled() noexcept override { request_.cancel(); }
};

}  // namespace

std::vector<Tensor> Session::run(std::vector<Tensor> inputs, int64_t timeout_us, CancelToken* token) {
  check_process();
  check_outside("run", false);
  Ref<Request> r = make_request(std::move(inputs));
  r->own_thread_ = true;
  Answered answered(*this);
  Lock lock(mutex_);
  admit(*r, timeout_us);
  if (r->state_ == Request::State::queued && running_ == workers_ && int(threads_.size()) <= workers_) {
    try {
      start_threads();
    } catch (...) {
      // Then the threads of those who wait run the batches, at the price of waking them for it.
    }
  }
  std::optional<CancelledByToken> watch, watch_own;
  CancelToken* own = cancel_token();
  if (token || own) {
    lock.unlock();
    if (token) watch.emplace(*token, *r);
    if (own) watch_own.emplace(*own, *r);
    lock.lock();
  }
  while (true) {
    if (r->to_run_) {
      Request& captain = *std::exchange(r->to_run_, nullptr);
      lock.unlock();
      execute(captain, false);
      lock.lock();
      continue;
    }
    if (r->state_ == Request::State::answered) break;
    const int64_t now = now_ns();
    if (now >= r->deadline_ns_) {
      give_up(*r, Code::timeout, answered);
      continue;
    }
    int64_t until = r->deadline_ns_;
    if (r->state_ == Request::State::queued) {
      pump(now, r.get());
      if (r->to_run_ || r->state_ != Request::State::queued) continue;
      // The oldest of a group watches the time; the others wake behind it, and find themselves running.
      const int64_t due = after(r->submitted_ns_, options_.max_delay_us);
      if (options_.max_batch > 1 && due > now) until = std::min(until, due);
      sleep(*r);
    }
    wait_until(r->changed_, lock, until);
    if (r->waits_) wake(*r);
  }
  lock.unlock();
  watch.reset();
  watch_own.reset();
  if (r->code_ == Code::ok) return std::move(r->outputs_);
  return r->result();
}

void Session::submit(Request& r, int64_t timeout_us) {
  check_process();
  Lock lock(mutex_);
  if (int(threads_.size()) <= workers_ && !draining_) start_threads();
  admit(r, timeout_us);
}

// ---- the session's threads ----

// One more than run batches at once, for the time. What the system refuses is asked for again next time.
void Session::start_threads() {
  threads_.reserve(size_t(workers_) + 1);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the host's signals are for the host's threads
  int error = 0;
  while (int(threads_.size()) <= workers_ && !error) {
    Thread t;
    auto self = Ref<Session>::share(this);
    error = start_thread(t, work_thread, this);
    if (error) break;
    self.leak();  // the thread's
    threads_.push_back(t);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (threads_.empty())
    fail(Code::unavailable, concat("session: the system starts no thread (error ", error, ")"),
         "use haft_session_run, which needs none");
  if (error)
    log_warning("session: ", int64_t(threads_.size()), " of ", workers_ + 1, " threads started: error ",
                error);
}

void* Session::work_thread(void* session) {
  enter_thread("haft-session");
  Ref<Session>::adopt(static_cast<Session*>(session))->work();
  return nullptr;
}

// All are alike: they run what is due and tell whose time has passed. One of those that sleep keeps the time; when it
// has something to do another takes its place, so that time goes on whatever callbacks and modules do.
void Session::work() {
  while (true) {
    Answered answered(*this);
    Lock lock(mutex_);
    const int64_t now = now_ns();
    if (!ready_first_) {
      expire(now, answered);
      pump(now, nullptr, answered.empty());
    }
    if ((ready_first_ || !answered.empty()) && !keeps_time_ && sleeping_) work_.notify_one();
    if (!answered.empty()) continue;  // tells them
    if (ready_first_) {
      Request& captain = *ready_first_;
      ready_first_ = captain.next_batch_;
      if (!ready_first_) ready_last_ = nullptr;
      --ready_count_;
      lock.unlock();
      execute(captain, true);
    } else if (stop_threads_) {
      return;
    } else if (keeps_time_) {
      ++sleeping_;
      work_.wait(lock);
      --sleeping_;
    } else {
      keeps_time_ = true;
      timer_ns_ = next_time(now, nullptr);
      wait_until(timer_, lock, timer_ns_);
      timer_ns_ = 0;  // awake: nobody need wake it
      keeps_time_ = false;
    }
  }
}

// When a request's time passes or a group is due, of those that no thread in run() minds (`me` is about to). A group
// that is due already waits for a worker, not for time.
int64_t Session::next_time(int64_t now, const Request* me) const {
  int64_t next = deadlines_.empty() ? INT64_MAX : deadlines_.begin()->first;
  if (options_.max_batch > 1)
    for (const Group& g : groups_) {
      const Request& r = *g.first;
      if (r.waits_ || (&r == me && !r.to_run_)) continue;
      if (const int64_t due = after(r.submitted_ns_, options_.max_delay_us); due > now)
        next = std::min(next, due);
    }
  return next;
}

// ---- the rest ----

int64_t Session::output_count() {
  check_process();
  std::lock_guard lock(mutex_);
  return model_ ? model_->root->output_count() : -1;  // closed: the run will say so
}

void Session::update(Ref<nn::Module> module) {
  check_process();
  Ref<Model> next = make_ref<Model>(std::move(module));
  try_out(*next);
  Lock lock(mutex_);
  if (closed_) fail(Code::cancelled, "the session is closed");
  std::swap(model_, next);
  if (inside()) return;  // the batch around this call may be one of those
  while (next->batches) idle_.wait(lock);
  lock.unlock();
  next->held.clear();  // the last batch's thread may have its reference still
}

bool Session::drain(int64_t timeout_us) {
  check_process();
  check_outside("drain", true);
  const int64_t until = timeout_us < 0 ? INT64_MAX : after(now_ns(), timeout_us);
  Lock lock(mutex_);
  draining_ = true;
  pump(now_ns(), nullptr);
  while (!is_idle()) {
    if (until != INT64_MAX && now_ns() >= until) return false;
    wait_until(idle_, lock, until);
  }
  return true;
}

void Session::close() {
  check_process();
  check_outside("close", true);
  shut(true);
}

void Session::close_from_anywhere() noexcept {
  if (!is_foreign()) shut(!inside());
}

void Session::shut(bool wait) noexcept {
  std::vector<Thread> threads;
  {
    Answered answered(*this);
    Lock lock(mutex_);
    draining_ = closed_ = true;
    while (!groups_.empty()) give_up(*groups_.front().first, Code::cancelled, answered);
    for (Request* captain : captains_)
      for (Request* r = captain; r; r = r->next_) give_up(*r, Code::cancelled, answered);
  }
  Ref<Model> model;
  Lock lock(mutex_);
  if (wait)
    while (!is_idle()) idle_.wait(lock);
  stop_threads_ = true;
  std::swap(threads, threads_);
  std::swap(model, model_);
  work_.notify_all();
  timer_.notify_all();
  ++closing_;
  lock.unlock();
  for (Thread t : threads) wait ? join_thread(t) : detach_thread(t);
  lock.lock();
  if (--closing_ == 0) idle_.notify_all();
  while (wait && closing_) idle_.wait(lock);  // for the threads that another one joins
}

Metrics Session::metrics() {
  check_process();
  Metrics m;
  std::vector<int64_t> window;
  {
    std::lock_guard lock(mutex_);
    m.counts = counts_;
    m.queue_length = queued_;
    m.queue_peak = queue_peak_;
    m.running = running_;
    window = window_.copy();
    m.latencies = latencies_;
    m.batch_sizes = batch_sizes_;
  }
  m.bytes_live = account_->live.load(std::memory_order_relaxed);
  m.bytes_peak = account_->peak.load(std::memory_order_relaxed);
  m.latency = percentiles(std::move(window));
  return m;
}

void Session::reset_metrics() {
  check_process();
  std::lock_guard lock(mutex_);
  counts_ = {};
  counts_.requests = queued_;  // so that the sum of answers meets it again
  for (const Request* captain : captains_) counts_.requests += captain->unanswered_;
  queue_peak_ = queued_;
  window_.clear();
  latencies_.clear();
  batch_sizes_.clear();
  account_->peak.store(account_->live.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

}  // namespace haft::serve
