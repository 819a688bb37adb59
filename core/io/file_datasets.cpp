#include "core/io/file_datasets.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/thread_state.h"
#include "core/dispatch/host_access.h"
#include "core/io/mapped_file.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr int64_t kPixels = 3 * 32 * 32;

class CifarDataset final : public Dataset {
 public:
  CifarDataset(std::span<const std::string> paths, int64_t label_bytes) {
    fields_ = {{DType::u8, {3, 32, 32}}, {DType::i64, {}}};
    const int64_t row = label_bytes + kPixels, most = label_bytes == 1 ? 10 : 100;
    for (const std::string& path : paths) {
      auto file = map_file(path);
      const std::string where = concat("CIFAR file ", quoted(path, 4096));
      if (file->size == 0 || file->size % row)
        fail(Code::corrupt,
             concat(where, ": its ", file->size, " bytes are no whole number of pictures of ", row, " bytes"),
             "CIFAR-10 has one byte of label a picture, CIFAR-100 two");
      for (int64_t at = 0; at < file->size; at += row) {
        const uint8_t label = file->data[at + label_bytes - 1];
        if (label >= most)
          fail(Code::corrupt,
               concat(where, ": picture ", at / row, " is of class ", int(label), ", wanted 0..", most - 1));
        labels_.push_back(label);
        pictures_.push_back(file->data + at + label_bytes);
      }
      files_.push_back(std::move(file));
    }
  }
  int64_t size() const override { return int64_t(labels_.size()); }
  const void* address(int field, int64_t index) const override {
    return field ? static_cast<const void*>(&labels_[size_t(index)]) : pictures_[size_t(index)];
  }
  void read(int64_t index, void* const* dst) const override {
    if (dst[0]) std::memcpy(dst[0], pictures_[size_t(index)], size_t(kPixels));
    if (dst[1]) std::memcpy(dst[1], &labels_[size_t(index)], sizeof(int64_t));
  }

 private:
  std::vector<Ref<ByteBlock>> files_;
  std::vector<const uint8_t*> pictures_;
  std::vector<int64_t> labels_;
};

template <class T>
Tensor tensor_of(const std::vector<T>& v, IntList sizes) {
  Tensor t = new_tensor(sizes, DTypeOf<T>::value);
  if (!v.empty()) std::memcpy(t.data<void>(), v.data(), v.size() * sizeof(T));
  return t;
}

}  // namespace

Ref<Dataset> open_csv_dataset(const std::string& path, const CsvOptions& options) {
  auto file = map_file(path);
  const CsvTable t = parse_csv({reinterpret_cast<const char*>(file->data), size_t(file->size)},
                               concat("CSV file ", quoted(path, 4096)), options);
  const int64_t sizes[] = {t.rows, t.columns};
  std::vector<Tensor> fields{tensor_of(t.values, sizes)};
  if (!t.whole_labels.empty()) fields.push_back(tensor_of(t.whole_labels, IntList(sizes, 1)));
  if (!t.labels.empty()) fields.push_back(tensor_of(t.labels, IntList(sizes, 1)));
  return make_ref<TensorDataset>(fields);
}

Ref<Dataset> open_cifar_dataset(std::span<const std::string> paths, int64_t label_bytes) {
  if (paths.empty()) fail(Code::invalid_argument, "cifar: no files are given", {}, "paths");
  if (label_bytes != 1 && label_bytes != 2)
    fail(Code::invalid_argument, concat("cifar: label_bytes must be 1 or 2, got ", label_bytes), {},
         "label_bytes");
  return make_ref<CifarDataset>(paths, label_bytes);
}

}  // namespace haft
