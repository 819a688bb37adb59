// The rows of several views along one dimension: where they begin, and how a group of threads reads them.
#pragma once
#include <algorithm>
#include <initializer_list>

#include "core/cuda/numbers.cuh"
#include "core/cuda/space.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

// All views have equal sizes; a tensor without dimensions is one row of one element.
struct RowWalk {
  Walk walk;  // over the rows; operand 0 is written
  int64_t n = 1, steps[kMaxOperands];
  bool dense = true;  // elements of a row are neighbours in all views

  RowWalk(std::initializer_list<const haft_tensor_view*> views, int64_t dim) {
    for (const haft_tensor_view* given : views) {
      haft_tensor_view v = *given;
      const int k = walk.n;
      steps[k] = 1;
      if (v.ndim) {
        if (dim < 0) dim += v.ndim;
        n = v.sizes[dim];
        steps[k] = n == 1 ? 1 : v.strides[dim];
        v.numel = n ? v.numel / n : 0;
        v.sizes[dim] = 1;
      }
      dense = dense && steps[k] == 1;
      walk.add(v);
    }
    walk.merge();
  }
  // Whether every row begins where `bytes` do, and is a multiple of them.
  bool aligned(int64_t bytes) const {
    if (!dense) return false;
    for (int k = 0; k < walk.n; ++k) {
      const Operand& o = walk.operands[k];
      if (n * o.item % bytes || reinterpret_cast<uintptr_t>(o.data) % uint64_t(bytes)) return false;
      for (int d = 0; d < walk.ndim; ++d)
        if (walk.sizes[d] > 1 && o.strides[d] % bytes) return false;
    }
    return true;
  }
};

// Elements of a row before the first of 16 aligned bytes; all of them where the rows of `others` are not aligned alike.
template <class T>
__device__ inline int64_t row_head(const void* row, int64_t n, const void* other, const void* third) {
  const auto at = reinterpret_cast<uintptr_t>(row), difference = (at ^ reinterpret_cast<uintptr_t>(other)) |
                                                                 (at ^ reinterpret_cast<uintptr_t>(third));
  if (difference & 15) return n;
  const int64_t head = int64_t((16 - (at & 15)) & 15) / int64_t(sizeof(T));
  return head < n ? head : n;
}

constexpr int kMostThreads = 512;  // of a row that registers hold

// f.template operator()<kVec, kCount>(threads a row) for rows of n elements that registers hold, kCount pieces a
// thread, `vectors` of 16 bytes or single elements; false where they do not.
template <class T, class F>
bool held_rows(bool vectors, int64_t n, F&& f) {
  constexpr int kVec = int(16 / sizeof(T)), kSingles = 8;
  const int64_t pieces = vectors ? n / kVec : n;
  const int most = vectors ? 4 : kSingles;
  int threads = kWarp;
  if (pieces > kWarp * most)
    for (threads = 128; threads * most < pieces; threads *= 2)
      if (threads == kMostThreads) return false;
  if (!vectors)
    f.template operator()<1, kSingles>(threads);
  else if (pieces <= threads)
    f.template operator()<kVec, 1>(threads);
  else if (pieces <= threads * 2)
    f.template operator()<kVec, 2>(threads);
  else
    f.template operator()<kVec, 4>(threads);
  return true;
}
inline Shape3 rows_shape(int64_t rows, int threads) {
  Shape3 s;
  s.block.x = uint32_t(std::max(threads, 128));
  s.grid.x = uint32_t(std::min<int64_t>(blocks_of(rows, s.block.x / threads), INT32_MAX));
  return s;
}

// The largest so far, and the sum of exp(x - top).
template <class C>
struct ExpSum {
  C top, sum;

  __device__ static ExpSum none() { return {C(-fn::infinity()), C(0)}; }

  // No difference of infinities: what is -infinity all over has the sum 0, or NaN where one is; an infinity makes the
  // sum one.
  __device__ void raise(C to) {
    if (!(to > top)) return;
    sum *= fn::exp(top - to);
    top = to;
  }
  __device__ C shift() const { return top - top == C(0) ? top : C(0); }
  __device__ void add(C x) {
    raise(x);
    sum += fn::exp(x - shift());
  }
  template <class V>
  __device__ void add_all(const V& v, int n) {  // one more exponential for n elements
    C most = C(load(v.at[0]));
#pragma unroll
    for (int j = 1; j < n; ++j) most = C(load(v.at[j])) > most ? C(load(v.at[j])) : most;
    raise(most);
    const C by = shift();
#pragma unroll
    for (int j = 0; j < n; ++j) sum += fn::exp(C(load(v.at[j])) - by);
  }
  __device__ ExpSum joined(ExpSum b) const {
    ExpSum a = *this;
    a.raise(b.top);
    b.raise(a.top);
    a.sum += b.sum;
    return a;
  }
};
template <class C>
struct JoinExpSums {
  __device__ ExpSum<C> operator()(const ExpSum<C>& a, const ExpSum<C>& b) const { return a.joined(b); }
};

}  // namespace haft::cuda
