#include "core/io/checkpoint_section.h"

#include <cmath>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

// Booleans, integers, fractions and strings are JSON's own. JSON has no infinities and no NaN: {"float":
// "inf"}.
void append_value(std::string& out, const CheckpointValue& value) {
  if (auto* b = std::get_if<bool>(&value)) {
    out += *b ? "true" : "false";
  } else if (auto* i = std::get_if<int64_t>(&value)) {
    out += std::to_string(*i);
  } else if (auto* d = std::get_if<double>(&value)) {
    if (std::isfinite(*d))
      append_json_number(out, *d);
    else
      out += concat("{\"float\":\"", std::isnan(*d) ? "nan" : *d > 0 ? "inf" : "-inf", "\"}");
  } else {
    append_json_string(out, std::get<std::string>(value));
  }
}

}  // namespace

std::string encode_section(const std::string& name, const CheckpointSection& section) {
  std::string out = "{";
  for (auto& [key, value] : section) {
    auto* text = std::get_if<std::string>(&value);
    if (!valid_utf8(key) || (text && !valid_utf8(*text)))
      fail(Code::invalid_argument,
           concat("checkpoint: the entry ", quoted(key), " of section ", quoted(name), " is not UTF-8"));
    if (out.size() > 1) out += ',';
    append_json_string(out, key);
    out += ':';
    append_value(out, value);
  }
  return out + "}";
}

void SectionReader::string(std::string& v) {
  if (state_ != kFloat) return put(std::move(v), "a string");
  double d = v == "nan" ? NAN : v == "inf" ? INFINITY : v == "-inf" ? -INFINITY : 0;
  if (d == 0) bad(quoted(v));
  state_ = kValue;
  put(d, "a fraction");
  state_ = kFloatEnd;
}

void SectionReader::key(std::string& k) {
  if (state_ == kFloatKey) {
    if (k != "float") bad(concat("the tag ", quoted(k)));
    state_ = kFloat;
  } else if (state_ == kKey) {
    key_ = std::move(k);
    state_ = kValue;
  } else {
    bad("a second tag");
  }
}

void SectionReader::begin_object() {
  if (state_ == kStart)
    state_ = kKey;
  else if (state_ == kValue)
    state_ = kFloatKey;
  else
    bad("an object");
}

void SectionReader::end_object() {
  if (state_ == kFloatKey) bad("an empty object");
  state_ = kKey;  // after the section's own end nothing follows
}

void SectionReader::put(CheckpointValue v, const char* got) {
  if (state_ != kValue) bad(got);
  if (!section.emplace(key_, std::move(v)).second)
    fail(Code::corrupt, concat(where_, " has the entry ", quoted(key_), " twice"));
  state_ = kKey;
}

void SectionReader::bad(std::string_view got) {
  fail(Code::corrupt,
       concat(where_, " has ", got, key_.empty() ? "" : " near the entry ", key_.empty() ? "" : quoted(key_),
              "; wanted an object of booleans, numbers and strings"));
}

}  // namespace haft
