// Sessions and tokens under failing allocations; those of the session's threads count, too.
#include "oom_cases.h"

namespace oom {
namespace {

struct Served : Session {
  Served() {
    Linear net;
    must(haft_module_train(net, 0));
    haft_session_options o = HAFT_SESSION_OPTIONS_INIT;
    o.workers = 1;
    must(haft_session_create(net, &o, &h));
    Filled x;  // starts the threads
    haft_tensor *ins[] = {x}, *out = nullptr;
    int64_t n = 0;
    must(haft_session_run(h, ins, 1, HAFT_NONE, &out, 1, &n));
    haft_tensor_release(out);
  }
};
struct Submitted : Request {
  Served session;
  Submitted() {
    Filled x;
    haft_tensor* ins[] = {x};
    must(haft_session_submit(session, ins, 1, HAFT_NONE, nullptr, nullptr, nullptr, &h));
    must(haft_request_wait(h, HAFT_NONE));
  }
};

}  // namespace

void add_sessions(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_session_create", [](Attempt& a) {
    Linear net;
    must(haft_module_train(net, 0));
    Session s(a);
    a.run([&] { return haft_session_create(net, nullptr, &s); });
  });
  add("haft_session_run", [](Attempt& a) {
    Served s;
    Filled x;
    haft_tensor* ins[] = {x};
    Tensor out(a);
    int64_t n = 0;
    a.run([&] { return haft_session_run(s, ins, 1, HAFT_NONE, &out, 1, &n); });
    Tensor again;
    must(haft_session_run(s, ins, 1, HAFT_NONE, &again, 1, &n));
  });
  add("haft_session_run_cancellable", [](Attempt& a) {
    Served s;
    Filled x;
    Token token;
    must(haft_cancel_token_create(&token));
    haft_tensor* ins[] = {x};
    Tensor out(a);
    int64_t n = 0;
    a.run([&] { return haft_session_run_cancellable(s, ins, 1, HAFT_NONE, token, &out, 1, &n); });
  });
  add("haft_session_submit", [](Attempt& a) {
    User user;
    {
      Served s;
      Filled x;
      haft_tensor* ins[] = {x};
      Request r(a);
      a.run([&] {
        return haft_session_submit(
            s, ins, 1, HAFT_NONE, [](haft_request*, haft_status, void*) {}, &user, User::destroy, &r);
      });
      if (a.ok()) must(haft_request_wait(r, HAFT_NONE));
      must(haft_session_drain(s, HAFT_NONE));
    }
    user.expect(a, 1);
  });
  add("haft_session_update", [](Attempt& a) {
    Served s;
    Linear net;
    must(haft_module_train(net, 0));
    a.run([&] { return haft_session_update(s, net); });
  });
  add("haft_session_drain", [](Attempt& a) {
    Served s;
    a.run([&] { return haft_session_drain(s, HAFT_NONE); });
  });
  add("haft_session_close", [](Attempt& a) {
    Served s;
    a.run([&] { return haft_session_close(s); });
  });
  add("haft_session_get_metrics", [](Attempt& a) {
    Served s;
    haft_session_metrics m = HAFT_SESSION_METRICS_INIT;
    a.run([&] { return haft_session_get_metrics(s, &m); });
  });
  add("haft_session_reset_metrics", [](Attempt& a) {
    Served s;
    a.run([&] { return haft_session_reset_metrics(s); });
  });
  add("haft_request_wait", [](Attempt& a) {
    Submitted r;
    a.run([&] { return haft_request_wait(r, HAFT_NONE); });
  });
  add("haft_request_is_done", [](Attempt& a) {
    Submitted r;
    int32_t done = 0;
    a.run([&] { return haft_request_is_done(r, &done); });
  });
  add("haft_request_cancel", [](Attempt& a) {
    Submitted r;
    a.run([&] { return haft_request_cancel(r); });
  });
  add("haft_request_result", [](Attempt& a) {
    Submitted r;
    Tensor out(a);
    int64_t n = 0;
    a.run([&] { return haft_request_result(r, &out, 1, &n); });
    Tensor again;
    must(haft_request_result(r, &again, 1, &n));
  });
  add("haft_cancel_token_create", [](Attempt& a) {
    Token t(a);
    a.run([&] { return haft_cancel_token_create(&t); });
  });
  add("haft_cancel_token_cancel", [](Attempt& a) {
    Token t;
    must(haft_cancel_token_create(&t));
    a.run([&] { return haft_cancel_token_cancel(t); });
  });
  add("haft_cancel_token_is_cancelled", [](Attempt& a) {
    Token t;
    must(haft_cancel_token_create(&t));
    int32_t yes = 0;
    a.run([&] { return haft_cancel_token_is_cancelled(t, &yes); });
  });
  add("haft_set_cancel_token", [](Attempt& a) {
    Token t;
    must(haft_cancel_token_create(&t));
    a.run([&] { return haft_set_cancel_token(t); });
    must(haft_set_cancel_token(nullptr));
  });
  add_counting<Token>(
      all, "cancel_token", [](Token& t) { must(haft_cancel_token_create(&t)); }, haft_cancel_token_retain,
      haft_cancel_token_release);
  add_counting<Served>(
      all, "session", [](Served&) {}, haft_session_retain, haft_session_release);
  add_counting<Submitted>(
      all, "request", [](Submitted&) {}, haft_request_retain, haft_request_release);
}

}  // namespace oom
