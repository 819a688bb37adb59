#include "capi/src/boundary.h"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/backend/registry.h"
#include "core/init.h"
#include "core/io/text.h"
#include "core/modes/stop.h"
#include "core/serve/frame.h"
#include "core/tape/tape.h"

namespace haft::capi {

std::atomic<bool> ready{false};
const Tensor absent;

namespace {

// The thread's error record. When memory is short the texts stay empty and `fallback` speaks.
struct Record {
  Code code = Code::ok;
  int32_t index = -1;
  const char* function = "";  // static text
  std::string argument, message, hint, whole;
  const char* fallback = nullptr;
  uint64_t token = 0, serial = 0;
};

// An Error that knows the position of its argument.
struct ArgumentError : Error {
  int index;
  ArgumentError(Code c, std::string m, std::string h, std::string a, int i)
      : Error(c, std::move(m), std::move(h), std::move(a)), index(i) {}
};

// The function whose failure found no memory even for a record.
thread_local const char* unrecorded __attribute__((tls_model("initial-exec"))) = nullptr;

Record* record() noexcept {
  ThreadState& ts = thread_state();
  void*& p = ts.slots[kSlotError];
  if (!p) {
    p = new (std::nothrow) Record;
    ts.slot_destroy[kSlotError] = [](void* q) { delete static_cast<Record*>(q); };
  }
  return static_cast<Record*>(p);
}

// A composition refuses under the name that the caller used, whichever of its parts said no ("[scatter] index ...").
void name_composition(std::string& message, std::string_view function) {
  const size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", 1);
  if (!message.starts_with('[') || end == std::string::npos || message[end] != ']' ||
      !function.starts_with("haft_"))
    return;
  for (int i = 0; i < kOpCount; ++i)
    if (kOpKinds[i] == OpKind::composite && function.substr(5) == op_name(OpId(i))) {
      message.replace(1, end - 1, op_name(OpId(i)));
      return;
    }
}

void store(const char* function, Code code, int index, std::string_view argument, std::string_view message,
           std::string_view hint, uint64_t token) noexcept {
  Record* r = record();
  unrecorded = r ? nullptr : function;
  if (!r) return;
  r->function = function;
  r->code = code;
  r->index = index;
  r->token = token;
  ++r->serial;
  r->fallback = nullptr;
  try {
    r->argument = argument;
    r->message = message;
    if (!token) name_composition(r->message, function);
    r->hint = hint;
    r->whole = concat(function, ": ", r->message);
    if (!hint.empty()) r->whole += concat(" (", hint, ")");
  } catch (...) {
    r->fallback = "out of memory while reporting an error";
  }
}

constexpr const char* kNoMemory = "out of memory";

haft_status report_no_memory(const char* function) noexcept {
  Record* r = record();
  unrecorded = r ? nullptr : function;
  if (r) {
    r->function = function;
    r->code = Code::out_of_memory;
    r->index = -1;
    r->token = 0;
    ++r->serial;
    r->argument.clear();
    r->message.clear();
    r->hint.clear();
    r->fallback = kNoMemory;
  }
  return HAFT_ERROR_OUT_OF_MEMORY;
}

}  // namespace

void make_ready() {
  init();
  set_handle_destroy(HandleType::generator,
                     [](void* p) noexcept { Ref<Generator>::adopt(static_cast<Generator*>(p)); });
  for (int t = int(HandleType::generator) + 1; t < int(HandleType::count_); ++t)
    set_handle_destroy(HandleType(t),
                       [](void* p) noexcept { Ref<HandleObject>::adopt(static_cast<HandleObject*>(p)); });
  set_handle_destroy(HandleType::node, [](void* p) noexcept { Ref<Node>::adopt(static_cast<Node*>(p)); });
  ready.store(true, std::memory_order_release);
}

haft_status report(const char* function) noexcept {
  try {
    throw;
  } catch (const ArgumentError& e) {
    store(function, e.code, e.index, e.argument, e.message, e.hint, 0);
    return haft_status(e.code);
  } catch (const Error& e) {
    store(function, e.code, -1, e.argument, e.message, e.hint, e.foreign_token);
    return haft_status(e.code);
  } catch (const std::bad_alloc&) {
    return report_no_memory(function);
  } catch (const std::length_error&) {  // a list longer than any memory
    return report_no_memory(function);
  } catch (const std::exception& e) {
    store(function, Code::internal, -1, {}, e.what(), "this is a bug in haft; please report it", 0);
  } catch (...) {
    store(function, Code::internal, -1, {}, "unknown exception", "this is a bug in haft; please report it",
          0);
  }
  return HAFT_ERROR_INTERNAL;
}

bool is_out_of_memory() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return e.code == Code::out_of_memory;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

CancelGuard::CancelGuard() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old_); }
CancelGuard::~CancelGuard() { pthread_setcancelstate(old_, nullptr); }

