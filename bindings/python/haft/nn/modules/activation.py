"""Activations as modules that are more than a function of the engine; _functions.py has the others."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import FunctionModule
from ._functions import *  # noqa: F401,F403 - torch.nn.modules.activation has all of them
from ._layers import PReLU, Softmax2d  # noqa: F401

__all__ = ["Hardtanh", "ReLU6"]


class Hardtanh(FunctionModule):
    """``x`` limited to ``[min_val, max_val]``.

    Args:
        min_val: least result
        max_val: greatest result
        inplace: write the result into the input
    """

    _names = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False):
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if not max_val > min_val:
            raise AssertionError("max_val must be greater than min_val")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """``min(max(x, 0), 6)``.

    Args:
        inplace: write the result into the input
    """

    _names = ()

    def __init__(self, inplace: bool = False):
        super().__init__(0.0, 6.0, inplace)
