// gather, scatter and its reductions: an index of the tensor's rank replaces the coordinate along one dimension.
#include "core/cuda/indices.h"

namespace haft::cuda {

namespace {

// in: x, index, src; attrs: dim; out holds x already
void scatter(const Call& c, Join join) {
  put_into(c, c.out(), join, [&](const haft_tensor_view& table) {
    return by_element(c, table, c.in(1), c.in(2),
                      c.attrs.i(0) < 0 ? c.attrs.i(0) + table.ndim : c.attrs.i(0));
  });
}

}  // namespace

// in: x, index; attrs: dim
void k_gather(const Call& c) {
  take(c, by_element(c, c.in(0), c.in(1), c.out(),
                     c.attrs.i(0) < 0 ? c.attrs.i(0) + c.in(0).ndim : c.attrs.i(0)));
}
void k_scatter(const Call& c) { scatter(c, Join::last); }
void k_scatter_add(const Call& c) { scatter(c, Join::sum); }
void k_scatter_prod(const Call& c) { scatter(c, Join::product); }
void k_scatter_amax(const Call& c) { scatter(c, Join::largest); }
void k_scatter_amin(const Call& c) { scatter(c, Join::smallest); }

}  // namespace haft::cuda
