#include "core/rpc/agent.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/base/log.h"
#include "core/base/thread_state.h"
#include "core/dist/engines.h"
#include "core/dist/handshake.h"
#include "core/dist/launch_environment.h"
#include "core/dist/sha256.h"
#include "core/rpc/connection.h"

namespace haft::rpc {

namespace {

thread_local const Agent* serving __attribute__((tls_model("initial-exec"))) = nullptr;  // by its pool

// The address by which this machine reaches where rank 0 is; of one machine, its own loopback.
std::string reachable_host() {
  const dist::LaunchEnvironment e = dist::read_launch_environment();
  if (e.master_host.empty() || e.local_world_size >= e.world_size) return "127.0.0.1";
  bool chosen;
  std::string host = dist::own_address(e.master_host, &chosen, dist::Deadline::in(60 * dist::kSecond));
  if (!chosen && (host.starts_with("127.") || host == "::1"))
    fail(Code::invalid_argument,
         concat("this machine has no address but ", host, ", by which others do not reach this process"),
         "give one as the option host, or name its network interface in HAFT_SOCKET_IFNAME", "host");
  return host;
}

int start_quietly(Thread& t, void* (*body)(void*), Ref<Agent> self) {
  const int error = start_quiet_thread(t, body, self.get());
  if (!error) self.leak();  // the thread's
  return error;
}

std::shared_ptr<const Error> current_error(const std::shared_ptr<const Error>& no_memory) noexcept {
  try {
    try {
      throw;
    } catch (const Error& e) {
      return std::make_shared<const Error>(e);
    } catch (const std::bad_alloc&) {
      return no_memory;
    } catch (const std::exception& e) {
      return std::make_shared<const Error>(Code::internal, e.what());
    }
  } catch (...) {
    return no_memory;
  }
}

}  // namespace

// ---- requests ----

Request::Request(Ref<Agent> agent, Ref<Connection> to, Message m, int rank, uint64_t number)
    : function(std::move(m.function)),
      caller(rank),
      connection(number),
      arguments(std::move(m.payload)),
      agent_(std::move(agent)),
      to_(std::move(to)),
      call_(m.call) {}

Request::~Request() {
  if (answered_.load(std::memory_order_acquire)) return;
  try {
    reply({});
  } catch (...) {
    give_up();
  }
}

// Nobody may take a missing answer for a good one.
void Request::give_up() noexcept {
  answered_.store(true, std::memory_order_release);
  if (to_)
    agent_->break_off(*to_);
  else
    agent_->answer(call_, {}, agent_->no_memory_);
}
void Request::claim() {
  if (answered_.exchange(true, std::memory_order_acq_rel))
    fail(Code::invalid_argument, concat("the request of '", function, "' is answered already"));
}
void Request::reply(const Payload& payload) {
  std::string frame = encode(call_, FrameKind::answer, {}, payload, agent_->options().max_message);
  claim();
  send(std::move(frame));
}
void Request::refuse(const Error& error) {
  std::string frame = encode_failure(call_, error);
  claim();
  send(std::move(frame));
}
void Request::send(std::string frame) noexcept {
  try {
    if (to_)
      agent_->post(*to_, std::move(frame));
    else
      agent_->deliver(frame);
  } catch (...) {
    give_up();
  }
}

// ---- the agent ----

Agent::Agent(Ref<dist::Store> store, int rank, int size, AgentOptions options)
    : rank_(rank), size_(size), options_(std::move(options)) {
  // Another job of this name in this store, after one that has shut down, has keys of its own.
  jobs_ = make_ref<dist::PrefixStore>("rpc/" + options_.job, std::move(store));
  epoch_ = jobs_->add("epoch", 0);
  store_ = make_ref<dist::PrefixStore>(std::to_string(epoch_), jobs_);
  std::string nonce;
  store_->compare_set("key", "", dist::to_hex(dist::random_bytes(kNonce)), &nonce);
  key_ = options_.secret + nonce;
  for (int r = 0; r < size; ++r) peers_.push_back(std::make_unique<Peer>());
  peers_[size_t(rank)]->name = options_.name;
}

Agent::~Agent() = default;  // after close()

Ref<Agent> Agent::create(Ref<dist::Store> store, int rank, int size, AgentOptions options) {
  if (size < 1)
    fail(Code::invalid_argument, concat("a job has at least 1 process, got size ", size), {}, "size");
  if (rank < 0 || rank >= size)
    fail(Code::invalid_argument, concat("rank must be 0 to ", size - 1, ", got ", rank), {}, "rank");
  if (options.threads < 1)
    fail(Code::invalid_argument, concat("threads must be at least 1, got ", options.threads), {}, "threads");
  if (options.max_message < 1)
    fail(Code::invalid_argument, concat("max_message_bytes must be at least 1, got ", options.max_message),
         {}, "max_message_bytes");
  if (options.name.empty()) options.name = concat("worker", rank);
  if (options.host.empty()) options.host = reachable_host();
  auto self = Ref<Agent>::adopt(new Agent(std::move(store), rank, size, std::move(options)));
  Agent& a = *self;
  a.address_.host = a.options_.host;
  a.listener_ = dist::listen_at(a.address_, "an agent");
  a.poll_ = dist::Socket(epoll_create1(EPOLL_CLOEXEC));
  a.wake_ = dist::Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.ptr = &a.listener_;
  bool good = a.poll_ && a.wake_ && epoll_ctl(a.poll_.fd(), EPOLL_CTL_ADD, a.listener_.fd(), &e) == 0;
  e.data.ptr = &a.wake_;
  good = good && epoll_ctl(a.poll_.fd(), EPOLL_CTL_ADD, a.wake_.fd(), &e) == 0;
  if (!good) fail(Code::io, concat("an agent cannot start: ", std::strerror(errno)));
  if (const int error = start_quietly(a.io_, io_body, self))
    fail(Code::unavailable, concat("an agent cannot start its thread: ", std::strerror(error)));
  a.has_io_ = true;
  return self;
}

void Agent::start(dist::Deadline deadline) {
  if (is_foreign()) fail(Code::forked, "the agent was made before fork()");
  std::string owner;
  store_->compare_set(concat("name/", options_.name), "", std::to_string(rank_), &owner);
  if (owner != std::to_string(rank_))
    fail(Code::invalid_argument, concat("rank ", owner, " is called '", options_.name, "' already"),
         "names of a job's processes differ", "name");
  dist::WireWriter info;
  info.text(options_.name).text(address_.host).number(int32_t(address_.port)).text(dist::random_bytes(8));
  store_->set(info_key(rank_), std::string_view(info.bytes).substr(4));
  for (int r = 0; r < size_; ++r) {
    try {
      read_peer(r, deadline);
    } catch (const Error& e) {
      if (e.code != Code::timeout) throw;
      std::vector<int64_t> missing;
      for (int i = r; i < size_; ++i)
        if (const std::string key[] = {info_key(i)}; !store_->check(key)) missing.push_back(i);
      fail(Code::timeout,
           concat(size_ - int(missing.size()), " of ", size_, " agents have come, missing are ranks ",
                  missing, "; waited ", deadline.given_text()),
           "start all processes, with the same store, size and job, or give a longer timeout");
    }
  }
  std::lock_guard lock(mutex_);
  started_ = true;
  work_.notify_all();
}

void Agent::read_peer(int rank, dist::Deadline deadline) {
  std::string info = store_->get(info_key(rank), deadline);
  dist::WireReader r(info);
  const std::string name(r.text());
  dist::Address at;
  at.host = r.text();
  at.port = r.number<int32_t>();
  std::lock_guard lock(mutex_);
  Peer& p = *peers_[size_t(rank)];
  p.name = name;
  p.at = at;
  p.info = std::move(info);
  ranks_[name] = rank;
}

std::string Agent::text_of(int rank) const {
  if (rank < 0) return "a stranger";
  return concat("rank ", rank, " '", peers_[size_t(rank)]->name, "'");
}
std::string Agent::peer_text(int rank) {
  std::lock_guard lock(mutex_);
  return text_of(rank);
}

std::string Agent::name_of(int rank) {
  std::lock_guard lock(mutex_);
  if (rank < 0 || rank >= size_)
    fail(Code::index, concat("rank ", rank, " does not exist, there are ", size_), {}, "rank");
  return peers_[size_t(rank)]->name;
}

int Agent::rank_of(std::string_view name) {
  std::lock_guard lock(mutex_);
  const auto it = ranks_.find(name);
  if (it == ranks_.end()) {
    std::string all;
    for (const auto& [n, r] : ranks_) all += concat(all.empty() ? "" : ", ", n);
    fail(Code::invalid_argument, concat("no process of the job is called '", name, "'"),
         concat("there are: ", all), "name");
  }
  return it->second;
}

void Agent::add_function(const std::string& name, std::shared_ptr<Function> f) {
  if (name.empty()) fail(Code::invalid_argument, "a function's name is empty", {}, "name");
  std::shared_ptr<Function> old;  // goes without the lock
  std::lock_guard lock(mutex_);
  if (closing_) fail(Code::cancelled, "the agent is closed");
  auto& place = functions_[name];
  old = std::exchange(place, std::move(f));
  if (!place) functions_.erase(name);
}

void Agent::remove_function(const Function* f) noexcept {
  std::shared_ptr<Function> old;  // goes without the lock
  std::lock_guard lock(mutex_);
  for (auto it = functions_.begin(); f && it != functions_.end(); ++it)
    if (it->second.get() == f) {
      old = std::move(it->second);
      functions_.erase(it);
      return;
    }
}

void Agent::watch(std::shared_ptr<Watcher> w) {
  std::lock_guard lock(mutex_);
  std::erase_if(watchers_, [](const auto& x) { return x.expired(); });
  watchers_.push_back(w);
}

void Agent::check_open() {
  if (is_foreign()) fail(Code::forked, "the agent was made before fork()");
  std::lock_guard lock(mutex_);
  if (closing_) fail(Code::cancelled, "the agent is closed");
  if (!started_)
    fail(Code::invalid_argument, "the agent is not started", "call start when its functions are registered");
}

// ---- calls ----

dist::Socket Agent::handshake(int rank, const dist::Address& where, dist::Deadline deadline) {
  dist::Socket s = dist::connect_to(where, deadline, "an agent", false);
  struct Greeting {  // close() ends it
    Agent& agent;
    Peer& peer;
    Greeting(Agent& a, Peer& p, int fd) : agent(a), peer(p) {
      std::lock_guard lock(agent.mutex_);
      if (agent.closing_) fail(Code::cancelled, "the agent is closed");
      peer.greeting = fd;
    }
    ~Greeting() {
      std::lock_guard lock(agent.mutex_);
      peer.greeting = -1;
    }
  } under_way(*this, *peers_[size_t(rank)], s.fd());
  const auto me = uint32_t(rank_);
  const std::string_view my_rank(reinterpret_cast<const char*>(&me), sizeof me);
  if (dist::introduce(s, {kMagic, "agent", key_, my_rank, peer_text(rank), to_text(where)}, deadline))
    return s;
  fail(Code::timeout,
       concat(peer_text(rank), " at ", to_text(where), " did not let this process in within ",
              deadline.given_text()),
       "it is overloaded or stopped");
}

Ref<Connection> Agent::connection_to(int rank, dist::Deadline deadline) {
  Peer& p = *peers_[size_t(rank)];
  {
    std::unique_lock lock(mutex_);
    while (p.connecting && !p.out && !closing_) {
      if (deadline.passed())
        fail(Code::timeout,
             concat("waited ", deadline.given_text(), " for another thread of this process to reach ",
                    text_of(rank)),
             "it is overloaded or stopped");
      changed_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline.left(), dist::kSecond)));
    }
    if (closing_) fail(Code::cancelled, "the agent is closed");
    if (p.out) return p.out;
    p.connecting = true;
  }
  struct Turn {
    Agent& agent;
    Peer& peer;
    ~Turn() {
      std::lock_guard lock(agent.mutex_);
      peer.connecting = false;
      agent.changed_.notify_all();
    }
  } turn{*this, p};
  read_peer(rank, deadline);  // it may have come again, elsewhere
  auto c = make_ref<Connection>();
  try {
    c->socket = handshake(rank, p.at, deadline);
  } catch (const Error& e) {
    if (e.code != Code::io) throw;
    check_open();
    fail(Code::peer_lost, concat(peer_text(rank), " is gone: ", e.message), "its process has ended");
  }
  c->peer = rank;
  c->ours = true;
  add_connection(c);
  std::lock_guard lock(mutex_);
  if (connections_.contains(c.get())) {
    p.out = c;
    p.lost = false;
  }
  return c;
}

