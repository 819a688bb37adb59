// Parameter servers and their workers over core/rpc.
#include <haft/parameter_server.h>

#include <cstring>

#include "capi/src/rpc_handle.h"
#include "core/rpc/parameter_client.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct ServerObject final : HandleObject {
  Ref<rpc::ParameterServer> value;
  explicit ServerObject(Ref<rpc::ParameterServer> s) : value(std::move(s)) {}
  ~ServerObject() {
    if (value->agent().is_foreign())
      value.leak();
    else
      value->close();
  }
};
struct ClientObject final : HandleObject {
  Ref<rpc::ParameterClient> value;
  explicit ClientObject(Ref<rpc::ParameterClient> c) : value(std::move(c)) {}
  ~ClientObject() {
    if (value->agent().is_foreign()) value.leak();
  }
};

template <class F>
haft_status client_call(const char* function, haft_parameter_client* c, F&& f) {
  return boundary(function, [&] {
    CancelGuard guard;
    Ref<rpc::ParameterClient> client =
        object_of<ClientObject>(c, HandleType::parameter_client, 0, "client").value;
    f(*client);
  });
}
template <class F>
haft_status server_call(const char* function, haft_parameter_server* s, F&& f) {
  return boundary(function, [&] {
    CancelGuard guard;
    Ref<rpc::ParameterServer> server =
        object_of<ServerObject>(s, HandleType::parameter_server, 0, "server").value;
    if (server->agent().is_foreign()) fail(Code::forked, "the parameter server was made before fork()");
    f(*server);
  });
}

std::string key_of(const char* key) { return std::string(to_text(key, 1, "key")); }
std::vector<std::string> keys_of(const char* const* keys, int64_t count) {
  if (count < 0 || (count && !keys))
    fail_argument(Code::invalid_argument,
                  concat("keys must be an array of count >= 0 names, got count ", count), 1, "keys");
  std::vector<std::string> ks;
  for (int64_t i = 0; i < count; ++i) ks.push_back(key_of(keys[i]));
  return ks;
}
void give(int64_t* to, int64_t value) {
  if (to) *to = value;
}

}  // namespace

