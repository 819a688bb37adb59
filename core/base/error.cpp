#include "core/base/error.h"

#include "core/base/number.h"

namespace haft {

void append_text(std::string& out, TextPart part) {
  const size_t size = part.tag >> 3;
  switch (TextPart::Kind(part.tag & 7)) {
    case TextPart::text: out.append(static_cast<const char*>(part.data), size); return;
    case TextPart::boolean: out.append(part.whole ? "true" : "false"); return;
    case TextPart::integer: out.append(std::to_string(part.whole)); return;
    case TextPart::natural: out.append(std::to_string(uint64_t(part.whole))); return;
    case TextPart::real: append_number(out, 'g', 9, part.number); return;
    case TextPart::sizes:
      out.push_back('[');
      for (size_t i = 0; i < size; ++i) {
        if (i) out.append(", ");
        out.append(std::to_string(static_cast<const int64_t*>(part.data)[i]));
      }
      out.push_back(']');
      return;
  }
}

std::string join_text(std::initializer_list<TextPart> parts) {
  std::string out;
  for (TextPart part : parts) append_text(out, part);
  return out;
}

void fail(Code code, std::string_view message, std::string_view hint, std::string_view argument) {
  throw Error(code, std::string(message), std::string(hint), std::string(argument));
}

}  // namespace haft
