"""Functions that are several operators by their arguments, and the forms in place that the engine lacks; _forms.py has those of one."""
from . import _dtype, _forms, _ops
from ._arguments import kept as _kept, like_number as _like_number, rank as _rank
from ._creation import into_or_new as _out, not_empty as _not_empty, outs as _outs, result as _result, tensor as _tensor
from ._library import _haft, raw as R
from ._names import Names, called as _called

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
Max, Min, Median, NanMedian = (_result(n, "values", "indices") for n in ("max", "min", "median", "nanmedian"))
Histogram = _result("histogram", "hist", "bin_edges")
HistogramDd = _result("histogramdd", "hist", "bin_edges")


def where(condition, input=None, other=None, *, out=None):
    """input where condition is true, other elsewhere; without them the indices where it is true."""
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        dtype = None if isinstance(input, float) or isinstance(other, float) else _dtype_of_number(input if type(input) is type(other) else 0)
        if isinstance(input, complex) or isinstance(other, complex):
            input, other = (R.full((), complex(v), None, condition.device) for v in (input, other))
        else:
            input, other = (R.full((), v, dtype or _haft.default_dtype(), condition.device) for v in (input, other))
    elif not isinstance(input, Tensor):
        input = _like_number(other, input)
    elif not isinstance(other, Tensor):
        other = _like_number(input, other)
    t = R.where(condition if condition.dtype is _dtype.bool else condition != 0, input, other)
    return _out(t, out, True)


def _dtype_of_number(v):
    return _dtype.bool if v is True or v is False else _dtype.int64 if isinstance(v, int) else None


# ---- reductions ----

def _whole(input, name):
    if input.numel() == 0:
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.")


def _extreme(name, whole, along, pairwise, result):
    def fn(input, dim=None, keepdim=False, *, out=None, other=None, axis=None, keepdims=False):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' must be a Tensor, not {type(input).__name__}")
        dim = dim if axis is None else axis
        if isinstance(dim, Tensor):
            dim, other = None, dim
        if other is not None:
            return _out(pairwise(input, other), out)
        if dim is None:
            _whole(input, name)
            return _out(whole(input), out)
        _not_empty(input, name, dim)
        return _outs(result(along(input, dim, keepdim or keepdims)), out)
    most = "largest" if name == "max" else "smallest"
    text = (f"{name}(input): the {most} element. {name}(input, dim, keepdim=False): values and indices along dim. "
            f"{name}(input, other): the elementwise {name}imum.")
    return _called(name, text, fn)


_names.both(_extreme("max", R.amax, R.max_dim, R.maximum, Max))
_names.both(_extreme("min", R.amin, R.min_dim, R.minimum, Min))


def median(input, dim=None, keepdim=False, *, out=None):
    """The lower median: of all elements, or along dim with where it stood. NaN wins."""
    if dim is None:
        return _out(R.median(input), out)
    _not_empty(input, "median", dim)
    return _outs(Median(R.median_dim(input, dim, keepdim)), out)


def nanmedian(input, dim=None, keepdim=False, *, out=None):
    """The lower median of what is no NaN: of all elements, or along dim with where it stood. NaN where nothing else is."""
    if dim is None:
        return _out(R.nanmedian(input), out)
    _not_empty(input, "median", dim)
    return _outs(NanMedian(R.nanmedian_dim(input, dim, keepdim)), out)


# ---- samples of functions, counts, segments ----

def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """Slopes along dimensions by central differences: a tensor each. spacing: a number (None: 1), one each, or places along each (tensors)."""
    dims = [dim] if isinstance(dim, int) else list(range(input.ndim)) if dim is None else list(dim)
    one = isinstance(spacing, (int, float)) or isinstance(spacing, Tensor) and spacing.ndim == 0
    steps = [] if spacing is None else [spacing] * len(dims) if one else list(spacing)
    if spacing is not None and len(steps) != len(dims):
        raise RuntimeError(f"gradient expected spacing to be unspecified, a number, or a list of {len(dims)}, one for each dimension, but got a list of length {len(steps)}")
    return tuple(R.gradient(input, [s if isinstance(s, Tensor) else R.full((), float(s), None, input.device) for s in steps], dims, edge_order))


