#include "core/io/checkpoint_file.h"

#include <charconv>

#include "core/base/error.h"
#include "core/io/checkpoint_section.h"
#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr std::string_view kFormat = "haft-checkpoint";

Metadata encode_metadata(const std::map<std::string, CheckpointSection>& sections) {
  Metadata m = {{"format", std::string(kFormat)}, {"version", std::to_string(CheckpointFile::kVersion)}};
  for (auto& [name, section] : sections)
    if (!m.emplace(name, encode_section(name, section)).second)
      fail(Code::invalid_argument, concat("checkpoint: a section may not be called ", quoted(name)));
  return m;
}

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
