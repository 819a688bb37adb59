"""Reductions, sorting and running sums with PyTorch's arguments; the commonest take axis and keepdims, NumPy's names, too."""
from . import _dtype
from ._creation import _rebuild_result, into_or_new as _out, not_empty as _not_empty, outs as _outs, result as _result  # noqa: F401
from ._library import _haft, raw as R
from ._names import Names, called as _called

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
_both = _names.both
Max, Min, Median, NanMedian = (_result(n, "values", "indices") for n in ("max", "min", "median", "nanmedian"))
_mean, _any, _all = R.mean, R.any, R.all


def _truth(input, t):
    # As in PyTorch: uint8, once its type of truth values, stays.
    return t.to(dtype=_dtype.uint8) if input.dtype is _dtype.uint8 else t


def any(input, dim=None, keepdim=False, *, out=None, axis=None, keepdims=False):
    """True where some element over dim is not 0."""
    return _out(_truth(input, _any(input, dim if axis is None else axis, keepdim or keepdims)), out)


def all(input, dim=None, keepdim=False, *, out=None, axis=None, keepdims=False):
    """True where every element over dim is not 0."""
    return _out(_truth(input, _all(input, dim if axis is None else axis, keepdim or keepdims)), out)


def _whole(input, name):
    if input.numel() == 0:
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.")


def _extreme(name, whole, along, pairwise, result):
    def fn(input, dim=None, keepdim=False, *, out=None, other=None, axis=None, keepdims=False):
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


max = _both(_extreme("max", R.amax, R.max_dim, R.maximum, Max))
min = _both(_extreme("min", R.amin, R.min_dim, R.minimum, Min))


def _spread_of(plain, input, dim, unbiased, correction, keepdim):
    correction = unbiased if correction is None else correction
    if correction == int(correction):
        return plain(input, dim, int(correction), keepdim)
    # The engine's corrections are whole.
    t = R.var(input, dim, 0, keepdim)
    n = input.numel() / t.numel() if t.numel() else 1
    t = t * (n / (n - correction) if n > correction else float("inf"))
    return t if plain is R.var else R.sqrt(t)


def _spread(name, plain):
    def fn(input, dim=None, unbiased=True, keepdim=False, *, correction=None, out=None, axis=None, keepdims=False):
        dim = dim if axis is None else axis
        if isinstance(dim, bool):  # var(input, unbiased)
            dim, unbiased = None, dim
        return _out(_spread_of(plain, input, dim, unbiased, correction, keepdim or keepdims), out)
    text = f"{plain.__doc__} var(input, unbiased) and var(input, dim, unbiased=True, keepdim=False, *, correction=1) as PyTorch has them."
    return _called(name, text.replace("var(", name + "("), fn)


var = _both(_spread("var", R.var))
std = _both(_spread("std", R.std))


def var_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """Variance and mean over dim."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return _spread_of(R.var, input, dim, unbiased, correction, keepdim), _mean(input, dim, keepdim)


def std_mean(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """Standard deviation and mean over dim."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return _spread_of(R.std, input, dim, unbiased, correction, keepdim), _mean(input, dim, keepdim)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None, *, axis=None, keepdims=False):
    """p-norm over dim; "fro" is 2."""
    if p == "nuc":
        raise ValueError("norm: the nuclear norm needs singular values, which this engine does not compute")
    p = 2 if p == "fro" or p is None else p
    return _out(R.norm(input if dtype is None else input.to(dtype=dtype), p, dim if axis is None else axis, keepdim or keepdims), out)


def _given(dim, axis, name):
    if dim is None and axis is None:
        raise TypeError(f"{name}() missing 1 required argument: 'dim'")
    return dim if axis is None else axis


def cumsum(input, dim=None, *, dtype=None, out=None, axis=None):
    """Running sum along dim."""
    t = R.cumsum(input if dtype is None else input.to(dtype=dtype), _given(dim, axis, "cumsum"))
    return _out(t if dtype is None else t.to(dtype=dtype), out)


def cumprod(input, dim=None, *, dtype=None, out=None, axis=None):
    """Running product along dim."""
    t = R.cumprod(input if dtype is None else input.to(dtype=dtype), _given(dim, axis, "cumprod"))
    return _out(t if dtype is None else t.to(dtype=dtype), out)


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


def _asked(results, inverse, counts):
    found = tuple(t for t, wanted in zip(results, (True, inverse, counts)) if wanted)
    return found if len(found) > 1 else found[0]


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements in order; with where each element went, and how often it came."""
    return _asked(R.unique(input, dim), return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Without elements that equal the one before."""
    return _asked(R.unique_consecutive(input, dim), return_inverse, return_counts)


def bincount(input, weights=None, minlength=0):
    """How often each number from 0 comes in a vector of integers; with weights their sums."""
    if weights is not None and weights.dtype in (_dtype.float16, _dtype.bfloat16):
        weights = weights.double()
    return R.bincount(input, weights, minlength)


_names.collect(globals())
