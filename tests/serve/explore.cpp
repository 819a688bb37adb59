#include "tests/serve/explore.h"

#include <cxxabi.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/base/sync.h"
#include "core/base/thread_state.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace haft::explore {

namespace {

constexpr size_t kStack = 512 << 10;
constexpr size_t kExceptions =
    2 * sizeof(void*);  // what __cxa_get_globals points to: the exceptions in flight

struct Fiber {
  int number = 0;
  ucontext_t context;
  const void* stack = nullptr;  // for the sanitizer
  size_t stack_size = 0;
  void* false_stack = nullptr;
  std::function<void()> body;
  bool done = false;
  std::function<bool()> ready;  // empty: it can go on
  int64_t until = INT64_MAX;    // then it can anyway
  int held = 0;                 // mutexes
  ThreadState state;
  unsigned char exceptions[kExceptions] = {};
};

// How a run chose among `count` threads, the plain order's first; the last may be that time passes.
struct Choice {
  int pick, count;
  bool has_time;
  int cost(int i) const { return has_time && i == count - 1 ? i > 0 : i; }  // each thread passed over counts
};

struct Explorer {
  Options options;
  const std::function<void()>* when_quiet = nullptr;
  std::vector<int> prefix;  // what to choose first
  std::vector<Choice> choices;
  std::mt19937_64* random = nullptr;           // after the prefix; otherwise the plain order
  double restless = 0;                         // how often it leaves a thread that could go on
  std::vector<std::unique_ptr<Fiber>> fibers;  // the first is the explorer's own
  Fiber* current = nullptr;
  std::vector<std::unique_ptr<unsigned char[]>> stacks;
  int64_t now = 0, live = 0;
  bool looking_on = false;
  std::string failure;
  bool keeps_log = false;
  std::deque<std::string> log;
};
Explorer e;

}  // namespace

void note(const std::string& what) {
  if (!e.keeps_log) return;
  e.log.push_back("  " + std::to_string(e.now / 1000) + " us, thread " + std::to_string(e.current->number) +
                  ": " + what);
  if (e.log.size() > 120) e.log.pop_front();
}

namespace {

void arrived([[maybe_unused]] void* false_stack) {
#ifdef __SANITIZE_ADDRESS__
  Fiber& own = *e.fibers[0];
  const void* bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(false_stack, &bottom, &size);
  if (!own.stack) own.stack = bottom, own.stack_size = size;  // the first switch of all came from there
#endif
}

// What the engine and the language keep for a thread goes with the fiber, but for the engine's caches.
void switch_to(Fiber& to) {
  Fiber& from = *std::exchange(e.current, &to);
  if (&from == &to) return;
  ThreadState& state = thread_state();
  from.state = state;
  ThreadState next = to.state;
  std::ranges::copy(state.pools, next.pools);
  std::ranges::copy(state.slot_destroy, next.slot_destroy);
  next.slots[kSlotHostCache] = state.slots[kSlotHostCache];
  state = next;
  auto* exceptions = reinterpret_cast<unsigned char*>(abi::__cxa_get_globals());
  std::memcpy(from.exceptions, exceptions, kExceptions);
  std::memcpy(exceptions, to.exceptions, kExceptions);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(from.done ? nullptr : &from.false_stack, to.stack, to.stack_size);
#endif
  swapcontext(&from.context, &to.context);
  arrived(from.false_stack);
}

bool can_go_on(const Fiber& f) { return !f.done && (!f.ready || f.until <= e.now || f.ready()); }

int choose(int count, bool has_time) {
  int pick = 0;
  const size_t step = e.choices.size();
  if (step < e.prefix.size()) {
    pick = e.prefix[step];
  } else if (e.random && std::uniform_real_distribution<>()(*e.random) < e.restless) {
    pick = int((*e.random)() % uint64_t(count));
    if (has_time && pick == count - 1) pick = int((*e.random)() % uint64_t(count));  // time is in no hurry
  }
  e.choices.push_back({pick, count, has_time});
  return pick;
}

// Who goes on; at the end of a run the one that explores.
Fiber& next_fiber() {
  while (e.failure.empty()) {
    std::vector<Fiber*> able;
    const size_t n = e.fibers.size() - 1, own = size_t(e.current->number);
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < n; ++i) {
      Fiber& f = *e.fibers[1 + (own + i + n - 1) % n];  // the caller first
      if (can_go_on(f))
        able.push_back(&f);
      else if (!f.done)
        next = std::min(next, f.until);
    }
    const bool has_time = next != INT64_MAX;
    if (able.empty()) {
      if (std::ranges::all_of(e.fibers, [](auto& f) { return f->done || f->number == 0; })) break;
      e.looking_on = true;
      (*e.when_quiet)();
      e.looking_on = false;
      if (!e.failure.empty()) break;
      if (!has_time) {
        e.failure = "all threads wait for each other";
        break;
      }
    }
    const int count = int(able.size()) + has_time;
    const int pick = count > 1 ? choose(count, has_time) : 0;
    if (int64_t(e.choices.size()) > e.options.longest_run) {
      e.failure = "it runs for good";
      break;
    }
    if (pick < int(able.size())) return *able[size_t(pick)];
    e.now = next;
    note("(time has passed)");
  }
  return *e.fibers[0];
}

