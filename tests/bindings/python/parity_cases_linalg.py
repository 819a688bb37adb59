"""Decompositions, linear systems and what is made of them: random arguments for parity_cases.run. `e` keeps matrices away from singular ones, and apart what
derivatives want apart; signs that any decomposition may choose are squared away."""
import numpy as np

from parity_cases import FLOATS, INTS, Arg, case


def matrices(d):
    n, k = d.size(1, 5), d.size(1, 4)
    m = n + d.size(0, 3)
    eye = lambda rows, columns, values: Arg((np.eye(rows, columns) * values).astype(d.dtype), grad=False)
    return dict(a=d.tensor(2, n, n), t=d.tensor(m, n, low=-1, high=1), w=d.tensor(n, m, low=-1, high=1), b=d.tensor(2, n, k), c=d.tensor(k, n), v=d.tensor(n), y=d.tensor(m, k),
                e=eye(n, n, 9 + 3 * np.arange(n)), f=eye(m, n, 5 + 3 * np.arange(n)), g=eye(n, m, 5 + 3 * np.arange(m)), n=n)


_some = dict(layouts=("dense", "transposed", "strided", "offset"), limit=2e-3)
_first = dict(_some, second=False)
case("linalg_cholesky", "h.linalg.cholesky(a @ a.mT + e) | h.linalg.cholesky(a @ a.mT + e, upper=True) | (a @ a.mT + e).cholesky() | h.cholesky(a @ a.mT + e, True)", matrices, **_some)
case("linalg_cholesky_ex", "h.linalg.cholesky_ex(a @ a.mT + e).L | h.linalg.cholesky_ex(a @ a.mT + e, upper=True)[0] | h.linalg.cholesky_ex(-e).info", matrices, **_first)
case("cholesky_solve", "h.cholesky_solve(b, h.linalg.cholesky(a @ a.mT + e)) | b.cholesky_solve(h.linalg.cholesky(a @ a.mT + e).mT, upper=True)", matrices, **_first)
case("cholesky_inverse", "h.cholesky_inverse(h.linalg.cholesky(a @ a.mT + e)) | h.linalg.cholesky((a @ a.mT + e)).mT.contiguous().cholesky_inverse(upper=True)", matrices, **_first)
case("linalg_lu_factor", "h.linalg.lu_factor(a + e).LU | h.linalg.lu_factor(t + f)[0] | h.linalg.lu_factor(w + g)[0] | h.linalg.lu_factor((a + e).detach()).pivots", matrices, **_first)
case("linalg_lu_factor_ex", "h.linalg.lu_factor_ex(a + e)[0] | h.linalg.lu_factor_ex(e * 0).info", matrices, **_first)
case("lu_unpack", "h.lu_unpack(*h.linalg.lu_factor(a + e))[1] | h.lu_unpack(*h.linalg.lu_factor(t + f))[2] | h.lu_unpack(*h.linalg.lu_factor(t.flip(0)), unpack_data=False)[0]", matrices, **_first)
case("linalg_lu", "h.linalg.lu(a + e) | h.linalg.lu(t + f) | h.linalg.lu(w + g)", matrices, **_first)
case("linalg_lu_solve", "h.linalg.lu_solve(*h.linalg.lu_factor(a + e), b) | h.linalg.lu_solve(*h.linalg.lu_factor(a + e), c, left=False) | h.linalg.lu_solve(*h.linalg.lu_factor(a + e), b, adjoint=True) | h.lu_solve(b, *h.linalg.lu_factor(a + e))",
     matrices, **_first)
case("linalg_solve_triangular", "h.linalg.solve_triangular(a + e, b, upper=True) | h.linalg.solve_triangular(a + e, b, upper=False) | h.linalg.solve_triangular(a + e, c, upper=True, left=False) | "
     "h.linalg.solve_triangular(a / 9, b, upper=False, unitriangular=True) | h.triangular_solve(b, a + e, transpose=True)[0]", matrices, **_some)
