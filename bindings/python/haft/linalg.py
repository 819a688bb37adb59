"""Linear algebra by PyTorch's names, as far as the engine has operators for it: norms and products of vectors and matrices."""
from . import _haft
from ._creation import into_or_new as _filled
import haft as _h

__all__ = ["cross", "diagonal", "matmul", "matrix_norm", "matrix_power", "multi_dot", "norm", "vecdot", "vector_norm"]

Tensor = _haft.Tensor
_INF = float("inf")


def _real(A, dtype, name):
    if dtype is not None:
        A = A.to(dtype)
    if not A.dtype.is_floating_point:
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {A.dtype}")
    return A


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """(sum |x|^ord)^(1/ord) over dim, or over all elements. ord: a number; 0 counts what is not zero; +-inf: the largest or the
    smallest magnitude. Counts take no gradient."""
    x = _real(x, dtype, "vector_norm")
    return _filled(_h.norm(x, float(ord), dim, keepdim), out)


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
    if ord == "fro":
        return _filled(_h.norm(A, 2.0, dims, keepdim), out)
    if ord in ("nuc", 2, -2):
        from ._errors import UnsupportedError
        raise UnsupportedError(f"linalg.matrix_norm: ord={ord!r} needs singular values, which haft does not compute")
    if ord not in (1, -1, _INF, -_INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    summed, left = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = A.abs().sum(summed, True)
    y = sums.sum(left, True) if ord > 0 and sums.size(left) == 0 else sums.amax(left, True) if ord > 0 else sums.amin(left, True)
    if not keepdim:
        for d in sorted((rows, columns), reverse=True):
            y = y.squeeze(d)
    return _filled(y, out)


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


def vecdot(x, y, *, dim=-1, out=None):
    """The inner products along a dimension."""
    if x.is_floating_point() and y.is_floating_point() and _h.is_autocast_enabled(x.device.type):
        return _filled((x.movedim(dim, -1).unsqueeze(-2) @ y.movedim(dim, -1).unsqueeze(-1)).squeeze(-1).squeeze(-1), out)
    return _filled((x * y).sum(dim), out)


def cross(input, other, *, dim=-1, out=None):
    """The vector products along a dimension of size 3."""
    return _h.cross(input, other, dim, out=out)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals, as a view."""
    return A.diagonal(offset, dim1, dim2)


def multi_dot(tensors, *, out=None):
    """The product of several matrices, in the order that takes the fewest multiplications; the first and the last may be vectors."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    return _h.chain_matmul(*tensors, out=out)
