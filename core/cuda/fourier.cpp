// Fourier transforms by cuFFT. A plan is one of lines of one length, as they lie, on one device; its workspace is the
// call's scratch memory, so that plans hold tables only.
#include "core/cuda/fourier.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/cuda/cufft.h"
#include "core/cuda/device.h"
#include "core/cuda/library.h"
#include "core/schema/fourier.h"

namespace haft::cuda {

namespace {

constexpr const char* kNames[] = {"cufftCreate",    "cufftSetAutoAllocation", "cufftXtMakePlanMany",
                                  "cufftSetStream", "cufftSetWorkArea",       "cufftXtExec",
                                  "cufftDestroy"};

const Cufft& library() {
  const Cufft* lib = functions_of<Cufft>(Library::cufft, kNames);
  if (!lib) fail(Code::unavailable, library_facts(Library::cufft).why);
  return *lib;
}
void done(const Call& c, int status) {
  if (status) fail(Code::internal, concat("[", c.name(), "] cuFFT answered status ", status));
}

struct Lines {
  int64_t n, columns, count;  // numbers of a line, how far they are apart, lines of one call
  Fourier kind;
  bool f64;
  int device;
  bool operator==(const Lines&) const = default;
};
struct Plan {
  Lines lines;
  int handle;
  size_t room;
  uint64_t used;
  bool recorded;  // a recording calls it: it stays
};

constexpr size_t kMostPlans = 64;  // of those that no recording calls

// All under `turn`: a plan has one stream and one workspace at a time.
struct Plans {
  std::mutex turn;
  std::vector<Plan> all;
  uint64_t clock = 0;
};
Plans& plans() {
  static auto* const them = new Plans;
  return *them;
}

void drop_oldest(const Cufft& lib, std::vector<Plan>& all) {
  auto oldest = all.end();
  size_t free = 0;
  for (auto p = all.begin(); p != all.end(); ++p) {
    if (p->recorded) continue;
    ++free;
    if (oldest == all.end() || p->used < oldest->used) oldest = p;
  }
  if (free < kMostPlans) return;
  lib.cufftDestroy(oldest->handle);
  all.erase(oldest);
}

Plan& plan_of(const Call& c, const Cufft& lib, const Lines& lines) {
  Plans& p = plans();
  for (Plan& known : p.all)
    if (known.lines == lines) return known;
  drop_oldest(lib, p.all);
  const int real = lines.f64 ? kFourierR64 : kFourierR32, pairs = lines.f64 ? kFourierC64 : kFourierC32;
  const bool from_real = lines.kind == Fourier::real_forward, to_real = lines.kind == Fourier::real_inverse;
  const long long n = lines.n, half = n / 2 + 1, in = to_real ? half : n, out = from_real ? half : n;
  const bool side_by_side = lines.columns > 1;
  long long size[] = {n}, in_size[] = {in}, out_size[] = {out};
  Plan made{lines, -1, 0, 0, false};
  done(c, lib.cufftCreate(&made.handle));
  int status = lib.cufftSetAutoAllocation(made.handle, 0);
  if (!status)
    status =
        lib.cufftXtMakePlanMany(made.handle, 1, size, in_size, lines.columns, side_by_side ? 1 : in,
                                from_real ? real : pairs, out_size, lines.columns, side_by_side ? 1 : out,
                                to_real ? real : pairs, lines.count, &made.room, pairs);
  if (status) {
    lib.cufftDestroy(made.handle);
    done(c, status);
  }
  p.all.push_back(made);
  return p.all.back();
}

// Lines of one number.
void single_numbers(const Call& c, Fourier kind) {
  haft_tensor_view from = c.in(0), to = c.out();
  auto real_parts = [](haft_tensor_view& v) {
    --v.ndim;
    v.numel /= 2;
    v.contiguous = 0;
  };
  if (kind == Fourier::real_forward) {
    c.zero(to.data, to.numel * item_size(c.dtype()));
    real_parts(to);
  } else if (kind == Fourier::real_inverse) {
    real_parts(from);
  }
  copy_view(c, to, from);
}

}  // namespace

// in: dense lines as Fourier says, float32 or float64; attrs: n, kind, scale, columns
void k_fourier(const Call& c) {
  if (c.out().numel == 0) return;
  const int64_t n = c.attrs.i(0), columns = c.attrs.i(3);
  const auto kind = Fourier(c.attrs.i(1));
  const double scale = c.attrs.d(2);
  if (n == 1) {
    single_numbers(c, kind);
  } else {
    const bool f64 = c.dtype() == DType::f64, to_real = kind == Fourier::real_inverse;
    const int64_t all =
        to_real ? c.out().numel / n : c.in(0).numel / (kind == Fourier::real_forward ? n : 2 * n);
    const Lines lines{n, columns, columns > 1 ? columns : all, kind, f64, c.device()};
    const int64_t block = 2 * n * columns * item_size(c.dtype());  // bytes
    char *in = static_cast<char*>(c.in(0).data), *out = static_cast<char*>(c.out().data);
    const int64_t bytes = c.in(0).numel * item_size(c.dtype());
    if (to_real) {  // which the library may write, and whose first parts it may read
      in = c.scratch<char>(bytes);
      copy_halves(c, c.in(0).data, in, all, n);
    } else if (reinterpret_cast<uintptr_t>(in) % uint64_t(2 * item_size(c.dtype()))) {
      in = c.scratch<char>(bytes);  // the library wants whole numbers aligned
      c.copy(in, c.in(0).data, bytes);
    }
    const Cufft& lib = library();
    c.use_device();
    std::lock_guard turn(plans().turn);
    Plan& plan = plan_of(c, lib, lines);
    plan.used = ++plans().clock;
    plan.recorded = plan.recorded || c.state.recordings.load() > 0;
    done(c, lib.cufftSetStream(plan.handle, c.stream));
    done(c, lib.cufftSetWorkArea(plan.handle, c.scratch_bytes(int64_t(plan.room) + 16)));
    const int direction = kind == Fourier::inverse || to_real ? int(kFourierInverse) : int(kFourierForward);
    for (int64_t i = 0; i < all / lines.count; ++i)
      done(c, lib.cufftXtExec(plan.handle, in + i * block, out + i * block, direction));
  }
  if (scale != 1) scale_elements(c, c.out().data, c.out().numel, scale);
}

}  // namespace haft::cuda
