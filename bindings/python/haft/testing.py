"""Comparing results in tests."""
from . import _device, _dtype
from ._creation import as_tensor
from ._library import _haft

__all__ = ["assert_close"]

Tensor = _haft.Tensor
# PyTorch's tolerances (relative, absolute) by dtype; integers and bool must be equal.
_TOLERANCES = {_dtype.float16: (1e-3, 1e-5), _dtype.bfloat16: (1.6e-2, 1e-5), _dtype.float32: (1.3e-6, 1e-5), _dtype.float64: (1e-7, 1e-7)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True, check_dtype=True,
                 check_layout=True, check_stride=False, msg=None):
    """Raises AssertionError, which names the worst place, unless ``|actual - expected| <= atol + rtol * |expected|`` everywhere.

    Args:
        actual, expected: tensors, numbers, arrays, or sequences and mappings of them
        allow_subclasses: False: both must be of one class
        rtol, atol: both or neither; neither: what suits the coarser of the dtypes
        equal_nan: NaN equals NaN
        check_device, check_dtype, check_stride: compare these, too
        check_layout: every tensor is strided: nothing to compare
        msg: what the error says, or a function that makes it from what it would say
    """
    wrong = _difference(actual, expected, "", (rtol, atol), equal_nan, (allow_subclasses, check_device, check_dtype, check_stride))
    if wrong is not None:
        raise AssertionError(wrong if msg is None else msg(wrong) if callable(msg) else msg)


def _difference(a, b, where, tolerances, equal_nan, checks):
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return f"The keys of the mappings{where} differ: {sorted(map(repr, a.keys() ^ b.keys()))} stand on one side only"
        pairs = [(a[key], b[key], f"{where}[{key!r}]") for key in a]
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return f"The lengths of the sequences{where} differ: {len(a)} != {len(b)}"
        pairs = [(x, y, f"{where}[{i}]") for i, (x, y) in enumerate(zip(a, b))]
    else:
        return _of_tensors(a, b, where, tolerances, equal_nan, checks)
    return next((wrong for x, y, at in pairs if (wrong := _difference(x, y, at, tolerances, equal_nan, checks)) is not None), None)


def _of_tensors(a, b, where, tolerances, equal_nan, checks):
    subclasses, devices, dtypes, strides = checks
    if type(a) is not type(b) and not (subclasses and isinstance(a, Tensor) and isinstance(b, Tensor)) and not (
            isinstance(a, (int, float)) and isinstance(b, (int, float))):
        raise TypeError(f"assert_close compares values of one kind, got {type(a).__name__} and {type(b).__name__}{where and ' at ' + where}")
    rtol, atol = tolerances
    if (rtol is None) != (atol is None):
        raise ValueError(f"rtol and atol must both be specified or both be unspecified, but got rtol={rtol} and atol={atol}")
    x, y = (as_tensor(t).detach() if isinstance(t, Tensor) else as_tensor(t, dtype=_dtype.float64 if isinstance(t, float) else None) for t in (a, b))
    for name, compared in (("shape", True), ("device", devices), ("dtype", dtypes)):
        if compared and getattr(x, name) != getattr(y, name):
            return f"The values for attribute '{name}'{where} do not match: {getattr(x, name)} != {getattr(y, name)}."
    if strides and x.stride() != y.stride():
        return f"The values for attribute 'stride()'{where} do not match: {x.stride()} != {y.stride()}."
    if rtol is None:
        rtol, atol = (max(pair) for pair in zip(*(_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (x, y))))
    x, y = x.to(device=_device.cpu), y.to(device=_device.cpu)
    exact = x.dtype is y.dtype and not x.dtype.is_floating_point and not rtol and not atol
    close = x == y if exact else None
    if x.dtype not in (_dtype.float32, _dtype.float64) or x.dtype is not y.dtype:
        x, y = x.double(), y.double()
    close = x.isclose(y, rtol=rtol, atol=atol, equal_nan=equal_nan) if close is None else close
    bad = close.numel() - int(close.sum())
    if not bad:
        return None
    gap = (x - y).abs().masked_fill(close, 0)
    relative = (gap / y.abs()).masked_fill(close, 0)
    most = [(name, t.max().item(), _place(t)) for name, t in (("absolute", gap), ("relative", relative))]
    return "\n".join([f"Tensor-likes{where} are not close!", "", f"Mismatched elements: {bad} / {close.numel()} ({100 * bad / close.numel():.1f}%)"]
                     + [f"Greatest {name} difference: {value} at index {at} (up to {limit} allowed)"
                        for (name, value, at), limit in zip(most, (atol, rtol))])


def _place(t):
    at, index = int(t.argmax()), []
    for n in reversed(t.shape):
        index.append(at % n)
        at //= n
    return tuple(reversed(index))
