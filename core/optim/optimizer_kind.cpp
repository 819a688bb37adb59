#include "core/optim/optimizer_kind.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/optim/rules.h"

namespace haft {

namespace {

template <class Rule>
auto refusal() -> const char* (*)(const double*) {
  if constexpr (requires(const double* o) { Rule::refuse(o); })
    return Rule::refuse;
  else
    return nullptr;
}

using Remember = void (*)(const double*, double, double, double*);
template <class Rule>
Remember memory() {
  if constexpr (requires(const rules::OptimizerStep& s, double* numbers) { Rule::remember(s, numbers); })
    return [](const double* options, double lr, double step, double* numbers) {
      Rule::remember({options, lr, step, step == 0}, numbers);
    };
  else
    return nullptr;
}

OptimizerKind read(OptimizerId id, std::initializer_list<const char*> parameters,
                   const char* (*refuse)(const double*), Remember remember) {
  OptimizerKind kind{.id = id, .name = kOptimizerNames[int(id)], .refuse = refuse, .remember = remember};
  for (const char* text : parameters) {
    const ParameterText p = parse_parameter(text);
    const bool flag = p.type == "bool";
    if (!flag && p.type != "float") continue;  // Python's alone
    kind.options.push_back(
        {.name = std::string(p.name),
         .value = flag ? double(p.default_value == "true") : detail::number(p.default_value),
         .flag = flag,
         .range = parse_range(p.range),
         .range_text = std::string(p.range)});
  }
  const StateText& state = kOptimizerStates[int(id)];
  kind.counts_steps = state.counts_steps;
  kind.whole = state.whole;
  for (const SlotText& slot : std::span(state.slots, size_t(state.count))) {
    kind.slots.push_back({.name = std::string(slot.name), .option = kind.find_option(slot.option)});
    HAFT_ASSERT(slot.option.empty() || kind.slots.back().option >= 0);
  }
  for (std::string_view number : std::span(state.numbers, size_t(state.number_count)))
    kind.numbers.emplace_back(number);
  HAFT_ASSERT(kind.numbers.empty() == !remember);
  return kind;
}

}  // namespace

const OptimizerKind& optimizer_kind(OptimizerId id) {
  static const OptimizerKind kinds[] = {
#define OPTIMIZER(name, function, state, doc, ...)                              \
  read(OptimizerId::name, {__VA_ARGS__}, refusal<rules::rule_##name<double>>(), \
       memory<rules::rule_##name<double>>()),
#include "core/schema/modules.def"
  };
  return kinds[int(id)];
}

int OptimizerKind::find_option(std::string_view option) const {
  for (size_t i = 0; i < options.size(); ++i)
    if (options[i].name == option) return int(i);
  return -1;
}

int OptimizerKind::find_slot(std::string_view slot) const {
  for (size_t k = 0; k < slots.size(); ++k)
    if (slots[k].name == slot) return int(k);
  return -1;
}

int OptimizerKind::find_number(std::string_view number) const {
  const auto it = std::ranges::find(numbers, number);
  return it == numbers.end() ? -1 : int(it - numbers.begin());
}

void OptimizerKind::check(std::span<const double> values) const {
  for (size_t i = 0; i < options.size(); ++i)
    if (!options[i].range.holds(values[i]))
      fail(Code::invalid_argument,
           concat(name, ": ", options[i].name, " must be ", options[i].range_text.empty() ? "a number" : "",
                  options[i].range_text, ", got ", values[i]),
           {}, options[i].name);
  const char* refused = refuse ? refuse(values.data()) : nullptr;
  if (!refused) return;
  std::string got;
  for (size_t i = 0; i < options.size(); ++i)
    if (std::string_view(refused).find(options[i].name) != std::string_view::npos)
      got += concat(got.empty() ? "" : ", ", options[i].name, " = ", values[i]);
  fail(Code::invalid_argument, concat(name, ": ", refused, ", got ", got), {}, "options");
}

// A step of these kinds leaves elements alone whose gradient is 0, so that the rows are all there is to do; SGD's
// momentum moves all of them, by what stays of it.
const char* OptimizerKind::rows_refused(std::span<const double> values) const {
  auto is_set = [&](const char* option) { return values[size_t(find_option(option))] != 0; };
  switch (id) {
    case OptimizerId::SparseAdam: return nullptr;
    case OptimizerId::SGD:
    case OptimizerId::Adagrad:
      return is_set("weight_decay") ? "weight_decay moves all elements at each step" : nullptr;
    default: return "its step moves all elements";
  }
}

void fail_rows_refused(const OptimizerKind& kind, const char* why) {
  fail(Code::unsupported, concat(kind.name, ": a parameter has a gradient of rows, and ", why),
       "take SparseAdam, Adagrad or SGD without weight_decay, or make the layer without sparse", "o");
}

unsigned OptimizerKind::slots_of(std::span<const double> values) const {
  unsigned mask = 0;
  for (size_t k = 0; k < slots.size(); ++k)
    if (slots[k].option < 0 || values[size_t(slots[k].option)] != 0) mask |= 1u << k;
  return mask;
}

std::vector<double> optimizer_options(const OptimizerKind& kind, const OptionValues& given) {
  std::vector<double> values;
  for (const OptimizerKind::Option& o : kind.options) values.push_back(o.value);
  for (const auto& [name, value] : given) {
    const int i = kind.find_option(name);
    if (i < 0) fail(Code::invalid_argument, concat(kind.name, ": has no option '", name, "'"), {}, "name");
    values[size_t(i)] = value;
  }
  return values;
}

}  // namespace haft
