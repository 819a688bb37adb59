// Calls between the processes of a job: each has an agent with a name and a rank, registers functions by name and
// calls those of the others.
//
// **Threads.** One sleeps in epoll and moves all bytes; requests, and callbacks of futures, run on a pool that grows
// with need. A caller connects (once a peer) and hands its frame to the system himself, as far as that takes it at
// once.
//
// **Who answers.** A request is answered once: by reply() or refuse(), at once or later, by whoever holds it; a
// request that is let go of without an answer is answered with nothing. Every call is answered: by the peer, by its
// time, or with peer_lost when the connection ends.
//
// **A process that comes again** takes its rank over: it tells its new address in the store, where who calls it looks
// once the old connection is gone.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/fork.h"
#include "core/base/sync.h"
#include "core/dist/socket.h"
#include "core/dist/store.h"
#include "core/rpc/future.h"

namespace haft::rpc {

struct AgentOptions {
  std::string name;         // of this process; empty: "worker" and the rank
  std::string job = "rpc";  // agents of one store are told apart by it
  std::string host;         // to listen at and be reached by; empty: found out
  std::string secret;
  int threads = 16;                         // that run functions at once
  int64_t timeout_ns = 60 * dist::kSecond;  // of a call that names none
  int64_t max_message = int64_t(1) << 30;
};

struct Connection;

class Request : public RefCounted {
 public:
  const std::string function;
  const int caller;           // its rank
  const uint64_t connection;  // tells the caller's connections apart
  const Payload arguments;

  Request(Ref<Agent> agent, Ref<Connection> to, Message m, int caller, uint64_t connection);
  ~Request();
  Agent& agent() { return *agent_; }
  // The first answer counts; later ones fail.
  void reply(const Payload& payload);
  void refuse(const Error& error);
  // What has no answer, for want of memory: its caller fails.
  void abandon() noexcept {
    if (!answered_.load(std::memory_order_acquire)) give_up();
  }

 private:
  void send(std::string frame) noexcept;
  void claim();
  void give_up() noexcept;  // no memory for an answer
  friend class Agent;
  Ref<Agent> agent_;
  Ref<Connection> to_;  // none: this process itself
  uint64_t call_;
  std::atomic<bool> answered_{false};
};

class Agent : public RefCounted {
 public:
  using Function = std::function<void(Request&)>;
  // A caller's connection has ended, of this rank and number. On a thread of the pool.
  using Watcher = std::function<void(int rank, uint64_t connection)>;

  // Listens, but is not known to anyone.
  static Ref<Agent> create(Ref<dist::Store> store, int rank, int size, AgentOptions options);
  ~Agent();
  // Tells the others where it is and waits until all have come.
  void start(dist::Deadline deadline);

  // Replaces a function of this name; an empty one removes it.
  void add_function(const std::string& name, std::shared_ptr<Function> f);
  void remove_function(const Function* f) noexcept;
  void watch(std::shared_ptr<Watcher> w);  // as long as others hold it

  // Begins a call. A timeout < 0 is the agent's.
  Ref<Future> call(int to, const std::string& function, const Payload& payload, int64_t timeout_ns = -1);

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& name() const { return options_.name; }
  const AgentOptions& options() const { return options_; }
  const dist::Address& address() const { return address_; }
  dist::Store& store() { return *store_; }
  std::string name_of(int rank);
  int rank_of(std::string_view name);
  bool is_foreign() const { return fork_generation_ != fork_generation(); }

  // Waits until nobody calls anybody any more, on all ranks that live; then close().
  void shut_down(dist::Deadline deadline);
  // Ends it at once: calls under way are answered with cancelled, peers find this one gone.
  void close() noexcept;
  // Fails unless it is started and open.
  void check_open();

 private:
  friend class Request;
  struct Peer;
  struct Pending {
    Ref<Future> future;
    Connection* on;  // null: this process itself
    int to;
    std::string function;
    int64_t at, timeout;  // of its end
  };
  struct Task {  // one of them
    Ref<Request> request;
    Ref<Future> future;
    int gone = -1;
    uint64_t connection = 0;
    int64_t bytes = 0;
  };

  Agent(Ref<dist::Store> store, int rank, int size, AgentOptions options);
  bool inside() const;
  std::string text_of(int rank) const;  // "rank 2 'worker2'"; the caller has the lock
  std::string peer_text(int rank);
  std::string info_key(int rank) const { return concat("agent/", rank); }
  void read_peer(int rank, dist::Deadline deadline);
  Ref<Connection> connection_to(int rank, dist::Deadline deadline);
  dist::Socket handshake(int rank, const dist::Address& where, dist::Deadline deadline);
  void answer(uint64_t call, Payload payload, std::shared_ptr<const Error> error) noexcept;
  void fail_pending(Connection* of, Code code, std::string_view why, int rank) noexcept;
  void push_task(Task task);
  void take_frame(Connection* from, const FrameHeader& header, Ref<ByteBlock> body);
  void refuse_with_current(Request& r) noexcept;  // the exception in flight
  void tell_lost();
  bool is_left_behind(int rank);
  int64_t gather_counts(int round, int64_t mine, dist::Deadline deadline);

  // The thread that moves bytes.
  static void* io_body(void* self);
  bool io_round(std::vector<Ref<Connection>>& gone);
  void accept_all(std::vector<Ref<Connection>>& gone);
  bool serve(Connection& c, uint32_t events);
  bool receive(Connection& c);
  bool greet(Connection& c);
  void hang_up(Connection& c, std::vector<Ref<Connection>>& gone) noexcept;
  void expire() noexcept;
  int io_timeout();
  void add_connection(Ref<Connection> c);
  bool post(Connection& c, std::string frame);
  void break_off(Connection& c) noexcept;
  void deliver(const std::string& frame);  // to this process itself
  bool flush(Connection& c);
  void wake_io() noexcept;

  static void* pool_body(void* self);
  void run(Task& task) noexcept;

  const int rank_, size_;
  AgentOptions options_;
  const uint32_t fork_generation_ = fork_generation();
  Ref<dist::Store> jobs_, store_;  // of all jobs of this name, and of this one
  int64_t epoch_ = 0;
  std::string key_;
  const std::shared_ptr<const Error> no_memory_ =
      std::make_shared<const Error>(Code::out_of_memory, "out of memory");
  dist::Address address_;
  dist::Socket listener_, poll_, wake_;

  std::mutex mutex_;
  std::condition_variable changed_, work_;
  bool started_ = false, closing_ = false, has_io_ = false;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::map<std::string, int, std::less<>> ranks_;
  std::map<std::string, std::shared_ptr<Function>, std::less<>> functions_;
  std::vector<std::weak_ptr<Watcher>> watchers_;
  std::unordered_map<Connection*, Ref<Connection>> connections_;
  std::vector<Connection*> strangers_;  // the oldest in front
  uint64_t next_connection_ = 0, next_call_ = 0;
  std::unordered_map<uint64_t, Pending> pending_;
  std::set<std::pair<int64_t, uint64_t>> ends_;  // of pending calls
  int64_t io_until_ = INT64_MAX;                 // when its thread looks at the latest
  std::deque<Task> tasks_;
  int64_t task_bytes_ = 0;
  int idle_ = 0, running_ = 0;
  int64_t issued_ = 0;
  std::vector<Thread> pool_;
  Thread io_ = {};
};

}  // namespace haft::rpc
