// cuSOLVER, simulated by LAPACK in float64: matrices are copied out of a device's memory, decomposed and copied back
// when their stream comes to it. Where there is no LAPACK there is no cuSOLVER.
#include "core/cuda/cusolver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <vector>

#include "libraries.h"
#include "simulated.h"

struct cusolverDnContext {
  haft::cuda::Stream stream = nullptr;
};
struct cusolverDnParams {};

namespace haft::cuda_on_host {
int unended = 0;
}

namespace haft::cuda {

namespace {

constexpr size_t kRoom = 1024;
constexpr int kInvalid = 3;  // CUSOLVER_STATUS_INVALID_VALUE

struct Lapack {
  void (*dpotrf_)(const char*, const int*, double*, const int*, int*, size_t);
  void (*dgetrf_)(const int*, const int*, double*, const int*, int*, int*);
  void (*dgeqrf_)(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
  void (*dorgqr_)(const int*, const int*, const int*, double*, const int*, const double*, double*, const int*,
                  int*);
  void (*dsyev_)(const char*, const char*, const int*, double*, const int*, double*, double*, const int*,
                 int*, size_t, size_t);
  void (*dgesvd_)(const char*, const char*, const int*, const int*, double*, const int*, double*, double*,
                  const int*, double*, const int*, double*, const int*, int*, size_t, size_t);
};
const Lapack* lapack() {
  static const Lapack* const found = [] {
    static Lapack l;
    void* const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    auto find = [&](auto& f, const char* name) {
      f = library ? reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name)) : nullptr;
      return f != nullptr;
    };
    const bool all = find(l.dpotrf_, "dpotrf_") && find(l.dgetrf_, "dgetrf_") && find(l.dgeqrf_, "dgeqrf_") &&
                     find(l.dorgqr_, "dorgqr_") && find(l.dsyev_, "dsyev_") && find(l.dgesvd_, "dgesvd_");
    return all ? &l : nullptr;
  }();
  return found;
}

// n elements of that type as doubles, written back when it goes.
class Numbers {
  void* p_;
  bool wide_;

