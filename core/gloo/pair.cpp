#include "core/gloo/pair.h"

#include <fcntl.h>
#include <haft/mesh.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace haft::gloo_engine {

namespace {

constexpr size_t kTogether = 8;      // messages that are written at once
constexpr size_t kLarge = 64 << 10;  // bytes of a message that are worth a question where they go
constexpr size_t kGreetings = 16;    // that wait at a time; who has said nothing for longest goes first

void close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

bool equal(const Hello& a, const Hello& b) {
  const auto *x = reinterpret_cast<const unsigned char*>(&a), *y = reinterpret_cast<const unsigned char*>(&b);
  unsigned differ = 0;  // all bytes are looked at, so that the time tells nothing
  for (size_t i = 0; i < sizeof a; ++i) differ |= unsigned(x[i] ^ y[i]);
  return !differ;
}

Lane& lane_of(::gloo::NonOwningPtr<tcp::UnboundBuffer>& memory) {
  return *static_cast<Lane*>(memory.operator->());
}

}  // namespace

class Pair::Greeting final : public tcp::Handler {
  Pair& pair_;
  int fd_;
  Hello got_;
  size_t bytes_ = 0;

 public:
  Greeting(Pair& pair, int fd) : pair_(pair), fd_(fd) {
    pair_.device_->registerDescriptor(fd_, EPOLLIN, this);
  }
  ~Greeting() override { hang_up(); }
  void hang_up() {
    if (fd_ < 0) return;
    pair_.device_->unregisterDescriptor(fd_, this);
    ::close(std::exchange(fd_, -1));
  }
  void handleEvents(int) override {
    std::unique_lock<std::mutex> lock(pair_.m_, std::try_to_lock);
    if (!lock || fd_ < 0 || pair_.state_ == CLOSED) return;  // then shut() hangs up
    const ssize_t n =
        ::recv(fd_, reinterpret_cast<char*>(&got_) + bytes_, sizeof got_ - bytes_, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n > 0 && (bytes_ += size_t(n)) < sizeof got_) return;
    if (n <= 0 || !equal(got_, pair_.in_) || pair_.state_ != LISTENING) return hang_up();
    const int fd = std::exchange(fd_, -1);
    try {
      pair_.welcome(fd);
    } catch (const std::exception&) {
      if (pair_.state_ != CLOSED) pair_.changeState(CLOSED);
    }
  }
};

Pair::Pair(tcp::Context* context, tcp::Device* device, int peer, Owner& owner)
    : tcp::Pair(context, device, peer, std::chrono::hours(1)),
      owner_(owner),
      out_(owner.hello),
      in_(owner.hello) {
  std::lock_guard<std::mutex> lock(m_);
  out_.to = in_.from = peer;
  in_.to = owner.hello.from;
  sendBufferSize_ = SIZE_MAX;  // the system chooses, not Gloo by the size of the first message
  close_on_exec(fd_);
}

Pair::~Pair() { shut(); }

void Pair::begin(const std::vector<char>& address) {
  tcp::Pair::connect(address);
  std::lock_guard<std::mutex> lock(m_);
  if (fd_ >= 0) close_on_exec(fd_);
}

