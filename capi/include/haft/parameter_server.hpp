// Parameter servers and shared tensors in C++17 over haft/parameter_server.h and haft/shared_memory.h. haft/haft.hpp
// includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_PARAMETER_SERVER_HPP
#define HAFT_PARAMETER_SERVER_HPP
#include <haft/rpc.hpp>

namespace haft {

namespace detail {
inline std::vector<const char*> names(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  out.reserve(texts.size());
  for (const std::string& t : texts) out.push_back(t.c_str());
  return out;
}
}  // namespace detail

/// When a worker's step is answered.
enum class ServerMode : std::int32_t {
  SYNCHRONOUS = HAFT_SERVER_SYNCHRONOUS,
  ASYNCHRONOUS = HAFT_SERVER_ASYNCHRONOUS,
  BOUNDED = HAFT_SERVER_BOUNDED
};

/// Holds parameters of this process' agent and steps them: docs/asynchronous-training.md.
class ParameterServer
    : public detail::Handle<haft_parameter_server, haft_parameter_server_retain, haft_parameter_server_release> {
 public:
  using Handle::Handle;
  /// optimizer: "SGD", "Adam", ... with its options by name. snapshot: a file of save() to begin with, where there is
  /// one.
  ParameterServer(const Rpc& rpc, ServerMode mode, int workers, const std::string& optimizer = "SGD",
                  const std::vector<std::string>& option_names = {}, const std::vector<double>& option_values = {},
                  std::int64_t staleness = 0, const std::string& name = "parameters",
                  const std::string& snapshot = std::string()) {
    if (option_names.size() != option_values.size())
      check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "wanted one value for each name of an option", 0));
    const std::vector<const char*> names = detail::names(option_names);
    haft_parameter_server_options o = HAFT_PARAMETER_SERVER_OPTIONS_INIT;
    o.mode = static_cast<std::int32_t>(mode);
    o.workers = workers;
    o.staleness = staleness;
    o.name = name.c_str();
    o.optimizer = optimizer.c_str();
    o.option_count = static_cast<std::int32_t>(names.size());
    o.option_names = names.data();
    o.option_values = option_values.data();
    if (!snapshot.empty()) o.snapshot = snapshot.c_str();
    haft_parameter_server* s = nullptr;
    check(haft_parameter_server_create(rpc.get(), &o, &s));
    *this = ParameterServer(s);
  }
  void save(const std::string& path) const { check(haft_parameter_server_save(get(), path.c_str())); }
  haft_parameter_server_info info() const {
    haft_parameter_server_info i = HAFT_PARAMETER_SERVER_INFO_INIT;
    check(haft_parameter_server_get_info(get(), &i));
    return i;
  }
};

/// A worker of parameter servers.
class ParameterClient
    : public detail::Handle<haft_parameter_client, haft_parameter_client_retain, haft_parameter_client_release> {
  static std::int64_t count(const std::vector<std::string>& keys, const std::vector<Tensor>& tensors) {
    if (keys.size() != tensors.size())
      check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "wanted one tensor for each key", 0));
    return static_cast<std::int64_t>(keys.size());
  }

 public:
  using Handle::Handle;
  /// Waits until the servers of these ranks are there.
  ParameterClient(const Rpc& rpc, const std::vector<std::int64_t>& servers, const std::string& name = "parameters",
                  std::int64_t timeout_us = 300000000) {
    const std::vector<std::int32_t> list = detail::rank_list(servers);
    haft_parameter_client* c = nullptr;
    check(haft_parameter_client_create(rpc.get(), list.data(), static_cast<std::int64_t>(list.size()), name.c_str(),
                                       timeout_us, &c));
    *this = ParameterClient(c);
  }
  /// Enters anew, when a server has come again; answers the clock.
  std::int64_t join() const {
    std::int64_t clock = 0;
    check(haft_parameter_client_join(get(), &clock));
    return clock;
  }
  /// Nobody waits for this worker any more.
  void leave() const { check(haft_parameter_client_leave(get())); }
  /// The values of the first worker stay. Answers how many steps were made on it.
  std::int64_t add(const std::string& key, const Tensor& value) const {
    std::int64_t version = 0;
    check(haft_parameter_client_add(get(), key.c_str(), value.get(), &version));
    return version;
  }
  /// Rows are made when they are first used, with normal random numbers of this deviation.
  std::int64_t add_table(const std::string& key, std::int64_t rows, std::int64_t width, double std = 0,
                         std::int64_t seed = 0, haft_dtype dtype = HAFT_FLOAT32) const {
    std::int64_t version = 0;
    check(haft_parameter_client_add_table(get(), key.c_str(), rows, width, dtype, std, static_cast<std::uint64_t>(seed),
                                          &version));
    return version;
  }
  /// Writes the servers' values into the tensors; answers a version of each.
  std::vector<std::int64_t> pull(const std::vector<std::string>& keys, const std::vector<Tensor>& tensors) const {
    const std::int64_t n = count(keys, tensors);
    std::vector<std::int64_t> versions(static_cast<std::size_t>(n));
    check(haft_parameter_client_pull(get(), detail::names(keys).data(), detail::handles(tensors).data(), n,
                                     versions.data()));
    return versions;
  }
  /// Begins to send gradients, which step() waits for; an empty one is none.
  void push(const std::vector<std::string>& keys, const std::vector<Tensor>& gradients) const {
    const std::int64_t n = count(keys, gradients);
    check(haft_parameter_client_push(get(), detail::names(keys).data(), detail::handles(gradients).data(), n));
  }
  /// Rows of a table, of the shape of the int64 tensor rows and the table's width.
  Tensor pull_rows(const std::string& key, const Tensor& rows) const {
    haft_tensor* t = nullptr;
    check(haft_parameter_client_pull_rows(get(), key.c_str(), rows.get(), nullptr, &t));
    return Tensor(t);
  }
  /// Begins to send gradients of rows; those of equal rows are added.
  void push_rows(const std::string& key, const Tensor& rows, const Tensor& gradients) const {
    check(haft_parameter_client_push_rows(get(), key.c_str(), rows.get(), gradients.get()));
  }
  /// Ends this worker's step, as the servers' mode says; answers how many it has made.
  std::int64_t step() const {
    std::int64_t clock = 0;
    check(haft_parameter_client_step(get(), &clock, nullptr));
    return clock;
  }
  /// Of the servers' optimizer, "lr" for instance, for all workers.
  void set_option(const std::string& name, double value) const {
    check(haft_parameter_client_set_option(get(), name.c_str(), value));
  }
};

/// Moves a tensor into memory that other processes can map.
inline void share_memory(const Tensor& t) { check(haft_tensor_share_memory(t.get())); }
inline bool is_shared(const Tensor& t) {
  std::int32_t r = 0;
  check(haft_tensor_is_shared(t.get(), &r));
  return r != 0;
}
/// By which other processes open it, as long as this one keeps it.
inline std::string shared_name(const Tensor& t) {
  return detail::text_of([&t](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return haft_tensor_get_shared_name(t.get(), buffer, capacity, needed);
  });
}
inline Tensor open_shared(const std::string& name) {
  haft_tensor* t = nullptr;
  check(haft_tensor_from_shared(name.c_str(), &t));
  return Tensor(t);
}

}  // namespace haft
#endif
