#include "core/io/array.h"

#include <cstdlib>
#include <cstring>

#include "core/base/error.h"

namespace haft {

namespace {

constexpr int64_t kAlignment = 64;

struct HeapBlock : ByteBlock {
  ~HeapBlock() override { std::free(data); }
};

}  // namespace

Ref<ByteBlock> allocate_block(int64_t size) {
  HAFT_ASSERT(size >= 0);
  auto block = make_ref<HeapBlock>();
  if (size == 0) return block;
  if (size > INT64_MAX - kAlignment ||
      !(block->data = static_cast<uint8_t*>(
            std::aligned_alloc(kAlignment, size_t((size + kAlignment - 1) / kAlignment * kAlignment)))))
    fail(Code::out_of_memory, concat("no memory for ", size, " bytes of file content"));
  block->size = size;
  return block;
}

bool dense_bytes(std::span<const int64_t> sizes, DType dtype, int64_t* bytes) {
  // An empty array's other sizes count too, so that no product of them can overflow later.
  int64_t nonzero = item_size(dtype);
  bool empty = false;
  for (int64_t s : sizes) {
    if (s < 0) return false;
    if (s == 0)
      empty = true;
    else if (__builtin_mul_overflow(nonzero, s, &nonzero))
      return false;
  }
  *bytes = empty ? 0 : nonzero;
  return true;
}

void align_array(Array& a) {
  if (a.bytes == 0 || reinterpret_cast<uintptr_t>(a.data) % uintptr_t(item_size(a.dtype)) == 0) return;
  auto block = allocate_block(a.bytes);
  std::memcpy(block->data, a.data, size_t(a.bytes));
  a.data = block->data;
  a.owner = std::move(block);
}

int64_t find_bad_bool(const void* data, int64_t bytes) {
  auto* p = static_cast<const uint8_t*>(data);
  for (int64_t i = 0; i < bytes; ++i)
    if (p[i] > 1) return i;
  return -1;
}

}  // namespace haft