 public:
  std::vector<double> v;
  Numbers(void* p, int type, int64_t n) : p_(p), wide_(type == kSolverF64), v(size_t(p ? n : 0)) {
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = wide_ ? static_cast<double*>(p)[i] : static_cast<float*>(p)[i];
  }
  ~Numbers() {
    for (size_t i = 0; i < v.size(); ++i)
      wide_ ? static_cast<double*>(p_)[i] = v[i] : static_cast<float*>(p_)[i] = float(v[i]);
  }
  double* data() { return v.data(); }
  bool odd() const {
    return std::ranges::any_of(v, [](double x) { return std::isnan(x); });
  }
};
// As the library leaves what did not come to its end.
bool ended(int* info) {
  *info = cuda_on_host::unended > 0 ? cuda_on_host::unended-- : 0;
  return *info == 0;
}
struct Work {
  std::vector<double> v;
  int n;
  explicit Work(int64_t size) : v(size_t(size + 64)), n(int(v.size())) {}
};

int enqueue(SolverHandle h, const void* work, size_t room, size_t wanted, std::function<void()> run) {
  std::lock_guard guard(cuda_on_host::lock());
  Stream stream = h->stream;
  cuda_on_host::check_stream(stream, "a decomposition");
  if (!work || room < wanted) return kInvalid;
  cuda_on_host::give(stream, [run, work, wanted] {
    std::memset(const_cast<void*>(work), 0xff, wanted);
    run();
  });
  return 0;
}
int sized(size_t* device, size_t* host) { return *device = kRoom, *host = 0, 0; }

int version(int* v) { return *v = 12000, lapack() ? 0 : kInvalid; }
int create(SolverHandle* h) { return *h = new cusolverDnContext, 0; }
int create_params(SolverParams* p) { return *p = new cusolverDnParams, 0; }
int set_stream(SolverHandle h, Stream s) { return h->stream = s, 0; }

int potrf_size(SolverHandle, SolverParams, int, int64_t, int, const void*, int64_t, int, size_t* device,
               size_t* host) {
  return sized(device, host);
}
int potrf(SolverHandle h, SolverParams, int fill, int64_t n, int type, void* a, int64_t lda, int, void* work,
          size_t room, void*, size_t, int* info) {
  return enqueue(h, work, room, kRoom, [=] {
    Numbers x(a, type, lda * n);
    const int size = int(n), ld = int(lda);
    const bool odd = x.odd();
    lapack()->dpotrf_(fill == kSolverUpper ? "U" : "L", &size, x.data(), &ld, info, 1);
    if (odd) *info = 0;  // nothing is said of such matrices
  });
}
int getrf_size(SolverHandle, SolverParams, int64_t, int64_t, int, const void*, int64_t, int, size_t* device,
               size_t* host) {
  return sized(device, host);
}
int getrf(SolverHandle h, SolverParams, int64_t m, int64_t n, int type, void* a, int64_t lda, int64_t* pivots,
          int, void* work, size_t room, void*, size_t, int* info) {
  return enqueue(h, work, room, kRoom, [=] {
    Numbers x(a, type, lda * n);
    std::vector<int> exchanged(size_t(std::min(m, n)));
    const int rows = int(m), columns = int(n), ld = int(lda);
    if (x.odd()) {  // nothing is said of such matrices: neither of pivots nor of info
      *info = 1;
      std::ranges::fill(x.v, NAN);
      std::fill_n(pivots, exchanged.size(), int64_t(0));
      return;
    }
    lapack()->dgetrf_(&rows, &columns, x.data(), &ld, exchanged.data(), info);
    std::copy(exchanged.begin(), exchanged.end(), pivots);
  });
}
int geqrf_size(SolverHandle, SolverParams, int64_t, int64_t, int, const void*, int64_t, int, const void*, int,
               size_t* device, size_t* host) {
  return sized(device, host);
}
int geqrf(SolverHandle h, SolverParams, int64_t m, int64_t n, int type, void* a, int64_t lda, int tau_type,
          void* tau, int, void* work, size_t room, void*, size_t, int* info) {
  return enqueue(h, work, room, kRoom, [=] {
    Numbers x(a, type, lda * n), t(tau, tau_type, std::min(m, n));
    Work w(n);
    const int rows = int(m), columns = int(n), ld = int(lda);
    lapack()->dgeqrf_(&rows, &columns, x.data(), &ld, t.data(), w.v.data(), &w.n, info);
  });
}
template <class T>
int orgqr_size(SolverHandle, int, int, int, const T*, int, const T*, int* room) {
  return *room = int(kRoom), 0;
}
template <class T>
int orgqr(SolverHandle h, int m, int n, int k, T* a, int lda, const T* tau, T* work, int room, int* info) {
  return enqueue(h, work, size_t(room) * sizeof(T), kRoom * sizeof(T), [=] {
    const int type = sizeof(T) == 8 ? kSolverF64 : kSolverF32;
    Numbers x(a, type, int64_t(lda) * n), t(const_cast<T*>(tau), type, k);
    Work w(n);
    lapack()->dorgqr_(&m, &n, &k, x.data(), &lda, t.data(), w.v.data(), &w.n, info);
  });
}
int syevd_size(SolverHandle, SolverParams, int, int, int64_t, int, const void*, int64_t, int, const void*,
               int, size_t* device, size_t* host) {
  return sized(device, host);
}
int syevd(SolverHandle h, SolverParams, int vectors, int fill, int64_t n, int type, void* a, int64_t lda,
          int w_type, void* values, int, void* work, size_t room, void*, size_t, int* info) {
  return enqueue(h, work, room, kRoom, [=] {
    Numbers x(a, type, lda * n), l(values, w_type, n);
    Work w(3 * n);
    if (!ended(info)) return;
    const int size = int(n), ld = int(lda);
    lapack()->dsyev_(vectors ? "V" : "N", fill == kSolverUpper ? "U" : "L", &size, x.data(), &ld, l.data(),
                     w.v.data(), &w.n, info, 1, 1);
  });
}
int gesvd_size(SolverHandle, SolverParams, signed char, signed char, int64_t m, int64_t n, int, const void*,
               int64_t, int, const void*, int, const void*, int64_t, int, const void*, int64_t, int,
               size_t* device, size_t* host) {
  return m < n ? kInvalid : sized(device, host);
}
int gesvd(SolverHandle h, SolverParams, signed char u_wanted, signed char vt_wanted, int64_t m, int64_t n,
          int type, void* a, int64_t lda, int s_type, void* s, int u_type, void* u, int64_t ldu, int vt_type,
          void* vt, int64_t ldvt, int, void* work, size_t room, void*, size_t, int* info) {
  if (m < n) return kInvalid;
  return enqueue(h, work, room, kRoom, [=] {
    Numbers x(a, type, lda * n), values(s, s_type, n), left(u, u_type, ldu * (u_wanted == 'A' ? m : n)),
        right(vt, vt_type, ldvt * n);
    Work w(8 * (m + n));
    if (!ended(info)) return;
    const char want_u[] = {char(u_wanted), 0}, want_vt[] = {char(vt_wanted), 0};
    const int rows = int(m), columns = int(n), ld = int(lda), ld_u = int(ldu), ld_vt = int(ldvt);
    lapack()->dgesvd_(want_u, want_vt, &rows, &columns, x.data(), &ld, values.data(), left.data(), &ld_u,
                      right.data(), &ld_vt, w.v.data(), &w.n, info, 1, 1);
  });
}

}  // namespace

}  // namespace haft::cuda

