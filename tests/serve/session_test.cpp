// Sessions under every order of their threads, within bounds: nobody waits for good, every request is answered once and
// its callback called once, what is due runs when somebody is there to run it, no foreign code under a lock, no leak.
#include "core/serve/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/init.h"
#include "core/ops/functions.h"
#include "tests/serve/explore.h"

namespace haft::serve {
namespace {

using explore::locks_held;
using explore::self;

struct Asked {
  int64_t timeout_us;
  const Request* submitted = nullptr;  // until its callback
  int64_t seen = 0;                    // when it surely waited
  bool entered = false;                // the module
  bool answered = false;
  int answers = 0;
};

// What one run of a program sees: a session over a module that answers what it is given, and who asked what.
struct World {
  SessionOptions options;
  int64_t module_us = 0;  // how long the module takes
  int throws_for = -1;    // the module fails when this request is among the rows
  Ref<Session> session;
  std::deque<Asked> asked;
  int64_t counted = 0, inputs = 0,
          callbacks = 0;                   // requests that the session counts; inputs and callbacks alive
  int trying = 0;                          // the thread that tries a new module out in update()
  int in_module = 0, deepest = 0;          // threads in the module; callbacks within callbacks
  std::map<const nn::Module*, int> runs;   // threads in each module
  const nn::Module* first = nullptr;       // the session's before update()
  std::set<int> users{1};                  // threads of the program; the others are the session's
  std::map<int, std::vector<int>> inside;  // of a thread: what it is in, a request's run() or foreign code
};
constexpr int kModule = -1, kCallback = -2;
World* world;  // of the current run

struct Inside {
  World& w;
  Inside(World& in, int what) : w(in) { w.inside[self()].push_back(what); }
  ~Inside() { w.inside[self()].pop_back(); }
};

// Foreign code: the engine must hold no lock.
void expect_no_lock(const char* who) {
  if (locks_held()) explore::fail(std::string(who) + " under a lock");
}

struct Echo final : nn::Module {
  World& w;
  explicit Echo(World& world) : Module("Echo"), w(world) {}
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    expect_no_lock("the module runs");
    explore::point();
    if (w.trying == self()) return {ops::contiguous_copy(xs[0])};
    Inside here(w, kModule);
    if (w.in_module >= w.options.workers) explore::fail("more batches run than there are workers");
    struct Counted {
      int& n;
      explicit Counted(int& in) : n(++in) {}
      ~Counted() { --n; }
    } counted(w.in_module), mine(w.runs[this]);
    bool fails = false;
    for (int64_t i = 0; i < xs[0].size(0); ++i) {
      const int number = int(xs[0].data<double>()[i]);
      explore::note("runs request " + std::to_string(number));
      w.asked[size_t(number)].entered = true;
      fails |= number == w.throws_for;
    }
    explore::point();
    if (w.module_us) explore::sleep_us(w.module_us);
    if (fails) haft::fail(Code::internal, "as the test wants it");
    return {ops::contiguous_copy(xs[0])};  // unless its time has passed, or nobody waits any more
  }
};

Tensor input(World& w, int number) {
  struct Lent {
    World& w;
    double value;
  };
  auto* lent = new Lent{w, double(number)};
  ++w.inputs;
  auto give_back = [](Storage& s) {
    auto* l = static_cast<Lent*>(s.owner);
    expect_no_lock("an input is let go of");
    explore::point();
    --l->w.inputs;
    delete l;
  };
  return tensor_over(wrap_storage(Device{}, &lent->value, 8, give_back, lent), Shape{1, 1}, Shape{1, 1},
                     DType::f64);
}

int ask(World& w, int64_t timeout_us) {
  w.asked.push_back({timeout_us < 0 ? int64_t(1) << 40 : timeout_us});
  explore::note("asks " + std::to_string(w.asked.size() - 1));
  return int(w.asked.size()) - 1;
}

void answered(World& w, int number, Code code, const std::vector<Tensor>& outputs) {
  Asked& a = w.asked[size_t(number)];
  a.answered = true;
  a.submitted = nullptr;
  explore::note("request " + std::to_string(number) + " is answered: " + std::to_string(int(code)));
  if (++a.answers > 1) explore::fail("a request is answered twice");
  if (code == Code::ok && (outputs.size() != 1 || outputs[0].data<double>()[0] != number))
    explore::fail("a request gets another's answer");
}

Code run(World& w, int64_t timeout_us = -1) {
  const int number = ask(w, timeout_us);
  std::vector<Tensor> in{input(w, number)}, out;
  Code code = Code::ok;
  ++w.counted;
  try {
    Inside here(w, number);
    out = w.session->run(std::move(in), timeout_us);
  } catch (const Error& error) {
    code = error.code;
  }
  if (locks_held()) explore::fail("run() comes back with a lock");
  answered(w, number, code, out);
  return code;
}

struct Capture {  // counts the callbacks alive
  World& w;
  explicit Capture(World& world) : w(world) { ++w.callbacks; }
  Capture(const Capture& c) : w(c.w) { ++w.callbacks; }
  ~Capture() { --w.callbacks; }
};

// nullptr: refused.
Ref<Request> submit(World& w, int64_t timeout_us = -1, std::function<void(Request&)> then = {}) {
  const int number = ask(w, timeout_us);
  Ref<Request> r = w.session->make_request({input(w, number)});
  r->on_done([&w, number, then = std::move(then), c = Capture(w)](Request& done) {
    expect_no_lock("a callback is called");
    Inside here(w, kCallback);
    w.deepest = std::max(w.deepest, int(std::ranges::count(w.inside[self()], kCallback)));
    const Code code = done.status();
    answered(w, number, code, code == Code::ok ? done.result() : std::vector<Tensor>{});
    explore::point();
    if (then) then(done);
  });
  ++w.counted;
  w.asked[size_t(number)].submitted = r.get();
  try {
    w.session->submit(*r, timeout_us);
    return r;
  } catch (const Error& error) {
    r->on_done(nullptr);
    answered(w, number, error.code, {});
    return {};
  }
}

// Nothing moves but time.
void look_on() {
  World& w = *world;
  if (!w.session) return;
  int idle = explore::threads() - int(w.users.size());  // threads of the session
  bool helps = false;                                   // somebody waits in run() for a request in the queue
  for (const auto& [thread, in] : w.inside)
    if (!in.empty()) {
      idle -= !w.users.contains(thread);
      helps |= in.back() >= 0 && !w.asked[size_t(in.back())].entered;
    }
  bool due = false;
  for (int number = 0; number < int(w.asked.size()); ++number) {
    Asked& a = w.asked[size_t(number)];
    if (a.answered || (a.submitted && a.submitted->is_done()))
      continue;  // a callback may wait for another to return
    if (!a.seen) a.seen = now_ns();
    const int64_t waited_us = (now_ns() - a.seen) / 1000;
    bool computes = false, is_in_run = false;  // its thread; in run() it looks at the time itself
    for (const auto& [thread, in] : w.inside)
      if (std::ranges::find(in, number) != in.end()) (in.back() == number ? is_in_run : computes) = true;
    if (waited_us >= a.timeout_us && !computes && (idle > 0 || is_in_run))
      explore::fail("a request's time has passed, and nobody tells");
    due |= !a.entered && (w.options.max_batch == 1 || waited_us >= w.options.max_delay_us);
  }
  if (due && (idle > 0 || helps) && w.in_module < w.options.workers)
    explore::fail("work is due and somebody there to do it, and all sleep");
}

void close(World& w) {
  w.session->close();
  const Metrics m = w.session->metrics();
  const Counts& c = m.counts;
  if (c.requests != w.counted ||
      c.requests != c.completed + c.failed + c.refused + c.cancelled + c.timed_out + c.invalid)
    explore::fail("the counters do not balance");
  if (m.queue_length || m.running) explore::fail("a closed session is not empty");
  for (const Asked& a : w.asked)
    if (!a.answered) explore::fail("a closed session leaves a request without an answer");
  w.session = {};
  for (int t = 2; t <= explore::threads(); ++t) join_thread(t);
  if (w.callbacks) explore::fail("a callback is kept");
  if (w.inputs) explore::fail("an input is kept");
}

struct Program {
  SessionOptions options;
  int64_t module_us = 0;
  explore::Options order = {};