case("linalg_solve", "h.linalg.solve(a + e, b) | h.linalg.solve(a + e, v) | h.linalg.solve(a + e, c, left=False) | h.linalg.solve(a + e, b[..., 0])", matrices, **_some)
case("linalg_solve_ex", "h.linalg.solve_ex(a + e, b)[0] | h.linalg.solve_ex(e * 0, b.detach())[1]", matrices, **_first)
case("linalg_inv", "h.linalg.inv(a + e) | (a + e).inverse() | h.inverse(e + a[0])", matrices, **_some)
case("linalg_inv_ex", "h.linalg.inv_ex(a + e)[0] | h.linalg.inv_ex(e * 0).info", matrices, **_first)
case("linalg_det", "h.linalg.det(a + e) | h.det(a[0] / 3 + e / 9) | (a + e).det()", matrices, **_some)
case("linalg_det", "h.linalg.det(a * 0)", matrices, gradients=False, layouts=("dense",))
case("linalg_slogdet", "h.linalg.slogdet(a + e)[1] | h.slogdet(a + e).logabsdet", matrices, **_some)
case("linalg_slogdet", "h.linalg.slogdet(a) | a.slogdet() | h.linalg.slogdet(a * 0)", matrices, gradients=False, layouts=("dense",), limit=1e-3)
case("logdet", "h.logdet(a @ a.mT + e) | (a @ a.mT + e).logdet()", matrices, **_some)
case("logdet", "h.logdet(a) | h.logdet(a * 0)", matrices, gradients=False, layouts=("dense",), limit=1e-3)
case("linalg_qr", "h.linalg.qr(a + e) | h.linalg.qr(t + f) | h.linalg.qr(w + g) | (t + f).qr()", matrices, **_first)
case("linalg_qr", "h.linalg.qr((t + f).detach(), mode='r')[1] | h.linalg.qr((t + f).detach(), mode='r')[0] | h.linalg.qr((t + f).detach(), 'complete')[1]", matrices, gradients=False, layouts=("dense",), limit=1e-4)
case("linalg_householder_product", "h.linalg.householder_product(t, v) | h.orgqr(t, v)", matrices, **_first)
case("linalg_eigh", "h.linalg.eigh(a + a.mT + e)[0] | h.linalg.eigh(a + a.mT + e).eigenvectors ** 2 | h.linalg.eigh(a + a.mT + e, 'U')[1] ** 2", matrices, **_first)
case("linalg_eigvalsh", "h.linalg.eigvalsh(a + a.mT + e) | h.linalg.eigvalsh(a + a.mT + e, UPLO='U')", matrices, **_first)
case("linalg_eig", "(lambda r: (r[1].abs() ** 2 * r[0].real.unsqueeze(-2)).sum(-1))(h.linalg.eig(a + e)) | (h.linalg.eig(a + e).eigenvalues ** 2).sum(-1).real", matrices, **_first)
case("linalg_eigvals", "h.linalg.eigvals(a + e).sum(-1).real | (h.linalg.eigvals(a + e) ** 3).real.sum(-1)", matrices, **_first)
case("linalg_svd", "h.linalg.svd(a + e).S | h.linalg.svd(t + f, full_matrices=False)[0] ** 2 | h.linalg.svd(w + g, full_matrices=False)[2] ** 2 | h.svd(t + f)[2] ** 2", matrices, **_first)
case("linalg_svdvals", "h.linalg.svdvals(a + e) | h.linalg.svdvals(t) | h.linalg.svdvals(w + g)", matrices, **_first)
case("linalg_pinv", "h.linalg.pinv(a + e) | h.linalg.pinv(t + f) | h.linalg.pinv(w + g) | (t + f).pinverse() | h.linalg.pinv(a + a.mT + e, hermitian=True)", matrices, **_first)
case("linalg_matrix_rank", "h.linalg.matrix_rank(a + e) | h.linalg.matrix_rank(t * 0) | h.linalg.matrix_rank(e - e[0, 0] * h.eye(n, dtype=e.dtype)) | h.linalg.matrix_rank(a + e, atol=12.0, rtol=0.0) | h.linalg.matrix_rank(e, hermitian=True)",
     matrices, gradients=False, layouts=("dense",))
case("linalg_lstsq", "h.linalg.lstsq(t + f, y)[0] | h.linalg.lstsq(a + e, b).solution | h.linalg.lstsq(w + g, v.unsqueeze(-1))[0]", matrices, **_first)
case("linalg_lstsq", "h.linalg.lstsq(t + f, y, driver='gelsd') | h.linalg.lstsq(t + f, y, driver='gels') | h.linalg.lstsq(t + f, y).rank", matrices, gradients=False, layouts=("dense",), limit=1e-3)
case("linalg_cond", "h.linalg.cond(a + e) | h.linalg.cond(t + f, -2) | h.linalg.cond(a + e, 1) | h.linalg.cond(a + e, float('-inf')) | h.linalg.cond(a + e, 'fro') | h.linalg.cond(a + e, 'nuc')", matrices, **_first)
case("nuclear_norm", "h.linalg.matrix_norm(t + f, 'nuc') | h.linalg.matrix_norm(a + e, 'nuc', dim=(1, 2), keepdim=True) | h.linalg.matrix_norm(t + f, 2) | h.linalg.matrix_norm(a + e, -2, (2, 1), True)", matrices, **_first)
case("matrix_exp", "h.matrix_exp(a / 4) | h.linalg.matrix_exp(a) | (a / 3).matrix_exp()", matrices, **_first)
case("linalg_tensorsolve", "h.linalg.tensorsolve((a + e)[0].reshape(n, n, 1), v) | h.linalg.tensorsolve((a + e)[0].unsqueeze(0), v, dims=(0,))", matrices, **_first)
case("linalg_tensorinv", "h.linalg.tensorinv((a + e)[0].unsqueeze(0)) | h.linalg.tensorinv((a + e)[0], ind=1)", matrices, **_first)
case("linalg_vander", "h.linalg.vander(v) | h.linalg.vander(c, N=3) | h.vander(v, 4) | h.vander(v, increasing=True)", lambda d: dict(v=d.tensor(d.size(2, 5)), c=d.tensor(3, 2)), dtypes=FLOATS, layouts=("dense",), second=False, limit=1e-3)
case("linalg_vander", "h.linalg.vander(x)", lambda d: dict(x=d.tensor(3, low=-3, high=3)), dtypes=INTS, gradients=False, layouts=("dense",))
case("matrix_power", "h.linalg.matrix_power(a + e, -1) * 9 | h.matrix_power((a + e) / 9, -2)", matrices, **_first)
