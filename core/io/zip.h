// Zip archives (PKWARE's APPNOTE.TXT), as NumPy's .npz and PyTorch's files are: members are stored or deflated, and
// sizes beyond 32 bits are zip64's.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/array.h"

namespace haft {

struct ZipMember {
  std::string name;
  bool deflated = false;
  uint32_t crc = 0;
  int64_t packed = 0, bytes = 0;  // in the archive; of the content
  int64_t header = 0;             // where its own header begins
};

class ZipArchive {
 public:
  // Reads the directory; `where` begins every message. Code::corrupt for what contradicts the format,
  // Code::unsupported for encrypted members and other methods of compression.
  ZipArchive(std::span<const uint8_t> bytes, std::string where, Ref<ByteBlock> owner);
  ZipArchive(const ZipArchive&) = delete;

  const std::vector<ZipMember>& members() const { return members_; }
  int64_t find(std::string_view name) const;  // -1 when there is none

  struct Content {
    std::span<const uint8_t> bytes;
    Ref<ByteBlock> owner;  // keeps them alive; null where they lie in the caller's own
  };
  // What a member holds, compared with its checksum when it is read first. Any thread.
  Content read(int64_t index) const;

 private:
  struct Directory {
    int64_t count, begin, bytes;
  };
  Directory find_directory() const;
  void read_directory(const Directory& d);
  Content inflated(const ZipMember& m, std::span<const uint8_t> packed) const;
  [[noreturn]] void bad(const std::string& what) const;

  std::span<const uint8_t> bytes_;
  std::string where_;
  Ref<ByteBlock> owner_;
  std::vector<ZipMember> members_;
  std::map<std::string_view, int64_t> places_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // stored members whose checksum was right
};

// Equal input gives equal bytes: members carry no time. Content that is stored begins at a multiple of 64.
class ZipWriter {
 public:
  using Sink = std::function<void(const void* data, int64_t bytes)>;
  explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}

  // A member whose content is the parts, one behind the other.
  void add(const std::string& name, std::span<const std::span<const uint8_t>> parts, bool deflate);
  void finish();

 private:
  void write(const void* data, int64_t bytes);

  Sink sink_;
  std::vector<ZipMember> members_;
  int64_t at_ = 0;
};

}  // namespace haft
