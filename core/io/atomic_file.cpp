#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int write_fully(int fd, const void* data, int64_t bytes) {
  auto* p = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t n = ::write(fd, p, size_t(bytes < (int64_t(1) << 30) ? bytes : int64_t(1) << 30));
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    p += n;
    bytes -= n;
  }
  return 0;
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  struct stat st;
  bool link = ::lstat(path.c_str(), &st) == 0 && S_ISLNK(st.st_mode);
  bool exists = ::stat(path.c_str(), &st) == 0;
  if (exists && !S_ISREG(st.st_mode))
    fail(Code::io, concat("cannot write ", quoted(path, 4096), ": it exists and is not a regular file"));
  if (link) {
    // Renaming over the link would replace the link and leave its target stale.
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real) fail_errno("follow the link", path, errno);
    path_ = real.get();
  }

  static std::atomic<uint64_t> counter{0};
  do {  // the name may be taken: a container's processes often have the same number after each restart
    temp_ = concat(path_, ".tmp-", int64_t(::getpid()), "-", counter.fetch_add(1, std::memory_order_relaxed));
    fd_ = ::open(temp_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && (errno == EEXIST || errno == EINTR));
  if (fd_ < 0)
    fail_errno("create", temp_, errno, "does the folder exist, and may this process write into it?");
  if (exists && ::fchmod(fd_, st.st_mode & 07777) != 0) give_up("set the mode of", errno);
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temp_.c_str());
}

void AtomicFile::give_up(std::string_view action, int error) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  ::unlink(temp_.c_str());
  fail_errno(
      action, path_, error,
      error == ENOSPC || error == EDQUOT ? "the disk is full; the old file, if any, is untouched" : "");
}

void AtomicFile::write(const void* data, int64_t bytes) {
  HAFT_ASSERT(fd_ >= 0);
  if (int error = write_fully(fd_, data, bytes)) give_up("write", error);
}

void AtomicFile::commit() {
  HAFT_ASSERT(fd_ >= 0);
  const std::string folder = folder_of(path_);  // before the file is there: memory may be short
  // Data before name: otherwise a power loss could leave the new name on an empty file.
  if (::fsync(fd_) != 0) give_up("flush", errno);
  int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 && errno != EINTR) give_up("close", errno);
  if (::rename(temp_.c_str(), path_.c_str()) != 0) give_up("replace", errno);

  flush_folder(folder);
}

void flush_folder(const std::string& folder) {
  int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) {
    if (errno == EACCES) return;  // a folder one may write into but not list; nothing more can be done
    fail_errno("open the folder", folder, errno);
  }
  int error = ::fsync(dir) != 0 ? errno : 0;
  ::close(dir);
  if (error && error != EINVAL && error != ENOTSUP)  // some file systems cannot flush a folder
    fail_errno("flush the folder", folder, error, "the file is written, but may not survive a power loss");
}

}  // namespace haft
