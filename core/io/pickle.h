// Python's pickles (protocols 2 to 5) as plain values. Nothing that a pickle names is looked up or run: a call is the
// value of what it would call and its arguments.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace haft {

struct PickleValue {
  enum class Kind : uint8_t {
    none,
    boolean,  // number
    integer,  // number
    real,
    text,      // also bytes
    sequence,  // items: of a tuple, list or set
    dict,      // items: keys and values in turns; also OrderedDict and its like
    global,    // module and text: its name
    // Items: what is called and the tuple of its arguments, then keys and values that it was given; state.
    call,
    stored,  // items[0]: the persistent id, PyTorch's word for memory
    other,   // an integer beyond 64 bits, a buffer that is not in the file
  };
  Kind kind = Kind::none;
  int64_t number = 0;
  double real = 0;
  std::string_view module, text;  // in the pickle's bytes
  std::vector<int32_t> items;     // places in Pickle::values
  int32_t state = -1;             // what a call's result, or a dict, was given by __setstate__

  bool is_global(std::string_view in, std::string_view name) const {
    return kind == Kind::global && module == in && text == name;
  }
};

struct Pickle {
  std::vector<PickleValue> values;
  int32_t root = -1;
  int64_t bytes = 0;  // of it, so that another may follow

  const PickleValue& operator[](int32_t i) const { return values[size_t(i)]; }
};

// `where` begins every message. Code::corrupt for what is cut off or contradicts itself, Code::unsupported for the text
// of protocols 0 and 1. Values point into the bytes.
Pickle parse_pickle(std::span<const uint8_t> bytes, std::string_view where);

}  // namespace haft
