#include "core/dispatch/kernel.h"

#include "core/backend/commit.h"
#include "core/backend/registry.h"
#include "core/backend/scratch.h"
#include "core/backend/stream.h"
#include "core/base/log.h"
#include "core/base/thread_state.h"
#include "core/dispatch/replay.h"

namespace haft {

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void fail_kernel(int32_t status, const char* text, OpId op,
                                                        uint32_t flags) {
  Code code = status > 0 ? Code(status) : Code::internal;
  std::string message = text[0] ? text : "the kernel failed without a message";
  std::string prefix =
      concat(op_name(op), ": ");  // kernels name themselves; messages name the op in brackets
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  if (message[0] != '[') message = concat("[", op_name(op), "] ", message);
  fail(code, std::move(message),
       code == Code::unsupported && flags & HAFT_CALL_DETERMINISTIC
           ? "deterministic algorithms were asked for: haft_set_deterministic(HAFT_DETERMINISTIC_WARN) only "
             "warns"
           : "");
}

// Beside the CPU's, kernels have a stream and may borrow memory.
[[gnu::noinline]] int32_t run_with_more(haft_kernel_fn fn, haft_kernel_call& call, Device d) {
  if (detail::has_gaps(d)) [[unlikely]]
    detail::check_committed(call, d, op_name(OpId(call.op)));
  if (d.is_cpu()) return fn(&call);
  call.stream = current_stream(d);
  KernelScratch scratch(d);
  call.engine = &scratch;
  if (is_recording()) [[unlikely]]
    call.live = live_words(OpId(call.op), {call.attrs, call.n_attrs});
  return fn(&call);
}

int32_t run(const BackendEntry& device, haft_kernel_fn fn, haft_kernel_call& call, Device d) {
  return device.plain.load(std::memory_order_relaxed) ? fn(&call) : run_with_more(fn, call, d);
}

// A kernel that cannot be deterministic, where that is only wished for, is called once more without the wish.
[[gnu::cold, gnu::noinline]] void refused(int32_t status, const BackendEntry& device, haft_kernel_fn fn,
                                          haft_kernel_call& call, Device d) {
  const OpId op = OpId(call.op);
  if (status == int32_t(Code::unsupported) && call.flags & HAFT_CALL_DETERMINISTIC &&
      call.flags & kOnlyWarn) {
    const std::string why = call.error;
    call.flags &= ~(HAFT_CALL_DETERMINISTIC | kOnlyWarn);
    call.error[0] = 0;
    status = run(device, fn, call, d);
    if (!status) return log_warning("[", op_name(op), "] is not deterministic on ", d, ": ", why);
  }
  fail_kernel(status, call.error, op, call.flags);
}

}  // namespace

void run_kernel(OpId op, std::span<const haft_tensor_view* const> in,
                std::span<const haft_tensor_view* const> out, std::span<const uint64_t> words) {
  const haft_tensor_view& lead = typing_view(op, in, out);
  const BackendEntry& device = backend(lead.device_type);
  char error[512];
  error[0] = 0;
  haft_kernel_call call;
  call.struct_size = sizeof call;
  call.op = uint32_t(op);
  call.n_in = uint16_t(in.size());
  call.n_out = uint16_t(out.size());
  call.dtype = lead.dtype;
  call.in = in.data();
  call.out = out.data();
  call.attrs = words.data();
  call.n_attrs = uint32_t(words.size());
  call.flags = thread_state().call_flags;
  call.stream = 0;
  call.device_index = lead.device_index;
  call.error_size = sizeof error;
  call.error = error;
  call.engine = nullptr;
  call.live = nullptr;
  haft_kernel_fn fn = device.kernel(op, DType(lead.dtype));
  const Device d{lead.device_type, lead.device_index};
  if (int32_t status = run(device, fn, call, d)) [[unlikely]]
    refused(status, device, fn, call, d);
}

}  // namespace haft
