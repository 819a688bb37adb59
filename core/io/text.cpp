#include "core/io/text.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "core/base/error.h"

namespace haft {

size_t utf8_length(std::string_view s, size_t i) {
  auto at = [&](size_t k) { return k < s.size() ? uint8_t(s[k]) : uint8_t(0); };
  auto tail = [&](size_t k) { return (at(k) & 0xc0) == 0x80; };
  uint8_t a = at(i), b = at(i + 1);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(i + 1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    if (!tail(i + 1) || !tail(i + 2) || (a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f)) return 0;
    return 3;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    if (!tail(i + 1) || !tail(i + 2) || !tail(i + 3) || (a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f))
      return 0;
    return 4;
  }
  return 0;
}

bool valid_utf8(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    size_t n = utf8_length(s, i);
    if (n == 0) return false;
    i += n;
  }
  return true;
}

void append_json_escaped(std::string& out, std::string_view s) {
  static const char hex[] = "0123456789abcdef";
  for (size_t i = 0; i < s.size();) {
    char c = s[i];
    size_t n = utf8_length(s, i);
    if (n == 0) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (uint8_t(c) < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += hex[uint8_t(c) >> 4];
      out += hex[c & 15];
    } else {
      out.append(s, i, n);
    }
    i += n;
  }
}

void append_json_number(std::string& out, double v) {
  // to_chars, not printf: the host program's locale may write a decimal comma.
  char buf[32];
  auto end = std::to_chars(buf, buf + sizeof buf, v).ptr;
  std::string_view text(buf, size_t(end - buf));
  out += text;
  if (text.find_first_of(".e") == text.npos) out += ".0";
}

std::string quoted(std::string_view s, size_t limit) {
  std::string out = "'";
  size_t n = s.size();
  if (n > limit) {
    n = limit;
    while (n > 0 && (uint8_t(s[n]) & 0xc0) == 0x80) --n;  // not in the middle of a character
  }
  append_json_escaped(out, s.substr(0, n));
  out += n < s.size() ? "...'" : "'";
  return out;
}

void fail_errno(std::string_view action, std::string_view path, int error, std::string hint) {
  fail(Code::io,
       concat("cannot ", action, " ", quoted(path, 4096), ": ", std::generic_category().message(error)),
       std::move(hint));
}

}  // namespace haft
