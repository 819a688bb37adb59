#include "core/cuda/device.h"

#include <bit>
#include <memory>
#include <vector>

#include "core/base/fork.h"
#include "core/cuda/kernel.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

namespace {

constexpr int kOldestMajor = 8;

// For good once they are found: static objects may use a device until the very end.
DeviceState** states = nullptr;
int n_states = 0;
std::atomic<bool> forked{false};

void fail_unless_usable(int device, const DeviceState& d) {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]]
    fail(Code::forked, "a CUDA device does not work in the child of a fork()",
         "start workers with exec (spawn), or before the first use");
  if (d.facts.major < kOldestMajor) [[unlikely]]
    fail(Code::device, concat("cuda:", device, ", ", d.facts.name, ", has compute capability ", d.facts.major,
                              ".", d.facts.minor, "; haft needs 8.0 (Ampere) or newer"));
}

// Decompositions as users call them.
const char* library_call(OpId op) { return op == OpId::eigh_factors ? "linalg_eigh" : "linalg_svd"; }

// Once a device, with it current.
void prepare(int device, DeviceState& d) {
  std::lock_guard lock(d.mutex);
  if (d.ready.load(std::memory_order_relaxed)) return;
  const Runtime& r = runtime();
  check(r.set_device(device), "the device's first use");
  check(r.get_context(&d.context), "the device's context");
  if (!d.fault) {
    void* p;
    check(r.host_alloc(&p, sizeof(Fault)), "the device's record of faults");
    d.fault = static_cast<Fault*>(p);
    *d.fault = {};
  }
  check(r.pool_keep(device), "the device's pool of memory");
  if (!d.own) {
    check(r.stream_create(&d.own, 0), "the device's default stream");
    d.streams.push_back(d.own);
  }
  d.ready.store(true, std::memory_order_release);
}

}  // namespace

void check(int status, const char* what) {
  if (status == kSuccess) [[likely]]
    return;
  const Runtime& r = runtime();
  r.last_error();  // or the host program would take it for its own
  Code code = Code::internal;
  std::string_view more;
  switch (status) {
    case kMemoryAllocation: code = Code::out_of_memory; break;
    case kStubLibrary:
    case kInsufficientDriver:
    case kNoDevice: code = Code::unavailable; break;
    case kInvalidDevice: code = Code::device; break;
    default:
      if (status < kStreamCaptureUnsupported || status > kLastOfCapture) break;
      code = Code::unsupported;
      more = "; a recording cannot hold it";
  }
  fail(code, concat(what, ": ", r.error_text(status), " (", r.error_name(status), ")", more));
}

bool find_devices(std::string* why) {
  const Runtime& r = runtime();
  auto refuse = [&](std::string text) {
    *why = std::move(text);
    return false;
  };
  auto words = [&](int status) { return concat(r.error_text(status), " (", r.error_name(status), ")"); };
  int driver = 0, count = 0;
  const int counted = r.device_count(&count);
  if (counted != kSuccess) r.last_error();
  if (counted == kStubLibrary)
    return refuse(
        "the libcuda.so.1 that the loader finds is the stub of NVIDIA's toolkit, which only links programs; "
        "NVIDIA's driver brings the real one");
  if (counted == kInsufficientDriver) {
    if (r.driver_version(&driver) != kSuccess || driver == 0)
      return refuse(
          "NVIDIA's driver was not found: libcuda.so.1 does not load; haft needs driver 580 or newer (CUDA "
          "13)");
    return refuse(concat("NVIDIA's driver is for CUDA ", version_text(driver),
                         "; haft needs driver 580 or newer (CUDA 13)"));
  }
  if (counted == kNoDevice || (counted == kSuccess && count == 0))
    return refuse(
        "NVIDIA's driver shows no GPU; nvidia-smi tells what it sees, CUDA_VISIBLE_DEVICES may hide some");
  if (counted != kSuccess) return refuse(concat("NVIDIA's driver does not answer: ", words(counted)));
  if (states) return true;
  bool any = false;
  std::vector<std::unique_ptr<DeviceState>> found;
  for (int i = 0; i < count; ++i) {
    auto d = std::make_unique<DeviceState>();
    if (const int failed = r.facts(i, &d->facts))
      return refuse(concat("NVIDIA's driver tells nothing of device ", i, ": ", words(failed)));
    any = any || d->facts.major >= kOldestMajor;
    found.push_back(std::move(d));
  }
  if (!any)
    return refuse(concat("the newest device, ", found[0]->facts.name, ", has compute capability ",
                         found[0]->facts.major, ".", found[0]->facts.minor,
                         "; haft needs 8.0 (Ampere) or newer"));
  auto* all = new DeviceState*[size_t(count)];
  for (int i = 0; i < count; ++i) all[i] = found[size_t(i)].release();
  states = all;
  n_states = count;
  on_fork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  return true;
}

