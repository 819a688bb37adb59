// Arrays as file formats see them: dense, row-major, little-endian elements in somebody's memory. No tensors here.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/ref.h"
#include "core/base/small_vec.h"
#include "core/tensor/dtype.h"

namespace haft {

static_assert(std::endian::native == std::endian::little,
              "the readers map little-endian files without a copy");

// Memory that arrays live on: a mapped file or a heap buffer. The last reference unmaps or frees it.
struct ByteBlock : RefCounted {
  uint8_t* data = nullptr;
  int64_t size = 0;
  virtual ~ByteBlock() = default;
  std::span<const uint8_t> bytes() const { return {data, size_t(size)}; }
};

Ref<ByteBlock> allocate_block(int64_t size);  // 64-byte aligned, uninitialised

struct ArrayRef {
  using Sizes = SmallVec<int64_t, 8>;

  std::string name;
  DType dtype = DType::none;
  Sizes sizes;
  const void* data = nullptr;  // may be null when bytes == 0
  int64_t bytes = 0;
};

// What a reader returns: `owner` keeps `data` alive; it is null where data points into the caller's own buffer.
struct Array : ArrayRef {
  Ref<ByteBlock> owner;
};

// Bytes of a dense array; false when a size is negative or the product does not fit in 63 bits.
bool dense_bytes(std::span<const int64_t> sizes, DType dtype, int64_t* bytes);

// Gives `a` memory of its own when its data lies at an address that its element type may not have.
void align_array(Array& a);

// Position of the first byte that is neither 0 nor 1 (reading it as a C++ bool is undefined), or -1.
int64_t find_bad_bool(const void* data, int64_t bytes);

}  // namespace haft