void fail_argument(Code code, std::string message, int index, const char* name, std::string hint) {
  throw ArgumentError(code, std::move(message), std::move(hint), name, index);
}
void fail_no_result(int index, const char* name) {
  fail_argument(Code::invalid_argument, concat(name, " is NULL, wanted a place for the result"), index, name);
}
void fail_no_list(int index, const char* name) {
  fail_argument(Code::invalid_argument,
                concat(name, " needs room for its capacity and a place for the count"), index, name);
}

namespace detail {

void fail_handle(const void* h, HandleType want, int index, const char* name) {
  if (!h)
    fail_argument(Code::invalid_argument,
                  concat(name, " is NULL, wanted a ", handle_type_name(want), " handle"), index, name);
  const HandleType type = claimed_type(h);
  if (type != want && type > HandleType::free && type < HandleType::count_ && find_slot(h, type))
    fail_argument(
        Code::wrong_handle,
        concat(name, " is a ", handle_type_name(type), " handle, wanted a ", handle_type_name(want)), index,
        name);
  fail_argument(Code::stale_handle,
                concat(name, " is no live ", handle_type_name(want),
                       " handle: it was released, or never came from haft"),
                index, name, "retain a handle for each owner, and release each once");
}

}  // namespace detail

ListArg::ListArg(haft_tensor* const* ts, int64_t count, int index, const char* name, bool optional) {
  if (count < 0 || (count && !ts))
    fail_argument(Code::invalid_argument,
                  concat(name, " must be an array of count >= 0 tensors, got ",
                         ts ? "count " : "NULL with count ", count),
                  index, name);
  tensors_.reserve(size_t(count));
  for (int64_t i = 0; i < count; ++i)
    tensors_.push_back(optional ? optional_arg(ts[i], index, name) : arg(ts[i], index, name));
}

namespace {

[[gnu::always_inline]] inline void check_list(const void* values, int64_t count, int index,
                                              const char* name) {
  constexpr int64_t kMost = 1 << 20;  // no shape or split has more: the count is not one
  if (count < 0 || count > kMost || (count && !values))
    fail_argument(Code::invalid_argument,
                  concat(name, " must be an array of 0 to ", kMost, " numbers, got ",
                         values ? "count " : "NULL with count ", count),
                  index, name);
}

}  // namespace

IntList int_list(const int64_t* values, int64_t count, int index, const char* name) {
  check_list(values, count, index, name);
  return {values, size_t(count)};
}

std::vector<int64_t> rank_list(const int32_t* ranks, int64_t count, int index, const char* name) {
  check_list(ranks, count, index, name);
  return {ranks, ranks + count};
}

namespace {

const Tensor& checked_real(const Tensor& x, int index, const char* name) {
  if (x.defined() && is_complex(x.dtype()))
    fail_argument(Code::dtype,
                  concat(name, " is ", dtype_name(x.dtype()), ", which this function does not take"), index,
                  name, "compute with the real and imaginary parts, or with the absolute value");
  return x;
}
ListArg checked_real(ListArg list, int index, const char* name) {
  for (const Tensor& x : list.vector()) checked_real(x, index, name);
  return list;
}

}  // namespace

