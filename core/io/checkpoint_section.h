// A checkpoint's named values as JSON.
#pragma once
#include <string>

#include "core/io/checkpoint_file.h"
#include "core/io/json_reader.h"

namespace haft {

// An object; Code::invalid_argument for what is not UTF-8.
std::string encode_section(const std::string& name, const CheckpointSection& section);

// Takes the events of one such object.
class SectionReader : public JsonHandler {
 public:
  explicit SectionReader(std::string_view where) : where_(where) {}
  CheckpointSection section;

  void boolean(bool v) override { put(v, "a boolean"); }
  void integer(int64_t v) override { put(v, "an integer"); }
  void real(double v) override { put(v, "a fraction"); }
  void string(std::string& v) override;
  void key(std::string& k) override;
  void begin_object() override;
  void end_object() override;
  void null() override { bad("null"); }
  void begin_array() override { bad("a list"); }
  void end_array() override {}

 private:
  enum State { kStart, kKey, kValue, kFloatKey, kFloat, kFloatEnd };
  void put(CheckpointValue v, const char* got);
  [[noreturn]] void bad(std::string_view got);

  std::string_view where_;
  State state_ = kStart;
  std::string key_;
};

}  // namespace haft
