// Agents, parameter servers and shared tensors under failing allocations: of one process that calls itself, where
// nobody else can be told.
#include "oom_cases.h"

namespace oom {
namespace {

const char* const kLong = "a name that is longer than a short string";

haft_status echo(haft_rpc_request* r, void*) {
  const void* data = nullptr;
  int64_t size = 0;
  haft_status s = haft_rpc_request_get_bytes(r, &data, &size);
  return s == HAFT_OK ? haft_rpc_request_reply(r, nullptr, 0, data, size) : s;
}
haft_status keep(haft_rpc_request* r, void* place) {
  *static_cast<haft_rpc_request**>(place) = r;
  return haft_rpc_request_retain(r);
}

struct Agent : Rpc {
  Agent() {
    Store s;
    must(haft_hash_store_create(&s));
    haft_rpc_options o = HAFT_RPC_OPTIONS_INIT;
    o.threads = 1;  // which the first call starts
    o.timeout_us = 30000000;
    must(haft_rpc_create(s, 0, 1, &o, &h));
    must(haft_rpc_register(h, kLong, echo, nullptr, nullptr));
    must(haft_rpc_start(h, HAFT_NONE));
    Future f;
    must(haft_rpc_call(h, 0, kLong, nullptr, 0, nullptr, 0, HAFT_NONE, &f));
    must(haft_future_wait(f, HAFT_NONE));
  }
};
struct Answered : Future {
  Agent agent;
  Answered() {
    must(haft_rpc_call(agent, 0, kLong, nullptr, 0, kLong, 40, HAFT_NONE, &h));
    must(haft_future_wait(h, HAFT_NONE));
  }
};
struct HeldRequest : RpcRequest {
  Agent agent;
  Future call;
  Filled x;
  HeldRequest() {
    must(haft_rpc_register(agent, "keep", keep, &h, nullptr));
    haft_tensor* ts[] = {x};
    must(haft_rpc_call(agent, 0, "keep", ts, 1, kLong, 40, HAFT_NONE, &call));
    Future behind;  // the pool has one thread: the first has run
    must(haft_rpc_call(agent, 0, kLong, nullptr, 0, nullptr, 0, HAFT_NONE, &behind));
    must(haft_future_wait(behind, HAFT_NONE));
  }
};
struct Served : ParameterServer {
  Agent agent;
  Served() {
    haft_parameter_server_options o = HAFT_PARAMETER_SERVER_OPTIONS_INIT;
    o.mode = HAFT_SERVER_ASYNCHRONOUS;
    must(haft_parameter_server_create(agent, &o, &h));
  }
};
struct Client : ParameterClient {
  Served server;
  Filled x;
  Client() {
    const int32_t servers[] = {0};
    must(haft_parameter_client_create(server.agent, servers, 1, nullptr, 30000000, &h));
    must(haft_parameter_client_add(h, kLong, x, nullptr));
    must(haft_parameter_client_add_table(h, "table", 100, 4, HAFT_FLOAT32, 0, 0, nullptr));
  }
};
struct Ids : Tensor {
  Ids() {
    const int64_t ids[] = {1, 2}, size = 2;
    must(haft_tensor_from_data(ids, &size, 1, HAFT_INT64, HAFT_DEVICE_CPU, &h));
  }
};
struct Shared : Tensor {
  Shared() {
    Filled x;
    must(haft_tensor_share_memory(x));
    h = std::exchange(x.h, nullptr);
  }
};
void nothing(haft_future*, haft_status, void*) {}

}  // namespace

void add_rpc(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_rpc_create", [](Attempt& a) {
    Store s;
    must(haft_hash_store_create(&s));
    Rpc r(a);
    a.run([&] { return haft_rpc_create(s, 0, 1, nullptr, &r); });
  });
  add("haft_rpc_start", [](Attempt& a) {
    Store s;
    must(haft_hash_store_create(&s));
    Rpc r;
    must(haft_rpc_create(s, 0, 1, nullptr, &r));
    a.run([&] { return haft_rpc_start(r, HAFT_NONE); });
  });
  // f(agent) is the call.
  auto with_agent = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Agent r;
      a.run([&] { return f(r.h); });
    });
  };
  with_agent("haft_rpc_shutdown", [](haft_rpc* r) { return haft_rpc_shutdown(r, HAFT_NONE); });
  with_agent("haft_rpc_abort", [](haft_rpc* r) { return haft_rpc_abort(r); });
  with_agent("haft_rpc_register", [](haft_rpc* r) {
    return haft_rpc_register(r, "another name that is long", echo, nullptr, nullptr);
  });
  with_agent("haft_rpc_get_rank", [](haft_rpc* r) {
    int32_t rank = -1;
    return haft_rpc_get_rank(r, "worker0", &rank);
  });
  with_agent("haft_rpc_get_name", [](haft_rpc* r) {
    int64_t needed = 0;
    return haft_rpc_get_name(r, HAFT_RPC_SELF, nullptr, 0, &needed);
  });
  with_agent("haft_rpc_get_port", [](haft_rpc* r) {
    int32_t port = 0;
    return haft_rpc_get_port(r, &port);
  });
  add("haft_rpc_call", [](Attempt& a) {
    Agent r;
    Future f(a);
    Filled x;
    haft_tensor* ts[] = {x};
    a.run([&] { return haft_rpc_call(r, 0, kLong, ts, 1, kLong, 40, HAFT_NONE, &f); });
    if (a.ok()) haft_future_wait(f, HAFT_NONE);  // the answer may be that there was no memory
  });
  add_counting<Rpc>(
      all, "rpc",
      [](Rpc& r) {
        Agent x;
        r.h = std::exchange(x.h, nullptr);
      },
      haft_rpc_retain, haft_rpc_release);
  add_counting<Future>(
      all, "future",
      [](Future& f) {
        Answered x;
        f.h = std::exchange(x.h, nullptr);
      },
      haft_future_retain, haft_future_release);
  add_counting<RpcRequest>(
      all, "rpc_request",
      [](RpcRequest& r) {
        HeldRequest x;
        r.h = std::exchange(x.h, nullptr);
      },
      haft_rpc_request_retain, haft_rpc_request_release);
  auto with_future = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Answered x;
      a.run([&] { return f(x.h); });
    });
  };
  with_future("haft_future_wait", [](haft_future* f) { return haft_future_wait(f, HAFT_NONE); });
  with_future("haft_future_is_done", [](haft_future* f) {
    int32_t done = 0;
    return haft_future_is_done(f, &done);
  });
  with_future("haft_future_tensors", [](haft_future* f) {
    int64_t count = 0;
    return haft_future_tensors(f, nullptr, 0, &count);
  });
  with_future("haft_future_get_bytes", [](haft_future* f) {
    const void* data = nullptr;
    int64_t size = 0;
    return haft_future_get_bytes(f, &data, &size);
  });
  with_future("haft_future_on_done",
              [](haft_future* f) { return haft_future_on_done(f, nothing, nullptr, nullptr); });
  auto with_request = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      HeldRequest x;
      a.run([&] { return f(x.h); });
    });
  };
  with_request("haft_rpc_request_get_caller", [](haft_rpc_request* r) {
    int32_t rank = -1;
    return haft_rpc_request_get_caller(r, &rank);
  });
  with_request("haft_rpc_request_tensors", [](haft_rpc_request* r) {
    int64_t count = 0;
    return haft_rpc_request_tensors(r, nullptr, 0, &count);
  });
  with_request("haft_rpc_request_get_bytes", [](haft_rpc_request* r) {
    const void* data = nullptr;
    int64_t size = 0;
    return haft_rpc_request_get_bytes(r, &data, &size);
  });
  with_request("haft_rpc_request_reply",
               [](haft_rpc_request* r) { return haft_rpc_request_reply(r, nullptr, 0, kLong, 40); });
  with_request("haft_rpc_request_fail",
               [](haft_rpc_request* r) { return haft_rpc_request_fail(r, HAFT_ERROR_SHAPE, kLong); });

  add("haft_parameter_server_create", [](Attempt& a) {
    Agent r;
    ParameterServer s(a);
    a.run([&] { return haft_parameter_server_create(r, nullptr, &s); });
  });
  add("haft_parameter_server_save", [](Attempt& a) {
    Client c;
    const std::string path = in_folder("snapshot");
    a.run([&] { return haft_parameter_server_save(c.server, path.c_str()); });
  });
  add("haft_parameter_server_get_info", [](Attempt& a) {
    Client c;
    haft_parameter_server_info i = HAFT_PARAMETER_SERVER_INFO_INIT;
    a.run([&] { return haft_parameter_server_get_info(c.server, &i); });
  });
  add("haft_parameter_client_create", [](Attempt& a) {
    Served s;
    ParameterClient c(a);
    const int32_t servers[] = {0};
    a.run([&] { return haft_parameter_client_create(s.agent, servers, 1, nullptr, 30000000, &c); });
  });
  add_counting<ParameterServer>(
      all, "parameter_server",
      [](ParameterServer& s) {
        Served x;
        s.h = std::exchange(x.h, nullptr);
      },
      haft_parameter_server_retain, haft_parameter_server_release);
  add_counting<ParameterClient>(
      all, "parameter_client",
      [](ParameterClient& c) {
        Client x;
        c.h = std::exchange(x.h, nullptr);
      },
      haft_parameter_client_retain, haft_parameter_client_release);
  auto with_client = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Client c;
      a.run([&] { return f(c.h, c.x.h); });
    });
  };
  with_client("haft_parameter_client_join",
              [](haft_parameter_client* c, haft_tensor*) { return haft_parameter_client_join(c, nullptr); });
  with_client("haft_parameter_client_leave",
              [](haft_parameter_client* c, haft_tensor*) { return haft_parameter_client_leave(c); });
  with_client("haft_parameter_client_add", [](haft_parameter_client* c, haft_tensor* x) {
    return haft_parameter_client_add(c, "one more with a long name", x, nullptr);
  });
  with_client("haft_parameter_client_add_table", [](haft_parameter_client* c, haft_tensor*) {
    return haft_parameter_client_add_table(c, "one more with a long name", 10, 2, HAFT_FLOAT32, 1, 0,
                                           nullptr);
  });
  with_client("haft_parameter_client_pull", [](haft_parameter_client* c, haft_tensor* x) {
    return haft_parameter_client_pull(c, &kLong, &x, 1, nullptr);
  });
  with_client("haft_parameter_client_push", [](haft_parameter_client* c, haft_tensor* x) {
    return haft_parameter_client_push(c, &kLong, &x, 1);
  });
  with_client("haft_parameter_client_step", [](haft_parameter_client* c, haft_tensor*) {
    return haft_parameter_client_step(c, nullptr, nullptr);
  });
  with_client("haft_parameter_client_set_option", [](haft_parameter_client* c, haft_tensor*) {
    return haft_parameter_client_set_option(c, "lr", 0.5);
  });
  add("haft_parameter_client_pull_rows", [](Attempt& a) {
    Client c;
    Ids ids;
    Tensor rows(a);
    a.run([&] { return haft_parameter_client_pull_rows(c, "table", ids, nullptr, &rows); });
  });
  add("haft_parameter_client_push_rows", [](Attempt& a) {
    Client c;
    Ids ids;
    Tensor g;
    const int64_t size[] = {2, 4};
    const float values[8] = {};
    must(haft_tensor_from_data(values, size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &g));
    a.run([&] { return haft_parameter_client_push_rows(c, "table", ids, g); });
  });

  add("haft_tensor_share_memory", [](Attempt& a) {
    Filled x;
    a.run([&] { return haft_tensor_share_memory(x); });
    int32_t shared = -1;
    must(haft_tensor_is_shared(x, &shared));
    EXPECT_EQ(shared, a.ok());
  });
  add("haft_tensor_is_shared", [](Attempt& a) {
    Shared x;
    int32_t shared = 0;
    a.run([&] { return haft_tensor_is_shared(x, &shared); });
  });
  add("haft_tensor_get_shared_name", [](Attempt& a) {
    Shared x;
    int64_t needed = 0;
    a.run([&] { return haft_tensor_get_shared_name(x, nullptr, 0, &needed); });
  });
  add("haft_tensor_from_shared", [](Attempt& a) {
    Shared x;
    char name[256];
    int64_t needed = 0;
    must(haft_tensor_get_shared_name(x, name, sizeof name, &needed));
    Tensor y(a);
    a.run([&] { return haft_tensor_from_shared(name, &y); });
  });
}

}  // namespace oom
