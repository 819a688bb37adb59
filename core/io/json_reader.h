// Reads JSON as events, so that duplicate keys are seen and nothing is built that the reader did not ask for.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace haft {

struct JsonHandler {
  virtual ~JsonHandler() = default;
  virtual void null() = 0;
  virtual void boolean(bool v) = 0;
  virtual void integer(int64_t v) = 0;
  virtual void real(double v) = 0;
  virtual void string(std::string& v) = 0;  // may be moved from, like key
  virtual void key(std::string& v) = 0;
  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
};

// Code::corrupt, its message beginning with `where`, when text is not one JSON value in UTF-8 or holds an
// integer beyond 64 bits. The handler may throw to stop. Nesting costs no stack.
void parse_json(std::string_view text, JsonHandler& handler, std::string_view where);

}  // namespace haft