Ref<Future> Agent::call(int to, const std::string& function, const Payload& payload, int64_t timeout_ns) {
  check_open();
  if (to < 0 || to >= size_)
    fail(Code::index, concat("rank ", to, " does not exist, there are ", size_), {}, "to");
  if (function.empty()) fail(Code::invalid_argument, "a function's name is empty", {}, "function");
  if (timeout_ns < 0) timeout_ns = options_.timeout_ns;
  const dist::Deadline deadline = dist::Deadline::in(timeout_ns);
  Ref<Connection> c;
  if (to != rank_) c = connection_to(to, deadline);
  uint64_t number;
  {
    std::lock_guard lock(mutex_);
    number = ++next_call_;
  }
  std::string frame = encode(number, FrameKind::request, function, payload, options_.max_message);
  if (c) {
    std::lock_guard lock(c->mutex);
    if (c->queued && c->queued + int64_t(frame.size()) > 2 * options_.max_message)
      fail(Code::queue_full, concat(c->queued, " bytes wait for ", peer_text(to), " already"),
           "wait for answers first");
  }
  auto future = make_ref<Future>(Ref<Agent>::share(this));
  bool sooner;
  {
    std::lock_guard lock(mutex_);
    if (closing_) fail(Code::cancelled, "the agent is closed");
    if (c && !connections_.contains(c.get()))
      fail(Code::peer_lost, concat(text_of(to), " was lost before it was called"), "its process has ended");
    const int64_t at = deadline.at();
    ends_.emplace(at, number);
    try {
      pending_.emplace(number, Pending{future, c.get(), to, function, at, timeout_ns});
    } catch (...) {
      ends_.erase({at, number});
      throw;
    }
    ++issued_;
    sooner = at < io_until_;
  }
  if (sooner) wake_io();
  if (c) {
    post(*c, std::move(frame));  // who is gone has all its calls answered
    return future;
  }
  try {
    deliver(frame);
  } catch (...) {
    answer(number, {}, current_error(no_memory_));
  }
  return future;
}

