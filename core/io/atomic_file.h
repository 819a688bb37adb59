// A file that appears whole or not at all. Content goes to `<path>.tmp-<pid>-<n>` in the same folder;
// commit() makes it durable and renames it over the target. A process killed midway leaves the old file and
// perhaps the temporary one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace haft {

class AtomicFile {
 public:
  // Follows a symbolic link at `path`, keeps the mode of a file that is there, refuses anything but a regular file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();  // removes the temporary file unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, int64_t bytes);
  void write(std::string_view text) { write(text.data(), int64_t(text.size())); }
  void commit();

 private:
  [[noreturn]] void give_up(std::string_view action, int error);

  std::string path_, temp_;
  int fd_ = -1;
};

std::string folder_of(const std::string& path);  // in which it lies
// New names in it survive a power loss from here on, where the file system can do that.
void flush_folder(const std::string& folder);

// write(2) until all is written; returns 0 or errno.
int write_fully(int fd, const void* data, int64_t bytes);

}  // namespace haft
