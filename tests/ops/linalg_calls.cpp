// Calls of each operator of linear algebra with nothing around it, for other languages to make them again
// (dump_test.cpp). Their matrices are batches, which may be expanded.
#include <algorithm>

#include "tests/ops/record.h"

namespace haft::test {

void add_plain_linalg(Records& r, Input (*apart)(Sizes), Input (*exchanged)(Sizes));

void add_plain_linalg(Records& r, Input (*apart)(Sizes), Input (*exchanged)(Sizes)) {
  auto record = [&](const char* name) -> Record& {
    return *std::ranges::find_if(r.all, [&](const Record& one) { return one.name == name; });
  };
  const Reference none;
  const Input square = apart({2, 2, 2}), moved = exchanged({2, 2, 2}), right = real({2, 2, 1});
  const Input pivots = index_values({2, 2}, {2, 2, 1, 2});
  record("linalg_solve_triangular")
      .add({square, right}, CALL(ops::linalg_solve_triangular(t[0], t[1], true)), none);
  record("linalg_cholesky").add({square}, CALL(ops::linalg_cholesky(t[0])), none).no_grad();
  record("linalg_cholesky_ex").add({square}, CALL(ops::linalg_cholesky_ex(t[0])), none).no_grad();
  record("cholesky_solve").add({right, square}, CALL(ops::cholesky_solve(t[0], t[1])), none);
  record("cholesky_inverse").add({square}, CALL(ops::cholesky_inverse(t[0])), none);
  record("linalg_lu_factor").add({moved}, CALL(ops::linalg_lu_factor(t[0])), none);
  record("linalg_lu_factor_ex").add({moved}, CALL(ops::linalg_lu_factor_ex(t[0])), none);
  record("linalg_lu").add({moved}, CALL(ops::linalg_lu(t[0])), none);
  record("lu_unpack").add({square, pivots}, CALL(ops::lu_unpack(t[0], t[1])), none);
  record("linalg_lu_solve").add({square, pivots, right}, CALL(ops::linalg_lu_solve(t[0], t[1], t[2])), none);
  record("linalg_solve_ex").add({moved, right}, CALL(ops::linalg_solve_ex(t[0], t[1])), none);
  record("linalg_inv_ex").add({moved}, CALL(ops::linalg_inv_ex(t[0])), none);
  record("linalg_slogdet").add({moved}, CALL(ops::linalg_slogdet(t[0])), none);
  record("logdet").add({square}, CALL(ops::logdet(t[0])), none);
  record("linalg_qr").add({square}, CALL(ops::linalg_qr(t[0])), none);
  record("linalg_eigh").add({apart({2, 1, 1})}, CALL(ops::linalg_eigh(t[0])), none);
  record("linalg_eigvalsh").add({square}, CALL(ops::linalg_eigvalsh(t[0])), none).no_grad();
  record("linalg_svd").add({apart({2, 1, 1})}, CALL(ops::linalg_svd(t[0])), none);
  record("linalg_svdvals").add({square}, CALL(ops::linalg_svdvals(t[0])), none);
  record("linalg_matrix_rank").add({square}, CALL(ops::linalg_matrix_rank(t[0])), none);
  record("linalg_lstsq").add({square, right}, CALL(ops::linalg_lstsq(t[0], t[1])), none).no_grad();
  record("nuclear_norm").add({square}, CALL(ops::nuclear_norm(t[0])), none);
  record("linalg_tensorsolve")
      .add({exchanged({1, 2, 2}), real({1, 2})}, CALL(ops::linalg_tensorsolve(t[0], t[1])), none);
  record("linalg_tensorinv").add({exchanged({1, 2, 2})}, CALL(ops::linalg_tensorinv(t[0], 2)), none);
}

}  // namespace haft::test
