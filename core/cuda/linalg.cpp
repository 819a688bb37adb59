// Decompositions by cuSOLVER, whose matrices are column-major: what is symmetric, or may be transposed, is handed over
// as it lies, the rest by way of transposed copies. Matrices of a batch are enqueued one after the other.
#include "core/cuda/linalg.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "core/cuda/capture.h"
#include "core/cuda/cusolver.h"
#include "core/cuda/library.h"

namespace haft::cuda {

void k_tril(const Call& c);
void k_triu(const Call& c);

namespace {

constexpr const char* kNames[] = {
    "cusolverDnCreate", "cusolverDnCreateParams",      "cusolverDnSetStream", "cusolverDnXpotrf_bufferSize",
    "cusolverDnXpotrf", "cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf",    "cusolverDnXgeqrf_bufferSize",
    "cusolverDnXgeqrf", "cusolverDnSorgqr_bufferSize", "cusolverDnSorgqr",    "cusolverDnDorgqr_bufferSize",
    "cusolverDnDorgqr", "cusolverDnXsyevd_bufferSize", "cusolverDnXsyevd",    "cusolverDnXgesvd_bufferSize",
    "cusolverDnXgesvd"};

// A handle has one stream at a time: calls of a device take turns.
struct Session {
  SolverHandle handle = nullptr;
  SolverParams params = nullptr;
  std::mutex turn;
};
Session& session_of(const Cusolver& lib, int device) {
  static std::mutex mutex;
  static auto* const all = new std::map<int, Session>;
  std::lock_guard lock(mutex);
  Session& s = (*all)[device];
  if (!s.handle) {
    SolverHandle made = nullptr;
    int status = lib.cusolverDnCreate(&made);
    if (!status && !s.params) status = lib.cusolverDnCreateParams(&s.params);
    if (status)
      fail(Code::unavailable, concat("cuSOLVER does not serve cuda:", device, " (status ", status, ")"));
    s.handle = made;
  }
  return s;
}

// The library for the time of one call.
class Solver {
  const Call& c_;
  Session& session_;
  std::lock_guard<std::mutex> turn_;
  std::vector<char> host_;

  static const Cusolver& library() {
    const Cusolver* lib = functions_of<Cusolver>(Library::cusolver, kNames);
    if (!lib) fail(Code::unavailable, library_facts(Library::cusolver).why);
    return *lib;
  }
  // The library waits for streams and may read the host's room later: neither is for recordings.
  static const Call& here(const Call& c) {
    refuse_recording(c.device(), c.stream, "a decomposition by cuSOLVER");
    c.use_device();
    return c;
  }

 public:
  const Cusolver& lib;
  const int type;

