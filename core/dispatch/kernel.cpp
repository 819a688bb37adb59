#include "core/dispatch/kernel.h"

#include "core/backend/registry.h"
#include "core/backend/stream.h"

namespace haft {

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void fail_kernel(int32_t status, const char* text, OpId op) {
  Code code = status > 0 ? Code(status) : Code::internal;
  std::string message = text[0] ? text : "the kernel failed without a message";
  std::string prefix =
      concat(op_name(op), ": ");  // kernels name themselves; messages name the op in brackets
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  if (message[0] != '[') message = concat("[", op_name(op), "] ", message);
  fail(code, std::move(message));
}

}  // namespace

void run_kernel(OpId op, std::span<const haft_tensor_view* const> in,
                std::span<const haft_tensor_view* const> out, std::span<const uint64_t> words) {
  const haft_tensor_view* lead = nullptr;
  for (const haft_tensor_view* v : in)
    if (v) {
      lead = v;
      break;
    }
  if (!lead) lead = out[0];
  const BackendEntry& device = backend(lead->device_type);
  char error[512];
  error[0] = 0;
  haft_kernel_call call;
  call.op = uint32_t(op);
  call.n_in = uint16_t(in.size());
  call.n_out = uint16_t(out.size());
  call.in = in.data();
  call.out = out.data();
  call.attrs = words.data();
  call.n_attrs = uint32_t(words.size());
  call.device_index = lead->device_index;
  call.stream = device.has_streams() ? current_stream({lead->device_type, lead->device_index}) : 0;
  call.error_size = sizeof error;
  call.error = error;
  int32_t status = device.kernel(op, DType(lead->dtype))(&call);
  if (status) [[unlikely]]
    fail_kernel(status, error, op);
}

}  // namespace haft
