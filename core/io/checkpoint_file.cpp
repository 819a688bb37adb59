#include "core/io/checkpoint_file.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/io/json_reader.h"
#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr std::string_view kFormat = "haft-checkpoint";

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

Metadata encode_metadata(const std::map<std::string, CheckpointSection>& sections) {
  Metadata m = {{"format", std::string(kFormat)}, {"version", std::to_string(CheckpointFile::kVersion)}};
  for (auto& [name, section] : sections)
    if (!m.emplace(name, encode_section(name, section)).second)
      fail(Code::invalid_argument, concat("checkpoint: a section may not be called ", quoted(name)));
  return m;
}

class SectionReader : public JsonHandler {
 public:
  explicit SectionReader(std::string_view where) : where_(where) {}
  CheckpointSection section;

  void boolean(bool v) override { put(v, "a boolean"); }
  void integer(int64_t v) override { put(v, "an integer"); }
  void real(double v) override { put(v, "a fraction"); }
  void string(std::string& v) override {
    if (state_ != kFloat) return put(std::move(v), "a string");
    double d = v == "nan" ? NAN : v == "inf" ? INFINITY : v == "-inf" ? -INFINITY : 0;
    if (d == 0) bad(quoted(v));
    state_ = kValue;
    put(d, "a fraction");
    state_ = kFloatEnd;
  }
  void key(std::string& k) override {
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
  void begin_object() override {
    if (state_ == kStart)
      state_ = kKey;
    else if (state_ == kValue)
      state_ = kFloatKey;
    else
      bad("an object");
  }
  void end_object() override {
    if (state_ == kFloatKey) bad("an empty object");
    state_ = kKey;  // after the section's own end nothing follows
  }
  void null() override { bad("null"); }
  void begin_array() override { bad("a list"); }
  void end_array() override {}

 private:
  enum State { kStart, kKey, kValue, kFloatKey, kFloat, kFloatEnd };

  void put(CheckpointValue v, const char* got) {
    if (state_ != kValue) bad(got);
    if (!section.emplace(key_, std::move(v)).second)
      fail(Code::corrupt, concat(where_, " has the entry ", quoted(key_), " twice"));
    state_ = kKey;
  }
  [[noreturn]] void bad(std::string_view got) {
    fail(Code::corrupt,
         concat(where_, " has ", got, key_.empty() ? "" : " near the entry ",
                key_.empty() ? "" : quoted(key_), "; wanted an object of booleans, numbers and strings"));
  }

  std::string_view where_;
  State state_ = kStart;
  std::string key_;
};

}  // namespace

const Array* CheckpointFile::find(std::string_view name) const {
  for (const Array& a : arrays)
    if (a.name == name) return &a;
  return nullptr;
}

void write_checkpoint(const std::string& path, const std::map<std::string, CheckpointSection>& sections,
                      std::span<const ArrayRef> arrays) {
  write_safetensors(path, arrays, encode_metadata(sections));
}

std::string encode_checkpoint(const std::map<std::string, CheckpointSection>& sections,
                              std::span<const ArrayRef> arrays) {
  return encode_safetensors(arrays, encode_metadata(sections));
}

CheckpointFile read_checkpoint(const std::string& path) {
  auto block = map_file(path);
  return parse_checkpoint(block->bytes(), concat("checkpoint ", quoted(path, 4096)), block);
}

CheckpointFile parse_checkpoint(std::span<const uint8_t> bytes, std::string_view where,
                                const Ref<ByteBlock>& owner) {
  Safetensors file = parse_safetensors(bytes, where, owner);
  auto format = file.metadata.find("format"), version = file.metadata.find("version");
  if (format == file.metadata.end() || format->second != kFormat)
    fail(Code::corrupt,
         concat(where, ": is a safetensors file, but no checkpoint: its format is ",
                format == file.metadata.end() ? "not given" : quoted(format->second), "; wanted ",
                quoted(kFormat)),
         "load plain weights as a state dict instead");
  int v = 0;
  std::string_view text = version == file.metadata.end() ? std::string_view() : version->second;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || parsed.ptr != text.data() + text.size() || parsed.ec != std::errc() || v < 1)
    fail(Code::corrupt, concat(where, ": its version is ", quoted(text), "; wanted a whole number from 1"));
  if (v > CheckpointFile::kVersion)
    fail(Code::unsupported,
         concat(where, ": has the version ", v, "; this haft reads up to ", CheckpointFile::kVersion),
         "read it with the haft that wrote it, or a newer one");

  CheckpointFile out;
  out.arrays = std::move(file.arrays);
  for (auto& [name, json] : file.metadata) {
    if (name == "format" || name == "version") continue;
    std::string at = concat(where, ": section ", quoted(name));
    SectionReader reader(at);
    parse_json(json, reader, at);
    // A lone scalar fails inside the reader, so the text was an object.
    out.sections.emplace(name, std::move(reader.section));
  }
  return out;
}

template <class T>
const T& checkpoint_value(const CheckpointFile& file, const std::string& section, const std::string& key) {
  auto s = file.sections.find(section);
  if (s == file.sections.end())
    fail(Code::corrupt, concat("checkpoint: lacks the section ", quoted(section)));
  auto v = s->second.find(key);
  const T* value = v == s->second.end() ? nullptr : std::get_if<T>(&v->second);
  static constexpr const char* names[] = {"a boolean", "an integer", "a fraction", "a string"};
  if (!value)
    fail(Code::corrupt, concat("checkpoint: the entry ", quoted(key), " of section ", quoted(section),
                               v == s->second.end() ? " is missing" : " is ",
                               v == s->second.end() ? "" : names[v->second.index()], "; wanted ",
                               names[CheckpointValue(T()).index()]));
  return *value;
}

template const bool& checkpoint_value<bool>(const CheckpointFile&, const std::string&, const std::string&);
template const int64_t& checkpoint_value<int64_t>(const CheckpointFile&, const std::string&,
                                                  const std::string&);
template const double& checkpoint_value<double>(const CheckpointFile&, const std::string&,
                                                const std::string&);
template const std::string& checkpoint_value<std::string>(const CheckpointFile&, const std::string&,
                                                          const std::string&);

}  // namespace haft
