#include "core/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

struct MappedBlock : ByteBlock {
  ~MappedBlock() override {
    if (data) ::munmap(data, size_t(size));
  }
};

struct OpenFile {
  int fd;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
};

Ref<ByteBlock> read_all(int fd, const std::string& path) {
  std::vector<uint8_t> content;
  size_t used = 0;
  for (;;) {
    if (used == content.size()) content.resize(used < 65536 ? 65536 : used * 2);
    ssize_t n = ::read(fd, content.data() + used, content.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno("read", path, errno);
    if (n == 0) break;
    used += size_t(n);
  }
  auto block = allocate_block(int64_t(used));
  if (used) std::memcpy(block->data, content.data(), used);
  return block;
}

}  // namespace

Ref<ByteBlock> map_file(const std::string& path) {
  OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail_errno("open", path, errno);
  struct stat st;
  if (::fstat(file.fd, &st) != 0) fail_errno("look at", path, errno);
  if (S_ISDIR(st.st_mode)) fail_errno("read", path, EISDIR);
  if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))  // a device has no end to read to
    fail(Code::io, concat("cannot read ", quoted(path, 4096), ": it is a device, not a file"));
  if (S_ISREG(st.st_mode) && st.st_size > 0) {
    auto block = make_ref<MappedBlock>();  // before there is a mapping to lose
    // NORESERVE: a private writable mapping would otherwise be charged in full against memory and swap.
    void* p =
        ::mmap(nullptr, size_t(st.st_size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.fd, 0);
    if (p != MAP_FAILED) {
      block->data = static_cast<uint8_t*>(p), block->size = int64_t(st.st_size);
      return block;
    }
    if (errno != ENODEV) fail_errno("map", path, errno);  // ENODEV: the file system does not map; read it
  }
  return read_all(file.fd, path);
}

}  // namespace haft
