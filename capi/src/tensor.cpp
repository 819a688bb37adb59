#include <haft/tensor.h>

#include "capi/src/boundary.h"
#include "capi/src/lent_memory.h"
#include "core/backend/commit.h"
#include "core/dispatch/defaults.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/layout.h"
#include "core/io/print.h"
#include "core/nn/set_data.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"

using namespace haft;
using namespace haft::capi;

namespace {

DType known_dtype(int32_t t, int index) {
  DType d = to_dtype(t, index, "dtype");
  if (d == DType::none)
    fail_argument(Code::invalid_argument, "dtype is HAFT_DTYPE_NONE, wanted the type of the data", index,
                  "dtype");
  return d;
}

int64_t whole_number(Scalar s) {
  constexpr double above = 9223372036854775808.0;  // 2^63
  if (s.kind == ScalarKind::floating && !(s.d >= -above && s.d < above))
    fail(Code::invalid_argument, concat("an int64 cannot hold ", s.d),
         "read it with haft_tensor_get_item_double");
  return s.to_int();
}

void give_numbers(IntList v, int64_t* out, int64_t capacity, int64_t* count) {
  check_out(count, 3, "count");
  *count = int64_t(v.size());
  if (!out && capacity == 0) return;  // asking for the number
  if (capacity < *count || !out)
    fail_argument(Code::invalid_argument,
                  concat("room for ", capacity, " numbers, the tensor has ", *count, " dimensions"), 2,
                  "capacity");
  std::copy(v.begin(), v.end(), out);
}

}  // namespace

extern "C" {

haft_status haft_tensor_from_data(const void* data, const int64_t* size, int64_t size_count, haft_dtype dtype,
                                  haft_device device, haft_tensor** out) noexcept {
  return boundary("haft_tensor_from_data", [&] {
    check_out(out, 5, "out");
    IntList sizes = int_list(size, size_count, 1, "size");
    Device d = to_device(device, 4, "device");
    Tensor t = new_tensor(sizes, known_dtype(dtype, 3), d == kDefaultDevice ? default_device() : d);
    if (t.numel() && !data) fail_argument(Code::invalid_argument, "data is NULL", 0, "data");
    copy_from_host(t, data);
    emit(out, std::move(t));
  });
}

haft_status haft_tensor_from_memory(void* data, const int64_t* size, const int64_t* stride,
                                    int64_t size_count, haft_dtype dtype, haft_device device,
                                    void (*release)(void*), void* user, haft_tensor** out) noexcept {
  return boundary("haft_tensor_from_memory", [&] {
    check_out(out, 8, "out");
    IntList sizes = int_list(size, size_count, 1, "size");
    DType t = to_dtype(dtype, 4, "dtype");
    if (t == DType::none) t = default_float();
    Device d = to_device(device, 5, "device");
    if (d == kDefaultDevice) d = default_device();
    if (stride) int_list(stride, size_count, 2, "stride");
    *out = tensor_on_lent_memory({data, sizes, stride, t, d}, release, user, 0, 2);
  });
}

haft_status haft_tensor_retain(haft_tensor* t) noexcept {
  return boundary("haft_tensor_retain", [&] {
    arg(t, 0, "t");
    retain_handle(t, HandleType::tensor);
  });
}

void haft_tensor_release(haft_tensor* t) noexcept { release_handle(t, HandleType::tensor); }

void haft_tensor_release_many(haft_tensor* const* ts, int64_t count) noexcept {
  for (int64_t i = 0; ts && i < count; ++i) release_handle(ts[i], HandleType::tensor);
}

#define HAFT_GETTER(name, type, expression)                    \
  haft_status name(const haft_tensor* t, type* out) noexcept { \
    return boundary(#name, [&] {                               \
      check_out(out, 1, "out");                                \
      const Tensor& x = arg(t, 0, "t");                        \
      *out = type(expression);                                 \
    });                                                        \
  }
