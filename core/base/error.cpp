#include "core/base/error.h"

#include <cstdio>

namespace haft {

void append_text(std::string& out, double v) {
  char buf[32];
  std::snprintf(buf, sizeof buf, "%.9g", v);
  out.append(buf);
}

void append_text(std::string& out, std::span<const int64_t> v) {
  out.push_back('[');
  for (size_t i = 0; i < v.size(); ++i) {
    if (i) out.append(", ");
    out.append(std::to_string(v[i]));
  }
  out.push_back(']');
}

void fail(Code code, std::string message, std::string hint, std::string argument) {
  throw Error(code, std::move(message), std::move(hint), std::move(argument));
}

}  // namespace haft