def histogram(input, bins, *, range=None, weight=None, density=False, out=None):
    """Counts in bins, or sums of weight: bins is their number, in range or in that of the data, or their edges."""
    edges, count = (bins, 1) if isinstance(bins, Tensor) else (None, bins)
    low, high = (0.0, 0.0) if range is None else range
    return _outs(Histogram(R.histogram(input, edges, weight, count, low, high, density)), out)


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    """Counts of points (*, D) in boxes, or sums of weight: bins is their number, one each dimension, or the edges of each (tensors)."""
    bins = [bins] if isinstance(bins, int) else list(bins)
    edges, counts = (bins, []) if isinstance(bins[0], Tensor) else ([], bins)
    hist, *edges = R.histogramdd(input, edges, weight, None if range is None else _tensor(range, dtype=_dtype.float64), counts, density)
    return HistogramDd((hist, tuple(edges)))


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Reductions ("sum", "mean", "max", "min", "prod") of consecutive slices along a dimension, by lengths or by offsets: vectors, or one for
    each place of the dimensions in front of it."""
    words = {"sum": 0, "prod": 1, "mean": 2, "max": 3, "min": 4}
    if reduce not in words:
        raise RuntimeError(f"unsupported reduction given! {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): segments are told by lengths or offsets, not by indices")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    lengths = offsets.diff() if lengths is None else lengths
    axis = axis % data.ndim if -data.ndim <= axis < data.ndim else axis
    if lengths.ndim != axis + 1 or lengths.shape[:axis] != data.shape[:axis]:
        raise RuntimeError(f"segment_reduce(): lengths along dimension {axis} of data of shape {tuple(data.shape)} have shape {(*data.shape[:axis], 'segments')}, "
                           f"got {tuple(lengths.shape)}")
    if axis == 0:
        return R.segment_reduce(data, lengths, words[reduce], initial)
    if not bool((lengths.sum(-1) == data.size(axis)).all()):
        raise RuntimeError(f"segment_reduce(): the lengths of each row must add up to the size of dimension {axis}, {data.size(axis)}")
    one = R.segment_reduce(data.flatten(0, axis), lengths.reshape(-1), words[reduce], initial)  # row after row
    return one.reshape(*lengths.shape, *data.shape[axis + 1:])


# ---- places ----

def nonzero_static(input, *, size, fill_value=-1, out=None):
    """Indices of the first `size` elements that are not 0, a row each; rows of fill_value where there are fewer."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    t = R.nonzero(input)[:size]
    return _out(R.cat([t, R.full((size - t.size(0), t.size(1)), fill_value, _dtype.int64, input.device)], 0), out)


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
METHODS["where"] = _called("where", "self where condition is true, other elsewhere.", lambda self, condition, other: where(condition, self, other))
METHODS["polygamma"] = _called("polygamma", _forms.polygamma.__doc__, lambda self, n: R.polygamma(n, self))


def _overwrites(name):
    # The form in place of a method whose operator has none: the result is written over the tensor.
    plain = METHODS.get(name) or _forms.METHODS.get(name) or _ops.METHODS.get(name) or getattr(R, name)

    def over(self, *args, **kwargs):
        t = plain(_kept(self), *args, **kwargs)
        if _rank(t.dtype) > _rank(self.dtype):
            raise RuntimeError(f"{name}_: result type {t.dtype.name} can't be cast to the desired output type {self.dtype.name}")
        return self.copy_(t)
    METHODS[name + "_"] = _called(name + "_", f"{name}, in place.", over)


for _name in ("eq ne lt le gt ge logical_and logical_or logical_xor logical_not frac nan_to_num float_power tril triu cumsum cumprod atan2 polygamma addmm "
              "scatter_reduce index_reduce put masked_scatter igamma igammac mvlgamma nextafter addbmm addmv addr baddbmm deg2rad rad2deg heaviside "
              "ldexp logit renorm sinc").split():
    _overwrites(_name)
