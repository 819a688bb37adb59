"""Gathering, scattering and selecting with PyTorch's arguments."""
from . import _dtype, _ops
from ._creation import as_tensor, into_or_new as _out
from ._library import _haft, raw as R
from ._names import Names
from ._ops_pointwise import _kept, _overwrites

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
_function = _names.function


def _source(input, index, src):
    return src if isinstance(src, Tensor) else R.full(index.shape, src, input.dtype, input.device)


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """A copy of input with src (a tensor or a number) written where index points along dim."""
    src = value if src is None else src
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        # HAFT_REDUCE_SUM and _PROD
        return R.scatter_reduce(input, dim, index, _source(input, index, src), 0 if reduce == "add" else 1, True)
    return R.scatter(input, dim, index, _source(input, index, src))


def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
    """Writes src (a tensor or a number) where index points along dim, in place."""
    src = value if src is None else src
    if reduce is not None:
        return self.copy_(scatter(_kept(self), dim, index, src, reduce=reduce))
    return R.scatter_(self, dim, index, _source(self, index, src))


def index_add(input, dim, index, source, *, alpha=1):
    """A copy of input with alpha times the slices of source added at index along dim."""
    return R.index_add(input, dim, index, source if alpha == 1 else source * alpha)


def index_add_(self, dim, index, source, *, alpha=1):
    """Adds alpha times the slices of source at index along dim, in place."""
    return R.index_add_(self, dim, index, source if alpha == 1 else source * alpha)


def _along(dim, index, ndim):
    return (slice(None),) * (dim % ndim) + (index,)


def index_copy_(self, dim, index, source):
    """Writes the slices of source at index along dim, in place."""
    if not self.ndim:
        return self.copy_(R.index_copy(_kept(self), dim, index, source))
    self[_along(dim, index, self.ndim)] = source
    return self


def index_fill(input, dim, index, value):
    """A copy of input with value, a number or a tensor of no dimensions, in the slices at index along dim."""
    if not isinstance(value, Tensor):
        return R.index_fill(input, dim, index, value)
    if value.ndim:
        raise RuntimeError(f"index_fill: value must be a number or have no dimensions, got {value.ndim}")
    if not input.ndim:
        return value.to(input.dtype).clone() if index.numel() else input.clone()
    size = list(input.shape)
    size[dim] = index.numel()
    return R.index_copy(input, dim, R.where(index < 0, index + input.size(dim), index).reshape(-1), value.to(input.dtype).expand(size))


def index_fill_(self, dim, index, value):
    """Writes value in the slices at index along dim, in place."""
    if not self.ndim:
        return self.copy_(index_fill(_kept(self), dim, index, value))
    self[_along(dim, index, self.ndim)] = value
    return self


def _indices(indices):
    return [None if i is None else as_tensor(i) for i in indices]


def index_put(input, indices, values, accumulate=False):
    """A copy of input with values written (or added) where the index tensors point."""
    values = values if isinstance(values, Tensor) else R.full((), values, input.dtype, input.device)
    return R.index_put(input, _indices(indices), values, accumulate)


def index_put_(self, indices, values, accumulate=False):
    """Writes values (or adds them) where the index tensors point, in place."""
    values = values if isinstance(values, Tensor) else R.full((), values, self.dtype, self.device)
    return R.index_put_(self, _indices(indices), values, accumulate)


def nonzero(input, *, out=None, as_tuple=False):
    """Indices of the elements that are not 0: a row each, or a vector a dimension."""
    if as_tuple:
        rows = R.nonzero(input.reshape(1) if input.ndim == 0 else input)
        return tuple(R.unbind(rows, 1))
    return _out(R.nonzero(input), out)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """Where each value would go in a sequence that is sorted along its last dimension, or that sorter puts in order."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("searchsorted(): side and right can't be set to opposites, got side of left while right was True")
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    t = R.searchsorted(*_alike(sorted_sequence, input), right or side == "right")
    return _out(t.to(dtype=_dtype.int32) if out_int32 else t, out)


@_function
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The range between boundaries that each value falls in."""
    boundaries, input = _alike(boundaries, input)
    t = R.bucketize(input, boundaries, right)
    return _out(t.to(dtype=_dtype.int32) if out_int32 else t, out)


def _values(input, like):
    return input if isinstance(input, Tensor) else as_tensor(input, device=like.device)


def _alike(ordered, values):
    # Both in the type that holds both.
    values = _values(values, ordered)
    if ordered.dtype is values.dtype:
        return ordered, values
    from ._ops_shape import result_type
    dtype = result_type(ordered, values)
    return ordered.to(dtype=dtype), values.to(dtype=dtype)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """True where an element is among test_elements, or is not with invert. One of the two may be a number."""
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin() takes at least one Tensor")
    return R.isin(_values(elements, test_elements), _values(test_elements, elements), invert)


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes a value on the main diagonal, in place."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    n = min(self.shape)
    at = R.arange(0, n, 1, _dtype.int64, self.device)
    self[(at,) * self.ndim] = fill_value
    if wrap and self.ndim == 2 and self.size(0) > self.size(1) + 1:
        for start in range(self.size(1) + 1, self.size(0), self.size(1) + 1):
            fill_diagonal_(self[start:], fill_value)
    return self


_names.collect(globals())
METHODS.update((name, _ops.METHODS[name]) for name in ("scatter_reduce", "index_reduce"))
_overwrites(METHODS, "scatter_reduce index_reduce put masked_scatter")