void Agent::deliver(const std::string& frame) {
  FrameHeader h;
  std::memcpy(&h, frame.data(), sizeof h);
  Ref<ByteBlock> body = allocate_block(int64_t(h.size));
  if (h.size) std::memcpy(body->data, frame.data() + sizeof h, h.size);
  take_frame(nullptr, h, std::move(body));
}

void Agent::answer(uint64_t call, Payload payload, std::shared_ptr<const Error> error) noexcept {
  Ref<Future> future;
  {
    std::lock_guard lock(mutex_);
    const auto it = pending_.find(call);
    if (it == pending_.end()) return;  // it was too late
    future = std::move(it->second.future);
    ends_.erase({it->second.at, call});
    pending_.erase(it);
  }
  changed_.notify_all();
  if (!future->answer(std::move(payload), std::move(error))) return;
  try {
    Task t;
    t.future = future;
    push_task(std::move(t));
  } catch (...) {  // no memory, or closed
    future->call_back();
  }
}

void Agent::fail_pending(Connection* of, Code code, std::string_view why, int rank) noexcept {
  while (true) {
    uint64_t call = 0;
    std::shared_ptr<const Error> error = no_memory_;
    try {
      std::lock_guard lock(mutex_);
      const auto it = std::find_if(pending_.begin(), pending_.end(),
                                   [&](const auto& p) { return !of || p.second.on == of; });
      if (it == pending_.end()) return;
      call = it->first;
      error = std::make_shared<const Error>(
          code, rank < 0 ? std::string(why) : concat(text_of(rank), " ", why, " '", it->second.function, "'"),
          code == Code::peer_lost ? "its process has ended" : "");
    } catch (const std::bad_alloc&) {
    }
    answer(call, {}, std::move(error));
  }
}

