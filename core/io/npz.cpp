#include "core/io/npz.h"

#include <set>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/npy.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr std::string_view kSuffix = ".npy";

class NpzFile final : public ArraysFile {
 public:
  NpzFile(std::unique_ptr<ZipArchive> archive, std::string where)
      : archive_(std::move(archive)), where_(std::move(where)) {
    int64_t i = -1;
    std::set<std::string_view> seen;
    for (const ZipMember& m : archive_->members()) {
      ++i;
      if (m.name.ends_with('/')) continue;
      std::string_view name = m.name;
      if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
      if (!seen.insert(name).second) fail(Code::corrupt, concat(where_, ": has two arrays ", quoted(name)));
      places_.push_back(i);
      names_.emplace_back(name);
    }
  }

  Array read(int64_t index) const override {
    auto [bytes, owner] = archive_->read(places_[size_t(index)]);
    Array a = parse_npy(bytes, concat(where_, ": array ", quoted(names_[size_t(index)])), owner);
    a.name = names_[size_t(index)];
    return a;
  }

 private:
  std::unique_ptr<ZipArchive> archive_;
  std::string where_;
  std::vector<int64_t> places_;
};

void write(std::span<const ArrayRef> arrays, bool compressed, ZipWriter::Sink sink) {
  std::set<std::string_view> names;
  for (const ArrayRef& a : arrays)
    if (!names.insert(a.name).second)
      fail(Code::invalid_argument,
           concat("npz: array ", quoted(a.name), " is given twice; names must differ"));
  ZipWriter zip(std::move(sink));
  for (const ArrayRef& a : arrays) {
    const std::string header = npy_header(a);
    const std::span<const uint8_t> parts[] = {
        {reinterpret_cast<const uint8_t*>(header.data()), header.size()},
        {static_cast<const uint8_t*>(a.data), size_t(a.bytes)}};
    zip.add(concat(a.name, kSuffix), parts, compressed);
  }
  zip.finish();
}

}  // namespace

void write_npz(const std::string& path, std::span<const ArrayRef> arrays, bool compressed) {
  AtomicFile file(path);
  write(arrays, compressed, [&](const void* data, int64_t bytes) { file.write(data, bytes); });
  file.commit();
}

std::string encode_npz(std::span<const ArrayRef> arrays, bool compressed) {
  std::string out;
  write(arrays, compressed,
        [&](const void* data, int64_t bytes) { out.append(static_cast<const char*>(data), size_t(bytes)); });
  return out;
}

std::unique_ptr<ArraysFile> open_npz(std::unique_ptr<ZipArchive> archive, std::string where) {
  return std::make_unique<NpzFile>(std::move(archive), std::move(where));
}

}  // namespace haft
