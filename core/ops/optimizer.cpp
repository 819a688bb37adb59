// The optimizer steps take lists one after the other and write into them; they have no results.
#include <algorithm>

#include "core/dispatch/layout.h"
#include "core/ops/gradient.h"

namespace haft {

namespace {

// `lists` lists of n tensors: parameters, gradients, then what the optimizer remembers; all like the
// parameters.
void check_lists(ShapeContext& c, int64_t lists) {
  static constexpr const char* names[] = {"parameter", "gradient", "first state", "second state",
                                          "third state"};
  int64_t n = c.attrs.i(0);
  if (n < 0 || c.n_in() != n * lists)
    fail(Code::invalid_argument,
         concat("[", c.name(), "] ", lists, " lists of ", n, " tensors were announced, ", c.n_in(),
                " tensors given"),
         {}, "lists");
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < lists; ++k)
      if (!c.has(int(k * n + i)))
        fail(Code::invalid_argument, concat("[", c.name(), "] ", names[k], " ", i, " is missing"), {},
             "lists");
    const Tensor& p = c.in(int(i));
    for (int64_t k = 0; k < lists; ++k) {
      const Tensor& t = c.in(int(k * n + i));
      require_float(c, t, names[k]);
      if (!std::ranges::equal(t.sizes(), p.sizes()))
        fail(Code::shape,
             concat("[", c.name(), "] ", names[k], " ", i, " has shape ", t.sizes(), ", its parameter ",
                    p.sizes()),
             {}, "lists");
      if ((t.dtype() == DType::f64) != (p.dtype() == DType::f64))
        fail(Code::dtype,
             concat("[", c.name(), "] ", names[k], " ", i, " is ", dtype_name(t.dtype()), ", its parameter ",
                    dtype_name(p.dtype())),
             "cast it", "lists");
      if (k != 1)
        resolve_written(*t.impl(), false)
            .storage->bump();  // about to be written: what was saved or packed of it is stale
    }
  }
}

}  // namespace

SHAPE(sgd_step) { check_lists(c, c.attrs.d(3) != 0 ? 3 : 2); }
SHAPE(adam_step) { check_lists(c, c.attrs.b(9) ? 5 : 4); }

}  // namespace haft