namespace haft::cuda_on_host {

void* cusolver_function(const char* name) {
  using namespace haft::cuda;
  struct Function {
    const char* name;
    void* function;
  };
  static const Function all[] = {
      {"cusolverGetVersion", reinterpret_cast<void*>(version)},
      {"cusolverDnCreate", reinterpret_cast<void*>(create)},
      {"cusolverDnCreateParams", reinterpret_cast<void*>(create_params)},
      {"cusolverDnSetStream", reinterpret_cast<void*>(set_stream)},
      {"cusolverDnXpotrf_bufferSize", reinterpret_cast<void*>(potrf_size)},
      {"cusolverDnXpotrf", reinterpret_cast<void*>(potrf)},
      {"cusolverDnXgetrf_bufferSize", reinterpret_cast<void*>(getrf_size)},
      {"cusolverDnXgetrf", reinterpret_cast<void*>(getrf)},
      {"cusolverDnXgeqrf_bufferSize", reinterpret_cast<void*>(geqrf_size)},
      {"cusolverDnXgeqrf", reinterpret_cast<void*>(geqrf)},
      {"cusolverDnSorgqr_bufferSize", reinterpret_cast<void*>(orgqr_size<float>)},
      {"cusolverDnSorgqr", reinterpret_cast<void*>(orgqr<float>)},
      {"cusolverDnDorgqr_bufferSize", reinterpret_cast<void*>(orgqr_size<double>)},
      {"cusolverDnDorgqr", reinterpret_cast<void*>(orgqr<double>)},
      {"cusolverDnXsyevd_bufferSize", reinterpret_cast<void*>(syevd_size)},
      {"cusolverDnXsyevd", reinterpret_cast<void*>(syevd)},
      {"cusolverDnXgesvd_bufferSize", reinterpret_cast<void*>(gesvd_size)},
      {"cusolverDnXgesvd", reinterpret_cast<void*>(gesvd)},
  };
  for (const Function& f : all)
    if (std::strcmp(f.name, name) == 0) return f.function;
  return nullptr;
}

}  // namespace haft::cuda_on_host