DeviceState& device_state(int device) {
  if (device < 0 || device >= n_states) [[unlikely]]
    fail(Code::device, concat("cuda:", device, " does not exist; there are ", n_states, " devices"));
  return *states[device];
}
int device_count() { return n_states; }
const DeviceFacts& device_facts(int device) { return device_state(device).facts; }

DeviceScope::DeviceScope(int device) {
  DeviceState& d = device_state(device);
  fail_unless_usable(device, d);
  const Runtime& r = runtime();
  check(r.get_context(&before_), "the thread's current device");
  if (!d.ready.load(std::memory_order_acquire)) [[unlikely]] {
    try {
      prepare(device, d);
    } catch (...) {
      r.set_context(before_);
      throw;
    }
    changed_ = before_ != d.context;
    if (changed_)
      check(r.set_context(d.context), "the thread's current device");  // another thread may have prepared it
    return;
  }
  if (before_ == d.context) return;
  check(r.set_context(d.context), "the thread's current device");
  changed_ = true;
}
DeviceScope::~DeviceScope() {
  if (changed_) runtime().set_context(before_);
}

DeviceState& ready_device(int device) {
  DeviceState& d = device_state(device);
  fail_unless_usable(device, d);
  if (!d.ready.load(std::memory_order_acquire)) [[unlikely]] {
    DeviceScope first(device);
  }
  return d;
}

Fault* fault_of(int device) { return device_state(device).fault; }

void throw_fault(int device) {
  Fault* f = fault_of(device);
  if (__atomic_load_n(&f->raised, __ATOMIC_ACQUIRE) != kRaised) return;
  const Fault found = *f;
  __atomic_store_n(&f->raised, uint32_t(kNotRaised), __ATOMIC_RELEASE);
  const char* const op = op_name(OpId(found.op));
  const double number = std::bit_cast<double>(found.value);
  switch (found.kind) {
    case kBadProbability:
      fail(Code::invalid_argument,
           concat(OpId(found.op) == OpId::philox_binomial ? "binomial: prob" : "bernoulli: p", " of element ",
                  found.position, " is ", number),
           "probabilities lie in [0, 1]");
    case kBadRate:
      fail(Code::invalid_argument, concat("poisson: element ", found.position, " is ", number),
           "every element of input must be at least 0");
    case kBadCount:
      fail(Code::invalid_argument, concat("binomial: count of element ", found.position, " is ", number),
           "every element of count must be at least 0");
    case kBadShape:
      fail(Code::invalid_argument, concat("standard_gamma: element ", found.position, " is ", number),
           "shape parameters are positive and finite");
    case kBadWeight:
      fail(Code::invalid_argument,
           concat("multinomial: weight ", found.dim, " of row ", found.position, " is ", number),
           "weights are finite and not negative");
    case kNoWeight:
      fail(Code::invalid_argument, concat("multinomial: the weights of row ", found.position, " sum to 0"),
           "at least one weight must be positive");
    case kNotFinite:
      fail(Code::linalg,
           found.size == 1
               ? concat("[", library_call(OpId(found.op)), "] the matrix has a value that is not finite")
               : concat("[", library_call(OpId(found.op)), "] matrix ", found.position,
                        " of the batch has a value that is not finite"),
           "no iteration would come to an end");
    case kNotConverged:
      fail(Code::linalg, concat("[", library_call(OpId(found.op)), "] matrix ", found.position,
                                " of the batch: the iteration has no end"));
    case kBadOffset:
      fail(Code::index,
           concat("embedding_bag: offset ", found.position, " is ", found.value, ", ",
                  found.position ? concat("behind ", found.dim) : std::string("the first"), ", of ",
                  found.size, " indices"),
           "offsets begin with 0, do not fall and are at most the number of indices");
    default:
      fail(Code::index,
           concat(op, ": index ", found.value, " at position ", found.position,
                  " is out of range for dimension ", found.dim, " of size ", found.size),
           found.size ? std::string() : std::string("nothing can be taken from an empty dimension"));
  }
}

}  // namespace haft::cuda
