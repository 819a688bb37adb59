// Datasets: numbered items of one or more fields (an image, its label). Items are read from several threads at once.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/ref.h"
#include "core/tensor/tensor.h"

namespace haft {

// One field of an item; the same for all items, so that batches can be allocated before anything is read.
struct Field {
  DType dtype = DType::none;
  Shape sizes;

  int64_t numel() const { return checked_numel(sizes); }
  int64_t bytes() const { return numel() * item_size(dtype); }
};

class Dataset : public RefCounted {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  std::span<const Field> fields() const { return fields_; }

  // Where a field of an item lies in memory as it is; nullptr when it must be read.
  virtual const void* address(int field, int64_t index) const = 0;
  // Writes the fields of an item, dense, into dst; entries of dst that are nullptr are not wanted.
  virtual void read(int64_t index, void* const* dst) const = 0;

  // Whether the first field is of other sizes in each item: varied() reads it, and read() is not asked for it. fields()
  // holds the sizes of item 0 then, and the loader's transforms must come to one size.
  virtual bool varies() const { return false; }
  virtual Tensor varied(int64_t /*index*/) const { return {}; }
  // Names of the classes that labels number, where there are any.
  virtual std::span<const std::string> classes() const { return {}; }

 protected:
  std::vector<Field> fields_;
};

// Rows of host tensors with equal first sizes.
class TensorDataset final : public Dataset {
 public:
  explicit TensorDataset(std::span<const Tensor> tensors);
  int64_t size() const override { return size_; }
  const void* address(int field, int64_t index) const override {
    return rows_[size_t(field)] + index * row_bytes_[size_t(field)];
  }
  void read(int64_t index, void* const* dst) const override;

 private:
  std::vector<Tensor> tensors_;
  std::vector<const char*> rows_;
  std::vector<int64_t> row_bytes_;
  int64_t size_ = 0;
};

// Items that a function writes. It is called from several threads at once unless `one_at_a_time`.
class CallbackDataset final : public Dataset {
 public:
  using Read = std::function<void(int64_t index, void* const* dst)>;
  CallbackDataset(int64_t size, std::vector<Field> fields, Read read, bool one_at_a_time);
  ~CallbackDataset() override;
  int64_t size() const override { return size_; }
  const void* address(int, int64_t) const override { return nullptr; }
  void read(int64_t index, void* const* dst) const override;

 private:
  struct Lock;
  int64_t size_;
  Read read_;
  Lock* lock_ = nullptr;
};

}  // namespace haft
