// Calls between processes over core/rpc.
#include <memory>

#include "capi/src/rpc_handle.h"
#include "core/dist/rendezvous.h"

namespace haft::capi {

int64_t ns_of(int64_t us, int index) {
  if (us < 0)
    fail_argument(Code::invalid_argument, concat("timeout_us must be 0 or more, or HAFT_NONE, got ", us),
                  index, "timeout_us");
  return us > INT64_MAX / 1000 ? INT64_MAX : us * 1000;
}
dist::Deadline deadline_of(int64_t us, int index) {
  return us == HAFT_NONE ? dist::Deadline::never() : dist::Deadline::in(ns_of(us, index));
}
std::string_view bytes_of(const void* data, int64_t size, int index) {
  if (size < 0 || (size && !data))
    fail_argument(Code::invalid_argument,
                  concat("data", data ? " has the size " : " is NULL with the size ", size), index, "data");
  return {static_cast<const char*>(data), size_t(size)};
}

namespace {

struct RequestObject final : HandleObject {
  Ref<rpc::Request> value;
  explicit RequestObject(Ref<rpc::Request> r) : value(std::move(r)) {}
  ~RequestObject() {
    if (value->agent().is_foreign()) value.leak();
  }
};

Ref<rpc::Request> request_of(const haft_rpc_request* r) {
  return object_of<RequestObject>(r, HandleType::rpc_request, 0, "request").value;
}
Ref<rpc::Future> future_of(const haft_future* f) {
  return object_of<FutureObject>(f, HandleType::future, 0, "f").value;
}

rpc::Payload payload_of(haft_tensor* const* tensors, int64_t count, const void* data, int64_t size,
                        int index) {
  return {list_arg(tensors, count, index, "tensors").vector(), std::string(bytes_of(data, size, index + 2))};
}

void give_bytes(const std::string& bytes, const void** data, int64_t* size) {
  *data = bytes.data();
  *size = int64_t(bytes.size());
}

// What a callback is lent, released when it has returned.
struct Lent {
  void* handle;
  HandleType type;
  Lent(void* h, HandleType t) : handle(h), type(t) {}
  Lent(const Lent&) = delete;
  ~Lent() { release_handle(handle, type); }
};

}  // namespace
}  // namespace haft::capi

using namespace haft;
using namespace haft::capi;

