// How lines of one length are transformed: radices and tables, made once and kept.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace haft::cpu {

constexpr int kMostRadix = 13;

// One pass of Stockham's scheme: x[q + s (p + m j)] to y[q + s (radix p + k)], q < s, p < m, j and k < radix.
template <class T>
struct FourierPass {
  int radix;
  int64_t m, s;
  int64_t twiddles;  // where this pass's stand: for each p radix - 1 pairs, exp(-2 pi i p k / (m radix))
  int64_t roots;     // of a radix without code of its own: radix pairs, exp(-2 pi i k / radix)
};

template <class T>
struct FourierPlan {
  int64_t n = 0;
  std::vector<FourierPass<T>> passes;
  std::vector<T> tables;
  // n = rows * columns: transforms of columns, a factor each, transforms of rows. None where n is short.
  std::shared_ptr<const FourierPlan> columns_of, rows_of;  // of length rows, of length columns
  std::vector<T> factors;                                  // (rows, columns) pairs
  // Bluestein's convolution where n has a large prime factor, over lines of a longer plan.
  std::shared_ptr<const FourierPlan> padded;
  std::vector<T> chirp, response;  // n and padded->n pairs
  // For real lines of 2 n numbers: n pairs exp(-2 pi i k / (2 n)).
  std::vector<T> halves;

  int64_t bytes() const;
};

// The plan of a length >= 1; `real` with `halves`. Plans used last stay, up to 64 MiB; a larger one is its caller's.
template <class T>
std::shared_ptr<const FourierPlan<T>> fourier_plan(int64_t n, bool real);

extern template std::shared_ptr<const FourierPlan<float>> fourier_plan<float>(int64_t, bool);
extern template std::shared_ptr<const FourierPlan<double>> fourier_plan<double>(int64_t, bool);

}  // namespace haft::cpu
