#include "capi/src/checkpoint_arguments.h"

#include "core/io/text.h"

namespace haft::capi {

namespace {

CheckpointValue value_from(const haft_key_value& v, int index) {
  for (int64_t word : v.reserved) check_reserved(word, index, "values");
  if (v.text) return std::string(to_text(v.text, index, "values.text"));
  Scalar s = to_optional_scalar(v.number, index, "values.number");
  switch (s.kind) {
    case ScalarKind::boolean: return s.i != 0;
    case ScalarKind::integer: return int64_t(s.i);
    case ScalarKind::floating: return s.d;
    default:
      fail_argument(Code::invalid_argument,
                    concat("the value ", quoted(v.key), " has neither number nor text"), index, "values");
  }
}

}  // namespace

CheckpointSection values_arg(const haft_key_value* values, int64_t count, int index) {
  if (count < 0 || (count && !values))
    fail_argument(Code::invalid_argument,
                  concat("values must be an array of value_count >= 0 values, got ",
                         values ? "count " : "NULL with count ", count),
                  index, "values");
  CheckpointSection section;
  for (int64_t i = 0; i < count; ++i) {
    std::string key(to_text(values[i].key, index, "values.key"));  // checked before value_from prints it
    if (!section.emplace(std::move(key), value_from(values[i], index)).second)
      fail_argument(Code::invalid_argument, concat("values has the key ", quoted(values[i].key), " twice"),
                    index, "values");
  }
  return section;
}

haft_key_value value_to(const std::string& key, const CheckpointValue& v) {
  haft_key_value out = HAFT_KEY_VALUE_INIT;
  out.key = key.c_str();
  if (auto* b = std::get_if<bool>(&v)) {
    out.number = haft_scalar_int(*b);
    out.number.kind = HAFT_SCALAR_BOOL;
  } else if (auto* i = std::get_if<int64_t>(&v)) {
    out.number = haft_scalar_int(*i);
  } else if (auto* d = std::get_if<double>(&v)) {
    out.number = haft_scalar_float(*d);
  } else {
    out.text = std::get<std::string>(v).c_str();
  }
  return out;
}

}  // namespace haft::capi
