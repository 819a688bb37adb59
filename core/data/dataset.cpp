#include "core/data/dataset.h"

#include <cstring>
#include <memory>
#include <mutex>

#include "core/dispatch/layout.h"
#include "core/ops/functions.h"

namespace haft {

TensorDataset::TensorDataset(std::span<const Tensor> tensors) {
  if (tensors.empty()) fail(Code::invalid_argument, "tensor dataset: no tensors were given", {}, "tensors");
  NoGradGuard no_grad;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (!t.device().is_cpu())
      fail(Code::device, concat("tensor dataset: tensor ", int64_t(i), " is not in host memory"),
           "move batches to the device, not the dataset", "tensors");
    if (t.ndim() == 0)
      fail(Code::shape,
           concat("tensor dataset: tensor ", int64_t(i), " has no dimensions, wanted items along the first"),
           {}, "tensors");
    if (t.size(0) != tensors[0].size(0))
      fail(Code::shape,
           concat("tensor dataset: tensor ", int64_t(i), " has ", t.size(0), " items, the first has ",
                  tensors[0].size(0)),
           {}, "tensors");
    Tensor dense = shallow_copy(resolve(*ops::contiguous(t).impl(), false));
    Field f{t.dtype(), Shape(t.sizes().subspan(1))};
    rows_.push_back(dense.data<const char>());
    row_bytes_.push_back(f.bytes());
    fields_.push_back(std::move(f));
    tensors_.push_back(std::move(dense));
  }
  size_ = tensors[0].size(0);
}

void TensorDataset::read(int64_t index, void* const* dst) const {
  for (size_t f = 0; f < rows_.size(); ++f)
    if (dst[f] && row_bytes_[f]) std::memcpy(dst[f], rows_[f] + index * row_bytes_[f], size_t(row_bytes_[f]));
}

struct CallbackDataset::Lock {
  std::mutex mutex;
};

CallbackDataset::CallbackDataset(int64_t size, std::vector<Field> fields, Read read, bool one_at_a_time)
    : size_(size), read_(std::move(read)) {
  if (size < 0)
    fail(Code::invalid_argument, concat("callback dataset: size must not be negative, got ", size), {},
         "size");
  if (fields.empty())
    fail(Code::invalid_argument, "callback dataset: an item needs at least one field", {}, "fields");
  for (const Field& f : fields) {
    if (f.dtype == DType::none) fail(Code::dtype, "callback dataset: a field has no dtype", {}, "fields");
    if (f.sizes.size() >= HAFT_MAX_DIMS)
      fail(Code::shape,
           concat("callback dataset: a field has ", f.sizes.size(),
                  " dimensions; a batch of them has one more, and ", HAFT_MAX_DIMS, " at most"),
           {}, "fields");
    f.bytes();  // fails for impossible sizes
  }
  fields_ = std::move(fields);
  if (one_at_a_time) lock_ = new Lock;
}

CallbackDataset::~CallbackDataset() { delete lock_; }

void CallbackDataset::read(int64_t index, void* const* dst) const {
  std::unique_lock<std::mutex> lock;
  if (lock_) lock = std::unique_lock(lock_->mutex);
  read_(index, dst);
}

}  // namespace haft
