// Text for error messages: concat(...) joins numbers, strings and shapes. Cold code; never on an operator's path.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace haft {

inline void append_text(std::string& out, std::string_view s) { out.append(s); }
inline void append_text(std::string& out, const char* s) { out.append(s ? s : "(null)"); }
inline void append_text(std::string& out, bool b) { out.append(b ? "true" : "false"); }
inline void append_text(std::string& out, int v) { out.append(std::to_string(v)); }
inline void append_text(std::string& out, unsigned v) { out.append(std::to_string(v)); }
inline void append_text(std::string& out, long v) { out.append(std::to_string(v)); }
inline void append_text(std::string& out, unsigned long v) { out.append(std::to_string(v)); }
inline void append_text(std::string& out, long long v) { out.append(std::to_string(v)); }
void append_text(std::string& out, double v);
// Shapes print as PyTorch prints them: [2, 3].
void append_text(std::string& out, std::span<const int64_t> v);

template <class... A>
[[gnu::cold, gnu::noinline]] std::string concat(const A&... a) {
  std::string out;
  (append_text(out, a), ...);
  return out;
}

}  // namespace haft
