// A worker of parameter servers. Dense parameters lie in contiguous parts on all servers, small ones whole on one of
// them; row r of a table lies on server r modulo their number.
#pragma once
#include "core/rpc/parameter_server.h"

namespace haft::rpc {

class ParameterClient : public RefCounted {
 public:
  // Waits until the servers are there, and enters.
  static Ref<ParameterClient> create(Ref<Agent> agent, std::string name, std::vector<int> servers,
                                     int64_t timeout_ns);
  // Enters anew: after a server has come again, or this worker was taken for dead. Answers the clock.
  int64_t join();
  void leave();

  // The servers keep what the first worker brings. Answers how many steps each has made.
  int64_t add(const std::string& key, const Tensor& value);
  int64_t add_table(const std::string& key, const TableShape& table);

  // Writes the values into tensors; answers a version of each.
  std::vector<int64_t> pull(std::span<const std::string> keys, std::span<const Tensor> tensors);
  // An undefined gradient is none. Begins to send; step() waits.
  void push(std::span<const std::string> keys, std::span<const Tensor> gradients);
  Tensor pull_rows(const std::string& key, const Tensor& rows, int64_t* version);  // (rows' shape, width)
  void push_rows(const std::string& key, const Tensor& rows, const Tensor& gradients);
  // The end of this worker's step: waits for its pushes, then as the servers' mode says. Answers the new clock.
  int64_t step();
  void set_option(const std::string& name, double value);  // once the pushes have arrived

  int64_t clock();
  int64_t version();  // the servers' least, of the last step
  Agent& agent() { return *agent_; }

 private:
  void finish_pushes();
  struct Known {
    int64_t numel = 0;
    TableShape table;
  };
  struct Part {
    int server;
    int64_t from, count;
  };
  struct Message {
    dist::WireWriter text;
    std::vector<Tensor> tensors;
    uint32_t count = 0;
  };
  using Futures = std::vector<Ref<Future>>;

  ParameterClient(Ref<Agent> agent, std::string name, std::vector<int> servers, int64_t timeout_ns);
  std::vector<Part> parts_of(const std::string& key, int64_t numel) const;
  Known known(const std::string& key, bool table);
  Ref<Future> send(int server, ServerCall call, const dist::WireWriter& text,
                   std::vector<Tensor> tensors = {});
  Futures send_all(ServerCall call, const dist::WireWriter& text);
  const Payload& answer(const Ref<Future>& f);
  int64_t add_known(const std::string& key, Known known, Futures futures);

  Ref<Agent> agent_;
  const std::string function_;
  const std::string name_;
  const std::vector<int> servers_;
  const int64_t timeout_ns_;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
  Futures pushes_;
  int64_t clock_ = 0, version_ = 0;
};

}  // namespace haft::rpc
