// Sessions, requests and cancel tokens over core/serve.
#include <haft/session.h>

#include "capi/src/module_handle.h"
#include "core/serve/exposition.h"

using namespace haft;
using namespace haft::capi;

// The metrics without `invalid`.
template <>
constexpr uint32_t haft::capi::kFirstSize<haft_session_metrics> = offsetof(haft_session_metrics, invalid);

namespace {

struct SessionObject final : HandleObject {
  Ref<serve::Session> value;
  const serve::Shown shown{*value};
  explicit SessionObject(Ref<serve::Session> s) : value(std::move(s)) {}
  ~SessionObject() {
    value->close_from_anywhere();
    if (value->is_foreign()) value.leak();  // its locks may be those of threads that stayed in the parent
  }
};

struct RequestObject final : HandleObject {
  Ref<serve::Request> value;
  explicit RequestObject(Ref<serve::Request> r) : value(std::move(r)) {}
  ~RequestObject() {
    if (value->is_foreign()) value.leak();
  }
};

struct TokenObject final : HandleObject {
  Ref<CancelToken> value;
};

// Kept for the time of a call: another thread may release the handle.
Ref<serve::Session> session_of(const haft_session* s) {
  return object_of<SessionObject>(s, HandleType::session, 0, "s").value;
}
Ref<serve::Request> request_of(const haft_request* r) {
  return object_of<RequestObject>(r, HandleType::request, 0, "r").value;
}
Ref<CancelToken> token_of(const haft_cancel_token* t) {
  return object_of<TokenObject>(t, HandleType::cancel_token, 0, "t").value;
}

haft_request* hand_out_request(const Ref<serve::Request>& r) {
  return hand_out_object<haft_request>(HandleType::request, make_ref<RequestObject>(r));
}

// -1: not given.
int64_t to_timeout(int64_t us, int index) {
  if (us == HAFT_NONE) return -1;
  if (us < 0)
    fail_argument(Code::invalid_argument, concat("timeout_us must be 0 or more, or HAFT_NONE, got ", us),
                  index, "timeout_us");
  return us;
}

serve::SessionOptions session_options(const haft_session_options* given) {
  haft_session_options o = options_of(given, haft_session_options HAFT_SESSION_OPTIONS_INIT, 1);
  serve::SessionOptions r;
  r.workers = o.workers;
  r.max_batch = o.max_batch;
  r.max_delay_us = o.max_delay_us;
  r.max_queue = o.max_queue;
  r.memory_limit = o.memory_limit;
  r.timeout_us = o.timeout_us == HAFT_NONE ? serve::kForever : o.timeout_us;
  if (o.name) r.name = o.name;
  return r;
}

// A request's handle for its callback, released when the callback has returned or will never run.
struct Completion {
  haft_request* lent;
  haft_request_done done;
  std::shared_ptr<UserData> data;
  Completion(haft_request* r, haft_request_done d, std::shared_ptr<UserData> u)
      : lent(r), done(d), data(std::move(u)) {}
  ~Completion() { release_handle(lent, HandleType::request); }
  Completion(const Completion&) = delete;
};

}  // namespace

