// Every function of the library as data: its name, the types of its arguments, and a way to call it with values that
// were made at run time. What tries all functions is compiled once and not once a function.
#pragma once
#include <haft/api_table.h>
#include <haft/haft.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace signatures {

enum class Kind : uint8_t {
  opaque,  // functions, and objects that only callbacks meet
  nothing,
  integer,  // of `size` bytes
  real,
  scalar,
  text,
  handle,
  structure
};

// Every type of handles: those that have a release function.
enum class Handle : uint8_t {
  none,
#define HANDLE(type) type,
#include "handles.inc"
#undef HANDLE
};

struct Type {
  Kind kind;  // of the type, or of what it points to in the end
  Handle handle;
  uint8_t pointers;        // 0, 1 or 2
  bool constant;           // what it points to first
  bool sized;              // a structure that begins with struct_size
  uint32_t size;           // of the type, or of what it points to in the end
  void (*release)(void*);  // a handle's
};

union Value {
  int64_t integer;
  double real;
  haft_scalar scalar;
  void* pointer;
};

struct Function {
  const char* name;
  void (*address)();
  haft_status (*call)(void (*address)(), const Value* arguments);  // HAFT_OK where it answers no status
  bool answers_status;
  const Type* types;
  size_t count;

  haft_status operator()(const std::vector<Value>& arguments) const {
    return call(address, arguments.data());
  }
};

const std::vector<Function>& functions();

}  // namespace signatures
