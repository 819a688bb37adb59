#include "core/tensor/order.h"

#include <algorithm>

namespace haft {

bool is_dense(IntList sizes, IntList strides) {
  Shape order;
  for (int64_t d = 0; d < int64_t(sizes.size()); ++d)
    if (sizes[size_t(d)] != 1) order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return strides[size_t(a)] < strides[size_t(b)]; });
  int64_t want = 1;
  for (int64_t d : order) {
    if (strides[size_t(d)] != want) return false;
    want *= sizes[size_t(d)];
  }
  return true;
}

bool to_row_major(IntList whole_sizes, IntList whole_strides, IntList sizes, Shape& strides,
                  int64_t& offset) {
  if (!is_dense(whole_sizes, whole_strides)) return false;
  const Shape row_major = contiguous_strides(whole_sizes);
  Shape order;
  for (int64_t d = 0; d < row_major.size(); ++d)
    if (whole_sizes[size_t(d)] != 1) order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return whole_strides[size_t(a)] > whole_strides[size_t(b)]; });
  // Steps along the dimensions of the whole, `times` of them: all together they must stay inside.
  int64_t last[HAFT_MAX_DIMS] = {};
  auto moved = [&](int64_t position, int64_t times) {
    int64_t to = 0;
    for (int64_t d : order) {
      const int64_t steps = position / whole_strides[size_t(d)];
      position %= whole_strides[size_t(d)];
      last[d] += steps * times;
      to += steps * row_major[d];
    }
    return to;
  };
  offset = moved(offset, 1);
  for (int64_t i = 0; i < strides.size(); ++i)
    if (sizes[size_t(i)] > 1) strides[i] = moved(strides[i], sizes[size_t(i)] - 1);
  for (int64_t d : order)
    if (last[d] >= whole_sizes[size_t(d)]) return false;
  return true;
}

Shape channels_last_strides(IntList sizes) {
  const int64_t c = std::max<int64_t>(1, sizes[1]), w = c * std::max<int64_t>(1, sizes[3]),
                h = w * std::max<int64_t>(1, sizes[2]);
  return {h, 1, w, c};
}

bool is_channels_last(IntList sizes, IntList strides) {
  if (sizes.size() != 4) return false;
  const Shape want = channels_last_strides(sizes);
  for (int d = 0; d < 4; ++d)
    if (sizes[size_t(d)] != 1 && strides[size_t(d)] != want[d]) return false;
  return true;
}

Shape strides_in_order_of(IntList sizes, std::span<const int64_t* const> operands) {
  const int64_t ndim = int64_t(sizes.size());
  auto all = [&](auto&& test) {
    return std::ranges::all_of(operands, [&](const int64_t* s) { return test(IntList(s, sizes.size())); });
  };
  if (all([&](IntList s) { return is_contiguous(sizes, s); })) return contiguous_strides(sizes);
  if (all([&](IntList s) { return is_channels_last(sizes, s); })) return channels_last_strides(sizes);
  const IntList first(operands[0], sizes.size());
  if (is_dense(sizes, first) && all([&](IntList s) { return std::ranges::equal(first, s); }))
    return Shape(first);

  // Dimensions from the innermost on, by insertion: a comparison may leave two as they are.
  auto compare = [&](int64_t a, int64_t b) {
    for (const int64_t* s : operands) {
      if (s[a] == 0 || s[b] == 0) continue;
      if (s[a] != s[b]) return s[a] < s[b] ? -1 : 1;
      if (sizes[size_t(a)] > sizes[size_t(b)]) return 1;
    }
    return 0;
  };
  Shape order(ndim), strides(ndim);
  for (int64_t i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  for (int64_t i = 1; i < ndim; ++i)
    for (int64_t at = i, j = i - 1; j >= 0; --j) {
      const int c = compare(order[j], order[at]);
      if (c < 0) break;
      if (c == 0) continue;
      std::swap(order[j], order[at]);
      at = j;
    }
  int64_t stride = 1;
  for (int64_t d : order) {
    strides[d] = stride;
    stride *= std::max<int64_t>(1, sizes[size_t(d)]);
  }
  return strides;
}

Tensor new_tensor_strided(IntList sizes, IntList strides, DType dtype, Device device) {
  const int64_t numel = checked_numel(sizes);
  return tensor_over(new_storage(thread_state(), device, numel * item_size(dtype)), sizes, strides, dtype);
}

Tensor new_tensor_like(const TensorImpl& x, DType dtype) {
  if (x.view.contiguous || x.view.layout != HAFT_LAYOUT_STRIDED)
    return new_tensor(x.sizes(), dtype, x.device(),
                      x.view.layout >= HAFT_LAYOUT_ROWS ? uint8_t(HAFT_LAYOUT_STRIDED) : x.view.layout);
  const int64_t* order[] = {x.view.strides};
  return new_tensor_strided(x.sizes(), strides_in_order_of(x.sizes(), order), dtype, x.device());
}

}  // namespace haft