std::string Pair::why_lost() {
  std::lock_guard<std::mutex> lock(m_);
  try {
    if (ex_) std::rethrow_exception(ex_);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "the connection broke";
}

int Pair::unsent() {
  std::lock_guard<std::mutex> lock(m_);
  int bytes = 0;
  if (state_ == CONNECTED) ioctl(fd_, SIOCOUTQ, &bytes);
  return bytes;
}

void Pair::shut() {
  std::vector<std::unique_ptr<Greeting>> greetings;
  {
    std::lock_guard<std::mutex> lock(m_);
    if (state_ != CLOSED) changeState(CLOSED);
    greetings.swap(greetings_);
  }
}

// A pair that the loop has closed itself was not waited for. Its next turn begins when no function of any pair runs;
// Gloo waits for that where a descriptor is taken out.
void Pair::settle() {
  const int fd = eventfd(0, EFD_CLOEXEC);
  bool waited = fd >= 0;
  try {
    if (waited) {
      device_->registerDescriptor(fd, EPOLLIN, this);
      device_->unregisterDescriptor(fd, this);
    }
  } catch (const std::exception&) {  // no room for one more
    waited = false;
  }
  if (fd >= 0) ::close(fd);
  if (!waited) usleep(50000);  // several turns
}

// While a pair is driven a message that nobody sends stands first in its queue: what is sent is queued behind it, and
// Gloo does not ask its thread to write.
bool Pair::write_queue() {
  bool moved = false;
  for (;;) {
    tcp::Op* ops[kTogether];
    size_t count = 0;
    const auto first = tx_.begin() + (driven_ ? 1 : 0);
    for (auto op = first; op != tx_.end() && count < kTogether; ++op) ops[count++] = &*op;
    const size_t through = count ? write_some(ops, count) : 0;
    tx_.erase(first, first + ptrdiff_t(through));
    moved |= through > 0;
    if (!count || through < count) return moved;
  }
}

bool Pair::drive() {
  std::unique_lock<std::mutex> lock(m_, std::try_to_lock);
  if (!lock || state_ != CONNECTED) return false;  // somebody moves it
  moved_ = false;
  try {
    if (!driven_) {
      tx_.push_front({});
      driven_ = true;
      device_->registerDescriptor(fd_, 0, this);
    }
    while (read()) {
    }
    moved_ |= write_queue();
  } catch (const std::exception&) {
    if (state_ != CLOSED) changeState(CLOSED);
  }
  return std::exchange(moved_, false);
}

bool Pair::watch(pollfd& to) {
  std::lock_guard<std::mutex> lock(m_);
  if (!driven_ || state_ != CONNECTED) return false;
  to = {fd_, short(tx_.size() > 1 ? POLLIN | POLLOUT : POLLIN), 0};
  return true;
}

void Pair::push() {
  std::lock_guard<std::mutex> lock(m_);
  if (driven_ && state_ == CONNECTED) write_queue();
}

void Pair::rest() {
  std::lock_guard<std::mutex> lock(m_);
  if (!std::exchange(driven_, false) || state_ != CONNECTED) return;
  tx_.pop_front();
  try {
    device_->registerDescriptor(fd_, tx_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT, this);
  } catch (const std::exception&) {
    changeState(CLOSED);
  }
}

// Gloo's own lets what it throws end the process.
void Pair::handleEvents(int events) {
  std::unique_lock<std::mutex> lock(m_, std::try_to_lock);
  if (!lock) return;
  moved_ = (events & EPOLLOUT) != 0;
  try {
    if (state_ == CONNECTED && driven_) {  // an error, or what was asked for before
      if (events & (EPOLLERR | EPOLLHUP)) read();
    } else if (state_ == CONNECTED) {
      // Events may be of before a rest: there may be nothing to send.
      if (events & EPOLLOUT) {
        write_queue();
        if (state_ == CONNECTED && tx_.empty()) device_->registerDescriptor(fd_, EPOLLIN, this);
      }
      while ((events & EPOLLIN) && read()) {
      }
    } else if (state_ == LISTENING) {
      greet();
    } else if (state_ == CONNECTING) {
      handleConnecting();
      // The first bytes of a new connection find room.
      if (state_ == CONNECTED && ::send(fd_, &out_, sizeof out_, MSG_NOSIGNAL) != ssize_t(sizeof out_))
        changeState(CLOSED);
      else if (state_ == CONNECTED)
        connected_.store(true, std::memory_order_release);
    }
  } catch (const std::exception&) {
    if (state_ != CLOSED) changeState(CLOSED);
  }
  // With the lock: whoever has shut the pair has waited for it, and the owner may go.
  if (std::exchange(moved_, false) || events != EPOLLIN) owner_.changed();
}

void Pair::greet() {
  const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  retired_.clear();
  if (greetings_.size() == kGreetings) {
    retired_.push_back(std::move(greetings_.front()));
    greetings_.erase(greetings_.begin());
    retired_.back()->hang_up();
  }
  greetings_.push_back(std::make_unique<Greeting>(*this, fd));
}

// By a greeting of it, which goes later.
void Pair::welcome(int fd) {
  device_->unregisterDescriptor(fd_, this);
  ::close(fd_);
  fd_ = fd;
  handleConnected();
  connected_.store(true, std::memory_order_release);
  for (auto& g : greetings_) g->hang_up();
  retired_.insert(retired_.end(), std::make_move_iterator(greetings_.begin()),
                  std::make_move_iterator(greetings_.end()));
  greetings_.clear();
  owner_.changed();
}

// As Gloo's, but that what comes behind a message is read with it.
bool Pair::read() {
  ::gloo::NonOwningPtr<tcp::UnboundBuffer> memory;
  while (state_ != CLOSED) {
    iovec pieces[2] = {{}, {ahead_, sizeof ahead_}};
    const ssize_t wanted = prepareRead(rx_, memory, pieces[0]);
    if (wanted < 0) return false;
    if (wanted == 0) {
      landing_ = {};
      readComplete(memory);
      return moved_ = true;
    }
    if (memory) land(lane_of(memory), pieces[0]);
    if (ahead_from_ < ahead_to_) {
      const size_t n = std::min(ahead_to_ - ahead_from_, pieces[0].iov_len);
      std::memcpy(pieces[0].iov_base, ahead_ + ahead_from_, n);
      ahead_from_ += n;
      rx_.nread += n;
      continue;
    }
    msghdr m{};
    m.msg_iov = pieces;
    m.msg_iovlen = 2;
    const ssize_t n = recvmsg(fd_, &m, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) {
      signalException(n < 0 ? std::string("reading from ") + peer_.str() + ": " + strerror(errno)
                            : "connection closed by peer " + peer_.str());
      return false;
    }
    const size_t first = std::min(size_t(n), pieces[0].iov_len);
    rx_.nread += first;
    ahead_from_ = 0;
    ahead_to_ = size_t(n) - first;
  }
  return false;
}

// Where the next bytes of a message go, which `piece` says of its slot: no further than to where is asked, and then
// perhaps elsewhere.
void Pair::land(Lane& lane, iovec& piece) {
  const size_t come = rx_.nread - sizeof rx_.preamble, bytes = come + piece.iov_len;
  if (bytes < kLarge) return;
  if (!landing_.asked) {
    if (come < HAFT_MESH_FIRST) return void(piece.iov_len = HAFT_MESH_FIRST - come);
    landing_ = {true, &lane, static_cast<char*>(piece.iov_base) - come};
    landing_.at = owner_.place(lane, landing_.first, bytes, &landing_.head);
    if (landing_.at) std::memcpy(landing_.at, landing_.first + landing_.head, come - landing_.head);
  }
  if (landing_.at) piece.iov_base = landing_.at + (come - landing_.head);
}

ptrdiff_t Pair::take_back(Lane& lane) {
  std::lock_guard<std::mutex> lock(m_);
  if (landing_.lane != &lane || !landing_.at) return -1;
  const char* at = std::exchange(landing_.at, nullptr);
  if (state_ == CONNECTED)
    std::memcpy(landing_.first + landing_.head, at, rx_.nread - sizeof rx_.preamble - landing_.head);
  return landing_.first - static_cast<char*>(lane.ptr);
}

// As Gloo's, but that no signal comes where the peer is gone, that data may be lent, and that several go together.
bool Pair::write(tcp::Op& op) {
  tcp::Op* one = &op;
  return write_some(&one, 1) == 1;
}

// Answers how many of them are through.
size_t Pair::write_some(tcp::Op* const* ops, size_t count) {
  ::gloo::NonOwningPtr<tcp::UnboundBuffer> memory[kTogether];
  for (size_t i = 0; i < count; ++i) {
    if (ops[i]->getOpcode() != tcp::Op::SEND_UNBOUND_BUFFER) continue;
    memory[i] = ::gloo::NonOwningPtr<tcp::UnboundBuffer>(ops[i]->ubuf);
    if (!memory[i]) count = i;
  }
  size_t through = 0;
  while (through < count && state_ != CLOSED) {
    iovec pieces[3 * kTogether];
    msghdr m{};
    m.msg_iov = pieces;
    for (size_t i = through; i < count; ++i) {
      tcp::Op& op = *ops[i];
      iovec all[3] = {{&op.preamble, sizeof op.preamble}, {}, {}};
      if (memory[i]) {
        const Lane::Lent& lent = lane_of(memory[i]).lent(op.offset);
        all[1] = {static_cast<char*>(memory[i]->ptr) + op.offset, lent.at ? lent.head : op.nbytes};
        all[2] = {const_cast<char*>(lent.at), lent.bytes};
      }
      size_t before = op.nwritten;
      for (const iovec& a : all) {
        const size_t skip = std::min(before, a.iov_len);
        before -= skip;
        if (skip < a.iov_len)
          pieces[m.msg_iovlen++] = {static_cast<char*>(a.iov_base) + skip, a.iov_len - skip};
      }
    }
    ssize_t n = sendmsg(fd_, &m, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      if (errno != EAGAIN && errno != ECONNRESET && errno != EPIPE) changeState(CLOSED);
      break;
    }
    while (through < count) {
      tcp::Op& op = *ops[through];
      const size_t all = sizeof op.preamble + (memory[through] ? op.nbytes : 0),
                   more = std::min(size_t(n), all - op.nwritten);
      op.nwritten += more;
      n -= ssize_t(more);
      if (op.nwritten < all) break;
      if (memory[through]) {
        lane_of(memory[through]).lent(op.offset) = {};
        memory[through]->handleSendCompletion(rank_);
      }
      ++through;
    }
  }
  return through;
}

void Pair::keep(Lane& lane) {
  std::lock_guard<std::mutex> lock(m_);
  lane.keep();
}

void Pair::changeState(state next) noexcept {
  tcp::Pair::changeState(next);
  if (next != CLOSED) return;
  lost_.store(true, std::memory_order_release);
  owner_.changed();
}

}  // namespace haft::gloo_engine