// Answers when it is the caller's turn again: never to a thread that has ended, so nothing may be left on its stack.
void schedule() { switch_to(next_fiber()); }

void wait_for(std::function<bool()> ready, int64_t until = INT64_MAX) {
  Fiber& f = *e.current;
  f.ready = std::move(ready);
  f.until = until;
  schedule();
  f.ready = nullptr;
  f.until = INT64_MAX;
}

void enter() {
  arrived(nullptr);
  Fiber& f = *e.current;
  f.body();
  f.body = nullptr;
  if (f.held) fail("a thread has ended with a mutex");
  f.done = true;
  note("ends");
  schedule();
}

void run(const std::function<void()>& program) {
  e.fibers.clear();
  e.fibers.push_back(std::make_unique<Fiber>());
  e.current = e.fibers[0].get();
  e.choices.clear();
  e.log.clear();
  e.failure.clear();
  e.now = 1000000000;
  e.live = 0;
  start(program);
  switch_to(*e.fibers[1]);
  if (e.failure.empty() && e.live != 0)
    e.failure = std::to_string(e.live) + " mutexes and conditions are left: a session or request leaks";
}

// The next order of choices within the bound on deviations; false: all have been.
bool next_prefix() {
  std::vector<int> spent{0};
  for (const Choice& c : e.choices) spent.push_back(spent.back() + c.cost(c.pick));
  for (size_t i = e.choices.size(); i-- > 0;) {
    const Choice& c = e.choices[i];
    for (int other = c.pick + 1; other < c.count; ++other)
      if (spent[i] + c.cost(other) <= e.options.deviations) {
        e.prefix.clear();
        for (size_t k = 0; k < i; ++k) e.prefix.push_back(e.choices[k].pick);
        e.prefix.push_back(other);
        return true;
      }
  }
  return false;
}

}  // namespace

Thread start(std::function<void()> body) {
  auto f = std::make_unique<Fiber>();
  const size_t i = e.fibers.size();
  f->number = int(i);
  f->body = std::move(body);
  if (e.stacks.size() < i) e.stacks.push_back(std::make_unique<unsigned char[]>(kStack));
  f->stack = e.stacks[i - 1].get();
  f->stack_size = kStack;
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = e.stacks[i - 1].get();
  f->context.uc_stack.ss_size = kStack;
  f->context.uc_link = nullptr;
  makecontext(&f->context, enter, 0);
  e.fibers.push_back(std::move(f));
  note("starts thread " + std::to_string(i));
  return int(i);
}

