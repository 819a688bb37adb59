#include "core/tensor/row_gradient.h"

#include <memory>

namespace haft {

namespace {

// Behind the storage of such a tensor, which has no bytes.
struct Rows {
  std::mutex mutex;  // a handle may be read while backward adds
  RowGradient now;
};

Rows& behind(const Tensor& t) {
  HAFT_ASSERT(is_rows(t));
  return *static_cast<Rows*>(t.impl()->storage->owner);
}

}  // namespace

Tensor make_rows(RowGradient rows, IntList sizes) {
  const DType dtype = rows.values.dtype();
  const Device device = rows.values.device();
  auto own = std::make_unique<Rows>();
  own->now = std::move(rows);
  Ref<Storage> storage = wrap_storage(
      device, nullptr, 0, [](Storage& s) { delete static_cast<Rows*>(s.owner); }, own.get());
  (void)own.release();
  Tensor t = tensor_over(std::move(storage), sizes, contiguous_strides(sizes), dtype);
  t.impl()->view.layout = HAFT_LAYOUT_ROWS;
  t.impl()->view.contiguous = 0;
  return t;
}

RowGradient rows_of(const Tensor& t) {
  Rows& r = behind(t);
  std::lock_guard lock(r.mutex);
  return r.now;
}

void set_rows(const Tensor& t, RowGradient rows) {
  Rows& r = behind(t);
  {
    std::lock_guard lock(r.mutex);
    std::swap(r.now, rows);
  }
  t.impl()->storage->bump();  // the old one dies after the lock: what its memory belongs to may call the host
}

}  // namespace haft
