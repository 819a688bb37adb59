// Calls between processes, parameter servers and shared tensors as Java's and C#'s classes call them: values as
// bytes, options and structs as plain values.
#ifndef HAFT_BINDINGS_ASYNCHRONOUS_HPP
#define HAFT_BINDINGS_ASYNCHRONOUS_HPP
#include "bindings/distributed.hpp"

namespace haft {
namespace bindings {

// One class, so that the languages keep them to themselves.
struct AsynchronousCalls {
  static Rpc make_rpc(const Store& store, int rank, int size, int threads, std::int64_t timeout_us,
                      std::int64_t max_message_bytes, const std::string& name, const std::string& host,
                      bool own_secret, const std::string& secret, const std::string& job) {
    RpcOptions o;
    o.threads = threads;
    o.timeout_us = timeout_us;
    o.max_message_bytes = max_message_bytes;
    if (!host.empty()) o.host = host.c_str();
    if (own_secret) o.secret = secret.c_str();
    if (!job.empty()) o.job = job.c_str();
    return Rpc(store, rank, size, o, name);
  }
  /// -1: this process' own.
  static std::string name_of(const Rpc& rpc, int rank) { return rpc.name_of(rank); }
  static void start(const Rpc& rpc, std::int64_t timeout_us) { rpc.start(timeout_us); }
  static void shutdown(const Rpc& rpc, std::int64_t timeout_us) { rpc.shutdown(timeout_us); }
  static Future call(const Rpc& rpc, int to, const std::string& function, const Bytes& bytes,
                     std::int64_t timeout_us, const std::vector<Tensor>& tensors) {
    return rpc.call(to, function, tensors, bytes.bytes, timeout_us);
  }
  static std::vector<Tensor> answer_tensors(const Future& f) { return f.tensors(); }
  static Bytes answer_bytes(const Future& f) { return {f.bytes()}; }
  static int request_caller(const RpcRequest& r) { return r.caller(); }
  static std::vector<Tensor> request_tensors(const RpcRequest& r) { return r.tensors(); }
  static Bytes request_bytes(const RpcRequest& r) { return {r.bytes()}; }
  static void reply(const RpcRequest& r, const Bytes& bytes, const std::vector<Tensor>& tensors) {
    r.reply(tensors, bytes.bytes);
  }
  static void fail(const RpcRequest& r, int status, const std::string& message) { r.fail(status, message); }

  static ParameterServer make_server(const Rpc& rpc, int mode, int workers, const std::string& optimizer,
                                     std::int64_t staleness, const std::string& name,
                                     const std::string& snapshot, const std::vector<double>& option_values,
                                     const std::vector<std::string>& option_names) {
    return ParameterServer(rpc, static_cast<ServerMode>(mode), workers, optimizer, option_names,
                           option_values, staleness, name, snapshot);
  }
  static std::vector<std::int64_t> server_numbers(const ParameterServer& s) {
    return ServerPlaces::numbers(s.info());
  }
  static ParameterClient make_client(const Rpc& rpc, const std::vector<std::int64_t>& servers,
                                     const std::string& name, std::int64_t timeout_us) {
    return ParameterClient(rpc, servers, name, timeout_us);
  }
  static std::vector<std::int64_t> pull(const ParameterClient& c, const nn::NamedTensors& values) {
    const auto [keys, tensors] = apart(values);
    return c.pull(keys, tensors);
  }
  static void push(const ParameterClient& c, const nn::NamedTensors& gradients) {
    const auto [keys, tensors] = apart(gradients);
    c.push(keys, tensors);
  }

  static void share_memory(const Tensor& t) { haft::share_memory(t); }
  static bool is_shared(const Tensor& t) { return haft::is_shared(t); }
  static std::string shared_name(const Tensor& t) { return haft::shared_name(t); }
  static Tensor open_shared(const std::string& name) { return haft::open_shared(name); }

 private:
  static std::pair<std::vector<std::string>, std::vector<Tensor>> apart(const nn::NamedTensors& named) {
    std::pair<std::vector<std::string>, std::vector<Tensor>> out;
    for (const auto& n : named) {
      out.first.push_back(n.first);
      out.second.push_back(n.second);
    }
    return out;
  }
};

}  // namespace bindings
}  // namespace haft
#endif
