// Fourier transforms of many lines at once.
#pragma once
#include "core/cpu/fourier_plan.h"

namespace haft::cpu {

// From this length on a line may be a matrix whose columns and rows are transformed; up to the other one several lines
// may lie side by side instead.
constexpr int64_t kFourierSplit = 256, kFourierSide = 1024;

// Lines of complex numbers, pairs side by side; steps from line to line in numbers of T. `real`: those of a forward
// transform are the even and odd elements of real lines twice as long, whose elements 0 to n are answered; of an
// inverse one these come in.
template <class T>
struct FourierLines {
  const T* in;
  int64_t in_step;
  T* out;
  int64_t out_step;
  int64_t count;
  bool inverse;
  T scale;
  bool real = false;
};

// Whether lines lie side by side, where `real` is understood.
template <class T>
bool fourier_side_by_side(const FourierPlan<T>& plan, int64_t count);

template <class T>
void fourier_lines(const FourierPlan<T>& plan, const FourierLines<T>& lines);

extern template void fourier_lines<float>(const FourierPlan<float>&, const FourierLines<float>&);
extern template void fourier_lines<double>(const FourierPlan<double>&, const FourierLines<double>&);

}  // namespace haft::cpu
