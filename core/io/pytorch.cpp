#include "core/io/pytorch.h"

#include <cstring>

#include "core/base/error.h"
#include "core/io/pickle.h"
#include "core/io/pytorch_tensors.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr int64_t kMostRepeated = int64_t(1)
                                  << 31;  // bytes of a tensor that repeats the elements of a smaller memory

using Content = ZipArchive::Content;

class PytorchFile : public ArraysFile {
 public:
  PytorchFile(StoredTensors stored, std::string where)
      : stored_(std::move(stored)), where_(std::move(where)) {
    for (const StoredTensor& t : stored_.tensors) names_.push_back(t.name);
  }

  Array read(int64_t index) const override {
    const StoredTensor& t = stored_.tensors[size_t(index)];
    if (t.dtype == DType::none)
      fail(Code::dtype, concat(who(t), " is of PyTorch's ", quoted(t.type), ", which haft does not have"),
           "convert it before saving");
    Content memory = content(index);
    const int64_t item = item_size(t.dtype), last = end_of(t);
    if (last >
        int64_t(memory.bytes.size()) / item)  // a damaged archive only; the sizes were compared at first
      fail(Code::corrupt, concat(who(t), " reaches beyond its memory of ", memory.bytes.size(), " bytes"));
    Array a;
    a.name = t.name;
    a.dtype = t.dtype;
    a.sizes = t.sizes;
    if (!dense_bytes(a.sizes, a.dtype, &a.bytes))
      fail(Code::corrupt, concat(who(t), " has an impossible shape ", a.sizes));
    if (a.bytes == 0) return a;
    const uint8_t* first = memory.bytes.data() + t.offset * item;
    if (is_dense(t)) {
      a.data = first;
      a.owner = memory.owner;
      align_array(a);
    } else {
      gather(t, first, a);
    }
    if (a.dtype == DType::boolean)
      if (int64_t i = find_bad_bool(a.data, a.bytes); i >= 0)
        fail(Code::corrupt, concat(who(t), " has the byte ", static_cast<const uint8_t*>(a.data)[i],
                                   " as element ", i, "; wanted 0 or 1"));
    return a;
  }

 protected:
  // The memory of a tensor.
  virtual Content content(int64_t index) const = 0;

  std::string who(const StoredTensor& t) const { return concat(where_, ": tensor ", quoted(t.name)); }
  // Says so unless the tensor lies within its memory.
  void check(const StoredTensor& t, int64_t bytes) const {
    if (t.dtype == DType::none) return;
    int64_t dense;
    const int64_t end = dense_bytes(t.sizes, t.dtype, &dense) ? end_of(t) : -1;
    if (end < 0 || end > bytes / item_size(t.dtype))
      fail(Code::corrupt, concat(who(t), " of shape ", t.sizes, " and strides ", t.strides, " from element ",
                                 t.offset, " on reaches beyond its memory of ", bytes, " bytes"));
    if (dense > bytes && dense > kMostRepeated)
      fail(Code::unsupported,
           concat(who(t), " of shape ", t.sizes, " repeats a memory of ", bytes, " bytes up to ", dense,
                  " bytes"),
           "save a tensor with memory of its own");
  }

  StoredTensors stored_;
  std::string where_;

 private:
  // Elements of memory that it needs; -1 beyond 63 bits.
  static int64_t end_of(const StoredTensor& t) {
    int64_t end = t.offset;
    for (int64_t d = 0; d < t.sizes.size(); ++d) {
      int64_t step;
      if (t.sizes[d] == 0) return 0;
      if (__builtin_mul_overflow(t.sizes[d] - 1, t.strides[d], &step) ||
          __builtin_add_overflow(end, step, &end))
        return -1;
    }
    return __builtin_add_overflow(end, 1, &end) ? -1 : end;
  }
  static bool is_dense(const StoredTensor& t) {
    int64_t step = 1;
    for (int64_t d = t.sizes.size() - 1; d >= 0; --d) {
      if (t.sizes[d] != 1 && t.strides[d] != step) return false;
      step *= t.sizes[d];
    }
    return true;
  }
  static void gather(const StoredTensor& t, const uint8_t* from, Array& a) {
    auto block = allocate_block(a.bytes);
    const int64_t item = item_size(a.dtype), n = t.sizes.size(), inner = t.sizes[n - 1];
    ArrayRef::Sizes index(t.sizes.size());
    int64_t at = 0;
    for (uint8_t *to = block->data, *end = to + a.bytes; to < end;) {
      for (int64_t i = 0; i < inner; ++i, to += item)
        std::memcpy(to, from + (at + i * t.strides[n - 1]) * item, size_t(item));
      for (int64_t d = n - 2; d >= 0; --d) {
        at += t.strides[d];
        if (++index[d] < t.sizes[d]) break;
        at -= t.strides[d] * t.sizes[d];
        index[d] = 0;
      }
    }
    a.data = block->data;
    a.owner = std::move(block);
  }
};

