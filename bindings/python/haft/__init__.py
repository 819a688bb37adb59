"""haft: tensors, gradients, modules and training, by PyTorch's names."""
from ._library import _haft
from ._errors import *
from . import _errors, _tensor
from ._dtype import (bfloat16, bool, double, dtype, finfo, float, float16, float32, float64, half, iinfo, int, int16, int32, int64,
                     int8, long, short, uint8)
from ._device import device
from ._creation import *
from ._random import *
from ._modes import *

Tensor = _haft.Tensor
Size = _haft.Size
_haft.extend(Tensor, {**_tensor.METHODS})

# What the engine gains appears here by itself: every operator is a method, and a function of its first input.
for _name, _value in vars(Tensor).items():
    if _name[0] != "_" and not _name.endswith(("_", "_out")) and callable(_value) and _name not in globals():
        globals()[_name] = getattr(Tensor, _name)
del _name, _value

_LAZY = ("nn", "optim", "autograd", "utils", "vision", "jit", "multiprocessing", "compat", "distributed", "testing", "linalg", "special")


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module
        return import_module("." + name, __name__)
    raise AttributeError(f"module 'haft' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY})