int self() { return e.current->number; }
int locks_held() { return e.current->held; }
int threads() { return int(e.fibers.size()) - 1; }
bool has_ended(Thread t) { return e.fibers[size_t(t)]->done; }

void point() {
  if (!e.looking_on) schedule();
}

void sleep_us(int64_t us) {
  note("sleeps");
  wait_for([] { return false; }, e.now + us * 1000);
}

void fail(std::string message) {
  if (e.failure.empty()) e.failure = std::move(message);
  if (!e.looking_on) switch_to(*e.fibers[0]);
}

Report explore(const Options& options, const std::function<void()>& program,
               const std::function<void()>& when_quiet) {
  e.options = options;
  e.when_quiet = &when_quiet;
  Report report;
  auto good = [&] {
    ++report.runs;
    run(program);
    if (e.failure.empty()) return true;
    // Once more in the same order, telling what happens.
    e.prefix.clear();
    for (const Choice& c : e.choices) e.prefix.push_back(c.pick);
    e.keeps_log = true;
    run(program);
    e.keeps_log = false;
    report.failure = "run " + std::to_string(report.runs) + ": " + e.failure + "\n";
    for (const std::string& line : e.log) report.failure += line + "\n";
    return false;
  };
  e.prefix.clear();
  e.random = nullptr;
  do {
    if (!good()) return report;
  } while (report.runs < options.most && next_prefix());
  e.prefix.clear();
  for (int seed = 0; seed < options.random; ++seed) {
    std::mt19937_64 random{uint64_t(seed)};
    e.random = &random;
    e.restless = seed % 3 == 0 ? 0.5 : seed % 3 == 1 ? 0.15 : 0.04;
    if (!good()) return report;
  }
  return report;
}

}  // namespace haft::explore

namespace haft {

using namespace explore;

int64_t now_ns() { return e.now; }

int start_thread(Thread& t, void* (*body)(void*), void* with) {
  t = start([body, with] { body(with); });
  return 0;
}

void join_thread(Thread t) {
  note("joins thread " + std::to_string(t));
  wait_for([&f = *e.fibers[size_t(t)]] { return f.done; });
}

// ---- what core/base/sync.h wants ----

Mutex::Mutex() { ++e.live; }
Mutex::~Mutex() {
  --e.live;
  if (owner_) explore::fail("a mutex is destroyed while it is held");
  owner_ = -1;
}

void Mutex::lock() {
  if (e.looking_on) {
    if (owner_) explore::fail("all threads wait, and one has a mutex");
    return;
  }
  note("locks");
  if (owner_ == self()) explore::fail("a mutex is locked twice");
  wait_for([this] { return owner_ == 0; });
  if (owner_) explore::fail("a mutex is locked that has been destroyed");
  owner_ = self();
  ++e.current->held;
}

void Mutex::unlock() {
  if (e.looking_on) return;
  owner_ = 0;
  --e.current->held;
  explore::point();
}

Condition::Condition() { ++e.live; }
Condition::~Condition() {
  --e.live;
  if (!waiting_.empty()) explore::fail("a condition is destroyed while somebody waits");
}

void Condition::notify_one() {
  if (e.looking_on) return;
  if (!e.current->held) explore::point();
  note("wakes one");
  auto first = std::ranges::find_if(waiting_, [](const bool* woken) { return !*woken; });
  if (first != waiting_.end()) **first = true;
}

void Condition::notify_all() {
  if (e.looking_on) return;
  if (!e.current->held) explore::point();
  note("wakes all");
  for (bool* woken : waiting_) *woken = true;
}

void Condition::wait(Mutex& m, int64_t until) {
  note("waits");
  m.owner_ = 0;
  --e.current->held;
  bool woken = false;
  waiting_.push_back(&woken);
  wait_for([&woken] { return woken; }, until);
  std::erase(waiting_, &woken);
  note("is awake");
  wait_for([&m] { return m.owner_ == 0; });
  m.owner_ = self();
  ++e.current->held;
}

}  // namespace haft
