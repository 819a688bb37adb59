#include "core/backend/fused.h"

#include "core/backend/commit.h"
#include "core/backend/registry.h"
#include "core/backend/scratch.h"
#include "core/backend/stream.h"
#include "core/base/thread_state.h"

namespace haft {

FusedKernel::FusedKernel(Device d, const haft_fused_program& program) : device_(d) {
  const BackendEntry& b = backend(d);
  if (!b.table.fused_compile)
    fail(Code::unsupported, concat("device type ", b.name, " fuses no kernels"),
         "run the operators one by one");
  if (!d.is_cpu()) fail_if_forked(d);
  char error[1024] = "";
  if (int32_t s = b.table.fused_compile(d.index, &program, &raw_, error, sizeof error)) {
    error[sizeof error - 1] = 0;
    fail_backend(s, error, concat("compiling the fused kernel ", program.name, " for ", d));
  }
}

FusedKernel::~FusedKernel() {
  if (!in_forked_child()) backend(device_).table.fused_destroy(device_.index, raw_);
}

void FusedKernel::launch(std::span<const haft_tensor_view* const> in,
                         std::span<const haft_tensor_view* const> out, std::span<const uint64_t> words) {
  fail_if_forked(device_);
  KernelScratch scratch(device_);
  char error[512] = "";
  haft_kernel_call call = {};
  call.struct_size = sizeof call;
  call.n_in = uint16_t(in.size());
  call.n_out = uint16_t(out.size());
  call.in = in.data();
  call.out = out.data();
  call.attrs = words.data();
  call.n_attrs = uint32_t(words.size());
  call.flags = thread_state().call_flags;
  call.stream = current_stream(device_);
  call.device_index = device_.index;
  call.error = error;
  call.error_size = sizeof error;
  call.engine = &scratch;
  detail::check_committed(call, device_, "fused kernel");
  if (int32_t s = backend(device_).table.fused_launch(raw_, &call)) {
    error[sizeof error - 1] = 0;
    fail_backend(s, error, concat("a fused kernel on ", device_));
  }
}

}  // namespace haft
