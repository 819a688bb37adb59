// What parameters and values of distributions may be.
#pragma once
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace haft {

// As distributions.def names them. Those with bounds of their own (interval, integer_interval, counts) are what a
// distribution says.
enum class Constraint : uint8_t {
  real,
  positive,
  nonnegative,
  unit_interval,
  half_open_unit,
  boolean,
  nonnegative_integer,
  number,  // one number for the whole batch, above 0
  simplex,
  one_hot,
  real_vector,
  positive_vector,
  real_matrix,
  lower_cholesky,
  positive_definite,
  corr_cholesky,  // with rows of length 1
  interval,
  integer_interval,
  counts,
};

// Fails where there is none of that name.
Constraint constraint_of(std::string_view name);
// Dimensions of one value: 0, or 1 for a vector, 2 for a matrix.
int64_t event_ndim(Constraint c);
// As PyTorch writes it: "GreaterThan(lower_bound=0.0)".
std::string constraint_text(Constraint c);
// True for each value of x that may be: bool, without the event's dimensions.
Tensor satisfies(Constraint c, const Tensor& x);

}  // namespace haft