const Tensor& real_arg(const haft_tensor* t, int index, const char* name) {
  return checked_real(arg(t, index, name), index, name);
}
const Tensor& real_optional_arg(const haft_tensor* t, int index, const char* name) {
  return checked_real(optional_arg(t, index, name), index, name);
}
ListArg real_list_arg(haft_tensor* const* ts, int64_t count, int index, const char* name) {
  return checked_real(list_arg(ts, count, index, name), index, name);
}
ListArg real_optional_list_arg(haft_tensor* const* ts, int64_t count, int index, const char* name) {
  return checked_real(optional_list_arg(ts, count, index, name), index, name);
}

Scalar to_scalar(haft_scalar s, int index, const char* name) {
  if (s.kind == HAFT_SCALAR_NONE)
    fail_argument(Code::invalid_argument, concat(name, " is absent (HAFT_SCALAR_NONE), wanted a number"),
                  index, name, "make it with haft_scalar_float or haft_scalar_int");
  return to_optional_scalar(s, index, name);
}

Scalar to_optional_scalar(haft_scalar s, int index, const char* name) {
  switch (s.kind) {
    case HAFT_SCALAR_NONE: return {};
    case HAFT_SCALAR_BOOL: return Scalar(s.v.i != 0);
    case HAFT_SCALAR_INT: return Scalar(int64_t(s.v.i));
    case HAFT_SCALAR_FLOAT: return Scalar(s.v.d);
    case HAFT_SCALAR_COMPLEX:
      fail_argument(Code::unsupported,
                    concat(name, " is a complex number, which this function does not take"), index, name,
                    "give it as a 0-dim tensor where there is a form of tensors: haft_complex makes one");
  }
  fail_argument(Code::invalid_argument, concat(name, ".kind is ", s.kind, ", wanted one of HAFT_SCALAR_*"),
                index, name, "make it with haft_scalar_float or haft_scalar_int");
}

DType to_dtype(int32_t t, int index, const char* name) {
  if (t != HAFT_DTYPE_NONE && !is_valid(t))
    fail_argument(Code::invalid_argument, concat(name, " is ", t, ", which is no haft_dtype"), index, name);
  return DType(t);
}

Device to_device(int32_t d, int index, const char* name) {
  if (d == HAFT_DEVICE_DEFAULT) return kDefaultDevice;
  if (d < 0)
    fail_argument(Code::device, concat(name, " is ", d, ", which is no haft_device"), index, name,
                  "read devices with haft_device_parse");
  Device device = Device::unpack(d);
  if (!device.is_cpu() || device.index) check_device(device);
  return device;
}

bool to_bool(int32_t b, int index, const char* name) {
  if (b != 0 && b != 1)
    fail_argument(Code::invalid_argument, concat(name, " must be 0 or 1, got ", b), index, name);
  return b != 0;
}

Generator* to_generator(haft_generator* g, int index, const char* name) {
  return g ? static_cast<Generator*>(slot_of(g, HandleType::generator, index, name).object) : nullptr;
}

std::string_view to_text(const char* s, int index, const char* name) {
  if (!s) fail_argument(Code::invalid_argument, concat(name, " is NULL, wanted text"), index, name);
  std::string_view text(s);
  for (size_t i = 0, n; i < text.size(); i += n)
    if ((n = utf8_length(text, i)) == 0)
      fail_argument(Code::invalid_argument, concat(name, " is not UTF-8 at byte ", int64_t(i)), index, name);
  return text;
}

bool has_room(haft_tensor** outs, int64_t capacity, int64_t* count, int64_t results) {
  if (results < 0 || (outs && results <= capacity)) return true;
  *count = results;
  if (!outs) return false;
  fail(Code::invalid_argument, concat("outs has room for ", capacity, " tensors, the result has ", results),
       "call again with room for as many", "outs");
}

void emit_list(haft_tensor** outs, int64_t capacity, int64_t* count, std::vector<Tensor> ts) {
  const int64_t n = int64_t(ts.size());
  if (!has_room(outs, capacity, count, n)) return;
  emit_all(outs, std::move(ts));  // may lack memory: then count is not written
  *count = n;
}

