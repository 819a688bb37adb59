// A store in the memory of one process, reached by TCP.
#pragma once
#include "core/dist/socket.h"
#include "core/dist/store.h"

namespace haft::dist {

// The server: one thread, which sleeps in epoll. It listens at the given address and nowhere else.
class TcpServer : public RefCounted {
  struct State;
  State* state_;

 public:
  // Port 0: any. With a secret, clients that do not know it are refused.
  TcpServer(Address where, std::string secret);
  ~TcpServer();  // all clients lose the store
  TcpServer(const TcpServer&) = delete;
  const Address& address() const;
};

struct TcpStoreOptions {
  Address where;
  bool serve = false;  // this process holds the store
  Address bind;        // where the server listens; an empty host: where.host
  std::string secret;
  Deadline deadline = Deadline::in(300 * kSecond);  // for the first connection
  int64_t call_timeout = 60 * kSecond;              // of a call that the server answers at once
};

// Calls of several threads go over connections of their own, so that one that waits holds up nobody. A process that
// was forked makes new ones; the server stays with the parent.
class TcpStore final : public Store {
  SocketPool idle_;
  const uint32_t generation_;  // fork_generation() of the process that made it
  Ref<TcpServer> server_;
  TcpStoreOptions o_;

  Socket connect(Deadline deadline, bool patient);
  std::string call(std::string& request, std::string_view awaited, Deadline deadline);
  std::string call(std::string& request);
  Deadline look_first(std::string_view key, Deadline deadline);

 public:
  explicit TcpStore(TcpStoreOptions options);
  ~TcpStore() override;
  void set(std::string_view key, std::string_view value) override;
  std::string get(std::string_view key, Deadline) override;
  bool check(std::span<const std::string> keys) override;
  int64_t add(std::string_view key, int64_t delta) override;
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current) override;
  bool remove(std::string_view key) override;
  void lease(std::string_view key, std::string_view value, int64_t ttl_ns) override;
  std::string name() const override { return "tcp://" + to_text(o_.where); }
  int port() const override { return o_.where.port; }
  std::string host() const override { return o_.where.host; }

 protected:
  void wait_for(std::string_view key, Deadline) override;
};

}  // namespace haft::dist