extern "C" {

haft_status haft_parameter_server_create(haft_rpc* rpc, const haft_parameter_server_options* options,
                                         haft_parameter_server** out) noexcept {
  return boundary("haft_parameter_server_create", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    haft_parameter_server_options o =
        options_of(options, haft_parameter_server_options HAFT_PARAMETER_SERVER_OPTIONS_INIT, 1);
    rpc::ServerOptions r;
    if (o.mode < HAFT_SERVER_SYNCHRONOUS || o.mode > HAFT_SERVER_BOUNDED)
      fail_argument(Code::invalid_argument, concat("mode must be one of HAFT_SERVER_*, got ", o.mode), 1,
                    "options.mode");
    if (o.option_count < 0 || (o.option_count && (!o.option_names || !o.option_values)))
      fail_argument(Code::invalid_argument,
                    concat("option_count is ", o.option_count, ", and names or values are missing"), 1,
                    "options.option_count");
    r.mode = rpc::ServerMode(o.mode);
    r.workers = o.workers;
    r.staleness = o.staleness;
    if (o.name) r.name = to_text(o.name, 1, "options.name");
    if (o.optimizer) r.optimizer = to_text(o.optimizer, 1, "options.optimizer");
    for (int32_t i = 0; i < o.option_count; ++i)
      r.options.emplace_back(to_text(o.option_names[i], 1, "options.option_names"), o.option_values[i]);
    if (o.snapshot) r.snapshot = to_text(o.snapshot, 1, "options.snapshot");
    auto server = rpc::ParameterServer::create(agent_of(rpc), std::move(r));
    try {
      *out = hand_out_object<haft_parameter_server>(HandleType::parameter_server,
                                                    make_ref<ServerObject>(server));
    } catch (...) {
      server->close();  // its agent holds it
      throw;
    }
  });
}
haft_status haft_parameter_server_retain(haft_parameter_server* server) noexcept {
  return boundary("haft_parameter_server_retain",
                  [&] { retain_handle(server, HandleType::parameter_server); });
}
void haft_parameter_server_release(haft_parameter_server* server) noexcept {
  CancelGuard guard;
  release_handle(server, HandleType::parameter_server);
}
haft_status haft_parameter_server_save(haft_parameter_server* server, const char* path) noexcept {
  return server_call("haft_parameter_server_save", server,
                     [&](rpc::ParameterServer& s) { s.save(std::string(to_text(path, 1, "path"))); });
}
haft_status haft_parameter_server_get_info(haft_parameter_server* server,
                                           haft_parameter_server_info* info) noexcept {
  return server_call("haft_parameter_server_get_info", server, [&](rpc::ParameterServer& s) {
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_parameter_server_info r =
        options_of(info, haft_parameter_server_info HAFT_PARAMETER_SERVER_INFO_INIT, 1, "info");
    const rpc::ServerInfo i = s.info();
    r.workers = i.workers;
    r.version = i.version;
    r.slowest = i.slowest;
    r.fastest = i.fastest;
    r.waiting = i.waiting;
    r.parameters = i.parameters;
    r.elements = i.elements;
    r.rows = i.rows;
    r.struct_size = size;
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_parameter_client_create(haft_rpc* rpc, const int32_t* servers, int64_t count,
                                         const char* name, int64_t timeout_us,
                                         haft_parameter_client** out) noexcept {
  return boundary("haft_parameter_client_create", [&] {
    CancelGuard guard;
    check_out(out, 5, "out");
    const auto list = rank_list(servers, count, 1, "servers");
    std::vector<int> ranks(list.begin(), list.end());
    *out = hand_out_object<haft_parameter_client>(
        HandleType::parameter_client,
        make_ref<ClientObject>(rpc::ParameterClient::create(
            agent_of(rpc), name ? std::string(to_text(name, 3, "name")) : "parameters", std::move(ranks),
            ns_of(timeout_us, 4))));
  });
}
haft_status haft_parameter_client_retain(haft_parameter_client* client) noexcept {
  return boundary("haft_parameter_client_retain",
                  [&] { retain_handle(client, HandleType::parameter_client); });
}
void haft_parameter_client_release(haft_parameter_client* client) noexcept {
  CancelGuard guard;
  release_handle(client, HandleType::parameter_client);
}
haft_status haft_parameter_client_join(haft_parameter_client* client, int64_t* clock) noexcept {
  return client_call("haft_parameter_client_join", client,
                     [&](rpc::ParameterClient& c) { give(clock, c.join()); });
}
haft_status haft_parameter_client_leave(haft_parameter_client* client) noexcept {
  return client_call("haft_parameter_client_leave", client, [&](rpc::ParameterClient& c) { c.leave(); });
}
haft_status haft_parameter_client_add(haft_parameter_client* client, const char* key, haft_tensor* value,
                                      int64_t* version) noexcept {
  return client_call("haft_parameter_client_add", client, [&](rpc::ParameterClient& c) {
    give(version, c.add(key_of(key), arg(value, 2, "value")));
  });
}
haft_status haft_parameter_client_add_table(haft_parameter_client* client, const char* key, int64_t rows,
                                            int64_t width, haft_dtype dtype, double std, uint64_t seed,
                                            int64_t* version) noexcept {
  return client_call("haft_parameter_client_add_table", client, [&](rpc::ParameterClient& c) {
    give(version, c.add_table(key_of(key), {rows, width, to_dtype(dtype, 4, "dtype"), std, seed}));
  });
}
haft_status haft_parameter_client_pull(haft_parameter_client* client, const char* const* keys,
                                       haft_tensor* const* tensors, int64_t count,
                                       int64_t* versions) noexcept {
  return client_call("haft_parameter_client_pull", client, [&](rpc::ParameterClient& c) {
    const std::vector<int64_t> v = c.pull(keys_of(keys, count), list_arg(tensors, count, 2, "tensors"));
    if (versions) std::memcpy(versions, v.data(), v.size() * sizeof(int64_t));
  });
}
haft_status haft_parameter_client_push(haft_parameter_client* client, const char* const* keys,
                                       haft_tensor* const* gradients, int64_t count) noexcept {
  return client_call("haft_parameter_client_push", client, [&](rpc::ParameterClient& c) {
    c.push(keys_of(keys, count), optional_list_arg(gradients, count, 2, "gradients"));
  });
}
haft_status haft_parameter_client_pull_rows(haft_parameter_client* client, const char* key, haft_tensor* rows,
                                            int64_t* version, haft_tensor** out) noexcept {
  return client_call("haft_parameter_client_pull_rows", client, [&](rpc::ParameterClient& c) {
    check_out(out, 4, "out");
    int64_t seen = 0;
    emit(out, c.pull_rows(key_of(key), arg(rows, 2, "rows"), &seen));
    give(version, seen);
  });
}
haft_status haft_parameter_client_push_rows(haft_parameter_client* client, const char* key, haft_tensor* rows,
                                            haft_tensor* gradients) noexcept {
  return client_call("haft_parameter_client_push_rows", client, [&](rpc::ParameterClient& c) {
    c.push_rows(key_of(key), arg(rows, 2, "rows"), arg(gradients, 3, "gradients"));
  });
}
haft_status haft_parameter_client_step(haft_parameter_client* client, int64_t* clock,
                                       int64_t* version) noexcept {
  return client_call("haft_parameter_client_step", client, [&](rpc::ParameterClient& c) {
    give(clock, c.step());
    give(version, c.version());
  });
}
haft_status haft_parameter_client_set_option(haft_parameter_client* client, const char* name,
                                             double value) noexcept {
  return client_call("haft_parameter_client_set_option", client, [&](rpc::ParameterClient& c) {
    c.set_option(std::string(to_text(name, 1, "name")), value);
  });
}

}  // extern "C"
