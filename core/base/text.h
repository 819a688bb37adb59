// Text for error messages: concat(...) joins numbers, strings and shapes. Cold code; never on an operator's path.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace haft {

// What concat() joins. A type of its own joins by a function `to_text`, found where the type is, that answers one of
// these.
class TextPart {
 public:
  enum Kind : uint64_t { text, boolean, integer, natural, real, sizes };
  union {
    const void* data;
    int64_t whole;
    double number;
  };
  uint64_t tag;  // the kind in three bits, above them the length of data

  template <class T>
  constexpr TextPart(const T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      set_whole(boolean, v);
    } else if constexpr (std::floating_point<T>) {
      number = v, tag = real;
    } else if constexpr (std::unsigned_integral<T>) {
      set_whole(natural, int64_t(v));
    } else if constexpr (std::is_convertible_v<T, int64_t>) {
      set_whole(integer, v);
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
      const char* s = v;
      set_data(text, std::string_view(s ? s : "(null)"));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      set_data(text, std::string_view(v));
    } else {
      set_data(sizes, std::span<const int64_t>(v));  // prints as PyTorch prints it: [2, 3]
    }
  }

 private:
  constexpr void set_whole(Kind kind, int64_t v) { whole = v, tag = kind; }
  template <class S>
  constexpr void set_data(Kind kind, S s) {
    data = s.data(), tag = s.size() << 3 | kind;
  }
};
template <class T>
constexpr const T& to_text(const T& v) {
  return v;
}

[[gnu::cold]] void append_text(std::string& out, TextPart part);
// One function for all: messages stand at so many places that a template would be half of their text.
[[gnu::cold]] std::string join_text(std::initializer_list<TextPart> parts);
template <class... A>
[[gnu::always_inline]] inline std::string concat(const A&... a) {
  return join_text({TextPart(to_text(a))...});
}

}  // namespace haft
