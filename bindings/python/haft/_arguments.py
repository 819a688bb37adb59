"""What functions of operators make of arguments that are more than an operator takes."""
from . import _dtype
from ._creation import as_tensor, operands
from ._library import _haft, raw as R

Tensor = _haft.Tensor


def kept(self):
    """What backward needs of a tensor that is about to be written over."""
    return self.clone() if self.requires_grad else self


def cast(t, dtype):
    """In another type, where one is asked for."""
    return t if dtype is None else t.to(dtype=dtype)


def real(t, dtype, name):
    """A floating or complex tensor, in another type where one is asked for."""
    t = cast(t, dtype)
    if not t.dtype.is_floating_point and not t.dtype.is_complex:
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {t.dtype}")
    return t


def rank(dtype):
    """Of bool, integers, floats and complex numbers the place in which results may be written into each other."""
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 0 if dtype is _dtype.bool else 1


def widest(x):
    """A tensor or number in float64, or in complex128 where it is complex."""
    if not isinstance(x, Tensor):
        return x if isinstance(x, complex) else float(x)
    return x.to(dtype=_dtype.complex128 if x.dtype.is_complex else _dtype.float64)


def laid(t, memory_format, copy=False):
    """In that order of dimensions; only programs that name a memory_format pay for the module."""
    from . import _layout
    return _layout.laid(t, memory_format, copy)


# ---- numbers beside tensors ----

def scaled(input, other, alpha):
    """Two tensors, of which the second is multiplied."""
    input, other = (input, other) if isinstance(input, Tensor) else operands(input, other)
    return input, other if alpha == 1 else other * alpha


def like_number(input, number):
    """A number as a tensor of input's type, or of its own where that cannot hold it."""
    dtype = input.dtype
    if isinstance(number, float) and not dtype.is_floating_point or isinstance(number, int) and dtype is _dtype.bool and type(number) is not bool:
        dtype = None
    if isinstance(number, complex) and not dtype.is_complex:
        dtype = dtype.to_complex() if dtype.is_floating_point and dtype.itemsize > 2 else None
    return R.full((), number, dtype, input.device)


def value_of(value, like):
    """A number as a tensor of the other's type."""
    return value if isinstance(value, Tensor) else R.full((), value, like.dtype, like.device)


def values_of(input, like):
    """Numbers as a tensor where the other is."""
    return input if isinstance(input, Tensor) else as_tensor(input, device=like.device)


def alike(ordered, values):
    """Both in the type that holds both."""
    values = values_of(values, ordered)
    if ordered.dtype is values.dtype:
        return ordered, values
    dtype = common(ordered, values)
    return ordered.to(dtype=dtype), values.to(dtype=dtype)


def common(tensor1, tensor2):
    """The dtype of an operator of both, of which one may be a number."""
    if not isinstance(tensor1, Tensor):
        tensor1, tensor2 = tensor2, tensor1
    if isinstance(tensor2, Tensor):
        tensor2 = R.empty((0,) if tensor2.ndim else (), tensor2.dtype)
    return (R.empty((0,) if tensor1.ndim else (), tensor1.dtype) + tensor2).dtype


def between(input, low, high):
    """Limited by tensors or numbers; None: by nothing."""
    low, high = (b if b is None or isinstance(b, Tensor) else like_number(input, b) for b in (low, high))
    return R.clamp_tensor(input, low, high)


def quotient(input, other, rounding_mode):
    """Rounded as PyTorch names it."""
    if rounding_mode is None:
        return input / other
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    return R.div_rounded(input, other if isinstance(other, Tensor) else like_number(input, other), 1 if rounding_mode == "floor" else 2)


def by_tolerance(rule, A, atol, rtol, hermitian):
    """Of matrices that have a tolerance each, one after the other: the engine's are numbers."""
    own = [t for t in (atol, rtol) if isinstance(t, Tensor) and t.ndim]
    if not own:
        return rule(A, atol, rtol, hermitian)
    sizes = R.broadcast_tensors([own[0].new_empty(A.shape[:-2]), *own])[0].shape
    A = R.expand(A, (*sizes, *A.shape[-2:]))
    if 0 in sizes:
        return rule(A, None, None, hermitian)
    atol, rtol = (R.expand(t, sizes).flatten().tolist() if isinstance(t, Tensor) else [t] * sizes.numel() for t in (atol, rtol))
    each = [rule(*arguments, hermitian) for arguments in zip(A.flatten(0, -3), atol, rtol)]
    return R.stack(each, 0).unflatten(0, sizes)


# ---- reductions ----

def truth(input, t):
    """As in PyTorch: uint8, once its type of truth values, stays."""
    return t.to(dtype=_dtype.uint8) if input.dtype is _dtype.uint8 else t


def spread(plain, input, dim, unbiased, correction, keepdim):
    """Variance or deviation (`plain`), also by a correction that is no whole number; a bool in dim's place is `unbiased`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = unbiased if correction is None else correction
    if correction == int(correction):
        return plain(input, dim, int(correction), keepdim)
    t = R.var(input, dim, 0, keepdim)
    n = input.numel() / t.numel() if t.numel() else 1
    t = t * (n / (n - correction) if n > correction else float("inf"))
    return t if plain is R.var else R.sqrt(t)


def asked(results, inverse, counts):
    """The values, and what else was asked for."""
    found = tuple(t for t, wanted in zip(results, (True, inverse, counts)) if wanted)
    return found if len(found) > 1 else found[0]


# ---- places ----

def source(input, index, src, value):
    """What is scattered: a tensor, or a number everywhere."""
    src = value if src is None else src
    return src if isinstance(src, Tensor) else R.full(index.shape, src, input.dtype, input.device)


def indices(given):
    """Index tensors of what may be lists; None is a whole dimension."""
    return [None if i is None else as_tensor(i) for i in given]


_FFT_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def norm_of(name):
    """A Fourier transform's norm as the operators take it."""
    if name not in _FFT_NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{name}"')
    return _FFT_NORMS[name]


def onesided(input, window, given):
    """Whether stft keeps the first half alone: unless something is complex."""
    return not input.dtype.is_complex and (window is None or not window.dtype.is_complex) if given is None else given


def padding(mode):
    """The number of a mode of padding."""
    return ("constant", "reflect", "replicate", "circular").index(mode)
