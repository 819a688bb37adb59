// The texts of modules.def, taken apart: "float momentum=0.0 >= 0: part of the last step that goes on". The generator
// reads them at build time, the engine where it checks and names an optimizer's options.
#pragma once
#include <limits>
#include <string_view>

namespace haft {

// What a number may be; the ends count unless they are open.
struct Range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool above = false, below = false;  // without the end itself
  bool holds(double v) const { return (above ? v > low : v >= low) && (below ? v < high : v <= high); }
};

struct ParameterText {
  std::string_view type, name, default_value, range, doc;  // default_value "": none
};

namespace detail {

constexpr std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Digits with a point and an exponent, as modules.def writes them.
constexpr double number(std::string_view s) {
  double v = 0, scale = 1;
  bool negative = !s.empty() && s[0] == '-', point = false;
  for (size_t i = negative; i < s.size(); ++i) {
    if (s[i] == '.') {
      point = true;
    } else if (s[i] == 'e') {
      int e = int(number(s.substr(i + 1)));
      for (; e > 0; --e) v *= 10;
      for (; e < 0; ++e) scale *= 10;
      break;
    } else {
      v = v * 10 + (s[i] - '0');
      if (point) scale *= 10;
    }
  }
  return (negative ? -v : v) / scale;
}

}  // namespace detail

// Empty fields where the text is no parameter.
constexpr ParameterText parse_parameter(std::string_view text) {
  ParameterText p;
  const size_t space = text.find(' '), colon = text.find(": ");
  if (space == text.npos || colon == text.npos || colon < space) return p;
  p.type = text.substr(0, space);
  p.doc = detail::trimmed(text.substr(colon + 2));
  std::string_view rest = text.substr(space + 1, colon - space - 1);
  for (std::string_view word : {" >= ", " > ", " in "})
    if (size_t at = rest.find(word); at != rest.npos) {
      p.range = rest.substr(at + 1);
      rest = rest.substr(0, at);
      break;
    }
  const size_t equals = rest.find('=');
  p.name = rest.substr(0, equals);
  if (equals != rest.npos) p.default_value = rest.substr(equals + 1);
  return p;
}

// ">= 0", "> 0", "in [0, 1)"; "": any number.
constexpr Range parse_range(std::string_view text) {
  Range r;
  if (text.starts_with(">")) {
    r.above = !text.starts_with(">=");
    r.low = detail::number(text.substr(r.above ? 2 : 3));
  } else if (text.starts_with("in ")) {
    const size_t comma = text.find(',');
    r.above = text[3] == '(';
    r.below = text.back() == ')';
    r.low = detail::number(text.substr(4, comma - 4));
    r.high = detail::number(text.substr(comma + 2, text.size() - comma - 3));
  }
  return r;
}

// An optimizer's state by position: "step, number mu_product, exp_avg, max_exp_avg_sq if amsgrad". "step" is a count
// and no slot, nor is a number; "whole" says that the step looks at whole parameters; behind "if" stands the option
// without which the slot does not exist.
struct SlotText {
  std::string_view name, option;
};

constexpr int kMaxSlots = 4;    // tensors that an optimizer remembers of a parameter
constexpr int kMaxNumbers = 2;  // and numbers beside the count of steps

struct StateText {
  SlotText slots[kMaxSlots];
  std::string_view numbers[kMaxNumbers];
  int count = 0, number_count = 0;
  bool counts_steps = false, whole = false;

  // Bit k: slot k always exists.
  constexpr unsigned always() const {
    unsigned mask = 0;
    for (int k = 0; k < count; ++k) mask |= slots[k].option.empty() ? 1u << k : 0;
    return mask;
  }
};

constexpr StateText parse_state(std::string_view text) {
  StateText s;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view item = detail::trimmed(text.substr(0, comma));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    if (item == "step") {
      s.counts_steps = true;
      continue;
    }
    if (item == "whole") {
      s.whole = true;
      continue;
    }
    if (item.starts_with("number ")) {
      s.numbers[s.number_count++] = item.substr(7);
      continue;
    }
    const size_t condition = item.find(" if ");
    s.slots[s.count++] = {item.substr(0, condition),
                          condition == item.npos ? std::string_view() : item.substr(condition + 4)};
  }
  return s;
}

}  // namespace haft
