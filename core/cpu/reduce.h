// What reductions are made of: two loops for each monoid and compute type, chosen for the processor once.
#pragma once
#include <cstdint>
#include <type_traits>

namespace haft::cpu {

enum class Monoid : uint8_t { sum, prod, max, min, sum_squares };  // sum_squares: of x - mean

// Elements that a row loop takes: 64 additions a lane, so that float rounding stays small.
constexpr int64_t kRowBlock = 4096;

// Partial results: those of floats go on in double.
template <class T>
struct TotalOf {
  using type = T;
};
template <>
struct TotalOf<float> {
  using type = double;
};
template <class T>
using Total = typename TotalOf<T>::type;

template <class T>
struct ReduceLoops {
  // Of n <= kRowBlock dense elements, n > 0. `mean` matters to sum_squares only.
  T (*row)(const T* x, int64_t n, T mean);
  // Each of `count` rows of n that lie one behind the other; mean[i] likewise, NULL otherwise.
  void (*rows)(const T* x, int64_t n, int64_t count, const T* mean, T* out);
  // acc[j] = acc[j] op x[r * stride + j] for all r; mean[j] likewise, NULL otherwise.
  void (*columns)(T* acc, const T* x, int64_t stride, int64_t rows, const T* mean, int64_t n);
  // totals[j] = totals[j] op acc[j], and op more[j]
  void (*flush)(Total<T>* totals, const T* acc, int64_t n);
  void (*merge)(Total<T>* totals, const Total<T>* more, int64_t n);
  T identity;
};
template <Monoid M, class T>
const ReduceLoops<T>& reduce_loops();

// NaN wins.
template <class T>
inline T larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
inline T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

}  // namespace haft::cpu