void Agent::take_frame(Connection* from, const FrameHeader& header, Ref<ByteBlock> body) {
  Message m = decode(header, body);
  if (m.kind != FrameKind::request) {
    if (from && !from->ours) fail(Code::corrupt, "an answer where requests come");
    std::shared_ptr<const Error> error;
    {
      std::lock_guard lock(mutex_);
      const auto it = pending_.find(m.call);
      if (it == pending_.end() || it->second.on != from) return;
      if (m.kind == FrameKind::failure)
        error = std::make_shared<const Error>(
            m.code, concat(text_of(it->second.to), ", '", it->second.function, "': ", m.text), m.hint);
    }
    return answer(m.call, std::move(m.payload), std::move(error));
  }
  if (from && from->ours) fail(Code::corrupt, "a request where answers come");
  Task t;
  t.request = make_ref<Request>(Ref<Agent>::share(this), Ref<Connection>::share(from), std::move(m),
                                from ? from->peer : rank_, from ? from->number : 0);
  t.bytes = int64_t(header.size);
  const Ref<Request> request = t.request;
  try {
    bool full;
    {
      std::lock_guard lock(mutex_);
      full = !tasks_.empty() && task_bytes_ + t.bytes > 2 * options_.max_message;
    }
    if (full) fail(Code::queue_full, "more calls wait than this process may keep", "call again later");
    push_task(std::move(t));
  } catch (...) {  // let go of, it would be answered as if it had run
    refuse_with_current(*request);
  }
}

