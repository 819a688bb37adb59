"""Gathering, scattering and selecting with PyTorch's arguments."""
from . import _dtype
from ._creation import as_tensor, into_or_new as _out
from ._library import _haft, raw as R
from ._names import Names

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
_both, _method = _names.both, _names.method


@_both
def index_select(input, dim, index, *, out=None):
    """Slices of input along dim at the indices of a vector."""
    return _out(R.index_select(input, dim, index), out)


@_both
def gather(input, dim, index, *, sparse_grad=False, out=None):
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    return _out(R.gather(input, dim, index), out)


@_both
def take(input, index):
    """Elements of the flattened tensor at index."""
    return input.reshape(-1)[index]


@_both
def take_along_dim(input, indices, dim=None, *, out=None):
    """Elements of input along dim at indices, both broadcast; without dim: of the flattened tensor."""
    if dim is None:
        return _out(input.reshape(-1)[indices.reshape(-1)], out)
    from ._ops_shape import broadcast_shapes
    d = dim % input.ndim
    common = broadcast_shapes([n for i, n in enumerate(input.shape) if i != d], [n for i, n in enumerate(indices.shape) if i != d])
    size = list(common)
    x = input.expand(size[:d] + [input.size(d)] + size[d:])
    return _out(R.gather(x, d, indices.expand(size[:d] + [indices.size(d)] + size[d:])), out)


@_both
def select(input, dim, index):
    """input at index along dim, without that dimension."""
    return R.select(input, dim, index)


def _source(input, index, src):
    if isinstance(src, Tensor):
        # PyTorch takes a source that is larger than the index; what is beyond is not read.
        if src.shape != index.shape:
            for d, n in enumerate(index.shape):
                src = src.narrow(d, 0, n)
        return src
    return R.full(index.shape, src, input.dtype, input.device)


@_both
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """A copy of input with src (a tensor or a number) written where index points along dim."""
    src = value if src is None else src
    if reduce is not None:
        return _scatter_reduced(input, dim, index, _source(input, index, src), {"add": "sum", "multiply": "prod"}[reduce], True)
    return R.scatter(input, dim, index, _source(input, index, src))


@_method
def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
    """Writes src (a tensor or a number) where index points along dim, in place."""
    src = value if src is None else src
    if reduce is not None:
        return self.copy_(scatter(self, dim, index, src, reduce=reduce))
    return R.scatter_(self, dim, index, _source(self, index, src))


@_both
def scatter_add(input, dim, index, src):
    """A copy of input with src added where index points along dim."""
    return R.scatter_add(input, dim, index, _source(input, index, src))


@_method
def scatter_add_(self, dim, index, src):
    """Adds src where index points along dim, in place."""
    return R.scatter_add_(self, dim, index, _source(self, index, src))


