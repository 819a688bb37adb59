"""Mixed precision as programs ask for it: autocast and GradScaler, which do nothing when they are switched off.

haft has no autocast: modules and tensors compute in the precision that they have (`net.to(haft.bfloat16)`). Switching it on is an
error, and where PyTorch switches it off with a warning, as for "cuda" without a device, so does haft.
"""
import warnings

from .. import _dtype
from .._modes import _Mode
from ._grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(_Mode):
    """A region for one kind of device; with enabled=False nothing happens in it.

    Raises RuntimeError when it is enabled: haft runs no operator in another precision than its inputs'.
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type not in ("cpu", "cuda", "xpu"):
            raise RuntimeError(f"User specified autocast device_type must be 'cuda' or 'cpu', got {device_type!r}")
        if enabled and device_type == "cuda":
            from .. import cuda
            if not cuda.is_available():
                warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
                enabled = False
        self.device = device_type
        self.fast_dtype = dtype or (_dtype.bfloat16 if device_type == "cpu" else _dtype.float16)
        self._enabled = bool(enabled)
        if self._enabled:
            raise RuntimeError(f"autocast({device_type!r}): haft has no automatic mixed precision. Move the module and its inputs to "
                               f"{self.fast_dtype} yourself (net.to(...)), or say enabled=False.")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def _again(self):
        return self


def custom_fwd(fwd=None, *, cast_inputs=None):
    """Decorates forward of an autograd.Function; without autocast there is nothing to cast."""
    return fwd if fwd is not None else lambda f: f


def custom_bwd(bwd):
    """Decorates backward of an autograd.Function."""
    return bwd
