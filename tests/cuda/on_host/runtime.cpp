// CUDA's runtime, simulated in the host's memory: its functions on memory and its launches; streams are
// simulated_streams.cpp's. HAFT_CUDA_ON_HOST says what is wrong with the machine: no-driver, old-driver, stub,
// no-device or old-card; or small-blocks, whose blocks have the shared memory of GPUs for desktops.
#include "core/cuda/runtime.h"
#include "core/cuda/cupti.h"

#include <cstdlib>
#include <cstring>

#include "blocks.h"
#include "libraries.h"
#include "simulated.h"

namespace haft::cuda {

namespace {

using namespace cuda_on_host;

bool machine(const char* state) {
  const char* v = std::getenv("HAFT_CUDA_ON_HOST");
  return v && std::strcmp(v, state) == 0;
}
int most_shared() { return (machine("small-blocks") ? 99 : 227) << 10; }

struct ErrorText {
  int error;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {kSuccess, "cudaSuccess", "no error"},
    {kMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {kStubLibrary, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {kInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {kNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {kInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {kNotReady, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {kPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    {904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
    {907, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
};
const ErrorText& text_of(int e) {
  for (const ErrorText& t : kErrors)
    if (t.error == e) return t;
  static constexpr ErrorText other = {1, "cudaErrorInvalidValue", "invalid argument"};
  return other;
}

// Bytes of a device that all its allocations may have; what was freed comes back when its stream has come there.
bool take(int device, size_t n) {
  if (memory_used(device) + n > memory_limit()) run_device(device);
  if (memory_used(device) + n > memory_limit()) return false;
  use_memory(device, int64_t(n));
  return true;
}

int malloc_async(void** out, size_t n, Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "an allocation");
  if (s->graph) mistake("an allocation on a stream that is being recorded");
  if (const int failed = trouble(s->device)) return failed;
  if (!take(s->device, n)) return kMemoryAllocation;
  Block& b = make_block(n, s->device, "memory of the pool");
  *out = b.p;
  give(s, [&b] { put_memory(b); });
  return 0;
}
int free_async(void* p, Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "freeing");
  if (s->graph) mistake("memory is freed on a stream that is being recorded");
  Block& b = check_range(p, 1, s->device, "freeing");
  if (b.p != p) mistake("memory is freed that does not begin there");
  b.freed = true;
  give(s, [&b] {
    take_memory(b);
    use_memory(b.device, -int64_t(b.bytes));
    drop(b);
  });
  return 0;
}
int plain_malloc(void** out, size_t n) {
  std::lock_guard guard(lock());
  const int device = current_device();
  if (!take(device, n)) return kMemoryAllocation;
  Block& b = make_block(n, device, "memory of an arena");
  put_memory(b);
  *out = b.p;
  return 0;
}
int plain_free(void* p) {
  std::lock_guard guard(lock());
  Block& b = check_range(p, 1, current_device(), "freeing");
  run_device(b.device);  // it waits for the device
  b.freed = true;
  take_memory(b);
  use_memory(b.device, -int64_t(b.bytes));
  drop(b);
  return 0;
}
int host_alloc(void** out, size_t n) {
  std::lock_guard guard(lock());
  *out = pin(n);
  return *out ? 0 : int(kMemoryAllocation);
}
int host_free(void* p) {
  std::lock_guard guard(lock());
  unpin(p);
  return 0;
}

constexpr size_t kGranule = size_t(2) << 20;
int reserve(void** out, size_t n, int device) {
  std::lock_guard guard(lock());
  if (n % kGranule) mistake("addresses are reserved that no granule divides");
  *out = make_addresses(n, device).p;
  return 0;
}
int release_reserved(void* p, size_t n) {
  std::lock_guard guard(lock());
  Block& b = check_range(p, n, -1, "giving addresses back");
  if (b.there) mistake("addresses are given back with memory under them");
  b.freed = true;
  drop(b);
  return 0;
}
int map(void* p, size_t n, int device, uint64_t* handle) {
  std::lock_guard guard(lock());
  Block& b = check_range(p, n, device, "mapping memory");
  if (b.there) mistake("memory is mapped where there is some");
  if (!take(device, n)) return kMemoryAllocation;
  put_memory(b);
  *handle = 1;
  return 0;
}
int unmap(void* p, size_t n, uint64_t) {
  std::lock_guard guard(lock());
  Block& b = check_range(p, n, -1, "unmapping memory");
  if (!b.there) mistake("memory is unmapped where there is none");
  take_memory(b);
  use_memory(b.device, -int64_t(n));
  return 0;
}

// What a copy's or a fill's task finds of a range that was right when it was given.
void check_there(const Block& b, const char* what) {
  if (!b.there)
    mistake(std::string(what) +
            ": the memory is used before its stream has come to its allocation, or after it was freed");
}

int copy_async(void* to, const void* from, size_t n, CopyKind kind, Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "a copy");
  if (const int failed = trouble(s->device)) return failed;
  if (kind == kDeviceToDevice) {
    Block &a = check_range(to, n, s->device, "a copy's destination"),
          &b = check_range(from, n, s->device, "a copy's source");
    give(s, noted(s, {kCuptiCopy, "", n, 8}, [=, &a, &b] {
           check_there(a, "a copy's destination");
           check_there(b, "a copy's source");
           std::memmove(to, from, n);
         }));
    return 0;
  }
  const bool up = kind == kHostToDevice;
  const void* host = up ? from : to;
  Block& b = check_range(up ? to : from, n, s->device, up ? "a copy to the device" : "a copy to the host");
  if (block_at(host)) mistake("a copy's host side is memory of a device");
  if (is_pinned(host, n)) {
    const bool counts = !s->graph;  // who replays keeps it
    if (counts) use_pinned(host, 1);
    give(s, noted(s, {kCuptiCopy, "", n, uint8_t(kind)}, [=, &b] {
           check_there(b, "a copy");
           std::memcpy(to, from, n);
           if (counts) use_pinned(host, -1);
         }));
    return 0;
  }
  if (s->graph) mistake("a copy of host memory that is not pinned is being recorded");
  if (up) {
    auto staged = std::make_shared<std::vector<char>>(static_cast<const char*>(from),
                                                      static_cast<const char*>(from) + n);
    give(s, noted(s, {kCuptiCopy, "", n, uint8_t(kind)}, [=, &b] {
           check_there(b, "a copy to the device");
           std::memcpy(to, staged->data(), n);
         }));
  } else {
    give(s, noted(s, {kCuptiCopy, "", n, uint8_t(kind)}, [=, &b] {
           check_there(b, "a copy to the host");
           std::memcpy(to, from, n);
         }));
    run_until(s, s->given);
    show(-1);
  }
  return 0;
}
int copy_peer_async(void* to, int to_device, const void* from, int from_device, size_t n, Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "a copy between devices");
  if (const int failed = trouble(s->device)) return failed;
  Block& a = check_range(to, n, to_device, "a copy between devices");
  Block& b = check_range(from, n, from_device, "a copy between devices");
  give(s, noted(s, {kCuptiPeerCopy, "", n, 10, uint32_t(from_device)}, [=, &a, &b] {
         check_there(a, "a copy between devices");
         check_there(b, "a copy between devices");
         show(-2);
         std::memmove(to, from, n);
         show(to_device);
       }));
  return 0;
}
int fill_async(void* p, int byte, size_t n, Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "a fill");
  if (const int failed = trouble(s->device)) return failed;
  Block& b = check_range(p, n, s->device, "a fill");
  give(s, noted(s, {kCuptiFill, "", n}, [=, &b] {
         check_there(b, "a fill");
         std::memset(p, byte, n);
       }));
  return 0;
}

std::map<const void*, int>& allowed() {
  static auto* all = new std::map<const void*, int>;
  return *all;
}

bool launches_want_a_device = false;

int launch(const Launch& l) {
  std::lock_guard guard(lock());
  if (launches_want_a_device && !has_device()) return kInvalidContext;
  Stream s = l.stream;
  check_stream_alone(s, "a launch");
  if (const int failed = trouble(s->device)) return failed;
  auto wrong = [&](const char* what, uint64_t got, uint64_t most) {
    mistake(std::string("a launch of ") + std::to_string(got) + " " + what + ", at most " +
            std::to_string(most) + " are allowed");
  };
  const uint64_t threads = uint64_t(l.block.x) * l.block.y * l.block.z;
  if (l.grid.x == 0 || l.grid.y == 0 || l.grid.z == 0 || threads == 0) mistake("a launch of nothing");
  if (l.grid.x > 0x7fffffffu) wrong("blocks in x", l.grid.x, 0x7fffffffu);
  if (l.grid.y > 65535) wrong("blocks in y", l.grid.y, 65535);
  if (l.grid.z > 65535) wrong("blocks in z", l.grid.z, 65535);
  if (threads > 1024) wrong("threads a block", threads, 1024);
  if (l.block.z > 64) wrong("threads in z", l.block.z, 64);
  const auto found = allowed().find(l.kernel);
  const size_t most = found == allowed().end() ? size_t(48) << 10 : size_t(found->second);
  if (l.shared > most) wrong("bytes of shared memory without allow_shared", l.shared, most);
  void (*const invoke)(const void*, void**) = l.invoke ? l.invoke : invoke_of(l.kernel);
  if (!invoke) mistake("a launch of a kernel that was not compiled for the host");

  // Arguments are the launch's own: what they stood in is gone when it runs.
  struct Kept {
    std::vector<std::unique_ptr<std::max_align_t[]>> values;
    std::vector<void*> addresses;
  };
  auto kept = std::make_shared<Kept>();
  for (int i = 0; i < l.n_arguments; ++i) {
    auto value = std::make_unique<std::max_align_t[]>(l.sizes[i] / sizeof(std::max_align_t) + 1);
    std::memcpy(value.get(), l.arguments[i], l.sizes[i]);
    kept->addresses.push_back(value.get());
    kept->values.push_back(std::move(value));
  }
  kept->addresses.push_back(nullptr);
  give(s, noted(s, {kCuptiKernel, "_Z9simulatedi"},
                [=, function = l.kernel, grid = l.grid, block = l.block, shared = l.shared] {
                  BlockLaunch b{function,
                                invoke,
                                kept->addresses.data(),
                                {grid.x, grid.y, grid.z},
                                {block.x, block.y, block.z},
                                shared};
                  bool backwards = false;
                  for (unsigned z = 0; z < grid.z; ++z)
                    for (unsigned y = 0; y < grid.y; ++y)
                      for (unsigned x = 0; x < grid.x; ++x, backwards = !backwards)
                        run_block(b, Index3{x, y, z}, backwards);
                }));
  return 0;
}

Runtime make() {
  Runtime r = {};
  r.error_name = [](int e) { return text_of(e).name; };
  r.error_text = [](int e) { return text_of(e).text; };
  r.driver_version = [](int* v) {
    return *v = machine("no-driver") ? 0 : machine("old-driver") ? 12040 : 13000, 0;
  };
  r.runtime_version = [](int* v) { return *v = 13000, 0; };
  r.device_count = [](int* n) {
    *n = 0;
    if (machine("no-driver") || machine("old-driver")) return int(kInsufficientDriver);
    if (machine("stub")) return int(kStubLibrary);
    if (machine("no-device")) return int(kNoDevice);
    return *n = kDevices, 0;
  };
  r.facts = [](int d, DeviceFacts* f) {
    *f = {};
    std::strcpy(f->name, "Simulated GPU");
    std::snprintf(f->pci, sizeof f->pci, "0000:00:%02x.0", unsigned(d));
    f->uuid[15] = uint8_t(d);
    f->major = machine("old-card") ? 7 : 9;
    f->minor = machine("old-card") ? 5 : 0;
    f->multiprocessors = 4, f->clock_khz = 1000000;
    f->max_threads_per_multiprocessor = 2048, f->max_shared_per_block = most_shared();
    f->total_memory = int64_t(memory_limit()), f->l2_cache = 1 << 20, f->memory_pools = 1;
    return 0;
  };
  r.memory_info = [](size_t* free, size_t* total) {
    std::lock_guard guard(lock());
    *total = memory_limit();
    *free = *total - std::min(*total, memory_used(current_device()));
    return 0;
  };
  cuda_on_host::fill_streams(r);
  r.malloc_async = malloc_async;
  r.free_async = free_async;
  r.pool_keep = [](int) { return 0; };
  r.pool_trim = [](int, size_t) { return 0; };
  r.malloc = plain_malloc;
  r.free = plain_free;
  r.host_alloc = host_alloc;
  r.host_free = host_free;
  r.reserve = reserve;
  r.release_reserved = release_reserved;
  r.map = map;
  r.unmap = unmap;
  r.granule = [](int, size_t* n) { return *n = kGranule, 0; };
  r.is_pinned = [](const void* p) {
    std::lock_guard guard(lock());
    return is_pinned(p, 1);
  };
  r.copy_async = copy_async;
  r.copy_peer_async = copy_peer_async;
  r.fill_async = fill_async;
  r.can_access_peer = [](int* can, int, int) { return *can = is_there("peers"), 0; };
  r.enable_peer = [](int peer) {
    std::lock_guard guard(lock());
    const int device = current_device();
    if (reaches(device, peer)) return int(kPeerAccessAlreadyEnabled);
    let_reach(device, peer);
    return 0;
  };
  r.kernel_handle = [](const void** kernel, const void* function) {
    current_device();
    return *kernel = function, 0;
  };
  r.launch = launch;
  r.allow_shared = [](const void* function, int bytes) {
    std::lock_guard guard(lock());
    if (bytes > most_shared())
      mistake("a kernel with " + std::to_string(bytes) + " bytes of shared memory, a block has " +
              std::to_string(most_shared()));
    allowed()[function] = bytes;
    return 0;
  };
  r.library_load = load_image;
  r.kernel_of = kernel_in;
  r.range_push = [](const char* name) { ranges().push_back(name); };
  r.range_pop = [] { ranges().push_back("/"); };
  return r;
}

}  // namespace
}  // namespace haft::cuda

void haft::cuda_on_host::let_launches_want_a_device(bool on) { haft::cuda::launches_want_a_device = on; }

namespace haft::cuda {

const Runtime& runtime() {
  static const Runtime table = make();
  return table;
}

}  // namespace haft::cuda
