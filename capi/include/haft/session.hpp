// Inference sessions and cancel tokens in C++17 over haft/session.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_SESSION_HPP
#define HAFT_SESSION_HPP

namespace haft {

/// What haft_session_options holds, with its defaults; set fields by name.
struct SessionOptions : haft_session_options {
  SessionOptions() : haft_session_options(HAFT_SESSION_OPTIONS_INIT) {}
};

/// A request that a session has. Copies share it; releasing it does not cancel it.
class Request : public detail::Handle<haft_request, haft_request_retain, haft_request_release> {
 public:
  using Handle::Handle;
  /// False when it is not answered within the time; HAFT_NONE: no limit, 0: only look.
  bool wait(std::int64_t timeout_us = HAFT_NONE) const {
    const haft_status s = haft_request_wait(get(), timeout_us);
    if (s == HAFT_ERROR_TIMEOUT) return false;
    check(s);
    return true;
  }
  bool is_done() const {
    std::int32_t done = 0;
    check(haft_request_is_done(get(), &done));
    return done != 0;
  }
  /// Waits; throws what the request failed with.
  std::vector<Tensor> result() const {
    haft_tensor* outs[HAFT_MAX_MODULE_OUTPUTS];
    std::int64_t count = 0;
    check(haft_request_result(get(), outs, HAFT_MAX_MODULE_OUTPUTS, &count));
    return detail::adopt(outs, count);
  }
  void cancel() const { check(haft_request_cancel(get())); }
};

/// Cancels what threads compute that are inside a CancelScope of it.
class CancelToken : public detail::Handle<haft_cancel_token, haft_cancel_token_retain, haft_cancel_token_release> {
 public:
  using Handle::Handle;
  CancelToken() {
    haft_cancel_token* t = nullptr;
    check(haft_cancel_token_create(&t));
    *this = CancelToken(t);
  }
  void cancel() const { check(haft_cancel_token_cancel(get())); }
  bool is_cancelled() const {
    std::int32_t yes = 0;
    check(haft_cancel_token_is_cancelled(get(), &yes));
    return yes != 0;
  }
};

/// One frozen module run for many threads; docs/session.md.
class Session : public detail::Handle<haft_session, haft_session_retain, haft_session_release> {
 public:
  using Handle::Handle;
  /// The name is its label in metrics_text(); empty: the options' own.
  explicit Session(const nn::Module& module, SessionOptions options = SessionOptions(),
                   const std::string& name = std::string()) {
    if (!name.empty()) options.name = name.c_str();
    haft_session* s = nullptr;
    check(haft_session_create(module.get(), &options, &s));
    *this = Session(s);
  }

  std::vector<Tensor> run(const std::vector<Tensor>& inputs, std::int64_t timeout_us = HAFT_NONE) const {
    const std::vector<haft_tensor*> in = detail::handles(inputs);
    haft_tensor* outs[HAFT_MAX_MODULE_OUTPUTS];
    std::int64_t count = 0;
    check(haft_session_run(get(), in.data(), static_cast<std::int64_t>(in.size()), timeout_us, outs,
                           HAFT_MAX_MODULE_OUTPUTS, &count));
    return detail::adopt(outs, count);
  }
  /// As run(); the token cancels this request, beside the thread's own.
  std::vector<Tensor> run_cancellable(const std::vector<Tensor>& inputs, const CancelToken& token,
                                      std::int64_t timeout_us = HAFT_NONE) const {
    const std::vector<haft_tensor*> in = detail::handles(inputs);
    haft_tensor* outs[HAFT_MAX_MODULE_OUTPUTS];
    std::int64_t count = 0;
    check(haft_session_run_cancellable(get(), in.data(), static_cast<std::int64_t>(in.size()), timeout_us, token.get(),
                                       outs, HAFT_MAX_MODULE_OUTPUTS, &count));
    return detail::adopt(outs, count);
  }
  Tensor run_cancellable(const Tensor& x, const CancelToken& token, std::int64_t timeout_us = HAFT_NONE) const {
    haft_tensor *in = x.get(), *y = nullptr;
    std::int64_t count = 0;
    check(haft_session_run_cancellable(get(), &in, 1, timeout_us, token.get(), &y, 1, &count));
    return Tensor(y);
  }
  /// One input, one output.
  Tensor operator()(const Tensor& x, std::int64_t timeout_us = HAFT_NONE) const {
    haft_tensor *in = x.get(), *y = nullptr;
    std::int64_t count = 0;
    check(haft_session_run(get(), &in, 1, timeout_us, &y, 1, &count));
    return Tensor(y);
  }
  Request submit(const std::vector<Tensor>& inputs, std::int64_t timeout_us = HAFT_NONE) const {
    const std::vector<haft_tensor*> in = detail::handles(inputs);
    haft_request* r = nullptr;
    check(haft_session_submit(get(), in.data(), static_cast<std::int64_t>(in.size()), timeout_us, nullptr, nullptr,
                              nullptr, &r));
    return Request(r);
  }
#ifndef SWIG /* the bindings have their own form of callbacks */
  /// done(request, status) is called when it is answered, on the thread that answers; what it throws is dropped.
  Request submit(const std::vector<Tensor>& inputs, std::function<void(const Request&, haft_status)> done,
                 std::int64_t timeout_us = HAFT_NONE) const {
    using Fn = std::function<void(const Request&, haft_status)>;
    const std::vector<haft_tensor*> in = detail::handles(inputs);
    auto own = std::make_unique<Fn>(std::move(done));
    haft_request* r = nullptr;
    check(haft_session_submit(
        get(), in.data(), static_cast<std::int64_t>(in.size()), timeout_us,
        [](haft_request* lent, haft_status status, void* user) {
          try {
            check(haft_request_retain(lent));
            (*static_cast<Fn*>(user))(Request(lent), status);
          } catch (...) {
          }
        },
        own.get(), detail::destroy<Fn>, &r));
    own.release();
    return Request(r);
  }
#endif

  /// Batches that start from now on run this module.
  void update(const nn::Module& module) const { check(haft_session_update(get(), module.get())); }
  /// Takes no more; false when requests were left after the time.
  bool drain(std::int64_t timeout_us = HAFT_NONE) const {
    const haft_status s = haft_session_drain(get(), timeout_us);
    if (s == HAFT_ERROR_TIMEOUT) return false;
    check(s);
    return true;
  }
  void close() const { check(haft_session_close(get())); }
  haft_session_metrics metrics() const {
    haft_session_metrics m = HAFT_SESSION_METRICS_INIT;
    check(haft_session_get_metrics(get(), &m));
    return m;
  }
  void reset_metrics() const { check(haft_session_reset_metrics(get())); }
};

/// This thread's operators obey the token while it lives; afterwards none. Scopes do not nest.
class CancelScope {
 public:
  explicit CancelScope(const CancelToken& token) { check(haft_set_cancel_token(token.get())); }
  ~CancelScope() { haft_set_cancel_token(nullptr); }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
};

}  // namespace haft
#endif
