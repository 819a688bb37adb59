#include "core/cpu/rows.h"

#include "core/cpu/kernel.h"

namespace haft::cpu {
namespace {

constexpr int64_t kTile = 256;  // elements that are moved as they are before they are converted

}  // namespace

void load_rows(const haft_tensor_view& v, const int64_t* at, int64_t count, int64_t n, int64_t step,
               void* dst, DType as) {
  const DType t = dtype_of(v);
  const int64_t item = item_size(t), wide = item_size(as);
  const char* const src = static_cast<const char*>(v.data);
  char* const out = static_cast<char*>(dst);
  if (step == 1) {
    for (int64_t r = 0; r < count; ++r) convert_here(out + r * n * wide, as, src + at[r] * item, t, n);
    return;
  }
  // Tiles of eight elements of each row, row after row.
  alignas(64) char raw[kTile * 8];
  const int64_t tile = count == 1 ? kTile : 8;
  for (int64_t begin = 0; begin < n; begin += tile) {
    const int64_t width = std::min(tile, n - begin);
    for (int64_t r = 0; r < count; ++r) {
      visit_size(t, [&]<class T>() {
        const T* const x = reinterpret_cast<const T*>(src) + at[r] + begin * step;
        for (int64_t i = 0; i < width; ++i) reinterpret_cast<T*>(raw)[i] = x[i * step];
      });
      convert_here(out + (r * n + begin) * wide, as, raw, t, width);
    }
  }
}

void store_rows(const void* src, DType as, const haft_tensor_view& v, const int64_t* at, int64_t count,
                int64_t n, int64_t step) {
  const DType t = dtype_of(v);
  const int64_t item = item_size(t), wide = item_size(as);
  const char* const in = static_cast<const char*>(src);
  char* const dst = static_cast<char*>(v.data);
  if (step == 1) {
    for (int64_t r = 0; r < count; ++r) convert_here(dst + at[r] * item, t, in + r * n * wide, as, n);
    return;
  }
  alignas(64) char raw[kTile * 8];
  const int64_t tile = count == 1 ? kTile : 8;
  for (int64_t begin = 0; begin < n; begin += tile) {
    const int64_t width = std::min(tile, n - begin);
    for (int64_t r = 0; r < count; ++r) {
      convert_here(raw, t, in + (r * n + begin) * wide, as, width);
      visit_size(t, [&]<class T>() {
        T* const y = reinterpret_cast<T*>(dst) + at[r] + begin * step;
        for (int64_t i = 0; i < width; ++i) y[i * step] = reinterpret_cast<const T*>(raw)[i];
      });
    }
  }
}

}  // namespace haft::cpu
