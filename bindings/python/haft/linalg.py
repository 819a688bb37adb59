"""Linear algebra by PyTorch's names, as far as the engine has operators for it: norms and products of vectors and matrices."""
import haft as _h

from ._arguments import real as _real
from ._creation import into_or_new as _filled
from ._library import raw as _R
from ._vectors import cross, diagonal, multi_dot, vecdot, vector_norm

__all__ = ["cross", "diagonal", "matmul", "matrix_norm", "matrix_power", "multi_dot", "norm", "vecdot", "vector_norm"]

_INF = float("inf")


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The norm of matrices in two dimensions. ord: "fro", 1, -1, inf or -inf. Those by singular values ("nuc", 2, -2) need a
    decomposition that the engine lacks: an UnsupportedError."""
    A = _real(A, dtype, "matrix_norm")
    dims = list(dim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    rows, columns = (d % A.dim() for d in dims)
    if A.dim() < 2 or rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different and the tensor have two. Got {tuple(dims)} of {A.dim()}")
    if ord in ("nuc", 2, -2):
        from ._errors import UnsupportedError
        raise UnsupportedError(f"linalg.matrix_norm: ord={ord!r} needs singular values, which haft does not compute")
    if ord not in ("fro", 1, -1, _INF, -_INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    return _filled(_R.matrix_norm(A, None if ord == "fro" else ord, dims, keepdim), out)


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
