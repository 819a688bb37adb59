#include "core/io/arrays_file.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/npz.h"
#include "core/io/pytorch.h"
#include "core/io/safetensors.h"
#include "core/io/text.h"

namespace haft {

namespace {

class SafetensorsFile final : public ArraysFile {
 public:
  explicit SafetensorsFile(Safetensors file) : arrays_(std::move(file.arrays)) {
    for (const Array& a : arrays_) names_.push_back(a.name);
  }
  Array read(int64_t index) const override { return arrays_[size_t(index)]; }

 private:
  std::vector<Array> arrays_;
};

bool begins(std::span<const uint8_t> bytes, std::string_view with) {
  return bytes.size() >= with.size() && std::equal(with.begin(), with.end(), bytes.begin(),
                                                   [](char a, uint8_t b) { return uint8_t(a) == b; });
}

std::unique_ptr<ArraysFile> parse(std::span<const uint8_t> bytes, const Ref<ByteBlock>& owner, auto&& where) {
  if (begins(bytes, "PK\3\4") || begins(bytes, "PK\5\6")) {
    auto archive = std::make_unique<ZipArchive>(bytes, where("zip file"), owner);
    if (pytorch_root(*archive)) return open_pytorch(std::move(archive), where("PyTorch file"));
    return open_npz(std::move(archive), where("npz file"));
  }
  if (begins(bytes, kPytorchBeforeZip)) return parse_pytorch_before_zip(bytes, where("PyTorch file"), owner);
  return std::make_unique<SafetensorsFile>(parse_safetensors(bytes, where("safetensors file"), owner));
}

}  // namespace

int64_t ArraysFile::find(std::string_view name) const {
  auto it = std::find(names_.begin(), names_.end(), name);
  return it == names_.end() ? -1 : it - names_.begin();
}

std::unique_ptr<ArraysFile> open_arrays(const std::string& path) {
  auto block = map_file(path);
  return parse(block->bytes(), block,
               [&](const char* kind) { return concat(kind, " ", quoted(path, 4096)); });
}

std::unique_ptr<ArraysFile> parse_arrays(std::span<const uint8_t> bytes, std::string_view where,
                                         const Ref<ByteBlock>& owner) {
  return parse(bytes, owner, [&](const char*) { return std::string(where); });
}

}  // namespace haft