void emit_all(haft_tensor** outs, std::vector<Tensor> ts) {
  std::vector<haft_tensor*> handles;
  handles.reserve(ts.size());
  try {
    for (Tensor& t : ts) handles.push_back(t ? hand_out(std::move(t)) : nullptr);
  } catch (...) {
    for (haft_tensor* h : handles) release_handle(h, HandleType::tensor);
    throw;
  }
  std::copy(handles.begin(), handles.end(), outs);
}

void emit_text(std::string_view s, char* buffer, int64_t capacity, int64_t* needed) {
  if (needed) *needed = int64_t(s.size()) + 1;
  if (!buffer && capacity == 0 && needed) return;  // asking for the size
  if (!buffer || capacity < int64_t(s.size()) + 1)
    fail(Code::invalid_argument,
         concat("the buffer has ", capacity, " bytes, the text needs ", int64_t(s.size()) + 1),
         "ask for the size with buffer NULL and capacity 0", "buffer");
  std::memcpy(buffer, s.data(), s.size());
  buffer[s.size()] = 0;
}

void check_reserved(int64_t value, int index, const char* name) {
  if (value)
    fail_argument(Code::bad_struct, concat(name, ".reserved is ", value, ", wanted 0"), index, name,
                  "fill the struct with its _INIT macro first");
}

void read_options(void* dst, uint32_t known, uint32_t first, const void* src, const char* name, int index) {
  uint32_t size;
  std::memcpy(&size, src, sizeof size);
  if (size < first || size > 65536)
    fail_argument(Code::bad_struct, concat(name, ".struct_size is ", size, ", which no version of haft has"),
                  index, name, "fill the struct with its _INIT macro first");
  auto* bytes = static_cast<const unsigned char*>(src);
  for (uint32_t i = known; i < size; ++i)
    if (bytes[i])
      fail_argument(
          Code::bad_struct,
          concat(name, " sets a field that this version of haft does not know (byte ", i, " of ", size, ")"),
          index, name, "use the library that belongs to the headers");
  std::memcpy(dst, src, std::min(size, known));
  std::memcpy(dst, &known, sizeof known);
}

uint64_t error_serial() noexcept {
  Record* r = record();
  return r ? r->serial : 0;
}

void check_callback(haft_status status, const char* what, uint64_t before) {
  if (status == HAFT_OK) return;
  if (serve::Frame* f = serve::current_frame()) f->failed_with = Code(status);
  Record* r = record();
  // A callback whose operators were stopped did not fail of itself.
  const Code stopped = stop_code();
  Error e(stopped != Code::ok && stopped == Code(status) ? stopped : Code::callback,
          concat(what, " failed with ", haft_status_get_name(status)),
          "the callback can tell more with haft_error_set");
  if (r && r->serial != before && r->code == Code(status)) {
    if (!r->message.empty()) {
      e.message = r->message;
      e.hint = r->hint;
    }
    e.foreign_token = r->token;
  }
  throw e;
}

void fail_thrown(const char* what) {
  std::string said = "an exception";
  try {
    throw;
  } catch (const std::exception& e) {
    said = concat("an exception: ", e.what());
  } catch (...) {
  }
  throw Error(Code::callback, concat(what, " threw ", said),
              "a callback answers a status and says why with haft_error_set; exceptions end inside it");
}

}  // namespace haft::capi

using namespace haft;
using namespace haft::capi;