HAFT_GETTER(haft_tensor_get_dtype, haft_dtype, x.dtype())
HAFT_GETTER(haft_tensor_get_device, haft_device, x.device().pack())
HAFT_GETTER(haft_tensor_get_ndim, int64_t, x.ndim())
HAFT_GETTER(haft_tensor_get_numel, int64_t, x.numel())
// A blocked tensor counts as contiguous: its strided memory, made when somebody asks for it, is.
HAFT_GETTER(haft_tensor_is_contiguous, int32_t,
            x.view().layout == HAFT_LAYOUT_BLOCKED8 || x.view().layout == HAFT_LAYOUT_BLOCKED16 ||
                is_row_major(x))
HAFT_GETTER(haft_tensor_is_committed, int32_t, is_committed(*resolve(*x.impl(), false).storage))
HAFT_GETTER(haft_tensor_get_version, int64_t, version_of(*x.impl()))
HAFT_GETTER(haft_tensor_get_item_double, double, item(x).to_double())
HAFT_GETTER(haft_tensor_get_item_int, int64_t, whole_number(item(x)))
#undef HAFT_GETTER

haft_status haft_tensor_get_size(const haft_tensor* t, int64_t* size, int64_t capacity,
                                 int64_t* count) noexcept {
  return boundary("haft_tensor_get_size",
                  [&] { give_numbers(arg(t, 0, "t").sizes(), size, capacity, count); });
}

haft_status haft_tensor_get_stride(const haft_tensor* t, int64_t* stride, int64_t capacity,
                                   int64_t* count) noexcept {
  return boundary("haft_tensor_get_stride",
                  [&] { give_numbers(arg(t, 0, "t").strides(), stride, capacity, count); });
}

haft_status haft_tensor_shares_memory(const haft_tensor* a, const haft_tensor* b, int32_t* out) noexcept {
  return boundary("haft_tensor_shares_memory", [&] {
    check_out(out, 2, "out");
    *out = resolve(*arg(a, 0, "a").impl(), false).storage == resolve(*arg(b, 1, "b").impl(), false).storage;
  });
}

haft_status haft_tensor_get_storage(const haft_tensor* t, int64_t* offset, int64_t* bytes) noexcept {
  return boundary("haft_tensor_get_storage", [&] {
    check_out(offset, 1, "offset");
    check_out(bytes, 2, "bytes");
    TensorImpl& given = *arg(t, 0, "t").impl();
    const TensorImpl& x = is_batched(given) ? given : resolve(given, false);
    const Storage& memory = memory_under(x);
    const auto* first = static_cast<const char*>(x.view.data);
    *offset = first ? (first - static_cast<const char*>(memory.data)) / item_size(x.dtype()) : 0;
    *bytes = memory.bytes;
  });
}

haft_status haft_tensor_is_sole_owner(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_sole_owner", [&] {
    check_out(out, 1, "out");
    const TensorImpl& x = *arg(t, 0, "t").impl();
    const bool one_handle = slot_of(t, HandleType::tensor, 0, "t").refs.load(std::memory_order_acquire) == 1;
    // Hooks live in the node, which graphs share.
    *out = one_handle && x.unique() && (!x.node || x.node->unique()) && (!x.frozen || x.frozen->unique());
  });
}

haft_status haft_tensor_get_data(const haft_tensor* t, void** out) noexcept {
  return boundary("haft_tensor_get_data", [&] {
    check_out(out, 1, "out");
    const Tensor& x = arg(t, 0, "t");
    TensorImpl& memory = resolve(*x.impl(), false);
    check_committed(*memory.storage, "haft_tensor_get_data", memory.view.data);
    memory.storage->expose();
    *out = x.numel() ? memory.view.data : nullptr;
  });
}

haft_status haft_tensor_decommit(haft_tensor* t) noexcept {
  return boundary("haft_tensor_decommit", [&] { decommit(arg(t, 0, "t")); });
}

