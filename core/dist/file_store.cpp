#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/dist/sha256.h"
#include "core/dist/store.h"

namespace haft::dist {

namespace {

[[noreturn, gnu::cold]] void fail_file(const char* what, const std::string& path) {
  const int error = errno;
  fail(Code::io, concat("file store: cannot ", what, " '", path, "': ", std::strerror(error)),
       "all processes need a folder that exists and that they may write");
}

struct File {
  int fd;
  File(const std::string& path, int flags) : fd(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (fd >= 0) close(fd);
  }
  File(const File&) = delete;
};

// One process, or one thread, changes the folder at a time. The system lets go of the lock of who dies.
struct FolderLock {
  File file;
  FolderLock(const std::string& folder, int64_t timeout_ns) : file(folder + "/lock", O_RDWR | O_CREAT) {
    const std::string path = folder + "/lock";
    if (file.fd < 0) fail_file("open", path);
    const Deadline deadline = Deadline::in(timeout_ns);
    for (int64_t pause = kSecond / 20000; flock(file.fd, LOCK_EX | LOCK_NB) != 0;
         pause = std::min(2 * pause, kSecond / 100)) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) fail_file("lock", path);
      if (deadline.passed())
        fail(Code::timeout,
             concat("file store: waited ", deadline.given_text(), " for the lock on '", path, "'"),
             "the process that holds it is stopped");
      sleep_for(std::min(pause, deadline.left()));
    }
  }
};

int64_t wall_ns() {  // the clock that processes on several machines share, as far as anything does
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return int64_t(t.tv_sec) * kSecond + t.tv_nsec;
}

}  // namespace

FileStore::FileStore(std::string folder, int64_t call_timeout)
    : folder_(std::move(folder)), call_timeout_(call_timeout) {
  if (folder_.empty()) fail(Code::invalid_argument, "file store: the folder's name is empty", {}, "url");
  for (size_t at = 0; at != std::string::npos;) {
    at = folder_.find('/', at + 1);
    if (mkdir(folder_.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST && at == std::string::npos)
      fail_file("make the folder", folder_);
  }
}

// Readable names where they are safe and short, and a digest otherwise. 'k' keeps them apart from `lock`.
std::string FileStore::path_of(std::string_view key) const {
  check_key(key);
  std::string name = folder_ + "/k";
  const size_t start = name.size();
  for (char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (plain)
      name += c;
    else
      name += concat("%", to_hex({&c, 1}));
  }
  if (name.size() - start > 200) name = folder_ + "/h" + to_hex(sha256(key));
  return name;
}

bool FileStore::try_get(std::string_view key, std::string* value) {
  const std::string path = path_of(key);
  File f(path, O_RDONLY);
  if (f.fd < 0) {
    if (errno == ENOENT || errno == ESTALE) return false;
    fail_file("open", path);
  }
  // The moment at which it expires, then the value.
  struct stat s;
  int64_t expires = 0;
  if (fstat(f.fd, &s) != 0 || s.st_size < int64_t(sizeof expires) ||
      s.st_size > int64_t(kMaxValue + sizeof expires))
    fail(Code::corrupt, concat("file store: '", path, "' was not written by a store"));
  std::string all(size_t(s.st_size), '\0');
  for (size_t at = 0; at < all.size();) {
    const ssize_t n = read(f.fd, &all[at], all.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == ESTALE) return false;  // replaced meanwhile, on a network file system
    if (n <= 0) fail_file("read", path);
    at += size_t(n);
  }
  std::memcpy(&expires, all.data(), sizeof expires);
  if (expires && expires <= wall_ns()) return false;
  value->assign(all, sizeof expires);
  return true;
}

void FileStore::write(std::string_view key, std::string_view value, int64_t ttl_ns) {
  static std::atomic<uint64_t> number{0};
  const std::string path = path_of(key);
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  const std::string beside =
      concat(folder_, "/t", host, ".", getpid(), ".", number.fetch_add(1, std::memory_order_relaxed));
  int64_t expires = 0;
  if (ttl_ns && __builtin_add_overflow(wall_ns(), ttl_ns, &expires)) expires = 0;
  std::string all(reinterpret_cast<const char*>(&expires), sizeof expires);
  all.append(value);
  {
    // One that died may have left a file of this name.
    File f(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    if (f.fd < 0) fail_file("create", beside);
    const auto fail_written = [&] {
      const int error = errno;
      unlink(beside.c_str());
      errno = error;
      fail_file("write", beside);
    };
    for (size_t at = 0; at < all.size();) {
      const ssize_t n = ::write(f.fd, &all[at], all.size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_written();
      at += size_t(n);
    }
    // A network file system may say only now that the disk is full.
    if (close(std::exchange(f.fd, -1)) != 0) fail_written();
  }
  if (rename(beside.c_str(), path.c_str()) != 0) fail_file("rename to", path);
}

void FileStore::set(std::string_view key, std::string_view value) {
  check_value(key, value);
  FolderLock lock(folder_, call_timeout_);
  write(key, value, 0);
}

void FileStore::lease(std::string_view key, std::string_view value, int64_t ttl_ns) {
  check_value(key, value);
  check_ttl(ttl_ns);
  FolderLock lock(folder_, call_timeout_);
  write(key, value, ttl_ns);
}

bool FileStore::check(std::span<const std::string> keys) {
  std::string value;
  for (const std::string& key : keys)
    if (!try_get(key, &value)) return false;
  return true;
}

int64_t FileStore::add(std::string_view key, int64_t delta) {
  FolderLock lock(folder_, call_timeout_);
  std::string value;
  try_get(key, &value);
  const int64_t sum = added(key, value, delta);
  write(key, std::to_string(sum), 0);
  return sum;
}

bool FileStore::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                            std::string* current) {
  check_value(key, desired);
  FolderLock lock(folder_, call_timeout_);
  current->clear();
  const bool there = try_get(key, current);
  if (there ? *current != expected : !expected.empty()) return false;
  current->assign(desired);
  write(key, desired, 0);
  return true;
}

bool FileStore::remove(std::string_view key) {
  const std::string path = path_of(key);
  FolderLock lock(folder_, call_timeout_);
  std::string value;
  const bool there = try_get(key, &value);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) fail_file("remove", path);
  return there;
}

}  // namespace haft::dist
