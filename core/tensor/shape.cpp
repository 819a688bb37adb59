#include "core/tensor/shape.h"

#include <algorithm>

#include "core/base/error.h"

namespace haft {

int64_t checked_numel(IntList sizes) {
  if (sizes.size() > HAFT_MAX_DIMS)
    fail(Code::shape,
         concat("a tensor has at most ", HAFT_MAX_DIMS, " dimensions, got ", int64_t(sizes.size())));
  int64_t n = 1;
  bool empty = false;
  for (int64_t s : sizes) {
    if (s < 0) fail(Code::shape, concat("sizes must not be negative, got ", sizes));
    empty |= s == 0;
  }
  for (int64_t s : sizes)
    if (s && (__builtin_mul_overflow(n, s, &n) || n > kMaxNumel))
      fail(Code::overflow, concat("shape ", sizes, " has more elements than memory can hold"));
  return empty ? 0 : n;
}

Shape contiguous_strides(IntList sizes) {
  Shape st(int64_t(sizes.size()));
  int64_t n = 1;
  for (int64_t i = int64_t(sizes.size()) - 1; i >= 0; --i) {
    st[i] = n;
    n *= std::max<int64_t>(sizes[i], 1);
  }
  return st;
}

int64_t wrap_dim(int64_t dim, int64_t ndim, const char* op, const char* name) {
  int64_t n = ndim ? ndim : 1;
  if (dim < -n || dim >= n)
    fail(Code::index,
         concat("[", op, "] ", name, " must be in ", -n, "..", n - 1, " for a tensor of ", ndim,
                " dimensions, got ", dim),
         {}, name);
  return dim < 0 ? dim + n : dim;
}

Shape broadcast_shapes(IntList a, IntList b, const char* op) {
  if (a.size() < b.size()) std::swap(a, b);
  Shape out(a);
  int64_t shift = int64_t(a.size() - b.size());
  for (int64_t i = 0; i < int64_t(b.size()); ++i) {
    int64_t& o = out[i + shift];
    if (o == b[i] || b[i] == 1) continue;
    if (o != 1)
      fail(Code::shape,
           concat("[", op, "] shapes ", a, " and ", b, " do not broadcast: dimension ", i + shift, " is ", o,
                  " and ", b[i]),
           "sizes must be equal or 1, counted from the last dimension");
    o = b[i];
  }
  return out;
}

Shape infer_size(IntList sizes, int64_t numel, const char* op) {
  Shape out(sizes);
  int64_t known = 1, hole = -1;
  for (int64_t i = 0; i < out.size(); ++i) {
    if (out[i] == -1) {
      if (hole >= 0) fail(Code::shape, concat("[", op, "] only one size may be -1, got ", sizes));
      hole = i;
    } else if (out[i] < 0) {
      fail(Code::shape, concat("[", op, "] sizes must not be negative, got ", sizes));
    } else if (__builtin_mul_overflow(known, out[i], &known)) {
      fail(Code::overflow, concat("[", op, "] shape ", sizes, " is too large"));
    }
  }
  if (hole >= 0) {
    if (known == 0 || numel % known)
      fail(Code::shape, concat("[", op, "] shape ", sizes, " does not divide ", numel, " elements"));
    out[hole] = numel / known;
  } else if (known != numel) {
    fail(Code::shape,
         concat("[", op, "] shape ", sizes, " has ", known, " elements, the tensor has ", numel));
  }
  if (numel == 0) checked_numel(out);  // sizes beside a 0 may be anything
  return out;
}

bool is_contiguous(IntList sizes, IntList strides) {
  int64_t want = 1;
  bool dense = true;
  for (int64_t i = int64_t(sizes.size()) - 1; i >= 0; --i) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    dense &= strides[i] == want;
    want *= sizes[i];
  }
  return dense;
}

bool view_strides(IntList old_sizes, IntList old_strides, IntList sizes, Shape* strides) {
  *strides = contiguous_strides(sizes);
  if (old_sizes.empty()) return true;  // one element
  for (int64_t s : old_sizes)
    if (s == 0) return true;
  // Walk both shapes from the back: every run of old dimensions that is dense among itself must equal a run
  // of new ones.
  int64_t v = int64_t(sizes.size()) - 1, run = 1, covered = 1;
  int64_t base = old_strides.back();
  for (int64_t d = int64_t(old_sizes.size()) - 1; d >= 0; --d) {
    run *= old_sizes[d];
    bool run_ends = d == 0 || (old_sizes[d - 1] != 1 && old_strides[d - 1] != run * base);
    if (!run_ends) continue;
    while (v >= 0 && (covered < run || sizes[v] == 1)) {
      (*strides)[v] = covered * base;
      covered *= sizes[v--];
    }
    if (covered != run) return false;
    if (d > 0) {
      base = old_strides[d - 1];
      run = covered = 1;
    }
  }
  return v == -1;
}

}  // namespace haft
