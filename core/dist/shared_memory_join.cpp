// How the ranks of a host come to share memory: rank 0 listens on a socket without a name in the file system, and
// tells its address and a token through the store. Who brings the token gives a descriptor of its process and gets,
// once all have come, the memory and everybody's descriptors.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/dist/sha256.h"
#include "core/dist/shared_memory.h"

namespace haft::dist {

namespace {

constexpr size_t kToken = 16;
constexpr size_t kAddress = 6;  // a zero and the five digits that Linux finds for a socket without a name
constexpr const char* kKey = "shm";
constexpr const char* kElsewhere = "shm/elsewhere";

struct Hello {
  char token[kToken];
  int32_t rank;
};
struct Answer {
  int32_t failed;  // a Code, with its reason; 0: the descriptors come along
  char text[500];
};

[[noreturn]] void fail_system(const char* what) {
  const int error = errno;
  fail(Code::unavailable, concat("shared memory between processes: ", what, ": ", strerror(error)));
}

Descriptor own_life() {
  Descriptor d(int(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!d) fail_system("pidfd_open");
  return d;
}

// One message with descriptors; MSG_NOSIGNAL: a peer that is gone is an error, not a signal.
bool send_with(int socket, const void* bytes, size_t count, const std::vector<int>& fds) {
  iovec io{const_cast<void*>(bytes), count};
  std::vector<char> control(CMSG_SPACE(fds.size() * sizeof(int)));
  msghdr m{};
  m.msg_iov = &io;
  m.msg_iovlen = 1;
  if (!fds.empty()) {
    m.msg_control = control.data();
    m.msg_controllen = control.size();
    cmsghdr* c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
  }
  return sendmsg(socket, &m, MSG_NOSIGNAL) == ssize_t(count);
}

// The length of one message, of which `count` bytes are kept; -1 with errno.
ssize_t receive_with(int socket, void* bytes, size_t count, std::vector<Descriptor>& fds) {
  iovec io{bytes, count};
  alignas(cmsghdr) char control[CMSG_SPACE((kMaxLocalRanks + 1) * sizeof(int))];
  msghdr m{};
  m.msg_iov = &io;
  m.msg_iovlen = 1;
  m.msg_control = control;
  m.msg_controllen = sizeof control;
  ssize_t n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_TRUNC);
  if (n < 0) return n;
  for (cmsghdr* c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t got = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < got; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return n;
}

bool wait_readable(int fd, Deadline deadline) {
  for (;;) {
    timespec t;
    pollfd p{fd, POLLIN, 0};
    int n = ppoll(&p, 1, deadline.left(t), nullptr);
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

class Host {
  const int size_;
  Shared shared_;
  Descriptor listening_;
  const std::string token_ = random_bytes(kToken);
  std::vector<Descriptor> sockets_;  // of ranks that have come
  std::vector<Descriptor> pending_;  // of who has not said the token yet
  int joined_ = 1;

  std::vector<int64_t> missing() const {
    std::vector<int64_t> r;
    for (int i = 1; i < size_; ++i)
      if (!sockets_[size_t(i)]) r.push_back(i);
    return r;
  }

  static void refuse(const Descriptor& socket, Code code, const std::string& text) {
    Answer a{int32_t(code), {}};
    std::strncpy(a.text, text.c_str(), sizeof a.text - 1);
    send_with(socket.get(), &a, sizeof a, {});
  }
  void refuse_all(Code code, const std::string& text) {
    for (Descriptor& s : sockets_)
      if (s) refuse(s, code, text);
  }

  // A stranger, or a message of another form: the connection is closed without an answer.
  void greet(Descriptor socket) {
    Hello h;
    std::vector<Descriptor> fds;
    if (receive_with(socket.get(), &h, sizeof h, fds) != ssize_t(sizeof h) || fds.size() != 1) return;
    if (!equal_secretly({h.token, kToken}, token_) || h.rank < 1 || h.rank >= size_) return;
    if (sockets_[size_t(h.rank)])
      return refuse(socket, Code::invalid_argument,
                    concat("rank ", h.rank, " of the group is there already"));
    shared_.lives[size_t(h.rank)] = std::move(fds[0]);
    sockets_[size_t(h.rank)] = std::move(socket);
    ++joined_;
  }

 public:
  Host(int size, size_t bytes) : size_(size), sockets_(size_t(size)) {
    shared_.lives.resize(size_t(size));
    shared_.lives[0] = own_life();
    shared_.memory = Descriptor(memfd_create("haft", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!shared_.memory) fail_system("memfd_create");
    if (ftruncate(shared_.memory.get(), off_t(bytes)) != 0) fail_system("ftruncate");
    // Nobody makes it shorter under the feet of those who have mapped it.
    fcntl(shared_.memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  }

  void open(Store& store, const std::string& host) {
    listening_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listening_) fail_system("socket");
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    socklen_t length = sizeof(sa_family_t);  // the system finds a name
    if (bind(listening_.get(), reinterpret_cast<sockaddr*>(&a), length) != 0) fail_system("bind");
    if (listen(listening_.get(), size_ + 16) != 0) fail_system("listen");
    length = sizeof a;
    if (getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&a), &length) != 0 ||
        length != sizeof(sa_family_t) + kAddress)
      fail_system("getsockname");
    store.set(kKey, concat(token_, std::string_view(a.sun_path, kAddress), host));
  }

  Shared gather(Store& store, Deadline deadline) {
    const std::string elsewhere[] = {kElsewhere};
    int64_t next_look = 0;
    while (joined_ < size_) {
      std::vector<pollfd> fds{{listening_.get(), POLLIN, 0}};
      for (Descriptor& p : pending_) fds.push_back({p.get(), POLLIN, 0});
      const int64_t ns = std::min<int64_t>(deadline.left(), 50000000);
      const timespec t{0, long(ns)};
      if (ppoll(fds.data(), fds.size(), &t, nullptr) > 0) {
        std::vector<Descriptor> rest;
        for (size_t i = 0; i < pending_.size(); ++i)
          if (fds[i + 1].revents)
            greet(std::move(pending_[i]));
          else
            rest.push_back(std::move(pending_[i]));
        pending_ = std::move(rest);
        if (fds[0].revents) {
          Descriptor s(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
          const int error = s ? 0 : errno;
          // Ranks say the token at once: whoever has been silent for longest is the stranger.
          if (pending_.size() == size_t(size_) + 16) pending_.erase(pending_.begin());
          if (s)
            pending_.push_back(std::move(s));
          else if (error == EMFILE || error == ENFILE)
            sleep_for(10000000);  // until somebody closes a file; the connection waits
        }
      }
      if (joined_ == size_) break;
      if (const int64_t now = now_ns(); now >= next_look) {
        next_look = now + 200000000;
        if (store.check(elsewhere)) {
          const std::string text = store.get(kElsewhere, deadline);
          refuse_all(Code::unavailable, text);
          fail(Code::unavailable, text, kNoMesh);
        }
      }
      if (deadline.passed()) {
        const std::string text =
            concat(joined_, " of ", size_, " ranks have come to the group, missing are ranks ", missing(),
                   "; waited ", deadline.given_text());
        refuse_all(Code::timeout, text);
        fail(Code::timeout, text, kLate);
      }
    }
    std::vector<int> fds{shared_.memory.get()};
    for (Descriptor& life : shared_.lives) fds.push_back(life.get());
    const Answer yes{};
    for (int r = 1; r < size_; ++r)
      if (!send_with(sockets_[size_t(r)].get(), &yes, sizeof yes, fds))
        fail(Code::peer_lost, concat("rank ", r, " has ended while the group was made"));
    store.remove(kKey);
    return std::move(shared_);
  }

  static constexpr const char* kNoMesh = "groups over several hosts need an engine that reaches them";
  static constexpr const char* kLate =
      "start all ranks, with the same store and size, or give a longer timeout";
};

Shared join_host(Store& store, int rank, int size, size_t bytes, const std::string& host, Deadline deadline) {
  std::string value;
  try {
    value = store.get(kKey, deadline);
  } catch (const Error& e) {
    if (e.code != Code::timeout) throw;
    fail(Code::timeout,
         concat("rank 0 has not come to the group; waited ", deadline.given_text(), " in the store ",
                store.name()),
         Host::kLate);
  }
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  if (value.size() < kToken + kAddress)
    fail(Code::corrupt, concat("the store ", store.name(), " holds no address of rank 0"));
  auto is_elsewhere = [&](const std::string& text) {
    store.set(kElsewhere, text);
    fail(Code::unavailable, text, Host::kNoMesh);
  };
  if (const std::string theirs = value.substr(kToken + kAddress); theirs != host)
    is_elsewhere(concat("rank ", rank, " is on the host \"", host, "\", rank 0 on \"", theirs, "\""));
  std::memcpy(a.sun_path, value.data() + kToken, kAddress);
  Descriptor s(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!s) fail_system("socket");
  const auto length = socklen_t(sizeof(sa_family_t) + kAddress);
  Hello h;
  std::memcpy(h.token, value.data(), kToken);
  h.rank = rank;
  Descriptor life = own_life();
  if (connect(s.get(), reinterpret_cast<sockaddr*>(&a), length) != 0 ||
      !send_with(s.get(), &h, sizeof h, {life.get()}))
    is_elsewhere(concat("rank ", rank, " does not reach rank 0 within a host: ", strerror(errno)));
  Answer answer{};
  std::vector<Descriptor> fds;
  if (!wait_readable(s.get(), Deadline::in(deadline.is_never() ? INT64_MAX : deadline.left() + kSecond)) ||
      receive_with(s.get(), &answer, sizeof answer, fds) != ssize_t(sizeof answer)) {
    // Rank 0 may have learnt that somebody is elsewhere before it knew of this rank.
    if (const std::string elsewhere[] = {kElsewhere}; store.check(elsewhere))
      fail(Code::unavailable, store.get(kElsewhere, deadline), Host::kNoMesh);
    fail(Code::peer_lost, "rank 0 has ended, or has given up, before all ranks have come to the group",
         Host::kLate);
  }
  answer.text[sizeof answer.text - 1] = 0;
  if (answer.failed == int32_t(Code::invalid_argument))
    fail(Code::invalid_argument, answer.text, "each process needs a rank of its own", "rank");
  if (answer.failed)
    fail(answer.failed == int32_t(Code::timeout) ? Code::timeout : Code::unavailable, answer.text,
         answer.failed == int32_t(Code::timeout) ? Host::kLate : Host::kNoMesh);
  struct stat st;
  if (fds.size() != size_t(size) + 1 || fstat(fds[0].get(), &st) != 0 || size_t(st.st_size) != bytes)
    fail(Code::mismatch,
         concat("rank 0 made a group of another size than ", size, ", or is another version of haft"));
  Shared r;
  r.memory = std::move(fds[0]);
  for (size_t i = 1; i < fds.size(); ++i) r.lives.push_back(std::move(fds[i]));
  return r;
}

}  // namespace

Shared share_memory(Store& store, int rank, int size, size_t bytes, const std::string& host,
                    Deadline deadline) {
  if (rank) return join_host(store, rank, size, bytes, host, deadline);
  Host first(size, bytes);
  if (size > 1) first.open(store, host);
  return first.gather(store, deadline);
}

}  // namespace haft::dist
