"""Mixed precision: autocast regions, in which operators choose their types by themselves, and the scale of gradients for float16.

    with haft.autocast("cpu"):
        loss = criterion(net(x), y)
    loss.backward()

docs/mixed-precision.md says which operators compute in which type.
"""
import warnings

from .. import _dtype, _haft
from .._modes import _Mode
from .._names import called
from .grad_scaler import GradScaler
from ._regions import (clear_autocast_cache, get_autocast_cpu_dtype, get_autocast_dtype, get_autocast_gpu_dtype, is_autocast_available,
                       is_autocast_cache_enabled, is_autocast_cpu_enabled, is_autocast_enabled, set_autocast_cache_enabled, set_autocast_dtype,
                       set_autocast_enabled)

__all__ = ["GradScaler", "autocast", "clear_autocast_cache", "custom_bwd", "custom_fwd", "get_autocast_cpu_dtype", "get_autocast_dtype",
           "get_autocast_gpu_dtype", "is_autocast_available", "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled",
           "set_autocast_cache_enabled", "set_autocast_dtype", "set_autocast_enabled"]

_LOW = (_dtype.bfloat16, _dtype.float16)


def _no_device(device_type):
    return device_type == "cuda" and not is_autocast_available("cuda")


class autocast(_Mode):
    """A region of this thread in which operators on that type of device take their floats in another type; also a decorator.

    Args:
        dtype: bfloat16 or float16; None: get_autocast_dtype(device_type). Another one switches the region off with a warning
        enabled: False: nothing is cast inside, whatever holds outside
        cache_enabled: keep the casts of parameters until the outermost region ends
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in ("cpu", "cuda", "xpu"):
            raise RuntimeError(f"User specified autocast device_type must be 'cuda' or 'cpu', got {device_type!r}")
        known = device_type != "xpu" and not _no_device(device_type)
        if enabled and _no_device(device_type):
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            enabled = False
        if enabled and not known:  # xpu
            raise RuntimeError(f"autocast({device_type!r}): haft has no such device")
        self.device = device_type
        self.fast_dtype = dtype if dtype is not None else get_autocast_dtype(device_type)
        if enabled and self.fast_dtype not in _LOW:
            warnings.warn(f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                          f"{device_type.upper()} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.", stacklevel=2)
            enabled = False
        self._enabled, self._cache, self._known = bool(enabled), cache_enabled, known

    def __enter__(self):
        if self._known:
            dtype = self.fast_dtype if self.fast_dtype in _LOW else None
            _haft.autocast_push(self.device, dtype, self._enabled, is_autocast_cache_enabled() if self._cache is None else self._cache)
        return self

    def __exit__(self, *exc):
        if self._known:
            _haft.autocast_pop()
        return False

    def _again(self):
        return self


def _cast(value, device_type, dtype):
    from ..utils.checkpoint import _flat, _with

    def cast(t):
        fits = t.is_floating_point() and t.device.type == device_type and t.dtype != _dtype.float64
        return t.to(dtype) if fits else t
    return _with(value, iter([cast(t) for t in _flat(value, [])]))


def custom_fwd(fwd=None, *, device_type=None, cast_inputs=None):
    """Decorates forward of an autograd.Function. cast_inputs: inside a region its floats come in that type, and nothing else is cast inside.

    Without device_type it is "cpu" where there is no CUDA device.
    """
    if fwd is None:
        return lambda f: custom_fwd(f, device_type=device_type, cast_inputs=cast_inputs)
    device = device_type or ("cpu" if _no_device("cuda") else "cuda")

    def forward(*args, **kwargs):
        on = is_autocast_enabled(device)
        args[0]._dtype = get_autocast_dtype(device)
        args[0]._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(*args, **kwargs)
        with autocast(device, enabled=False):
            return fwd(*_cast(args, device, cast_inputs), **_cast(kwargs, device, cast_inputs))
    return called(fwd.__name__, fwd.__doc__, forward)


def custom_bwd(bwd=None, *, device_type=None):
    """Decorates backward of an autograd.Function: it runs under the autocast that its forward, decorated with custom_fwd, ran under."""
    if bwd is None:
        return lambda f: custom_bwd(f, device_type=device_type)
    device = device_type or ("cpu" if _no_device("cuda") else "cuda")

    def backward(*args, **kwargs):
        with autocast(device, dtype=args[0]._dtype, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)
    return called(bwd.__name__, bwd.__doc__, backward)
