// cuFFT, simulated: transforms by their definition, in float64, when their stream comes to them. It reads and spoils
// what the library may: imaginary parts that a real line rules out make the line NaN, the halves that come in are
// written over.
#include "core/cuda/cufft.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

#include "libraries.h"
#include "simulated.h"

namespace haft::cuda {

namespace {

using C = std::complex<double>;

constexpr size_t kRoom = 512;
constexpr int kInvalidPlan = 1, kInvalidValue = 4, kInvalidSize = 8;  // cufftResult

struct Plan {
  long long n = 0, in_stride = 0, in_step = 0, out_stride = 0, out_step = 0, count = 0;
  int in_type = 0, out_type = 0;
  Stream stream = nullptr;
  void* room = nullptr;
};
std::map<int, Plan>& plans() {
  static auto* const all = new std::map<int, Plan>;
  return *all;
}
Plan* find(int plan) {
  const auto at = plans().find(plan);
  return at == plans().end() ? nullptr : &at->second;
}

bool wide(int type) { return type == kFourierR64 || type == kFourierC64; }
bool pairs(int type) { return type == kFourierC32 || type == kFourierC64; }

// Numbers of that type.
struct Numbers {
  void* p;
  int type;
  double part(long long i) const {
    return wide(type) ? static_cast<double*>(p)[i] : static_cast<float*>(p)[i];
  }
  void set_part(long long i, double v) const {
    wide(type) ? static_cast<double*>(p)[i] = v : static_cast<float*>(p)[i] = float(v);
  }
  C get(long long i) const { return pairs(type) ? C(part(2 * i), part(2 * i + 1)) : C(part(i)); }
  void set(long long i, C v) const {
    if (!pairs(type)) return set_part(i, v.real());
    set_part(2 * i, v.real());
    set_part(2 * i + 1, v.imag());
  }
};

void run(const Plan& p, const Numbers& in, const Numbers& out, int direction) {
  const bool to_real = !pairs(p.out_type), from_real = !pairs(p.in_type);
  const long long half = p.n / 2 + 1;
  for (long long line = 0; line < p.count; ++line) {
    std::vector<C> x(static_cast<size_t>(p.n));
    for (long long j = 0; j < (to_real ? half : p.n); ++j) {
      const long long at = line * p.in_step + j * p.in_stride;
      C v = in.get(at);
      if (to_real) {
        if ((j == 0 || 2 * j == p.n) && v.imag() != 0) v = std::numeric_limits<double>::quiet_NaN();
        in.set(at, C(-1, -1));
        if (j) x[size_t(p.n - j)] = std::conj(v);
      }
      x[size_t(j)] = v;
    }
    for (long long k = 0; k < (from_real ? half : p.n); ++k) {
      C sum = 0;
      for (long long j = 0; j < p.n; ++j)
        sum += x[size_t(j)] *
               std::polar(1.0, direction * 2 * std::numbers::pi * double(j * k % p.n) / double(p.n));
      out.set(line * p.out_step + k * p.out_stride, sum);
    }
  }
}

int version(int* v) { return *v = 12000, 0; }
int create(int* plan) {
  static int last = 0;
  std::lock_guard guard(cuda_on_host::lock());
  plans()[*plan = ++last];
  return 0;
}
int destroy(int plan) {
  std::lock_guard guard(cuda_on_host::lock());
  return plans().erase(plan) ? 0 : kInvalidPlan;
}
int set_auto_allocation(int plan, int on) { return !find(plan) ? kInvalidPlan : on ? kInvalidValue : 0; }
int make_plan(int plan, int rank, long long* n, long long* in_embed, long long in_stride, long long in_step,
              int in_type, long long* out_embed, long long out_stride, long long out_step, int out_type,
              long long count, size_t* room, int execution) {
  std::lock_guard guard(cuda_on_host::lock());
  Plan* p = find(plan);
  if (!p || p->n) return kInvalidPlan;
  if (rank != 1 || !in_embed || !out_embed || !pairs(execution) || wide(in_type) != wide(execution) ||
      wide(out_type) != wide(execution) || (!pairs(in_type) && !pairs(out_type)))
    return kInvalidValue;
  if (n[0] < 2 || count < 1) return kInvalidSize;
  *p = {n[0], in_stride, in_step, out_stride, out_step, count, in_type, out_type};
  return *room = kRoom, 0;
}
int set_stream(int plan, Stream s) {
  Plan* p = find(plan);
  return p ? p->stream = s, 0 : kInvalidPlan;
}
int set_work_area(int plan, void* room) {
  Plan* p = find(plan);
  return p ? p->room = room, 0 : kInvalidPlan;
}
int exec(int plan, void* in, void* out, int direction) {
  std::lock_guard guard(cuda_on_host::lock());
  const Plan* p = find(plan);
  if (!p || !p->n || !p->room) return kInvalidPlan;
  const auto whole = uintptr_t(wide(p->in_type) ? 16 : 8);
  if (reinterpret_cast<uintptr_t>(in) % whole || reinterpret_cast<uintptr_t>(out) % whole)
    return kInvalidValue;
  Stream stream = p->stream;
  cuda_on_host::check_stream(stream, "a transform");
  cuda_on_host::give(stream, [call = *p, in, out, direction] {
    std::memset(call.room, 0xff, kRoom);
    run(call, {in, call.in_type}, {out, call.out_type}, direction);
  });
  return 0;
}

}  // namespace

}  // namespace haft::cuda

namespace haft::cuda_on_host {

void* cufft_function(const char* name) {
  using namespace haft::cuda;
  struct Function {
    const char* name;
    void* function;
  };
  static const Function all[] = {
      {"cufftGetVersion", reinterpret_cast<void*>(version)},
      {"cufftCreate", reinterpret_cast<void*>(create)},
      {"cufftSetAutoAllocation", reinterpret_cast<void*>(set_auto_allocation)},
      {"cufftXtMakePlanMany", reinterpret_cast<void*>(make_plan)},
      {"cufftSetStream", reinterpret_cast<void*>(set_stream)},
      {"cufftSetWorkArea", reinterpret_cast<void*>(set_work_area)},
      {"cufftXtExec", reinterpret_cast<void*>(exec)},
      {"cufftDestroy", reinterpret_cast<void*>(destroy)},
  };
  for (const Function& f : all)
    if (std::strcmp(f.name, name) == 0) return f.function;
  return nullptr;
}

}  // namespace haft::cuda_on_host
