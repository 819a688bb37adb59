"""From how many elements, and to how many, a weight leads; and what follows for its first numbers."""
from __future__ import annotations

import math
import warnings

from .. import Tensor

_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
           "sigmoid")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What an initial spread is multiplied with in front of a nonlinearity."""
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param ** 2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def fans(tensor: Tensor) -> tuple[int, int]:
    """Elements that an element of the result is made of, and those that an element of the input goes to."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    out, into, *field = tensor.shape
    area = math.prod(field)
    return into * area, out * area


def fan(tensor: Tensor, mode: str) -> int:
    """One of the two."""
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return fans(tensor)[mode == "fan_out"]


def deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """By which what comes out in front of a nonlinearity varies as what comes in."""
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan(tensor, mode), 1))


def empty(tensor: Tensor) -> bool:
    """Whether there is nothing to fill, with PyTorch's warning."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False
