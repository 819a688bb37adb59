// Calls between processes in C++17 over haft/rpc.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_RPC_HPP
#define HAFT_RPC_HPP
#include <haft/store.hpp>

namespace haft {

namespace detail {
// What a function of (outs, capacity, count) lists.
template <class F>
std::vector<Tensor> listed(F f) {
  std::int64_t count = 0;
  check(f(nullptr, 0, &count));
  std::vector<haft_tensor*> outs(static_cast<std::size_t>(count));
  check(f(outs.data(), count, &count));
  return adopt(outs.data(), count);
}
}  // namespace detail

/// The answer of a call that is under way. Copies share it; releasing it does not stop it.
class Future : public detail::Handle<haft_future, haft_future_retain, haft_future_release> {
 public:
  using Handle::Handle;
  /// Throws what the call failed with; false when it is not answered within the time. HAFT_NONE: as long as the call
  /// may take.
  bool wait(std::int64_t timeout_us = HAFT_NONE) const {
    haft_status s = haft_future_wait(get(), timeout_us);
    if (s == HAFT_ERROR_TIMEOUT) {
      if (!is_done()) return false;
      s = haft_future_wait(get(), HAFT_NONE);  // it may have been done just now
    }
    check(s);
    return true;
  }
  bool is_done() const {
    std::int32_t done = 0;
    check(haft_future_is_done(get(), &done));
    return done != 0;
  }
  /// Of the answer, for which it waits.
  std::vector<Tensor> tensors() const {
    wait();
    return detail::listed([this](haft_tensor** outs, std::int64_t capacity, std::int64_t* count) {
      return haft_future_tensors(get(), outs, capacity, count);
    });
  }
  std::string bytes() const {
    wait();
    const void* data = nullptr;
    std::int64_t size = 0;
    check(haft_future_get_bytes(get(), &data, &size));
    return std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
  }
#ifndef SWIG /* the bindings have their own form of callbacks */
  /// done(future, status) is called when the answer is there, on a thread of the agent; what it throws is dropped.
  void on_done(std::function<void(const Future&, haft_status)> done) const {
    using Fn = std::function<void(const Future&, haft_status)>;
    auto own = std::make_unique<Fn>(std::move(done));
    check(haft_future_on_done(
        get(),
        [](haft_future* lent, haft_status status, void* user) {
          try {
            check(haft_future_retain(lent));
            (*static_cast<Fn*>(user))(Future(lent), status);
          } catch (...) {
          }
        },
        own.get(), detail::destroy<Fn>));
    own.release();
  }
#endif
};

/// A call of another process to a function of this one. Whoever keeps a copy answers when he likes; with the last
/// copy goes an answer of nothing, unless there was one.
class RpcRequest : public detail::Handle<haft_rpc_request, haft_rpc_request_retain, haft_rpc_request_release> {
 public:
  using Handle::Handle;
  int caller() const {
    std::int32_t r = -1;
    check(haft_rpc_request_get_caller(get(), &r));
    return r;
  }
  std::vector<Tensor> tensors() const {
    return detail::listed([this](haft_tensor** outs, std::int64_t capacity, std::int64_t* count) {
      return haft_rpc_request_tensors(get(), outs, capacity, count);
    });
  }
  std::string bytes() const {
    const void* data = nullptr;
    std::int64_t size = 0;
    check(haft_rpc_request_get_bytes(get(), &data, &size));
    return std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  void reply(const std::vector<Tensor>& tensors, const std::string& bytes = std::string()) const {
    const std::vector<haft_tensor*> list = detail::handles(tensors);
    check(haft_rpc_request_reply(get(), list.data(), static_cast<std::int64_t>(list.size()), bytes.data(),
                                 static_cast<std::int64_t>(bytes.size())));
  }
  /// Answers with a failure, HAFT_ERROR_*.
  void fail(haft_status status, const std::string& message) const {
    check(haft_rpc_request_fail(get(), status, message.c_str()));
  }
};

/// What haft_rpc_options holds, with its defaults; set fields by name.
struct RpcOptions : haft_rpc_options {
  RpcOptions() : haft_rpc_options(HAFT_RPC_OPTIONS_INIT) {}
};

/// This process' agent: docs/asynchronous-training.md.
class Rpc : public detail::Handle<haft_rpc, haft_rpc_retain, haft_rpc_release> {
 public:
  using Handle::Handle;
  /// Register functions, then start. An empty name: the options' own.
  Rpc(const Store& store, int rank, int size, RpcOptions options = RpcOptions(),
      const std::string& name = std::string()) {
    if (!name.empty()) options.name = name.c_str();
    haft_rpc* r = nullptr;
    check(haft_rpc_create(store.get(), rank, size, &options, &r));
    *this = Rpc(r);
  }
  /// Waits until all processes have come.
  void start(std::int64_t timeout_us = 300000000) const { check(haft_rpc_start(get(), timeout_us)); }
  /// Waits until nobody calls anybody any more, and ends the agent; all processes call it.
  void shutdown(std::int64_t timeout_us = 300000000) const { check(haft_rpc_shutdown(get(), timeout_us)); }
  /// Ends the agent at once.
  void kill() const { check(haft_rpc_abort(get())); }
  int rank_of(const std::string& name) const {
    std::int32_t r = -1;
    check(haft_rpc_get_rank(get(), name.c_str(), &r));
    return r;
  }
  /// HAFT_RPC_SELF: this process' own.
  std::string name_of(int rank = HAFT_RPC_SELF) const {
    return detail::text_of([this, rank](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return haft_rpc_get_name(get(), rank, buffer, capacity, needed);
    });
  }
  int port() const {
    std::int32_t r = 0;
    check(haft_rpc_get_port(get(), &r));
    return r;
  }
#ifndef SWIG /* the bindings have their own form of callbacks */
  /// What f throws is its caller's failure.
  void add_function(const std::string& name, std::function<void(const RpcRequest&)> f) const {
    using Fn = std::function<void(const RpcRequest&)>;
    auto own = std::make_unique<Fn>(std::move(f));
    check(haft_rpc_register(
        get(), name.c_str(),
        [](haft_rpc_request* lent, void* user) -> haft_status {
          return detail::guarded([&] {
            check(haft_rpc_request_retain(lent));
            (*static_cast<Fn*>(user))(RpcRequest(lent));
          });
        },
        own.get(), detail::destroy<Fn>));
    own.release();
  }
#endif
  void remove_function(const std::string& name) const {
    check(haft_rpc_register(get(), name.c_str(), nullptr, nullptr, nullptr));
  }
  /// Begins a call of a function of another process, or of this one. HAFT_NONE: the time that the options name.
  Future call(int to, const std::string& function, const std::vector<Tensor>& tensors = {},
              const std::string& bytes = std::string(), std::int64_t timeout_us = HAFT_NONE) const {
    const std::vector<haft_tensor*> list = detail::handles(tensors);
    haft_future* f = nullptr;
    check(haft_rpc_call(get(), to, function.c_str(), list.data(), static_cast<std::int64_t>(list.size()), bytes.data(),
                        static_cast<std::int64_t>(bytes.size()), timeout_us, &f));
    return Future(f);
  }
};

}  // namespace haft
#endif
