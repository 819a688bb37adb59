#include "core/io/json_reader.h"

#include <charconv>
#include <vector>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

class Parser {
 public:
  Parser(std::string_view s, JsonHandler& to, std::string_view where) : s_(s), to_(to), where_(where) {}

  void run() {
    value();
    while (!nesting_.empty()) {
      bool object = nesting_.back();
      skip();
      if (peek() == (object ? '}' : ']')) {
        ++i_;
        nesting_.pop_back();
        object ? to_.end_object() : to_.end_array();
        first_ = false;
        continue;
      }
      if (!first_) want(',', object ? "',' or '}'" : "',' or ']'");
      first_ = false;
      if (object) {
        skip();
        if (peek() != '"') bad("a key in double quotes");
        text();
        to_.key(text_);
        skip();
        want(':', "':'");
      }
      value();
    }
    skip();
    if (i_ != s_.size()) bad("the end");
  }

 private:
  int peek() const { return i_ < s_.size() ? uint8_t(s_[i_]) : -1; }
  void skip() {
    while (i_ < s_.size() && (s_[i_] == ' ' || s_[i_] == '\n' || s_[i_] == '\t' || s_[i_] == '\r')) ++i_;
  }
  void want(char c, const char* name) {
    if (peek() != c) bad(name);
    ++i_;
  }
  [[noreturn]] void bad(std::string_view wanted) const {
    fail(Code::corrupt, concat(where_, ": not valid JSON: at byte ", i_, " there is ",
                               i_ < s_.size() ? quoted(s_.substr(i_, 20)) : "the end", "; wanted ", wanted));
  }

  // Reads a scalar, or opens an object or a list and leaves the rest to run().
  void value() {
    skip();
    int c = peek();
    if (c == '{' || c == '[') {
      ++i_;
      nesting_.push_back(c == '{');
      first_ = true;
      c == '{' ? to_.begin_object() : to_.begin_array();
    } else if (c == '"') {
      text();
      to_.string(text_);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      number();
    } else if (word("true")) {
      to_.boolean(true);
    } else if (word("false")) {
      to_.boolean(false);
    } else if (word("null")) {
      to_.null();
    } else {
      bad("a value");
    }
  }
  bool word(std::string_view w) {
    if (s_.substr(i_, w.size()) != w) return false;
    i_ += w.size();
    return true;
  }

  void digits() {
    if (peek() < '0' || peek() > '9') bad("a digit");
    while (peek() >= '0' && peek() <= '9') ++i_;
  }
  void number() {
    size_t start = i_;
    bool integer = true;
    if (peek() == '-') ++i_;
    if (peek() == '0')
      ++i_;
    else
      digits();
    if (peek() == '.') integer = false, ++i_, digits();
    if (peek() == 'e' || peek() == 'E') {
      integer = false;
      ++i_;
      if (peek() == '+' || peek() == '-') ++i_;
      digits();
    }
    // from_chars, not strtod: the host program's locale may read a decimal comma.
    const char *begin = s_.data() + start, *end = s_.data() + i_;
    int64_t v = 0;
    double d = 0;
    auto result = integer ? std::from_chars(begin, end, v) : std::from_chars(begin, end, d);
    if (result.ec != std::errc())
      fail(Code::corrupt, concat(where_, ": the number ", quoted(s_.substr(start, i_ - start), 40),
                                 " does not fit in 64 bits"));
    integer ? to_.integer(v) : to_.real(d);
  }

  unsigned hex4() {
    unsigned v = 0;
    for (int k = 0; k < 4; ++k, ++i_) {
      int c = peek();
      int digit = c >= '0' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : -1;
      if (digit < 0) bad("a hexadecimal digit");
      v = v * 16 + unsigned(digit);
    }
    return v;
  }
  void append_utf8(unsigned c) {
    if (c < 0x80) {
      text_ += char(c);
    } else if (c < 0x800) {
      text_ += char(0xc0 | c >> 6);
      text_ += char(0x80 | (c & 63));
    } else if (c < 0x10000) {
      text_ += char(0xe0 | c >> 12);
      text_ += char(0x80 | (c >> 6 & 63));
      text_ += char(0x80 | (c & 63));
    } else {
      text_ += char(0xf0 | c >> 18);
      text_ += char(0x80 | (c >> 12 & 63));
      text_ += char(0x80 | (c >> 6 & 63));
      text_ += char(0x80 | (c & 63));
    }
  }
  void escape() {
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (peek() == 'u') {
      ++i_;
      unsigned c = hex4();
      if (c >= 0xd800 && c < 0xdc00) {  // the first half of a pair
        if (s_.substr(i_, 2) != "\\u") bad("the second half of a surrogate pair");
        i_ += 2;
        unsigned low = hex4();
        if (low < 0xdc00 || low > 0xdfff) bad("the second half of a surrogate pair before it");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      } else if (c >= 0xdc00 && c < 0xe000) {
        bad("no lone second half of a surrogate pair before it");
      }
      append_utf8(c);
      return;
    }
    size_t k = peek() < 0 ? from.npos : from.find(char(peek()));
    if (k == from.npos) bad("an escape");
    text_ += to[k];
    ++i_;
  }
  void text() {
    text_.clear();
    size_t start = ++i_, run = i_;
    for (;;) {
      int c = peek();
      if (c < 0x20) bad("no control character or end inside a string");
      if (c == '"' || c == '\\') {
        text_.append(s_, run, i_ - run);
        ++i_;
        if (c == '"') break;
        escape();
        run = i_;
      } else {
        ++i_;
      }
    }
    if (!valid_utf8(text_))
      fail(Code::corrupt, concat(where_, ": the string at byte ", start, " is not UTF-8"));
  }

  std::string_view s_;
  JsonHandler& to_;
  std::string_view where_;
  size_t i_ = 0;
  bool first_ = true;          // nothing yet in the innermost object or list
  std::vector<bool> nesting_;  // true: an object
  std::string text_;
};

}  // namespace

void parse_json(std::string_view text, JsonHandler& handler, std::string_view where) {
  Parser(text, handler, where).run();
}

}  // namespace haft