extern "C" {

haft_status haft_session_create(haft_module* module, const haft_session_options* options,
                                haft_session** out) noexcept {
  return boundary("haft_session_create", [&] {
    check_out(out, 2, "out");
    auto session = make_ref<serve::Session>(module_arg(module, 0, "module"), session_options(options));
    *out = hand_out_object<haft_session>(HandleType::session, make_ref<SessionObject>(std::move(session)));
  });
}

haft_status haft_session_retain(haft_session* s) noexcept {
  return boundary("haft_session_retain", [&] {
    session_of(s);
    retain_handle(s, HandleType::session);
  });
}

void haft_session_release(haft_session* s) noexcept {
  CancelGuard guard;
  release_handle(s, HandleType::session);
}

haft_status haft_session_run(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                             int64_t timeout_us, haft_tensor** outs, int64_t capacity,
                             int64_t* count) noexcept {
  return boundary("haft_session_run", [&] {
    CancelGuard guard;
    check_list_out(outs, capacity, count, 4, "outs");
    auto session = session_of(s);
    ListArg in = list_arg(inputs, input_count, 1, "inputs");
    if (!has_room(outs, capacity, count, session->output_count())) return;
    emit_list(outs, capacity, count, session->run(in.vector(), to_timeout(timeout_us, 3)));
  });
}

haft_status haft_session_run_cancellable(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                         int64_t timeout_us, haft_cancel_token* token, haft_tensor** outs,
                                         int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_session_run_cancellable", [&] {
    CancelGuard guard;
    check_list_out(outs, capacity, count, 5, "outs");
    auto session = session_of(s);
    ListArg in = list_arg(inputs, input_count, 1, "inputs");
    Ref<CancelToken> t;
    if (token) t = object_of<TokenObject>(token, HandleType::cancel_token, 4, "token").value;
    if (!has_room(outs, capacity, count, session->output_count())) return;
    emit_list(outs, capacity, count, session->run(in.vector(), to_timeout(timeout_us, 3), t.get()));
  });
}

haft_status haft_session_submit(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                int64_t timeout_us, haft_request_done done, void* user,
                                void (*destroy)(void*), haft_request** out) noexcept {
  return boundary("haft_session_submit", [&] {
    CancelGuard guard;
    if (!done) check_out(out, 7, "out");
    auto session = session_of(s);
    ListArg in = list_arg(inputs, input_count, 1, "inputs");
    timeout_us = to_timeout(timeout_us, 3);
    auto request = session->make_request(in.vector());
    auto data = std::make_shared<UserData>(user, nullptr);
    haft_request* own = nullptr;
    try {
      if (out) own = hand_out_request(request);
      if (done) {
        haft_request* lent = hand_out_request(request);
        std::shared_ptr<Completion> completion;
        try {
          completion = std::make_shared<Completion>(lent, done, data);
        } catch (...) {
          release_handle(lent, HandleType::request);
          throw;
        }
        request->on_done([completion](serve::Request& r) {
          completion->done(completion->lent, haft_status(r.status()), completion->data->user);
        });
      }
      session->submit(*request, timeout_us);
    } catch (...) {
      request->on_done(nullptr);
      release_handle(own, HandleType::request);
      throw;
    }
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
    if (out) *out = own;
  });
}

haft_status haft_request_retain(haft_request* r) noexcept {
  return boundary("haft_request_retain", [&] {
    request_of(r);
    retain_handle(r, HandleType::request);
  });
}

void haft_request_release(haft_request* r) noexcept { release_handle(r, HandleType::request); }

haft_status haft_request_wait(haft_request* r, int64_t timeout_us) noexcept {
  return boundary("haft_request_wait", [&] {
    CancelGuard guard;
    if (!request_of(r)->wait(to_timeout(timeout_us, 1)))
      fail(Code::timeout, concat("the request was not answered within ", timeout_us, " us"),
           "it goes on: wait again, or cancel it");
  });
}

haft_status haft_request_is_done(const haft_request* r, int32_t* out) noexcept {
  return boundary("haft_request_is_done", [&] {
    check_out(out, 1, "out");
    *out = request_of(r)->is_done();
  });
}

haft_status haft_request_result(haft_request* r, haft_tensor** outs, int64_t capacity,
                                int64_t* count) noexcept {
  return boundary("haft_request_result", [&] {
    CancelGuard guard;
    check_list_out(outs, capacity, count, 1, "outs");
    emit_list(outs, capacity, count, request_of(r)->result());
  });
}

haft_status haft_request_cancel(haft_request* r) noexcept {
  return boundary("haft_request_cancel", [&] {
    auto request = request_of(r);
    request->check_process();
    request->cancel();
  });
}

