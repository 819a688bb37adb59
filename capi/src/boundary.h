// Between C and the engine: the only place where exceptions become statuses, handles become objects and
// numbers of the ABI become types of the engine.
#pragma once
#include <haft/error.h>
#include <haft/types.h>

#include <span>
#include <vector>

#include "capi/src/handles.h"
#include "core/dispatch/call.h"
#include "core/dispatch/generator.h"

namespace haft::capi {

// Cold: writes the thread's error record from the exception in flight and answers its code.
haft_status report(const char* function) noexcept;

bool is_out_of_memory() noexcept;  // the exception in flight

extern std::atomic<bool> ready;  // the tables are filled
void make_ready();

template <class F>
inline haft_status boundary(const char* function, F&& f) noexcept {
  try {
    if (!ready.load(std::memory_order_acquire)) [[unlikely]]
      make_ready();
    f();
    return HAFT_OK;
  } catch (...) {
    return report(function);
  }
}

// Holds off pthread_cancel while files are written, threads are waited for or callbacks run: unwinding a C
// frame is not ours to do.
class CancelGuard {
  int old_;

 public:
  CancelGuard();
  ~CancelGuard();
};

// ---- arguments ----

// The position of an argument, for the error record; the engine's own errors name the argument only.
[[noreturn, gnu::cold]] void fail_argument(Code code, std::string message, int index, const char* name,
                                           std::string hint = {});
// The text is put together out of line: every function of the operators would carry it otherwise.
[[noreturn, gnu::cold]] void fail_no_result(int index, const char* name);
[[noreturn, gnu::cold]] void fail_no_list(int index, const char* name);

// A tensor handle's slot holds one counted TensorImpl*, which is all that a Tensor is.
static_assert(sizeof(Tensor) == sizeof(void*));
[[gnu::always_inline]] inline const Tensor& arg(const haft_tensor* t, int index, const char* name) {
  return reinterpret_cast<const Tensor&>(slot_of(t, HandleType::tensor, index, name).object);
}
extern const Tensor absent;
inline const Tensor& optional_arg(const haft_tensor* t, int index, const char* name) {
  return t ? arg(t, index, name) : absent;
}

// The same for compositions that were not written for complex numbers, which are refused.
const Tensor& real_arg(const haft_tensor* t, int index, const char* name);
const Tensor& real_optional_arg(const haft_tensor* t, int index, const char* name);

// Tensors of a C array, for the time of one call.
class ListArg {
  std::vector<Tensor> tensors_;

