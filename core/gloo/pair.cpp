#include "core/gloo/pair.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace haft::gloo_engine {

namespace {

constexpr size_t kGreetings = 16;  // that wait at a time; who has said nothing for longest goes first

void close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

bool equal(const Hello& a, const Hello& b) {
  const auto *x = reinterpret_cast<const unsigned char*>(&a), *y = reinterpret_cast<const unsigned char*>(&b);
  unsigned differ = 0;  // all bytes are looked at, so that the time tells nothing
  for (size_t i = 0; i < sizeof a; ++i) differ |= unsigned(x[i] ^ y[i]);
  return !differ;
}

}  // namespace

class Pair::Greeting final : public tcp::Handler {
  Pair& pair_;
  int fd_;
  Hello got_;
  size_t bytes_ = 0;

 public:
  Greeting(Pair& pair, int fd) : pair_(pair), fd_(fd) { pair_.device_->registerDescriptor(fd_, EPOLLIN, this); }
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
    : tcp::Pair(context, device, peer, std::chrono::hours(1)), owner_(owner), out_(owner.hello), in_(owner.hello) {
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

// A pair that the loop has closed itself was not waited for. Its next turn begins when no function of any pair runs; Gloo waits
// for that where a descriptor is taken out.
void Pair::settle() {
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (fd < 0) return void(usleep(50000));  // several turns
  device_->registerDescriptor(fd, EPOLLIN, this);
  device_->unregisterDescriptor(fd, this);
  ::close(fd);
}

// Gloo's own lets what it throws end the process.
void Pair::handleEvents(int events) {
  std::unique_lock<std::mutex> lock(m_, std::try_to_lock);
  if (!lock) return;
  moved_ = (events & EPOLLOUT) != 0;
  try {
    if (state_ == CONNECTED) {
      handleReadWrite(events);
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
  retired_.insert(retired_.end(), std::make_move_iterator(greetings_.begin()), std::make_move_iterator(greetings_.end()));
  greetings_.clear();
  owner_.changed();
}

bool Pair::read() {
  const bool whole = tcp::Pair::read();
  moved_ |= whole;
  return whole;
}

// As Gloo's, but that no signal comes where the peer is gone.
bool Pair::write(tcp::Op& op) {
  if (state_ == CLOSED) return false;
  ::gloo::NonOwningPtr<tcp::UnboundBuffer> memory;
  const bool data = op.getOpcode() == tcp::Op::SEND_UNBOUND_BUFFER;
  if (data) {
    memory = ::gloo::NonOwningPtr<tcp::UnboundBuffer>(op.ubuf);
    if (!memory) return false;
  }
  for (;;) {
    std::array<iovec, 2> pieces;
    int count = 0;
    const ssize_t left = prepareWrite(op, memory, pieces.data(), count);
    msghdr m{};
    m.msg_iov = pieces.data();
    m.msg_iovlen = size_t(count);
    const ssize_t n = sendmsg(fd_, &m, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == ECONNRESET || errno == EPIPE)) return false;
    if (n < 0) {
      changeState(CLOSED);
      return false;
    }
    op.nwritten += size_t(n);
    if (n < left) continue;
    if (data) memory->handleSendCompletion(rank_);
    return true;
  }
}

void Pair::changeState(state next) noexcept {
  tcp::Pair::changeState(next);
  if (next != CLOSED) return;
  lost_.store(true, std::memory_order_release);
  owner_.changed();
}

}  // namespace haft::gloo_engine
