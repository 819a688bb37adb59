// Numbers as text, whatever the host program's locale writes between their digits.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace haft {

// What printf has written in any locale, with a point; that of a locale may be several bytes.
inline void append_plain(std::string& out, std::string_view printed) {
  bool between = false;
  for (char c : printed) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+' || c == '-';
    if (plain || !between) out += plain ? c : '.';
    between = !plain;
  }
}

// `form`: 'e', 'f' or 'g', as printf knows them.
inline void append_number(std::string& out, char form, int precision, double v) {
  const char format[] = {'%', '.', '*', form, 0};
  char buf[512];
  const int n = std::snprintf(buf, sizeof buf, format, precision, v);
  append_plain(out, {buf, size_t(n) < sizeof buf ? size_t(n) : sizeof buf - 1});
}

}  // namespace haft