def _scatter_reduced(input, dim, index, src, reduce, include_self):
    ones = R.ones(index.shape, input.dtype, input.device)
    hit = R.zeros(input.shape, input.dtype, input.device).scatter_add(dim, index, ones)
    base = input if include_self else R.where(hit == 0, input, R.full((), {"sum": 0, "mean": 0, "prod": 1}.get(reduce, 0), input.dtype, input.device))
    if reduce in ("sum", "mean"):
        total = R.scatter_add(base, dim, index, src)
        if reduce == "sum":
            return total
        count = (hit + (1 if include_self else 0)).clamp(1)
        return total / count if input.dtype.is_floating_point else total // count
    if reduce not in ("prod", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    combine = {"prod": lambda a, b: a * b, "amax": R.maximum, "amin": R.minimum}[reduce]
    # Repeated indices one after the other: the n-th pass takes the n-th source of each place.
    result, left, started = base, R.ones(index.shape, _dtype.bool, input.device), include_self
    order = R.arange(0, index.numel(), 1, _dtype.int64, input.device).reshape(index.shape)
    seen = hit == 0 if not include_self else None
    while left.any().item():
        none = R.full(input.shape, -1, _dtype.int64, input.device)
        chosen = none.scatter(dim, index, R.where(left, order, R.full((), -1, _dtype.int64, input.device))) if left.all().item() else \
            _chosen(none, dim, index, order, left)
        at = chosen >= 0
        picked = src.reshape(-1)[chosen.clamp(0)]
        fresh = at & ~seen if seen is not None else None
        combined = combine(result, picked)
        if fresh is not None:
            combined = R.where(fresh, picked, combined)
            seen = seen | at
        result = R.where(at, combined, result)
        left = left & (chosen.gather(dim, index) != order)
    return result


def _chosen(none, dim, index, order, left):
    # The largest source that is left for each place: what is done counts as -1 and loses.
    best = none
    flat = R.where(left, order, R.full((), -1, _dtype.int64, none.device))
    for i in range(index.size(dim)):
        part, at = flat.narrow(dim, i, 1), index.narrow(dim, i, 1)
        best = best.scatter(dim, at, R.maximum(best.gather(dim, at), part))
    return best


@_both
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """A copy of input with src combined ("sum", "prod", "mean", "amax", "amin") where index points along dim."""
    return _scatter_reduced(input, dim, index, _source(input, index, src), reduce, include_self)


@_method
def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """scatter_reduce, in place."""
    return self.copy_(scatter_reduce(self, dim, index, src, reduce, include_self=include_self))


@_both
def index_add(input, dim, index, source, *, alpha=1):
    """A copy of input with alpha times the slices of source added at index along dim."""
    return R.index_add(input, dim, index, source if alpha == 1 else source * alpha)


@_method
def index_add_(self, dim, index, source, *, alpha=1):
    """Adds alpha times the slices of source at index along dim, in place."""
    return R.index_add_(self, dim, index, source if alpha == 1 else source * alpha)


def _along(dim, index, ndim):
    return (slice(None),) * (dim % ndim) + (index,)


@_method
def index_copy_(self, dim, index, source):
    """Writes the slices of source at index along dim, in place."""
    self[_along(dim, index, self.ndim)] = source
    return self


@_both
def index_copy(input, dim, index, source):
    """A copy of input with the slices of source at index along dim."""
    return index_copy_(input.clone(), dim, index, source)


@_method
def index_fill_(self, dim, index, value):
    """Writes value at index along dim, in place."""
    self[_along(dim, index, self.ndim)] = value
    return self


@_both
def index_fill(input, dim, index, value):
    """A copy of input with value at index along dim."""
    return index_fill_(input.clone(), dim, index, value)


def _indices(indices):
    return [None if i is None else as_tensor(i) for i in indices]


@_both
def index_put(input, indices, values, accumulate=False):
    """A copy of input with values written (or added) where the index tensors point."""
    values = values if isinstance(values, Tensor) else R.full((), values, input.dtype, input.device)
    return R.index_put(input, values, accumulate, _indices(indices))


@_method
def index_put_(self, indices, values, accumulate=False):
    """Writes values (or adds them) where the index tensors point, in place."""
    values = values if isinstance(values, Tensor) else R.full((), values, self.dtype, self.device)
    return R.index_put_(self, values, accumulate, _indices(indices))


@_method
def put_(self, index, source, accumulate=False):
    """Writes source (or adds it) at index of the flattened tensor, in place."""
    flat = self.reshape(-1) if not self.is_contiguous() else self.view(-1)
    index_put_(flat, (index.reshape(-1),), source.reshape(-1), accumulate)
    return self if self.is_contiguous() else self.copy_(flat.reshape(self.shape))


@_both
def masked_select(input, mask, *, out=None):
    """The elements where mask is true, as a vector."""
    return _out(R.masked_select(input, mask), out)


@_both
def masked_scatter(input, mask, source):
    """A copy of input with consecutive elements of source where mask is true."""
    return R.masked_scatter(input, mask, source)


@_method
def masked_scatter_(self, mask, source):
    """Writes consecutive elements of source where mask is true, in place."""
    return self.copy_(R.masked_scatter(self, mask, source))


@_both
def nonzero(input, *, out=None, as_tuple=False):
    """Indices of the elements that are not 0: a row each, or a vector a dimension."""
    if as_tuple:
        rows = R.nonzero(input.reshape(1) if input.ndim == 0 else input)
        return tuple(R.unbind(rows, 1))
    return _out(R.nonzero(input), out)


@_both
def argwhere(input):
    """Indices of the elements that are not 0, a row each."""
    return R.nonzero(input)


@_both
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Where each value would go in a sorted sequence (along its last dimension), by halving."""
    right = right or side == "right"
    values = input if isinstance(input, Tensor) else R.full((), input, sorted_sequence.dtype)
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    n = sorted_sequence.size(-1)
    one = sorted_sequence.ndim == 1
    low = R.zeros(values.shape, _dtype.int64, values.device)
    high = R.full(values.shape, n, _dtype.int64, values.device)
    for _ in range(n.bit_length()):
        active = low < high
        middle = (low + high) // 2
        at = middle.clamp(0, n - 1)
        here = sorted_sequence[at] if one else sorted_sequence.gather(-1, at)
        go = (here <= values if right else here < values) | (values.isnan() if values.dtype.is_floating_point else R.zeros((), _dtype.bool))
        low = R.where(active & go, middle + 1, low)
        high = R.where(active & ~go, middle, high)
    return low.to(dtype=_dtype.int32) if out_int32 else low


FUNCTIONS["bucketize"] = lambda input, boundaries, *, out_int32=False, right=False: searchsorted(boundaries, input, out_int32=out_int32, right=right)
FUNCTIONS["bucketize"].__doc__ = "The range between boundaries that each value falls in."


@_method
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
