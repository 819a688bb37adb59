// Lists of tensors that a kernel walks together: tensor t of every list has the same elements in the same order. The
// table travels in the kernel's parameters, so nothing is copied to the device and a recording keeps it; blocks are
// numbered over the chunks of all tensors.
#pragma once
#include <cstring>
#include <vector>

#include "core/cuda/numbers.cuh"

namespace haft::cuda {

constexpr int kListThreads = 256;
constexpr int64_t kListChunk = 8192;      // elements a block: a multiple of what its threads take at once
constexpr size_t kParameterBytes = 4000;  // a kernel's parameters may have 4096

template <int kTensors, int kLists>
struct TensorLists {
  static constexpr int kMost = kTensors, kCount = kLists;
  static_assert(kTensors <= 64);
  void* data[kLists][kTensors];
  int64_t numel[kTensors];
  uint32_t first[kTensors];  // block of a tensor's first chunk
  uint8_t dtypes[kLists][kTensors];
  uint64_t aligned;  // bit t: all of tensor t's memory begins at 16 bytes
  int count;

  __device__ int tensor_of(uint32_t block) const {
    int low = 0, high = count - 1;  // the last tensor whose first block is not behind
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (first[middle] <= block)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  __device__ void chunk(uint32_t block, int tensor, int64_t* begin, int64_t* end) const {
    *begin = int64_t(block - first[tensor]) * kListChunk;
    *end = *begin + kListChunk < numel[tensor] ? *begin + kListChunk : numel[tensor];
  }
  __device__ DType dtype(int list, int tensor) const { return DType(dtypes[list][tensor]); }
};
template <int kLists>
constexpr int tensors_a_launch(size_t other_bytes) {
  const size_t each = kLists * 9 + 12, n = (kParameterBytes - other_bytes - 32) / each;
  return n > 64 ? 64 : int(n);
}

// launch_lists(lists, shape) for the tensors i < n of Lists::kCount lists (input k * n + i) whose first has a dtype
// that `takes`. Tensors that do not lie alike in all lists are stepped in dense copies, and copied back (where lists
// are written) but for list 1, which is only read.
template <class Lists, class Takes, class Launch>
void each_lists(const Call& c, int64_t n, Takes&& takes, Launch&& launch_lists, bool written = true) {
  struct Copy {
    haft_tensor_view to, from;
  };
  std::vector<Copy> copies;
  Lists lists{};
  uint64_t blocks = 0;
  auto flush = [&] {
    if (lists.count == 0) return;
    Shape3 s;
    s.grid.x = uint32_t(blocks), s.block.x = kListThreads;
    launch_lists(lists, s);
    for (const Copy& back : copies) copy_view(c, back.to, back.from);
    copies.clear();
    lists = Lists{};
    blocks = 0;
  };
  for (int64_t i = 0; i < n; ++i) {
    const haft_tensor_view& p = c.in(int(i));
    if (!takes(DType(p.dtype)) || p.numel == 0) continue;
    const uint64_t chunks = uint64_t(blocks_of(p.numel, kListChunk));
    if (lists.count == Lists::kMost || blocks + chunks > INT32_MAX) flush();
    bool alike = true;
    // The memory has no gaps: the strides of dimensions of more than one element, sorted, multiply up.
    int64_t dense_stride = 1;
    bool taken[HAFT_MAX_DIMS] = {};
    for (int d = 0; d < p.ndim && !p.contiguous; ++d) {
      int next = -1;
      for (int e = 0; e < p.ndim; ++e)
        if (!taken[e] && (next < 0 || p.strides[e] < p.strides[next] ||
                          (p.strides[e] == p.strides[next] && p.sizes[e] < p.sizes[next])))
          next = e;
      taken[next] = true;
      alike = alike && (p.sizes[next] == 1 || p.strides[next] == dense_stride);
      dense_stride *= p.sizes[next];
    }
    for (int k = 1; k < Lists::kCount; ++k) {
      const haft_tensor_view& v = c.in(int(k * n + i));
      if (p.contiguous && v.contiguous) continue;
      for (int d = 0; d < p.ndim; ++d) alike = alike && (p.sizes[d] == 1 || v.strides[d] == p.strides[d]);
    }
    const int at = lists.count++;
    lists.first[at] = uint32_t(blocks);
    lists.numel[at] = p.numel;
    blocks += chunks;
    uintptr_t bits = 0;
    for (int k = 0; k < Lists::kCount; ++k) {
      const haft_tensor_view& v = c.in(int(k * n + i));
      haft_tensor_view memory = v;
      if (!alike && !v.contiguous) {
        memory = dense(c, v);
        if (written && k != 1) copies.push_back({v, memory});
      }
      lists.data[k][at] = memory.data;
      lists.dtypes[k][at] = v.dtype;
      bits |= reinterpret_cast<uintptr_t>(memory.data);
    }
    if (bits % 16 == 0) lists.aligned |= uint64_t(1) << at;
  }
  flush();
}

}  // namespace haft::cuda