void Agent::refuse_with_current(Request& r) noexcept {
  try {
    r.refuse(*current_error(no_memory_));
  } catch (...) {
    r.abandon();
  }
}

// ---- the pool ----

void Agent::push_task(Task task) {
  std::lock_guard lock(mutex_);
  if (closing_) fail(Code::cancelled, "the agent is closed");
  task_bytes_ += task.bytes;
  tasks_.push_back(std::move(task));
  if (int(tasks_.size()) > idle_ && int(pool_.size()) < options_.threads) {
    Thread t;
    pool_.reserve(pool_.size() + 1);
    const int error = start_quietly(t, pool_body, Ref<Agent>::share(this));
    if (!error) {
      pool_.push_back(t);
    } else if (pool_.empty()) {
      task_bytes_ -= tasks_.back().bytes;
      tasks_.pop_back();
      fail(Code::unavailable, concat("an agent cannot start a thread: ", std::strerror(error)));
    }
  }
  work_.notify_one();
}

void* Agent::pool_body(void* self) {
  enter_thread("haft-rpc");
  auto agent = Ref<Agent>::adopt(static_cast<Agent*>(self));
  Agent& a = *agent;
  serving = &a;
  std::unique_lock lock(a.mutex_);
  while (true) {
    ++a.idle_;
    // Who is called may call others.
    while ((a.tasks_.empty() || !a.started_) && !a.closing_) a.work_.wait(lock);
    --a.idle_;
    if (a.closing_) break;
    {
      Task t = std::move(a.tasks_.front());
      a.tasks_.pop_front();
      a.task_bytes_ -= t.bytes;
      ++a.running_;
      lock.unlock();
      a.run(t);
    }
    lock.lock();
    --a.running_;
    a.changed_.notify_all();
  }
  lock.unlock();
  serving = nullptr;
  return nullptr;
}

void Agent::run(Task& task) noexcept {
  if (task.future) return task.future->call_back();
  if (task.gone >= 0) {
    std::vector<std::weak_ptr<Watcher>> watchers;
    try {
      std::lock_guard lock(mutex_);
      watchers = watchers_;
    } catch (...) {
    }
    for (const auto& w : watchers)
      if (auto call = w.lock()) (*call)(task.gone, task.connection);
    return;
  }
  try {
    std::shared_ptr<Function> f;
    {
      std::lock_guard lock(mutex_);
      const auto it = functions_.find(task.request->function);
      if (it != functions_.end()) f = it->second;
    }
    if (!f)
      fail(Code::invalid_argument, concat("no function of this name is registered"),
           "register functions before start", "function");
    (*f)(*task.request);
    return;
  } catch (...) {
    refuse_with_current(*task.request);
  }
}

// ---- the end ----

bool Agent::inside() const { return serving == this || (has_io_ && pthread_equal(pthread_self(), io_)); }

// In the store, so that nobody waits for a process that one other found dead and that has not come again.
void Agent::tell_lost() {
  for (int r = 0; r < size_; ++r) {
    std::string info;
    {
      std::lock_guard lock(mutex_);
      if (peers_[size_t(r)]->lost) info = peers_[size_t(r)]->info;
    }
    if (!info.empty() && store_->get(info_key(r), dist::Deadline::in(60 * dist::kSecond)) == info)
      store_->set(concat("lost/", r), info);
  }
}

