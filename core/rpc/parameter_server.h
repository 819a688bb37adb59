// A parameter server: holds its part of the parameters and steps them with an optimizer when workers push gradients.
//
// **Clocks.** A worker's clock is the number of its steps. The answer to a step comes
//   synchronous:   when all workers that live have made it, and their mean gradient has been applied;
//   asynchronous:  at once, gradients were applied as they came;
//   bounded:       so, but when the slowest worker is at most `staleness` steps behind.
// Until `workers` have entered, those that have not count as workers of clock 0. Who dies or leaves counts no more.
//
// A synchronous server keeps the gradients of each worker apart until its step: a worker that dies on the way has not
// given half a gradient, and the sum is always in the order of ranks.
#pragma once
#include <map>
#include <shared_mutex>

#include "core/rpc/agent.h"
#include "core/rpc/parameter_table.h"

namespace haft::rpc {

enum class ServerMode : uint8_t { synchronous = 0, asynchronous = 1, bounded = 2 };

struct ServerOptions {
  std::string name = "parameters";
  ServerMode mode = ServerMode::synchronous;
  int workers = 1;
  int64_t staleness = 0;
  std::string optimizer = "SGD";
  std::vector<std::pair<std::string, double>> options;
  std::string snapshot;  // a file to begin with, where there is one
};

struct ServerInfo {
  int workers = 0;                   // that live
  int64_t version = 0;               // synchronous: steps applied; otherwise: pushes
  int64_t slowest = 0, fastest = 0;  // clocks of those that live
  int64_t waiting = 0;               // steps that are not answered yet
  int64_t elements = 0, parameters = 0, rows = 0;
};

// The first byte of a request of the function "parameters/<name>".
enum class ServerCall : uint8_t {
  look,
  enter,
  add,
  add_table,
  pull,
  push,
  pull_rows,
  push_rows,
  step,
  option,
  leave
};
inline std::string server_function(std::string_view name) { return concat("parameters/", name); }
inline std::string server_key(std::string_view name, int rank) {
  return concat("parameters/", name, "/", rank);
}

class ParameterServer : public RefCounted {
 public:
  static Ref<ParameterServer> create(Ref<Agent> agent, ServerOptions options);
  void close() noexcept;               // workers that wait are answered with cancelled
  void save(const std::string& path);  // written atomically
  ServerInfo info();
  Agent& agent() { return *agent_; }

 private:
  struct Worker {
    uint64_t connection = 0;
    int64_t clock = 0;
    bool lives = false;
  };
  struct Push {
    Ref<Parameter> parameter;
    Tensor ids, gradient;  // ids: of rows
  };
  struct Waiting {
    Ref<Request> request;
    int64_t clock;
  };

  ParameterServer(Ref<Agent> agent, ServerOptions options);
  void load();
  void answer(Request& r);
  // The requests of ServerCall; `in` stands behind the call's byte.
  void on_look(Request& r, dist::WireReader& in);
  void on_enter(Request& r, dist::WireReader& in);
  void on_add(Request& r, dist::WireReader& in);
  void on_add_table(Request& r, dist::WireReader& in);
  void on_pull(Request& r, dist::WireReader& in);
  void on_push(Request& r, dist::WireReader& in);
  void on_pull_rows(Request& r, dist::WireReader& in);
  void on_push_rows(Request& r, dist::WireReader& in);
  void on_step(Request& r, dist::WireReader& in);
  void on_option(Request& r, dist::WireReader& in);
  void on_leave(Request& r, dist::WireReader& in);
  Ref<Parameter> find(std::string_view key);
  void add(std::string_view key, Ref<Parameter> fresh, const std::function<void(Parameter&)>& check,
           Request& r);
  void push(Request& r, std::vector<Push> pushes);
  int64_t slowest() const;
  void apply_round();
  void advance();  // applies what can be, and answers whose time has come
  void gone(int rank, uint64_t connection);

  Ref<Agent> agent_;
  ServerOptions options_;
  Rule rule_;
  std::shared_ptr<Agent::Function> function_;
  std::shared_ptr<Agent::Watcher> watcher_;
  std::mutex mutex_;  // before those below
  // Whoever reads several parameters finds them of one round; before a parameter's.
  std::shared_mutex rounds_;
  bool closed_ = false;
  std::map<std::string, Ref<Parameter>, std::less<>> parameters_;
  std::map<int, Worker> workers_;
  std::map<int, std::vector<Push>> pushed_;  // of the step that each makes
  std::vector<Waiting> waiting_;
  int64_t version_ = 0;
};

}  // namespace haft::rpc