haft_status haft_session_update(haft_session* s, haft_module* module) noexcept {
  return boundary("haft_session_update", [&] {
    CancelGuard guard;
    auto session = session_of(s);
    session->update(module_arg(module, 1, "module"));
  });
}

haft_status haft_session_drain(haft_session* s, int64_t timeout_us) noexcept {
  return boundary("haft_session_drain", [&] {
    CancelGuard guard;
    if (!session_of(s)->drain(to_timeout(timeout_us, 1)))
      fail(Code::timeout, concat("requests were still waiting or running after ", timeout_us, " us"),
           "drain again, or close the session");
  });
}

haft_status haft_session_close(haft_session* s) noexcept {
  return boundary("haft_session_close", [&] {
    CancelGuard guard;
    session_of(s)->close();
  });
}

haft_status haft_session_get_metrics(const haft_session* s, haft_session_metrics* metrics) noexcept {
  return boundary("haft_session_get_metrics", [&] {
    auto session = session_of(s);
    check_out(metrics, 1, "metrics");
    const uint32_t size = metrics->struct_size;
    haft_session_metrics r =
        options_of(metrics, haft_session_metrics HAFT_SESSION_METRICS_INIT, 1, "metrics");
    const serve::Metrics m = session->metrics();
    r.running = int32_t(m.running);
    r.requests = m.counts.requests;
    r.completed = m.counts.completed;
    r.failed = m.counts.failed;
    r.refused = m.counts.refused;
    r.cancelled = m.counts.cancelled;
    r.timed_out = m.counts.timed_out;
    r.batches = m.counts.batches;
    r.mean_batch = m.counts.batches ? double(m.counts.batched_requests) / double(m.counts.batches) : 0;
    r.queue_length = m.queue_length;
    r.queue_peak = m.queue_peak;
    r.bytes_live = m.bytes_live;
    r.bytes_peak = m.bytes_peak;
    r.latency_p50_us = m.latency.p50;
    r.latency_p90_us = m.latency.p90;
    r.latency_p99_us = m.latency.p99;
    r.latency_max_us = m.latency.max;
    r.invalid = m.counts.invalid;
    r.struct_size = size;
    std::memcpy(metrics, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_session_reset_metrics(haft_session* s) noexcept {
  return boundary("haft_session_reset_metrics", [&] { session_of(s)->reset_metrics(); });
}

haft_status haft_cancel_token_create(haft_cancel_token** out) noexcept {
  return boundary("haft_cancel_token_create", [&] {
    check_out(out, 0, "out");
    auto t = make_ref<TokenObject>();
    t->value = make_ref<CancelToken>();
    *out = hand_out_object<haft_cancel_token>(HandleType::cancel_token, std::move(t));
  });
}

haft_status haft_cancel_token_retain(haft_cancel_token* t) noexcept {
  return boundary("haft_cancel_token_retain", [&] {
    token_of(t);
    retain_handle(t, HandleType::cancel_token);
  });
}

void haft_cancel_token_release(haft_cancel_token* t) noexcept { release_handle(t, HandleType::cancel_token); }

haft_status haft_cancel_token_cancel(haft_cancel_token* t) noexcept {
  return boundary("haft_cancel_token_cancel", [&] { token_of(t)->cancel(); });
}

haft_status haft_cancel_token_is_cancelled(const haft_cancel_token* t, int32_t* out) noexcept {
  return boundary("haft_cancel_token_is_cancelled", [&] {
    check_out(out, 1, "out");
    const Ref<CancelToken> token = token_of(t);
    *out = token && token->stopped;  // gcc 12 warns of a load at NULL otherwise
  });
}

haft_status haft_set_cancel_token(haft_cancel_token* t) noexcept {
  return boundary("haft_set_cancel_token", [&] { set_cancel_token(t ? token_of(t) : nullptr); });
}

}  // extern "C"