  explicit Solver(const Call& c)
      : c_(here(c)),
        session_(session_of(library(), c.device())),
        turn_(session_.turn),
        lib(library()),
        type(c.dtype() == DType::f64 ? kSolverF64 : kSolverF32) {
    done(lib.cusolverDnSetStream(session_.handle, c.stream));
  }
  SolverHandle handle() const { return session_.handle; }
  SolverParams params() const { return session_.params; }
  void done(int status) const {
    if (status) fail(Code::internal, concat("[", c_.name(), "] cuSOLVER answered status ", status));
  }
  // size(handle, params, &device, &host), then run(handle, params, device, bytes, host, bytes) for each of `count`.
  template <class Size, class Run>
  void each(int64_t count, Size size, Run run) {
    size_t device = 0, host = 0;
    done(size(&device, &host));
    void* const on_device = c_.scratch_bytes(int64_t(device) + 16);
    host_.resize(host);
    for (int64_t i = 0; i < count; ++i) done(run(i, on_device, device, host_.data(), host));
  }
};

haft_tensor_view turned(haft_tensor_view v) {
  std::swap(v.sizes[v.ndim - 1], v.sizes[v.ndim - 2]);
  std::swap(v.strides[v.ndim - 1], v.strides[v.ndim - 2]);
  v.contiguous = 0;
  return v;
}
// The first `rows` rows, `columns` columns of each matrix.
haft_tensor_view corner(haft_tensor_view v, int64_t rows, int64_t columns) {
  for (auto [d, n] : {std::pair{v.ndim - 2, rows}, std::pair{v.ndim - 1, columns}}) {
    v.numel = v.sizes[d] ? v.numel / v.sizes[d] * n : 0;
    v.sizes[d] = n;
  }
  v.contiguous = 0;
  return v;
}
// A copy whose columns are dense; its view is of the transposed matrices, row-major.
haft_tensor_view columns_of(const Call& c, const haft_tensor_view& v) {
  const haft_tensor_view from = turned(v), to = scratch_view(c, sizes(from), DType(v.dtype));
  copy_view(c, to, from);
  return to;
}
haft_tensor_view copy_of(const Call& c, const haft_tensor_view& v) {
  const haft_tensor_view to = scratch_view(c, sizes(v), DType(v.dtype));
  copy_view(c, to, v);
  return to;
}
// One triangle of `in`, zeros elsewhere, by the operator's kernel.
void triangle(const Call& c, const haft_tensor_view& in, const haft_tensor_view& out, bool lower) {
  if (out.numel == 0) return;
  const haft_tensor_view *ins[] = {&in}, *outs[] = {&out};
  const uint64_t words[] = {0};
  haft_kernel_call call = c.call;
  call.op = uint32_t(lower ? OpId::tril : OpId::triu);
  call.n_in = call.n_out = 1;
  call.dtype = in.dtype;
  call.in = ins, call.out = outs;
  call.attrs = words, call.n_attrs = 1;
  lower ? k_tril(Call(call)) : k_triu(Call(call));
}

struct Sizes {
  int64_t m, n, least, count = 1;
  explicit Sizes(const haft_tensor_view& v)
      : m(v.sizes[v.ndim - 2]), n(v.sizes[v.ndim - 1]), least(std::min(m, n)) {
    for (int d = 0; d < v.ndim - 2; ++d) count *= v.sizes[d];
  }
};
void* at(const haft_tensor_view& v, int64_t matrix, int64_t elements) {
  return static_cast<char*>(v.data) + matrix * elements * item_size(DType(v.dtype));
}

}  // namespace

// The lower triangle of rows is the upper one of columns, and stays where it is.
void k_cholesky_factor(const Call& c) {
  const Sizes s(c.in(0));
  int* const info = c.out_data<int>(1);
  c.zero(info, s.count * int64_t(sizeof(int)));
  if (c.out().numel == 0) return;
  triangle(c, c.in(0), c.out(), true);
  Solver with(c);
  with.each(
      s.count,
      [&](size_t* device, size_t* host) {
        return with.lib.cusolverDnXpotrf_bufferSize(with.handle(), with.params(), kSolverUpper, s.n,
                                                    with.type, c.out().data, s.n, with.type, device, host);
      },
      [&](int64_t i, void* device, size_t room, void* host, size_t host_room) {
        return with.lib.cusolverDnXpotrf(with.handle(), with.params(), kSolverUpper, s.n, with.type,
                                         at(c.out(), i, s.n * s.n), s.n, with.type, device, room, host,
                                         host_room, info + i);
      });
  find_not_positive(c, {c.out().data, c.dtype(), s.n * s.n, s.n + 1}, s.count, s.n, info);
}

void k_lu_factors(const Call& c) {
  const Sizes s(c.in(0));
  int* const info = c.out_data<int>(3);
  c.zero(info, s.count * int64_t(sizeof(int)));
  int64_t* const exchanged = c.scratch<int64_t>(s.count * s.least + 1);
  if (c.out().numel) {
    const haft_tensor_view a = columns_of(c, c.in(0));
    spread_nan(c, a);
    Solver with(c);
    with.each(
        s.count,
        [&](size_t* device, size_t* host) {
          return with.lib.cusolverDnXgetrf_bufferSize(with.handle(), with.params(), s.m, s.n, with.type,
                                                      a.data, s.m, with.type, device, host);
        },
        [&](int64_t i, void* device, size_t room, void* host, size_t host_room) {
          return with.lib.cusolverDnXgetrf(with.handle(), with.params(), s.m, s.n, with.type,
                                           at(a, i, s.m * s.n), s.m, exchanged + i * s.least, with.type,
                                           device, room, host, host_room, info + i);
        });
    find_zeros(c, {a.data, c.dtype(), s.m * s.n, s.m + 1}, s.count, s.least, info);
    copy_view(c, c.out(), turned(a));
  }
  if (s.count * s.m > 0)
    order_of_rows(c, exchanged, s.count, s.least, s.m, c.out_data<int32_t>(1), c.out_data<int64_t>(2));
}

// attrs: mode (0 reduced, 1 complete, 2 R alone)
void k_qr_factors(const Call& c) {
  const Sizes s(c.in(0));
  const int64_t mode = c.attrs.i(0), q_columns = mode == 1 ? s.m : s.least;
  if (s.count * s.least == 0) return mode == 2 ? void() : fill_unit(c, c.out());
  const haft_tensor_view a = columns_of(c, c.in(0));
  const int64_t item = item_size(c.dtype());
  char* const tau = c.scratch<char>(s.count * s.least * item);
  int* const info = c.scratch<int>(1);
  Solver with(c);
  with.each(
      s.count,
      [&](size_t* device, size_t* host) {
        return with.lib.cusolverDnXgeqrf_bufferSize(with.handle(), with.params(), s.m, s.n, with.type, a.data,
                                                    s.m, with.type, tau, with.type, device, host);
      },
      [&](int64_t i, void* device, size_t room, void* host, size_t host_room) {
        return with.lib.cusolverDnXgeqrf(with.handle(), with.params(), s.m, s.n, with.type,
                                         at(a, i, s.m * s.n), s.m, with.type, tau + i * s.least * item,
                                         with.type, device, room, host, host_room, info);
      });
  triangle(c, corner(turned(a), q_columns, s.n), c.out(1), false);
  if (mode == 2) return;
  haft_tensor_view q_sizes = turned(c.out());
  const haft_tensor_view q = scratch_view(c, sizes(q_sizes), c.dtype());
  copy_view(c, corner(q, s.least, s.m), corner(a, s.least, s.m));
  const int rows = int(s.m), columns = int(q_columns), k = int(s.least);
  auto form = [&]<class T>(auto size, auto run) {
    int room = 0;
    with.done(size(with.handle(), rows, columns, k, static_cast<T*>(q.data), rows, reinterpret_cast<T*>(tau),
                   &room));
    T* const work = c.scratch<T>(room + 1);
    for (int64_t i = 0; i < s.count; ++i)
      with.done(run(with.handle(), rows, columns, k, static_cast<T*>(at(q, i, s.m * q_columns)), rows,
                    reinterpret_cast<T*>(tau) + i * s.least, work, room, info));
  };
  if (c.dtype() == DType::f64)
    form.template operator()<double>(with.lib.cusolverDnDorgqr_bufferSize, with.lib.cusolverDnDorgqr);
  else
    form.template operator()<float>(with.lib.cusolverDnSorgqr_bufferSize, with.lib.cusolverDnSorgqr);
  copy_view(c, c.out(), turned(q));
}

// attrs: vectors
void k_eigh_factors(const Call& c) {
  const Sizes s(c.in(0));
  if (c.in(0).numel == 0) return;
  const int vectors = c.attrs.b(0) ? kSolverVectors : kSolverValues;
  const haft_tensor_view a = copy_of(c, c.in(0));
  tell_not_finite(c, a, true);
  int* const info = c.scratch<int>(s.count);
  Solver with(c);
  with.each(
      s.count,
      [&](size_t* device, size_t* host) {
        return with.lib.cusolverDnXsyevd_bufferSize(with.handle(), with.params(), vectors, kSolverUpper, s.n,
                                                    with.type, a.data, s.n, with.type, c.out().data,
                                                    with.type, device, host);
      },
      [&](int64_t i, void* device, size_t room, void* host, size_t host_room) {
        return with.lib.cusolverDnXsyevd(with.handle(), with.params(), vectors, kSolverUpper, s.n, with.type,
                                         at(a, i, s.n * s.n), s.n, with.type, at(c.out(), i, s.n), with.type,
                                         device, room, host, host_room, info + i);
      });
  tell_not_ended(c, info, s.count);
  if (vectors) copy_view(c, c.out(1), turned(a));
}

// The library wants no fewer rows than columns. Rows are its columns: of wide matrices U and V^T come out as they are
// wanted, tall ones are transposed on the way in, and their factors on the way out. attrs: mode (0 values, 1 reduced, 2
// full)
void k_svd_factors(const Call& c) {
  const Sizes s(c.in(0));
  const int64_t mode = c.attrs.i(0);
  if (s.count * s.least == 0) {
    if (mode) fill_unit(c, c.out(0)), fill_unit(c, c.out(2));
    return;
  }
  const bool wide = s.n >= s.m;
  const int64_t rows = wide ? s.n : s.m, columns = s.least, u_columns = mode == 2 ? rows : columns;
  const haft_tensor_view a = wide ? copy_of(c, c.in(0)) : columns_of(c, c.in(0));
  haft_tensor_view u = c.out(wide ? 2 : 0), vt = c.out(wide ? 0 : 2);
  if (!wide && mode) {
    u = scratch_view(c, sizes(turned(u)), c.dtype());
    vt = scratch_view(c, sizes(turned(vt)), c.dtype());
  }
  tell_not_finite(c, a, false);
  int* const info = c.scratch<int>(s.count);
  const signed char wanted = mode == 0 ? 'N' : mode == 1 ? 'S' : 'A';
  Solver with(c);
  with.each(
      s.count,
      [&](size_t* device, size_t* host) {
        return with.lib.cusolverDnXgesvd_bufferSize(
            with.handle(), with.params(), wanted, wanted, rows, columns, with.type, a.data, rows, with.type,
            c.out(1).data, with.type, u.data, rows, with.type, vt.data, columns, with.type, device, host);
      },
      [&](int64_t i, void* device, size_t room, void* host, size_t host_room) {
        return with.lib.cusolverDnXgesvd(
            with.handle(), with.params(), wanted, wanted, rows, columns, with.type, at(a, i, rows * columns),
            rows, with.type, at(c.out(1), i, columns), with.type, mode ? at(u, i, rows * u_columns) : nullptr,
            rows, with.type, mode ? at(vt, i, columns * columns) : nullptr, columns, with.type, device, room,
            host, host_room, info + i);
      });
  tell_not_ended(c, info, s.count);
  if (wide || !mode) return;
  copy_view(c, c.out(0), turned(u));
  copy_view(c, c.out(2), turned(vt));
}

}  // namespace haft::cuda
