#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <memory>

#include "core/base/log.h"
#include "core/base/thread_state.h"
#include "core/dist/store_hub.h"
#include "core/dist/tcp_store.h"

namespace haft::dist {

namespace {

constexpr size_t kMaxStrangers = 256;           // connections that have not shown that they know the secret
constexpr int64_t kStrangerTime = 5 * kSecond;  // and how long one may be a stranger

}  // namespace

struct TcpServer::State {
  struct Connection : StoreHub::Peer {
    Socket socket;
    int64_t stranger_until = 0;  // 0: it is known
    uint32_t events = 0;
    std::list<Connection>::iterator self;
  };

  Address address;
  Socket listener, poll, stop;
  StoreHub hub;
  std::list<Connection> connections;  // strangers first, the oldest in front
  size_t strangers = 0;
  bool listening = false;
  pthread_t thread = {};

  explicit State(std::string secret) : hub(std::move(secret)) {}

  void watch(int fd, uint32_t events, void* with, int how) {
    epoll_event e{};
    e.events = events;
    e.data.ptr = with;
    if (epoll_ctl(poll.fd(), how, fd, &e) != 0) fail(Code::io, concat("epoll_ctl: ", std::strerror(errno)));
  }

  void drop(Connection& c) {
    hub.leave(c);
    if (c.stranger_until) --strangers;
    connections.erase(c.self);
    listen(true);
  }

  void listen(bool on) {
    if (on == listening) return;
    watch(listener.fd(), on ? uint32_t(EPOLLIN) : 0, &listener, EPOLL_CTL_MOD);
    listening = on;
  }

  void accept_all() {
    while (true) {
      Socket s(accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!s) {
        if (errno == EINTR || errno == ECONNABORTED) continue;
        // Out of descriptors: a stranger makes room, or the next connection that ends.
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          if (strangers)
            drop(connections.front());
          else
            listen(false);
        }
        return;
      }
      tune(s.fd());
      if (strangers == kMaxStrangers) drop(connections.front());
      auto before = connections.begin();
      std::advance(before, strangers);
      Connection& c = *connections.emplace(before);
      c.self = std::prev(before);
      c.socket = std::move(s);
      c.stranger_until = now_ns() + kStrangerTime;
      ++strangers;
      hub.greet(c);
      c.events = EPOLLIN | EPOLLRDHUP;
      watch(c.socket.fd(), c.events, &c, EPOLL_CTL_ADD);
      if (!flush(c)) drop(c);
    }
  }

  // Sends what there is; false: the other side is gone.
  bool flush(Connection& c) {
    std::string& out = c.out;
    size_t at = 0;
    while (at < out.size()) {
      const ssize_t n = send(c.socket.fd(), out.data() + at, out.size() - at, MSG_NOSIGNAL);
      if (n >= 0) {
        at += size_t(n);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      } else if (errno != EINTR) {
        return false;
      }
    }
    if (at == out.size())
      out = {};
    else
      out.erase(0, at);
    const uint32_t events = EPOLLIN | EPOLLRDHUP | (out.empty() ? 0 : uint32_t(EPOLLOUT));
    if (events != c.events) watch(c.socket.fd(), c.events = events, &c, EPOLL_CTL_MOD);
    return true;
  }

  bool serve(Connection& c, uint32_t events) {
    if (events & EPOLLOUT && !flush(c)) return false;
    if (events & EPOLLIN) {
      char buffer[65536];
      const ssize_t n = recv(c.socket.fd(), buffer, sizeof buffer, 0);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
      if (n > 0) {
        if (!hub.receive(c, {buffer, size_t(n)})) {
          if (!c.known) {
            log_warning("store at ", to_text(address), ": refused who does not know the secret");
            flush(c);
          }
          return false;
        }
        if (c.known && c.stranger_until) {
          c.stranger_until = 0;
          --strangers;
          connections.splice(connections.end(), connections, c.self);
        }
        if (!flush(c)) return false;
      }
    } else if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
      return false;
    }
    return true;
  }

  void forget_old_strangers() {
    while (strangers && connections.front().stranger_until <= now_ns()) drop(connections.front());
  }

  // True until told to stop.
  bool round() {
    epoll_event events[64];
    const int n = epoll_wait(poll.fd(), events, 64, strangers || !listening ? 500 : -1);
    if (!listening) listen(true);
    for (int i = 0; i < n; ++i) {
      void* with = events[i].data.ptr;
      if (with == &stop) return false;
      if (with == &listener) continue;
      auto& c = *static_cast<Connection*>(with);
      bool stays = false;
      try {
        stays = serve(c, events[i].events);
      } catch (...) {  // no memory: better hung up on than waiting for an answer
      }
      if (!stays) drop(c);
    }
    for (StoreHub::Peer* p : hub.take_woken())
      if (auto& c = static_cast<Connection&>(*p); !flush(c)) drop(c);
    for (int i = 0; i < n; ++i)
      if (events[i].data.ptr == &listener) accept_all();
    forget_old_strangers();
    return true;
  }

  static void* run(void* p) {
    enter_thread("haft-store");
    auto& s = *static_cast<State*>(p);
    while (true) {
      try {
        while (s.round()) {
        }
        return nullptr;
      } catch (...) {  // no memory for a new connection
        sleep_for(kSecond / 100);
      }
    }
  }
};

TcpServer::TcpServer(Address where, std::string secret) {
  auto state = std::make_unique<State>(std::move(secret));
  State& s = *state;
  s.listener = listen_at(where, "a store");
  s.address = where;
  s.poll = Socket(epoll_create1(EPOLL_CLOEXEC));
  s.stop = Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!s.poll || !s.stop) fail(Code::io, concat("a store cannot start: ", std::strerror(errno)));
  s.watch(s.listener.fd(), EPOLLIN, &s.listener, EPOLL_CTL_ADD);
  s.listening = true;
  s.watch(s.stop.fd(), EPOLLIN, &s.stop, EPOLL_CTL_ADD);
  const int error = start_quiet_thread(s.thread, State::run, &s);
  if (error != 0) fail(Code::unavailable, concat("a store cannot start its thread: ", std::strerror(error)));
  state_ = state.release();
}

TcpServer::~TcpServer() {
  const uint64_t one = 1;
  while (write(state_->stop.fd(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  join_thread(state_->thread);
  delete state_;
}

const Address& TcpServer::address() const { return state_->address; }

}  // namespace haft::dist
