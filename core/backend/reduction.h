// Which dimensions a reduction keeps and which it joins, in the order in which memory lies.
#pragma once
#include <haft/backend.h>

#include <span>
#include <utility>

namespace haft {

// Dimensions of a view, outermost first; neighbours merged.
struct ReducedDims {
  int n = 0;
  int64_t size[HAFT_MAX_DIMS], stride[HAFT_MAX_DIMS], out_stride[HAFT_MAX_DIMS];

  void push(int64_t s, int64_t t, int64_t o) {
    if (s == 1) return;
    if (n && stride[n - 1] == t * s && out_stride[n - 1] == o * s) {
      size[n - 1] *= s, stride[n - 1] = t, out_stride[n - 1] = o;
    } else {
      size[n] = s, stride[n] = t, out_stride[n] = o, ++n;
    }
  }
  int64_t count() const {
    int64_t c = 1;
    for (int d = 0; d < n; ++d) c *= size[d];
    return c;
  }
  int64_t offset(int64_t index, const int64_t* by) const {
    int64_t o = 0;
    for (int d = n - 1; d >= 0; --d) {
      o += index % size[d] * by[d];
      index /= size[d];
    }
    return o;
  }
};

struct ReductionPlan {
  const haft_tensor_view& x;
  ReducedDims kept, reduced;
  int64_t n_out = 0, n = 0;  // outputs; elements of each
  // The kept dimension along which outputs lie side by side; -1: each output reduces a dense run.
  int strip = -1;

  // `dims` may be negative; none: all.
  ReductionPlan(const haft_tensor_view& v, std::span<const int64_t> dims) : x(v) {
    bool reduce[HAFT_MAX_DIMS] = {};
    for (int64_t d : dims) reduce[d < 0 ? d + v.ndim : d] = true;
    int order[HAFT_MAX_DIMS];
    int64_t out_stride[HAFT_MAX_DIMS], o = 1;
    for (int d = v.ndim - 1; d >= 0; --d) {
      if (dims.empty()) reduce[d] = true;
      order[d] = d;
      out_stride[d] = reduce[d] ? 0 : o;
      if (!reduce[d]) o *= v.sizes[d];
    }
    for (int d = 0; d < v.ndim; ++d)
      if (!reduce[d]) kept.push(v.sizes[d], v.strides[d], out_stride[d]);
    // The order of reduced dimensions is free: the densest last.
    for (int i = 1; i < v.ndim; ++i)
      for (int j = i; j > 0 && v.strides[order[j - 1]] < v.strides[order[j]]; --j)
        std::swap(order[j - 1], order[j]);
    for (int i = 0; i < v.ndim; ++i)
      if (int d = order[i]; reduce[d]) reduced.push(v.sizes[d], v.strides[d], 0);
    n_out = kept.count();
    n = reduced.count();
    int64_t densest = reduced.n ? reduced.stride[reduced.n - 1] : INT64_MAX;
    for (int d = kept.n - 1; d >= 0; --d)
      if (kept.stride[d] < densest) strip = d, densest = kept.stride[d];
  }
};

}  // namespace haft