// And has not come again since.
bool Agent::is_left_behind(int rank) {
  const std::string lost[] = {concat("lost/", rank)};
  if (!store_->check(lost)) return false;
  const dist::Deadline deadline = dist::Deadline::in(60 * dist::kSecond);
  return store_->get(lost[0], deadline) == store_->get(info_key(rank), deadline);
}

int64_t Agent::gather_counts(int round, int64_t mine, dist::Deadline deadline) {
  auto key = [&](int r) { return concat("bye/", round, "/", r); };
  store_->set(key(rank_), std::to_string(mine));
  int64_t total = 0;
  for (int r = 0; r < size_; ++r) {
    while (true) {
      try {
        total += dist::added("bye", store_->get(key(r), deadline.but_within(dist::kSecond / 10)), 0);
        break;
      } catch (const Error& e) {
        if (e.code != Code::timeout) throw;
      }
      tell_lost();
      if (const std::string over[] = {"over"}; store_->check(over)) return 0;
      if (is_left_behind(r)) break;
      if (deadline.passed())
        fail(Code::timeout, concat("waited ", deadline.given_text(), " for ", peer_text(r), " to shut down"),
             "every process of the job does; one that is stopped can be left behind with abort");
    }
  }
  return total;
}

void Agent::shut_down(dist::Deadline deadline) {
  check_open();
  if (inside())
    fail(Code::recursive, "a function that is being called shuts its agent down", "let it return first");
  int64_t counted = 0;
  for (int round = 0;; ++round) {
    int64_t delta;
    {
      std::unique_lock lock(mutex_);
      while (!pending_.empty() || running_ || !tasks_.empty()) {
        if (deadline.passed())
          fail(Code::timeout,
               concat("waited ", deadline.given_text(), " for ", pending_.size(),
                      " calls of this process and ", int64_t(tasks_.size()) + running_,
                      " of others to be done"),
               "abort ends them");
        changed_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline.left(), dist::kSecond)));
      }
      delta = issued_ - counted;
      counted = issued_;
    }
    // Whoever runs functions may call others meanwhile: over is when nobody has called anybody since the last round.
    if (gather_counts(round, round ? delta : delta + 1, deadline) == 0) break;
  }
  store_->set("over", "");
  // The next job of this name has other keys. Rank 0, which often holds the store, goes last.
  std::string now;
  jobs_->compare_set("epoch", std::to_string(epoch_), std::to_string(epoch_ + 1), &now);
  store_->set(concat("left/", rank_), "");
  if (rank_ == 0)
    for (int r = 1; r < size_; ++r) {
      const std::string left[] = {concat("left/", r)};
      while (!store_->check(left) && !is_left_behind(r) && !deadline.passed()) {
        tell_lost();
        dist::sleep_for(dist::kSecond / 200);
      }
    }
  close();
}

void Agent::close() noexcept {
  if (is_foreign()) return;
  std::vector<Thread> pool;
  std::map<std::string, std::shared_ptr<Function>, std::less<>> functions;
  bool io;
  {
    std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = true;
    pool.swap(pool_);
    functions.swap(functions_);
    watchers_.clear();
    io = has_io_;
    for (const auto& p : peers_)
      if (p->greeting >= 0) ::shutdown(p->greeting, SHUT_RDWR);
  }
  work_.notify_all();
  changed_.notify_all();
  if (io) wake_io();
  const bool from_inside = inside();
  while (true) {
    Task t;
    {
      std::lock_guard lock(mutex_);
      if (tasks_.empty()) break;
      t = std::move(tasks_.front());
      tasks_.pop_front();
    }
    if (t.future) t.future->call_back();
    try {
      if (t.request) t.request->refuse(Error(Code::cancelled, "the agent is closed"));
    } catch (...) {  // no memory: its caller finds this process gone
      t.request->abandon();
    }
  }
  fail_pending(nullptr, Code::cancelled, "the agent is closed", -1);
  for (Thread t : pool) {
    if (from_inside)
      detach_thread(t);
    else
      join_thread(t);
  }
  if (io) {
    if (from_inside)
      detach_thread(io_);
    else
      join_thread(io_);
  }
  fail_pending(nullptr, Code::cancelled, "the agent is closed", -1);  // of who was calling meanwhile
}

}  // namespace haft::rpc
