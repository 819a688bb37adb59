// Modules as text, in PyTorch's manner.
#include <algorithm>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/nn/module.h"
#include "core/nn/text.h"

namespace haft::nn {

std::string float_text(double v) {
  std::string s = concat(v);
  return s.find_first_of(".en") == s.npos ? s + ".0" : s;
}

std::string tuple_text(IntList v) {
  std::string s = "(";
  for (size_t i = 0; i < v.size(); ++i) s += concat(i ? ", " : "", v[i]);
  return s + (v.size() == 1 ? ",)" : ")");
}

namespace {

// 101770 -> "101,770"
std::string grouped(int64_t n) {
  std::string s = std::to_string(n);
  for (int64_t at = int64_t(s.size()) - 3; at > 0; at -= 3) s.insert(size_t(at), 1, ',');
  return s;
}

}  // namespace

std::string Module::with_count(int64_t count) const {
  return count ? concat("  # ", grouped(count), count == 1 ? " parameter" : " parameters") : "";
}

void Module::write_text(std::string& out, int indent, bool counts) const {
  Reading reading(*this);
  int64_t count = counts ? parameter_count() : 0;
  const bool parametrized =
      std::ranges::any_of(children_, [](const NamedModule& c) { return c.name == "parametrizations"; });
  out += (parametrized ? "Parametrized" : "") + type_ + "(" + extra();
  if (children_.empty()) {
    out += ")" + with_count(count);
    return;
  }
  out += with_count(count) + "\n";
  for (const NamedModule& c : children_) {
    out += std::string(size_t(indent) + 2, ' ') + "(" + c.name + "): ";
    c.module->write_text(out, indent + 2, counts);
    out += "\n";
  }
  out += std::string(size_t(indent), ' ') + ")";
}

std::string Module::text() const {
  std::string out;
  write_text(out, 0, false);
  return out;
}

std::string Module::summary() const {
  std::string out;
  write_text(out, 0, true);
  int64_t all = 0, trainable = 0, bytes = 0, buffers = 0;
  for (const NamedTensor& p : named_parameters()) {
    all += p.tensor.numel();
    trainable += p.tensor.requires_grad() ? p.tensor.numel() : 0;
    bytes += p.tensor.bytes();
  }
  for (const NamedTensor& b : named_buffers()) {
    buffers += b.tensor.numel();
    bytes += b.tensor.bytes();
  }
  std::string size;
  append_number(size, 'f', 2, double(bytes) / 1e6);
  out += concat("\nparameters: ", grouped(all), " (trainable: ", grouped(trainable),
                "), in buffers: ", grouped(buffers), ", ", size, " MB");
  return out;
}

}  // namespace haft::nn
