"""Linear algebra by PyTorch's names: decompositions, systems, norms and products of vectors and matrices, all of real ones; ldl_factor is not there."""
import haft as _h

from ._arguments import real as _real
from ._creation import into_or_new as _filled
from ._decompositions import cond, eigh, eigvalsh, lstsq, lu, lu_factor, lu_factor_ex, matrix_rank, pinv
from ._library import raw as _R
from ._ops import (linalg_cholesky as cholesky, linalg_cholesky_ex as cholesky_ex, linalg_det as det, linalg_eig as eig, linalg_eigvals as eigvals,
                   linalg_householder_product as householder_product, linalg_inv as inv, linalg_inv_ex as inv_ex, linalg_lu_solve as lu_solve, linalg_qr as qr,
                   linalg_slogdet as slogdet, linalg_solve as solve, linalg_solve_ex as solve_ex, linalg_solve_triangular as solve_triangular,
                   linalg_svd as svd, linalg_svdvals as svdvals, linalg_tensorinv as tensorinv, linalg_tensorsolve as tensorsolve,
                   linalg_vander as vander, matrix_exp)
from ._vectors import cross, diagonal, multi_dot, vecdot, vector_norm

__all__ = ["LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "householder_product", "inv",
           "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot",
           "norm", "pinv", "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot",
           "vector_norm"]

_INF = float("inf")


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The norm of matrices in two dimensions. ord: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    A = _real(A, dtype, "matrix_norm")
    dims = list(dim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    if A.dim() < 2 or (dims[0] - dims[1]) % A.dim() == 0:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different and the tensor have two. Got {tuple(dims)} of {A.dim()}")
    if ord == "nuc":
        return _filled(_R.nuclear_norm(A, dims, keepdim), out, True)
    if ord not in ("fro", 1, -1, 2, -2, _INF, -_INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    return _filled(_R.matrix_norm(A, None if ord == "fro" else ord, dims, keepdim), out, True)


def norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """vector_norm, or matrix_norm when dim names two dimensions, or when ord is given for a matrix without dim."""
    if dim is not None and not isinstance(dim, int) and len(tuple(dim)) == 1:
        dim = tuple(dim)[0]
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype, out=out)
    matrix = dim is not None and not isinstance(dim, int)
    if dim is None:
        if A.dim() not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got " f"{A.dim()}D.")
        matrix = A.dim() == 2
    if matrix:
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: ord={ord!r} is for matrices; dim names two dimensions")
    return vector_norm(A, ord, dim, keepdim, dtype=dtype, out=out)


matmul, matrix_power = _h.matmul, _h.matrix_power
LinAlgError = _h.LinAlgError