haft_status haft_tensor_commit(haft_tensor* t) noexcept {
  return boundary("haft_tensor_commit", [&] { commit(arg(t, 0, "t")); });
}

haft_status haft_tensor_touch(haft_tensor* t) noexcept {
  return boundary("haft_tensor_touch", [&] { resolve(*arg(t, 0, "t").impl(), false).storage->bump(); });
}

haft_status haft_tensor_set_data(haft_tensor* t, const haft_tensor* data) noexcept {
  return boundary("haft_tensor_set_data", [&] { nn::set_data(arg(t, 0, "t"), arg(data, 1, "data")); });
}

haft_status haft_tensor_read(const haft_tensor* t, void* data, int64_t bytes) noexcept {
  return boundary("haft_tensor_read", [&] {
    const Tensor& x = arg(t, 0, "t");
    if (bytes < x.bytes() || (x.numel() && !data))
      fail_argument(Code::invalid_argument,
                    concat("data has room for ", bytes, " bytes, the tensor has ", x.bytes()), 2, "bytes");
    copy_to_host(x, data);
  });
}

haft_status haft_tensor_write(haft_tensor* t, const void* data, int64_t bytes) noexcept {
  return boundary("haft_tensor_write", [&] {
    const Tensor& x = arg(t, 0, "t");
    if (bytes != x.bytes() || (x.numel() && !data))
      fail_argument(Code::invalid_argument, concat("data has ", bytes, " bytes, the tensor ", x.bytes()), 2,
                    "bytes");
    if (thread_state().grad_enabled && x.requires_grad())
      fail_argument(Code::autograd, "t requires a gradient, and this write would not be recorded", 0, "t",
                    "write under no_grad");
    copy_from_host(x, data);
  });
}

haft_status haft_tensor_get_item(const haft_tensor* t, haft_scalar* out) noexcept {
  return boundary("haft_tensor_get_item", [&] {
    check_out(out, 1, "out");
    const Tensor& x = arg(t, 0, "t");
    if (is_complex(x.dtype())) {
      NoGradGuard none;
      haft_scalar number = haft_scalar_float(item(ops::real(x)).d);
      number.kind = HAFT_SCALAR_COMPLEX;
      number.imag = item(ops::imag(x)).d;
      *out = number;
      return;
    }
    Scalar s = item(x);
    haft_scalar number = haft_scalar_int(s.i);  // of a double its bits
    number.kind = int32_t(s.kind);
    *out = number;
  });
}

haft_status haft_tensor_to_string(const haft_tensor* t, char* buffer, int64_t capacity,
                                  int64_t* needed) noexcept {
  return boundary("haft_tensor_to_string",
                  [&] { emit_text(tensor_text(arg(t, 0, "t")), buffer, capacity, needed); });
}

haft_status haft_tensor_to_text(const haft_tensor* t, const haft_print_options* options, char* buffer,
                                int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_tensor_to_text", [&] {
    const haft_print_options o = options_of(options, haft_print_options HAFT_PRINT_OPTIONS_INIT, 1);
    auto within = [](const char* name, int64_t value, int64_t least, int64_t most) {
      if (value < least || value > most)
        fail_argument(Code::invalid_argument,
                      concat("options.", name, " is ", value, ", wanted ", least, "..", most), 1, "options");
    };
    within("precision", o.precision, 0, 64);
    within("threshold", o.threshold, 0, INT64_MAX);
    within("edge", o.edge, 1, INT64_MAX / 4);
    within("line_width", o.line_width, 1, INT32_MAX);
    within("scientific", o.scientific, -1, 1);
    PrintOptions p{o.precision, o.threshold, o.edge, o.line_width, o.scientific};
    if (o.name) p.name = to_text(o.name, 1, "options.name");
    if (o.notes) p.notes = std::string(to_text(o.notes, 1, "options.notes"));
    emit_text(tensor_text(arg(t, 0, "t"), p), buffer, capacity, needed);
  });
}

}  // extern "C"
