// The plug-in's table and its one symbol.
#include <cstdio>
#include <string>

#include "core/cuda/guard.h"
#include "core/cuda/kernels.h"
#include "core/cuda/layout.h"
#include "core/cuda/slots.h"
#include "core/schema/op_hash.h"

namespace haft::cuda {

namespace {

int32_t count_devices(int32_t* count, char* error, uint32_t size) {
  return guard(error, size, [&] { *count = device_count(); });
}

haft_kernel_fn kernel(uint32_t op, int32_t dtype, char* reason, uint32_t size) {
  haft_kernel_fn found = nullptr;
  guard(reason, size, [&] {
    std::string why;
    found = find_kernel(op, dtype, &why);
    if (!found) fail(Code::unsupported, why);
  });
  return found;
}

int32_t properties(int32_t index, haft_backend_properties* out, char* error, uint32_t size) {
  return guard(error, size, [&] {
    const DeviceFacts& f = device_facts(index);
    out->compute_major = f.major;
    out->compute_minor = f.minor;
    out->multiprocessors = f.multiprocessors;
    out->total_memory = f.total_memory;
    out->l2_cache = f.l2_cache;
    out->shared_memory = f.max_shared_per_block;
    std::snprintf(out->name, sizeof out->name, "%s", f.name);
    std::snprintf(out->pci, sizeof out->pci, "%s", f.pci);
    const uint8_t* u = f.uuid;
    std::snprintf(out->uuid, sizeof out->uuid,
                  "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
                  u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
    std::snprintf(out->runtime, sizeof out->runtime, "%s", driver_text().c_str());
  });
}

haft_backend make_table() {
  haft_backend t = {};
  t.struct_size = sizeof t;
  t.abi = HAFT_BACKEND_ABI;
  t.name = "cuda";
  t.version = HAFT_VERSION;
  t.ops_hash = kOpsHash;
  t.device_count = count_devices;
  t.kernel = kernel;
  t.properties = properties;
  t.preferred_layout = preferred_layout;
  fill_memory(&t);
  fill_streams(&t);
  fill_copies(&t);
  fill_captures(&t);
  fill_fused(&t);
  fill_description(&t);
  fill_profile(&t);
  t.collectives = collectives();
  return t;
}

}  // namespace
}  // namespace haft::cuda

extern "C" __attribute__((visibility("default"))) const haft_backend* haft_backend_entry(
    const haft_backend_host* host, char* reason, uint32_t reason_size) {
  using namespace haft::cuda;
  const haft_backend* answer = nullptr;
  guard(reason, reason_size, [&] {
    using haft::Code;
    if (!host || host->abi != HAFT_BACKEND_ABI || host->struct_size < sizeof(haft_backend_host))
      haft::fail(Code::unavailable, haft::concat("this libhaft_cuda.so speaks version ", HAFT_BACKEND_ABI,
                                                 " of the device seam, haft ", host ? int(host->abi) : 0));
    if (host->ops_hash != haft::kOpsHash)
      haft::fail(Code::unavailable,
                 haft::concat("this libhaft_cuda.so is of another build than haft ", host->version,
                              ": their operators differ; install both of one release"));
    haft::cuda::host = host;
    std::string why;
    if (!find_devices(&why)) haft::fail(Code::unavailable, why);
    static const haft_backend table = make_table();
    answer = &table;
  });
  return answer;
}
