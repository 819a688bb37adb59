// What resampling reads: which elements of a line make a place of the result, and how much each counts.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/cpu/kernel.h"

namespace haft::cpu {

inline double linear_weight(double x) { return std::max(0.0, 1 - std::abs(x)); }
// Keys' convolution (IEEE Trans. ASSP 29, 1981).
inline double cubic_weight(double a, double x) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// Which places of a line of `from` each of `to` places takes, and how much: tap k of place j stands at [k * to + j].
// Taps that a place has not count 0.
template <class C>
struct Taps {
  int64_t from, to;
  double step;  // places of the line from one of the result to the next
  int64_t count;
  Scratch<int32_t> index;
  Scratch<C> weight;

  static double step_of(int64_t from, int64_t to, bool align_corners, double step) {
    return !align_corners ? step : to > 1 ? double(from - 1) / double(to - 1) : 0.0;
  }
  static int64_t most(int64_t from, bool is_cubic, bool antialias, double step) {
    if (!antialias) return is_cubic ? 4 : 2;
    const double wide = 2 * std::ceil((is_cubic ? 2 : 1) * std::max(step, 1.0)) + 1;
    return std::max<int64_t>(2, int64_t(std::min(wide, double(from))));
  }

  Taps(int64_t from, int64_t to, bool is_cubic, bool align_corners, double given, bool antialias)
      : from(from),
        to(to),
        step(step_of(from, to, align_corners, given)),
        count(most(from, is_cubic, antialias, step)),
        index(count * to),
        weight(count * to) {
    for (int64_t j = 0; j < to; ++j) {
      if (antialias) {
        smooth(j, is_cubic, (double(j) + 0.5) * step,
               std::max(step, 1.0));  // align_corners or not, as in PyTorch
        continue;
      }
      // A caller's factor may lead far beyond the line, where all taps are its last element.
      const double at =
          std::min(align_corners ? double(j) * step : (double(j) + 0.5) * step - 0.5, double(from) + 2);
      if (is_cubic) {
        const double low = std::floor(at);
        for (int64_t k = 0; k < 4; ++k)
          set(k, j, std::clamp<int64_t>(int64_t(low) + k - 1, 0, from - 1),
              cubic_weight(-0.75, at - low + 1 - double(k)));
      } else {
        const double inside = std::max(at, 0.0);
        const int64_t low = std::min<int64_t>(int64_t(inside), from - 1);
        const double part = std::min(inside - double(low), 1.0);
        set(0, j, low, 1 - part);
        set(1, j, std::min(low + 1, from - 1), part);
      }
    }
  }

 private:
  void set(int64_t k, int64_t j, int64_t at, double w) {
    index.get()[k * to + j] = int32_t(at);
    weight.get()[k * to + j] = C(w);
  }
  // The filter is as wide as a place of the result; at the ends it is cut, and what is left counts fully.
  void smooth(int64_t j, bool is_cubic, double middle, double wide) {
    const double radius = wide * (is_cubic ? 2 : 1);
    const int64_t first = int64_t(std::clamp(middle - radius + 0.5, 0.0, double(from - 1))),
                  end = int64_t(std::min(middle + radius + 0.5, double(from)));
    double total = 0;
    auto value = [&](int64_t i) {
      const double x = (double(i) - middle + 0.5) / wide;
      return is_cubic ? cubic_weight(-0.5, x) : linear_weight(x);
    };
    for (int64_t i = first; i < end; ++i) total += value(i);
    const int64_t used = std::clamp<int64_t>(end - first, 0, count);
    for (int64_t k = 0; k < used; ++k) set(k, j, first + k, total != 0 ? value(first + k) / total : 0);
    for (int64_t k = used; k < count; ++k) set(k, j, first, 0);
    if (used == 1)
      set(0, j, first, 0.5),
          set(1, j, first, 0.5);  // the first two are always read, and 0 times infinity is NaN
  }
};

}  // namespace haft::cpu