  Program(int64_t max_batch, int64_t delay_us, int workers = 1) {
    options.max_batch = max_batch;
    options.max_delay_us = delay_us;
    options.workers = workers;
  }

  void try_all(const std::function<void(World&)>& body) const {
    const auto report = explore::explore(
        order,
        [&] {
          World w{options, module_us};
          world = &w;
          auto echo = make_ref<Echo>(w);
          w.first = echo.get();
          w.session = make_ref<Session>(std::move(echo), options);
          body(w);
          close(w);
        },
        look_on);
    if (!report.failure.empty()) ADD_FAILURE() << report.failure;
    if (getenv("HAFT_TEST_VERBOSE")) printf("%ld runs\n", long(report.runs));
  }
};

// All at once, each on a thread of its own.
void together(World& w, std::vector<std::function<void()>> bodies) {
  std::vector<Thread> threads;
  for (auto& b : bodies) {
    threads.push_back(explore::start(std::move(b)));
    w.users.insert(threads.back());
  }
  for (Thread t : threads) join_thread(t);
}

struct SessionOrders : ::testing::Test {
  static void SetUpTestSuite() { init(); }
#ifdef __SANITIZE_THREAD__
  void SetUp() override {
    GTEST_SKIP() << "fibers of one thread: no race to see, and the sanitizer knows no fibers";
  }
#endif
};

TEST_F(SessionOrders, RunAndSubmit) {
  for (int64_t delay : {0, 1000})
    Program(delay ? 4 : 1, delay).try_all([](World& w) {
      together(w, {[&] { run(w); }, [&] { run(w); }, [&] { submit(w); }});
    });
}

TEST_F(SessionOrders, AllWorkersBusy) {
  for (int workers : {1, 2}) {
    Program p(1, 0, workers);
    p.module_us = 100;
    p.try_all([](World& w) {
      together(w, {[&] { run(w); }, [&] { run(w); }, [&] { run(w); },
                   [&] {
                     submit(w);
                     submit(w);
                   }});
    });
  }
}

// The first waits for company until its time; so do those behind it.
TEST_F(SessionOrders, DelayedBatches) {
  for (int workers : {1, 2}) {
    Program p(2, 1000, workers);
    p.module_us = 300;
    p.try_all([](World& w) {
      together(w, {[&] { run(w); },
                   [&] {
                     explore::sleep_us(500);
                     run(w);
                   },
                   [&] {
                     submit(w);
                     explore::sleep_us(1200);
                     submit(w);
                   }});
    });
  }
}

// A callback that waits in run() holds a thread of the session.
TEST_F(SessionOrders, CallbackRuns) {
  for (int64_t delay : {0, 1000})
    for (int64_t max_batch : {1, 4})
      Program(max_batch, delay).try_all([](World& w) {
        together(w, {[&] { submit(w, -1, [&](Request&) { run(w); }); }, [&] { run(w); }});
      });
}

TEST_F(SessionOrders, CallbacksThatRunInARow) {
  Program p(2, 1000);
  p.try_all([](World& w) {
    auto runs = [&](Request&) { run(w); };
    together(w, {[&] {
                   submit(w, -1, runs);
                   submit(w, -1, runs);
                 },
                 [&] { submit(w, -1, runs); }});
    if (w.deepest > 1) explore::fail("callbacks pile up on the stack");
  });
}

TEST_F(SessionOrders, CallbackSubmits) {
  for (int64_t delay : {0, 1000})
    Program(2, delay).try_all([](World& w) {
      together(w, {[&] { submit(w, -1, [&](Request&) { submit(w, -1, [&](Request&) { submit(w); }); }); },
                   [&] { run(w); }});
    });
}

// A slow callback keeps neither others out nor the time from being kept, be it of an answer or of a timeout.
TEST_F(SessionOrders, SlowCallback) {
  for (int64_t delay : {0, 1000}) {
    Program p(delay ? 2 : 1, delay, 2);
    p.module_us = 2000;
    p.try_all([](World& w) {
      auto slow = [&](Request&) { explore::sleep_us(50000); };
      together(w, {[&] {
                     submit(w, -1, slow);
                     run(w);
                   },
                   [&] {
                     submit(w, 500, slow);
                     submit(w, 3000);
                     submit(w);
                   }});
    });
  }
}

// A request without a callback, answered or refused.
void submit_and_wait(World& w, int64_t timeout_us) {
  const int number = ask(w, timeout_us);
  Ref<Request> r = w.session->make_request({input(w, number)});
  ++w.counted;
  try {
    w.session->submit(*r, timeout_us);
    const Code code = r->status();
    answered(w, number, code, code == Code::ok ? r->result() : std::vector<Tensor>{});
  } catch (const Error& error) {
    answered(w, number, error.code, {});
  }
}

// Who finds a batch due and a callback to call at the same time does not keep the batch to himself.
TEST_F(SessionOrders, TimeoutBesideADueBatch) {
  Program p(2, 1000);
  p.try_all([](World& w) {
    auto slow = [&](Request&) { explore::sleep_us(50000); };
    together(w, {[&] {
               submit(w, -1, slow);
               submit(w, -1, slow);
               submit(w, 1000, slow);
               run(w);
             }});
  });
}

TEST_F(SessionOrders, Timeouts) {
  for (int64_t delay : {0, 1000}) {
    Program p(delay ? 2 : 1, delay);
    p.module_us = 1000;
    p.try_all([](World& w) {
      together(w, {[&] { run(w, 700); }, [&] { submit(w, 500, [&](Request&) { run(w, 800); }); },
                   [&] {
                     submit(w, 1500);
                     run(w, 2500);
                   }});
    });
  }
}

// A batch that takes long keeps nobody from being told.
TEST_F(SessionOrders, TimeoutsBehindALongBatch) {
  Program p(1, 0);
  p.module_us = 100000;
  p.options.timeout_us = 30000;
  p.try_all([](World& w) {
    together(w, {[&] {
               submit(w, kForever);
               run(w);
               run(w, 1000);
               submit_and_wait(w, 1000);
               if (auto r = submit(w, 20000)) r->status();
             }});
  });
}

TEST_F(SessionOrders, Cancel) {
  for (int64_t delay : {0, 1000}) {
    Program p(delay ? 2 : 1, delay);
    p.module_us = 100;
    p.try_all([](World& w) {
      together(w, {[&] {
                     Ref<Request> r = submit(w);
                     explore::point();
                     r->cancel();
                   },
                   [&] {
                     Ref<Request> r = submit(w, -1, [&](Request&) { run(w); });
                     r->cancel();
                   },
                   [&] { run(w); }});
    });
  }
}

// The token's lock is taken before the session's, and nothing foreign under either.
TEST_F(SessionOrders, CancelledByToken) {
  Program p(1, 0);
  p.module_us = 100;
  p.try_all([](World& w) {
    auto token = make_ref<CancelToken>();
    together(w, {[&] {
                   set_cancel_token(token);
                   run(w);
                   set_cancel_token({});
                 },
                 [&] { token->cancel(); }, [&] { run(w); }});
  });
}

TEST_F(SessionOrders, WaitForRequests) {
  Program p(2, 1000);
  p.module_us = 300;
  p.try_all([](World& w) {
    together(w, {[&] {
                   Ref<Request> a = submit(w), b = submit(w, -1, [&](Request&) { run(w); });
                   if (!a->wait(500)) a->cancel();
                   b->status();
                 },
                 [&] {
                   submit_and_wait(w, 700);
                   submit_and_wait(w, -1);
                 },
                 [&] { run(w); }});
  });
}

TEST_F(SessionOrders, QueueFull) {
  Program p(1, 0);
  p.options.max_queue = 1;
  p.module_us = 100;
  p.try_all([](World& w) {
    together(w, {[&] { run(w); }, [&] { run(w); },
                 [&] {
                   submit(w);
                   submit(w, -1, [&](Request&) { run(w); });
                 }});
  });
}

TEST_F(SessionOrders, BatchFails) {
  Program p(4, 1000);
  p.try_all([](World& w) {
    w.throws_for = 1;
    together(w, {[&] { run(w); },
                 [&] {
                   submit(w);
                   submit(w, -1, [&](Request&) { run(w); });
                 }});
  });
}

// Whoever closes it, be it beside another, finds the session's threads ended afterwards.
void close_beside_others(World& w) {
  w.session->close();
  for (int t = 1; t <= explore::threads(); ++t)
    if (!w.users.contains(t) && !explore::has_ended(t))
      explore::fail("close() has come back, and a thread of the session has not ended");
}

TEST_F(SessionOrders, Close) {
  for (int64_t delay : {0, 1000}) {
    Program p(delay ? 2 : 1, delay);
    p.module_us = 100;
    p.try_all([](World& w) {
      together(w, {[&] { run(w); },
                   [&] {
                     submit(w, -1, [&](Request&) { run(w); });
                     submit(w);
                   },
                   [&] { close_beside_others(w); }, [&] { close_beside_others(w); }});
    });
  }
}

TEST_F(SessionOrders, ReleasedByACallback) {
  Program p(2, 1000);
  p.module_us = 100;
  p.try_all([](World& w) {
    together(w, {[&] { run(w); },
                 [&] {
                   submit(w, -1, [&](Request&) { w.session->close_from_anywhere(); });
                   submit(w);
                 }});
  });
}

TEST_F(SessionOrders, Drain) {
  Program p(2, 1000);
  p.module_us = 300;
  p.try_all([](World& w) {
    together(w, {[&] { run(w); },
                 [&] {
                   submit(w, -1, [&](Request&) { run(w); });
                   submit(w, 400);
                 },
                 [&] {
                   w.session->drain(200);
                   w.session->drain(-1);
                 }});
  });
}

void update(World& w) {
  w.trying = self();
  try {
    w.session->update(make_ref<Echo>(w));
  } catch (const Error& error) {
    if (error.code != Code::cancelled) throw;  // a callback may come after close()
  }
  w.trying = 0;
}

TEST_F(SessionOrders, Update) {
  for (int workers : {1, 2}) {
    Program p(2, 1000, workers);
    p.module_us = 100;
    p.try_all([](World& w) {
      together(w, {[&] { run(w); }, [&] { submit(w, -1, [&](Request&) { run(w); }); },
                   [&] {
                     update(w);
                     if (w.runs[w.first]) explore::fail("update() comes back while the module before runs");
                   }});
    });
  }
}

// It waits for no batch there: the one around it may run the module before.
TEST_F(SessionOrders, UpdatedByACallback) {
  Program p(2, 1000, 2);
  p.module_us = 100;
  p.try_all([](World& w) {
    together(w, {[&] { run(w); }, [&] { submit(w, -1, [&](Request&) { update(w); }); }});
  });
}

}  // namespace
}  // namespace haft::serve
