// Text that goes into and comes out of files: UTF-8, JSON escapes, and how a failed file operation is worded.
#pragma once
#include <string>
#include <string_view>

namespace haft {

// Length of the UTF-8 sequence at s[i] (RFC 3629), or 0 when it is malformed, overlong, a surrogate or above
// U+10FFFF.
size_t utf8_length(std::string_view s, size_t i);
bool valid_utf8(std::string_view s);

// Appends s as the inside of a JSON string; bytes that are not UTF-8 become U+FFFD.
void append_json_escaped(std::string& out, std::string_view s);
inline void append_json_string(std::string& out, std::string_view s) {
  out += '"';
  append_json_escaped(out, s);
  out += '"';
}
// The shortest number that reads back as v; v is finite. Always marked as a float ("1.0", "1e+20").
void append_json_number(std::string& out, double v);

// A name out of a file for a message: in single quotes, escaped, cut after `limit` bytes.
std::string quoted(std::string_view s, size_t limit = 100);

// Code::io: "cannot <action> '<path>': <what the system says>".
[[noreturn]] void fail_errno(std::string_view action, std::string_view path, int error,
                             std::string hint = {});

}  // namespace haft
