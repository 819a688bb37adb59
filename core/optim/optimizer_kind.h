// What modules.def says of an optimizer, read once: its options with what they may be, and its state.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schema/optimizers.h"

namespace haft {

struct OptimizerKind {
  struct Option {
    std::string name;
    double value = 0;  // without one given; flags are 0 or 1
    bool flag = false;
    Range range;
    std::string range_text;
  };
  struct Slot {
    std::string name;
    int option = -1;  // the slot exists where this option is not 0; -1: always
  };

  OptimizerId id;
  std::string name;             // "Adam"
  std::vector<Option> options;  // lr comes first
  std::vector<Slot> slots;
  std::vector<std::string> numbers;  // that a parameter's state holds beside the step
  bool counts_steps = false;         // the step takes part in the arithmetic
  bool whole = false;  // no rule for elements: the step looks at whole parameters (whole_steps.h, lbfgs.h)
  const char* (*refuse)(const double* options) = nullptr;  // what does not fit together, or nullptr

  // What the numbers are after the step that `options`, numbers behind them, says; step 0: before the first.
  void (*remember)(const double* options, double lr, double step, double* numbers) = nullptr;

  int find_option(std::string_view option) const;  // -1: none
  int find_slot(std::string_view slot) const;      // -1: none
  int find_number(std::string_view number) const;  // -1: none
  // Fails when a value is out of its range or values do not go together.
  void check(std::span<const double> options) const;
  // Why gradients of rows are not taken under these options; nullptr: they are.
  const char* rows_refused(std::span<const double> options) const;
  // Bit k: slot k exists under these options.
  unsigned slots_of(std::span<const double> options) const;
};

const OptimizerKind& optimizer_kind(OptimizerId id);
[[noreturn, gnu::cold]] void fail_rows_refused(const OptimizerKind& kind, const char* why);

// All options of a kind, those given by name with the values given.
using OptionValues = std::vector<std::pair<std::string_view, double>>;
std::vector<double> optimizer_options(const OptimizerKind& kind, const OptionValues& given = {});

}  // namespace haft
