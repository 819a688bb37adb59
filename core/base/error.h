// How the engine fails: it throws Error, the C boundary turns it into a status and the thread's error record.
#pragma once
#include <cstdint>
#include <exception>
#include <string>

#include "core/base/text.h"

namespace haft {

// Values are those of haft_status in haft/types.h; they never change.
enum class Code : int32_t {
  ok = 0,
  invalid_argument = 1,  // a value that no call may have
  shape = 2,             // sizes that do not fit together
  dtype = 3,             // an element type the operation does not take
  device = 4,            // tensors on different devices, or a device that does not exist
  index = 5,             // an index outside its range
  out_of_memory = 6,     // the allocator or its limit said no
  overflow = 7,          // a size that does not fit in 63 bits
  stale_handle = 8,      // released, foreign or never valid
  wrong_handle = 9,      // a live handle of another type
  busy = 10,             // another thread is changing the object
  autograd = 11,         // the tape cannot do this (freed graph, in-place change, no gradient)
  unsupported = 12,      // valid, but this device, dtype, engine or object does not do it
  unavailable = 13,      // a plug-in, driver or library is missing
  io = 14,               // the operating system refused a file operation
  corrupt = 15,          // a file's content is not what its format says
  bad_struct = 16,       // an options struct of an unknown size or with unknown fields set
  callback = 17,         // the caller's callback reported failure
  forked = 18,           // the object does not survive fork()
  recursive = 19,        // a callback called back into what is calling it
  end = 20,              // an iteration is over; not a failure
  queue_full = 21,       // as many requests wait as may
  cancelled = 22,        // somebody said so, or what would do it is closed
  timeout = 23,          // the time that the caller gave has passed
  peer_lost = 24,        // a process of the group is gone
  mismatch = 25,         // the processes of a group called different things
  linalg = 26,           // a matrix that has no answer: singular, not definite, not finite, no convergence
  internal = 99,         // a bug in haft
};

// Whether a number that came from elsewhere is a failure's.
constexpr bool is_failure(int32_t code) {
  return (code >= int32_t(Code::invalid_argument) && code <= int32_t(Code::linalg)) ||
         code == int32_t(Code::internal);
}

// `argument` names the parameter at fault as the C header spells it, or is empty.
struct Error : std::exception {
  Code code;
  std::string message, hint, argument;
  uint64_t foreign_token = 0;

  Error(Code c, std::string m, std::string h = {}, std::string a = {})
      : code(c), message(std::move(m)), hint(std::move(h)), argument(std::move(a)) {}
  const char* what() const noexcept override { return message.c_str(); }
};

[[noreturn, gnu::cold, gnu::noinline]] void fail(Code code, std::string_view message,
                                                 std::string_view hint = {}, std::string_view argument = {});

// For conditions that only a bug in haft can break; user input is checked with fail().
#define HAFT_ASSERT(cond)                                                                    \
  do {                                                                                       \
    if (!(cond)) [[unlikely]]                                                                \
      ::haft::fail(::haft::Code::internal,                                                   \
                   ::haft::concat("assertion failed: " #cond " at " __FILE__ ":", __LINE__), \
                   "this is a bug in haft; please report it");                               \
  } while (0)

}  // namespace haft
