// Steps that look at whole parameters: norms, products of matrices.
#pragma once
#include <optional>
#include <span>

#include "core/optim/optimizer.h"
#include "core/tensor/row_gradient.h"

namespace haft {

// Whether such an optimizer takes this parameter; fails where it does not.
void check_whole(const OptimizerKind& kind, const Tensor& parameter, int64_t number);
// The sizes of slot k of a parameter's state, absent where such a parameter has none.
std::optional<Shape> slot_sizes(const OptimizerKind& kind, size_t k, const Tensor& parameter);
// One step of LAMB, Muon or Adafactor; slots of `state` that there are not yet are made. The step itself is the
// caller's to count.
void step_whole(const OptimizerKind& kind, std::span<const double> options, const Tensor& parameter,
                const Tensor& gradient, ParameterState& state);

// A step of SGD with momentum by a gradient of rows: of the other rows goes on what stays of theirs.
void step_row_momentum(std::span<const double> options, const Tensor& parameter, const RowGradient& rows,
                       ParameterState& state);
// The same step as part of a recording: what it computes with stands in memory that replays write anew, so that all
// factors are computed by operators. Flags and numbers of iterations are those of the recording.
struct RecordedNumbers {
  Tensor numbers;  // float64: the step, counted from 1, then the options
  // Of a scaler (GradScaler), float32, or absent: not stepped where found is not 0; so many of the steps were not.
  Tensor found, skipped;
};
void record_whole_step(const OptimizerKind& kind, std::span<const double> options, const RecordedNumbers& now,
                       const Tensor& parameter, const Tensor& gradient, ParameterState& state);

}  // namespace haft