 public:
  ListArg(haft_tensor* const* ts, int64_t count, int index, const char* name, bool optional);
  operator std::span<const Tensor>() const { return tensors_; }
  const std::vector<Tensor>& vector() const { return tensors_; }
};
inline ListArg list_arg(haft_tensor* const* ts, int64_t count, int index, const char* name) {
  return {ts, count, index, name, false};
}
inline ListArg optional_list_arg(haft_tensor* const* ts, int64_t count, int index, const char* name) {
  return {ts, count, index, name, true};
}
ListArg real_list_arg(haft_tensor* const* ts, int64_t count, int index, const char* name);
ListArg real_optional_list_arg(haft_tensor* const* ts, int64_t count, int index, const char* name);

template <class T>
[[gnu::always_inline]] inline void check_out(T* out, int index, const char* name) {
  if (!out) [[unlikely]]
    fail_no_result(index, name);
}
inline void check_list_out(haft_tensor** outs, int64_t capacity, int64_t* count, int index,
                           const char* name) {
  if (!count || capacity < 0 || (capacity && !outs)) [[unlikely]]
    fail_no_list(index, name);
}

IntList int_list(const int64_t* values, int64_t count, int index, const char* name);
std::vector<int64_t> rank_list(const int32_t* ranks, int64_t count, int index, const char* name);
Scalar to_scalar(haft_scalar s, int index, const char* name);
Scalar to_optional_scalar(haft_scalar s, int index, const char* name);
DType to_dtype(int32_t t, int index, const char* name);    // 0: DType::none
Device to_device(int32_t d, int index, const char* name);  // 0: kDefaultDevice
bool to_bool(int32_t b, int index, const char* name);
Generator* to_generator(haft_generator* g, int index, const char* name);  // NULL stays NULL
std::string_view to_text(const char* s, int index, const char* name);

// ---- results ----

// Hands an owned handle to the caller; inside a scope the scope owns it too.
[[gnu::cold, gnu::noinline]] void scope_adopt(haft_tensor* h);
static inline haft_tensor* hand_out(Tensor t) {
  ThreadState& ts = thread_state();
  auto* h = static_cast<haft_tensor*>(new_handle(ts, HandleType::tensor, t.impl()));
  t.take().leak();
  if (ts.slots[kSlotScope]) [[unlikely]]
    scope_adopt(h);
  return h;
}
static inline void emit(haft_tensor** out, Tensor t) { *out = hand_out(std::move(t)); }
// Several results: all of them or none; an undefined tensor is NULL.
void emit_all(haft_tensor** outs, std::vector<Tensor> ts);
// The same with a caller's capacity; NULL with capacity 0 only asks for the number.
void emit_list(haft_tensor** outs, int64_t capacity, int64_t* count, std::vector<Tensor> ts);
// Before a call whose number of results is known (-1: it is not): false when the caller only asks for it,
// which then stands in `count`; fails when there is no room.
bool has_room(haft_tensor** outs, int64_t capacity, int64_t* count, int64_t results);
// Text into a caller's buffer; `needed` counts the final 0.
void emit_text(std::string_view s, char* buffer, int64_t capacity, int64_t* needed);

// ---- handles of other objects ----

template <class T>
T& object_of(const void* h, HandleType type, int index, const char* name) {
  return *static_cast<T*>(static_cast<HandleObject*>(slot_of(h, type, index, name).object));
}
template <class H, class T>
H* hand_out_object(HandleType type, Ref<T> o) {
  auto* p = static_cast<HandleObject*>(o.get());
  H* h = static_cast<H*>(new_handle(type, p));
  o.leak();
  return h;
}

// ---- options ----

// Bytes of a struct in the first version that had it: a smaller one was never filled in. Specialise it when
// one grows.
template <class T>
constexpr uint32_t kFirstSize = sizeof(T);
// Copies a caller's options struct of any known size over `defaults`; unknown fields must be 0.
void read_options(void* dst, uint32_t known, uint32_t first, const void* src, const char* name, int index);
template <class T>
T options_of(const T* given, T defaults, int index, const char* name = "options") {
  if (given) read_options(&defaults, sizeof(T), kFirstSize<T>, given, name, index);
  return defaults;
}
// Reserved fields are refused unless 0, so that a later version can give them a meaning.
void check_reserved(int64_t value, int index, const char* name = "options");

// ---- callbacks ----

// How often this thread's error record was written: tells what a callback left from what stood there before.
uint64_t error_serial() noexcept;
// Throws what a callback that answered a status other than HAFT_OK left in the error record since `before`.
void check_callback(haft_status status, const char* what, uint64_t before);
[[noreturn, gnu::cold]] void fail_thrown(const char* what);  // the exception in flight is the callback's
template <class F>
void call_back(const char* what, F&& f) {
  const uint64_t before = error_serial();
  haft_status status = HAFT_OK;
  CancelGuard guard;
  try {
    status = f();
  } catch (...) {
    fail_thrown(what);
  }
  check_callback(status, what, before);
}

// A C callback's user pointer, let go of exactly once.
struct UserData {
  void* user = nullptr;
  void (*destroy)(void*) = nullptr;
  UserData(void* u, void (*d)(void*)) : user(u), destroy(d) {}
  UserData(const UserData&) = delete;
  ~UserData() {
    if (destroy) destroy(user);
  }
};

}  // namespace haft::capi