extern "C" {

haft_status haft_rpc_create(haft_store* store, int32_t rank, int32_t size, const haft_rpc_options* options,
                            haft_rpc** out) noexcept {
  return boundary("haft_rpc_create", [&] {
    CancelGuard guard;
    check_out(out, 4, "out");
    haft_rpc_options o = options_of(options, haft_rpc_options HAFT_RPC_OPTIONS_INIT, 3);
    rpc::AgentOptions r;
    r.threads = o.threads;
    r.timeout_ns = ns_of(o.timeout_us, 3);
    r.max_message = o.max_message_bytes;
    if (o.name) r.name = to_text(o.name, 3, "options.name");
    if (o.host) r.host = to_text(o.host, 3, "options.host");
    if (o.job) r.job = to_text(o.job, 3, "options.job");
    r.secret = o.secret ? std::string(to_text(o.secret, 3, "options.secret")) : dist::job_secret();
    auto agent = rpc::Agent::create(store_of(store, 0, "store"), rank, size, std::move(r));
    try {
      *out = hand_out_object<haft_rpc>(HandleType::rpc, make_ref<RpcObject>(agent));
    } catch (...) {
      agent->close();  // its thread holds it
      throw;
    }
  });
}

haft_status haft_rpc_retain(haft_rpc* rpc) noexcept {
  return boundary("haft_rpc_retain", [&] { retain_handle(rpc, HandleType::rpc); });
}
void haft_rpc_release(haft_rpc* rpc) noexcept {
  CancelGuard guard;
  release_handle(rpc, HandleType::rpc);
}

haft_status haft_rpc_start(haft_rpc* rpc, int64_t timeout_us) noexcept {
  return boundary("haft_rpc_start", [&] {
    CancelGuard guard;
    agent_of(rpc)->start(deadline_of(timeout_us, 1));
  });
}
haft_status haft_rpc_shutdown(haft_rpc* rpc, int64_t timeout_us) noexcept {
  return boundary("haft_rpc_shutdown", [&] {
    CancelGuard guard;
    agent_of(rpc)->shut_down(deadline_of(timeout_us, 1));
  });
}
haft_status haft_rpc_abort(haft_rpc* rpc) noexcept {
  return boundary("haft_rpc_abort", [&] {
    CancelGuard guard;
    agent_of(rpc)->close();
  });
}

haft_status haft_rpc_get_rank(const haft_rpc* rpc, const char* name, int32_t* out) noexcept {
  return boundary("haft_rpc_get_rank", [&] {
    check_out(out, 2, "out");
    *out = agent_of(rpc)->rank_of(to_text(name, 1, "name"));
  });
}
haft_status haft_rpc_get_name(const haft_rpc* rpc, int32_t rank, char* buffer, int64_t capacity,
                              int64_t* needed) noexcept {
  return boundary("haft_rpc_get_name", [&] {
    auto agent = agent_of(rpc);
    emit_text(agent->name_of(rank == HAFT_RPC_SELF ? agent->rank() : rank), buffer, capacity, needed);
  });
}
haft_status haft_rpc_get_port(const haft_rpc* rpc, int32_t* out) noexcept {
  return boundary("haft_rpc_get_port", [&] {
    check_out(out, 1, "out");
    *out = agent_of(rpc)->address().port;
  });
}

haft_status haft_rpc_register(haft_rpc* rpc, const char* name, haft_rpc_function function, void* user,
                              void (*destroy)(void*)) noexcept {
  return boundary("haft_rpc_register", [&] {
    CancelGuard guard;
    auto agent = agent_of(rpc);
    const std::string called(to_text(name, 1, "name"));
    if (!function) {
      agent->add_function(called, nullptr);
      if (destroy) destroy(user);
      return;
    }
    auto data = std::make_shared<UserData>(user, nullptr);
    agent->add_function(
        called, std::make_shared<rpc::Agent::Function>([data, function](rpc::Request& r) {
          Lent lent(hand_out_object<haft_rpc_request>(HandleType::rpc_request,
                                                      make_ref<RequestObject>(Ref<rpc::Request>::share(&r))),
                    HandleType::rpc_request);
          haft_status answered = HAFT_OK;
          try {
            call_back("the function", [&] {
              return answered = function(static_cast<haft_rpc_request*>(lent.handle), data->user);
            });
          } catch (Error& e) {
            if (is_failure(answered)) e.code = Code(answered);
            throw;
          }
        }));
    data->destroy = destroy;  // on failure the user's data stays the user's
  });
}

haft_status haft_rpc_request_retain(haft_rpc_request* request) noexcept {
  return boundary("haft_rpc_request_retain", [&] { retain_handle(request, HandleType::rpc_request); });
}
void haft_rpc_request_release(haft_rpc_request* request) noexcept {
  CancelGuard guard;
  release_handle(request, HandleType::rpc_request);
}
haft_status haft_rpc_request_get_caller(const haft_rpc_request* request, int32_t* out) noexcept {
  return boundary("haft_rpc_request_get_caller", [&] {
    check_out(out, 1, "out");
    *out = request_of(request)->caller;
  });
}
haft_status haft_rpc_request_tensors(const haft_rpc_request* request, haft_tensor** outs, int64_t capacity,
                                     int64_t* count) noexcept {
  return boundary("haft_rpc_request_tensors", [&] {
    check_list_out(outs, capacity, count, 1, "outs");
    emit_list(outs, capacity, count, request_of(request)->arguments.tensors);
  });
}
haft_status haft_rpc_request_get_bytes(const haft_rpc_request* request, const void** data,
                                       int64_t* size) noexcept {
  return boundary("haft_rpc_request_get_bytes", [&] {
    check_out(data, 1, "data");
    check_out(size, 2, "size");
    give_bytes(request_of(request)->arguments.bytes, data, size);
  });
}
haft_status haft_rpc_request_reply(haft_rpc_request* request, haft_tensor* const* tensors, int64_t count,
                                   const void* data, int64_t size) noexcept {
  return boundary("haft_rpc_request_reply", [&] {
    CancelGuard guard;
    request_of(request)->reply(payload_of(tensors, count, data, size, 1));
  });
}
haft_status haft_rpc_request_fail(haft_rpc_request* request, haft_status status,
                                  const char* message) noexcept {
  return boundary("haft_rpc_request_fail", [&] {
    CancelGuard guard;
    if (!is_failure(status))
      fail_argument(Code::invalid_argument, concat("status must be one of HAFT_ERROR_*, got ", status), 1,
                    "status");
    request_of(request)->refuse(Error(Code(status), std::string(to_text(message, 2, "message"))));
  });
}

haft_status haft_rpc_call(haft_rpc* rpc, int32_t to, const char* function, haft_tensor* const* tensors,
                          int64_t count, const void* data, int64_t size, int64_t timeout_us,
                          haft_future** out) noexcept {
  return boundary("haft_rpc_call", [&] {
    CancelGuard guard;
    check_out(out, 8, "out");
    auto agent = agent_of(rpc);
    *out = hand_out_future(agent->call(to, std::string(to_text(function, 2, "function")),
                                       payload_of(tensors, count, data, size, 3),
                                       timeout_us == HAFT_NONE ? -1 : ns_of(timeout_us, 7)));
  });
}

haft_status haft_future_retain(haft_future* f) noexcept {
  return boundary("haft_future_retain", [&] { retain_handle(f, HandleType::future); });
}
void haft_future_release(haft_future* f) noexcept {
  CancelGuard guard;
  release_handle(f, HandleType::future);
}
haft_status haft_future_wait(haft_future* f, int64_t timeout_us) noexcept {
  return boundary("haft_future_wait", [&] {
    CancelGuard guard;
    auto future = future_of(f);
    if (!future->wait(deadline_of(timeout_us, 1)))
      fail(Code::timeout, concat("the call was not answered within ", timeout_us, " us"),
           "it goes on: wait again");
    future->value();
  });
}
haft_status haft_future_is_done(haft_future* f, int32_t* out) noexcept {
  return boundary("haft_future_is_done", [&] {
    check_out(out, 1, "out");
    *out = future_of(f)->is_done();
  });
}
haft_status haft_future_tensors(haft_future* f, haft_tensor** outs, int64_t capacity,
                                int64_t* count) noexcept {
  return boundary("haft_future_tensors", [&] {
    check_list_out(outs, capacity, count, 1, "outs");
    emit_list(outs, capacity, count, future_of(f)->value().tensors);
  });
}
haft_status haft_future_get_bytes(haft_future* f, const void** data, int64_t* size) noexcept {
  return boundary("haft_future_get_bytes", [&] {
    check_out(data, 1, "data");
    check_out(size, 2, "size");
    give_bytes(future_of(f)->value().bytes, data, size);
  });
}
haft_status haft_future_on_done(haft_future* f, haft_future_done done, void* user,
                                void (*destroy)(void*)) noexcept {
  return boundary("haft_future_on_done", [&] {
    CancelGuard guard;
    auto future = future_of(f);
    if (!done) fail_argument(Code::invalid_argument, "done is NULL", 1, "done");
    auto data = std::make_shared<UserData>(user, nullptr);
    // Its own handle, released when the callback has returned.
    auto lent = std::make_shared<Lent>(nullptr, HandleType::future);
    lent->handle = hand_out_future(future);
    rpc::Future::Done call = [data, lent, done](rpc::Future& x) {
      done(static_cast<haft_future*>(lent->handle), haft_status(x.status()), data->user);
    };
    data->destroy = destroy;
    try {
      future->on_done(std::move(call));
    } catch (...) {
      data->destroy = nullptr;
      throw;
    }
  });
}

}  // extern "C"