class ZippedFile final : public PytorchFile {
 public:
  ZippedFile(StoredTensors stored, std::unique_ptr<ZipArchive> archive, const std::string& root,
             const std::string& where)
      : PytorchFile(std::move(stored), where), archive_(std::move(archive)) {
    for (const StoredTensor& t : stored_.tensors) {
      const int64_t place = archive_->find(concat(root, "data/", t.storage));
      if (place < 0)
        fail(Code::corrupt, concat(who(t), " is in memory ", quoted(t.storage), ", which the archive lacks"));
      check(t, archive_->members()[size_t(place)].bytes);
      places_.push_back(place);
    }
  }

 private:
  Content content(int64_t index) const override { return archive_->read(places_[size_t(index)]); }

  std::unique_ptr<ZipArchive> archive_;
  std::vector<int64_t> places_;
};

class UnzippedFile final : public PytorchFile {
 public:
  using Memories = std::map<std::string, std::span<const uint8_t>>;
  UnzippedFile(StoredTensors stored, Memories memories, const std::string& where, const Ref<ByteBlock>& owner)
      : PytorchFile(std::move(stored), where), memories_(std::move(memories)), owner_(owner) {
    for (const StoredTensor& t : stored_.tensors) {
      auto it = memories_.find(t.storage);
      if (it == memories_.end())
        fail(Code::corrupt, concat(who(t), " is in memory ", quoted(t.storage), ", which the file lacks"));
      check(t, int64_t(it->second.size()));
    }
  }

 private:
  Content content(int64_t index) const override {
    return {memories_.at(stored_.tensors[size_t(index)].storage), owner_};
  }

  Memories memories_;
  Ref<ByteBlock> owner_;
};

[[noreturn]] void fail_big_endian(const std::string& where) {
  fail(Code::unsupported, concat(where, ": is from a big-endian machine; wanted little-endian memory"),
       "save it again on a little-endian one");
}

}  // namespace

const ZipMember* pytorch_root(const ZipArchive& archive) {
  for (const ZipMember& m : archive.members())
    if (m.name == "data.pkl" || m.name.ends_with("/data.pkl")) return &m;
  return nullptr;
}

std::unique_ptr<ArraysFile> open_pytorch(std::unique_ptr<ZipArchive> archive, std::string where) {
  const std::string name = pytorch_root(*archive)->name,
                    root = name.substr(0, name.size() - std::strlen("data.pkl"));
  if (int64_t order = archive->find(root + "byteorder"); order >= 0) {
    Content content = archive->read(order);
    if (std::string_view(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()) == "big")
      fail_big_endian(where);
  }
  Content pickled = archive->read(archive->find(name));
  StoredTensors stored = find_tensors(parse_pickle(pickled.bytes, where), where);
  return std::make_unique<ZippedFile>(std::move(stored), std::move(archive), root, where);
}

// Pickles of a magic number, a version, the machine, the object and the keys of its memory; then, in the order of the
// keys, each memory behind its number of elements.
std::unique_ptr<ArraysFile> parse_pytorch_before_zip(std::span<const uint8_t> bytes, std::string where,
                                                     const Ref<ByteBlock>& owner) {
  auto next = [&] {
    Pickle p = parse_pickle(bytes, where);
    bytes = bytes.subspan(size_t(p.bytes));
    return p;
  };
  next();
  next();
  const Pickle machine = next();
  for (size_t i = 0; i + 1 < machine[machine.root].items.size(); i += 2) {
    const PickleValue &k = machine[machine[machine.root].items[i]],
                      &v = machine[machine[machine.root].items[i + 1]];
    if (k.text == "little_endian" && v.kind == PickleValue::Kind::boolean && !v.number)
      fail_big_endian(where);
  }
  StoredTensors stored = find_tensors(next(), where);
  const Pickle keys = next();
  UnzippedFile::Memories memories;
  for (int32_t i : keys[keys.root].items) {
    const std::string key(keys[i].text);
    auto it = stored.storages.find(key);
    if (keys[i].kind != PickleValue::Kind::text || it == stored.storages.end())
      fail(Code::corrupt, concat(where, ": lists memory ", quoted(key), ", which nothing names"));
    const StoredMemory& m = it->second;
    if (m.dtype == DType::none)  // how long it is stands nowhere else
      fail(Code::dtype, concat(where, ": memory ", quoted(key), " is of PyTorch's ", quoted(m.type),
                               ", which haft does not have"));
    int64_t numel = 0, size = 0;
    if (bytes.size() >= sizeof numel) std::memcpy(&numel, bytes.data(), sizeof numel);
    if (bytes.size() < sizeof numel || numel < 0 ||
        __builtin_mul_overflow(numel, item_size(m.dtype), &size) ||
        size > int64_t(bytes.size() - sizeof numel))
      fail(Code::corrupt, concat(where, ": memory ", quoted(key), " of ", numel, " elements is cut off"),
           "was the file cut off while it was copied?");
    memories[key] = bytes.subspan(sizeof numel, size_t(size));
    bytes = bytes.subspan(sizeof numel + size_t(size));
  }
  return std::make_unique<UnzippedFile>(std::move(stored), std::move(memories), where, owner);
}

}  // namespace haft