extern "C" {

haft_status haft_error_get_last(haft_error_info* info) noexcept {
  if (!info) return HAFT_ERROR_INVALID_ARGUMENT;
  if (info->struct_size < sizeof(uint32_t) || info->struct_size > 65536) return HAFT_ERROR_BAD_STRUCT;
  haft_error_info full = HAFT_ERROR_INFO_INIT;
  full.argument_index = -1;
  full.function = full.argument = full.message = full.hint = "";
  if (unrecorded) {
    full.code = HAFT_ERROR_OUT_OF_MEMORY;
    full.function = unrecorded;
    full.message = kNoMemory;
  } else if (auto* r = static_cast<Record*>(thread_state().slots[kSlotError])) {
    full.code = haft_status(r->code);
    full.argument_index = r->index;
    full.function = r->function;
    full.argument = r->argument.c_str();
    full.message = r->fallback ? r->fallback : r->message.c_str();
    full.hint = r->hint.c_str();
    full.foreign_token = int64_t(r->token);
  }
  uint32_t size = info->struct_size;
  full.struct_size = size;
  std::memcpy(info, &full, std::min<size_t>(size, sizeof full));
  return HAFT_OK;
}

const char* haft_error_get_message(void) noexcept {
  if (unrecorded) return kNoMemory;
  auto* r = static_cast<Record*>(thread_state().slots[kSlotError]);
  if (!r) return "";
  return r->fallback ? r->fallback : r->whole.c_str();
}

void haft_error_clear(void) noexcept {
  unrecorded = nullptr;
  auto* r = static_cast<Record*>(thread_state().slots[kSlotError]);
  if (!r) return;
  r->code = Code::ok;
  r->index = -1;
  r->token = 0;
  r->fallback = nullptr;
  r->function = "";
  for (std::string* s : {&r->argument, &r->message, &r->hint, &r->whole}) s->clear();
}

haft_status haft_error_set(haft_status code, const char* message, int64_t token) noexcept {
  if (code == HAFT_OK) code = HAFT_ERROR_CALLBACK;
  store("callback", Code(code), -1, {}, message ? message : "", {}, uint64_t(token));
  return code;
}

const char* haft_status_get_name(haft_status status) noexcept {
  switch (status) {
    case HAFT_OK: return "HAFT_OK";
    case HAFT_ERROR_INVALID_ARGUMENT: return "HAFT_ERROR_INVALID_ARGUMENT";
    case HAFT_ERROR_SHAPE: return "HAFT_ERROR_SHAPE";
    case HAFT_ERROR_DTYPE: return "HAFT_ERROR_DTYPE";
    case HAFT_ERROR_DEVICE: return "HAFT_ERROR_DEVICE";
    case HAFT_ERROR_INDEX: return "HAFT_ERROR_INDEX";
    case HAFT_ERROR_OUT_OF_MEMORY: return "HAFT_ERROR_OUT_OF_MEMORY";
    case HAFT_ERROR_OVERFLOW: return "HAFT_ERROR_OVERFLOW";
    case HAFT_ERROR_STALE_HANDLE: return "HAFT_ERROR_STALE_HANDLE";
    case HAFT_ERROR_WRONG_HANDLE: return "HAFT_ERROR_WRONG_HANDLE";
    case HAFT_ERROR_BUSY: return "HAFT_ERROR_BUSY";
    case HAFT_ERROR_AUTOGRAD: return "HAFT_ERROR_AUTOGRAD";
    case HAFT_ERROR_UNSUPPORTED: return "HAFT_ERROR_UNSUPPORTED";
    case HAFT_ERROR_UNAVAILABLE: return "HAFT_ERROR_UNAVAILABLE";
    case HAFT_ERROR_IO: return "HAFT_ERROR_IO";
    case HAFT_ERROR_CORRUPT: return "HAFT_ERROR_CORRUPT";
    case HAFT_ERROR_BAD_STRUCT: return "HAFT_ERROR_BAD_STRUCT";
    case HAFT_ERROR_CALLBACK: return "HAFT_ERROR_CALLBACK";
    case HAFT_ERROR_FORKED: return "HAFT_ERROR_FORKED";
    case HAFT_ERROR_RECURSIVE: return "HAFT_ERROR_RECURSIVE";
    case HAFT_END: return "HAFT_END";
    case HAFT_ERROR_QUEUE_FULL: return "HAFT_ERROR_QUEUE_FULL";
    case HAFT_ERROR_CANCELLED: return "HAFT_ERROR_CANCELLED";
    case HAFT_ERROR_TIMEOUT: return "HAFT_ERROR_TIMEOUT";
    case HAFT_ERROR_PEER_LOST: return "HAFT_ERROR_PEER_LOST";
    case HAFT_ERROR_MISMATCH: return "HAFT_ERROR_MISMATCH";
    case HAFT_ERROR_LINALG: return "HAFT_ERROR_LINALG";
    case HAFT_ERROR_INTERNAL: return "HAFT_ERROR_INTERNAL";
  }
  return "HAFT_ERROR_UNKNOWN";
}

}  // extern "C"
