"""Activations as modules that are more than a function of the engine; _functions.py has the others."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import FunctionModule
from ._functions import *  # noqa: F401,F403 - torch.nn.modules.activation has all of them
from ._layers import PReLU  # noqa: F401
from .module import Module

__all__ = ["GELU", "Hardtanh", "LogSoftmax", "RReLU", "ReLU6", "Softmax", "Softmax2d", "Softmin"]


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


class RReLU(FunctionModule):
    """Leaky ReLU with a slope drawn from ``[lower, upper]``; their mean in evaluation.

    Args:
        lower: least slope
        upper: greatest slope
        inplace: write the result into the input
    """

    _names = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class GELU(FunctionModule):
    """``x`` times the normal distribution at x, or its approximation by ``"tanh"``.

    Args:
        approximate: ``"none"`` or ``"tanh"``
    """

    _names = ("approximate",)

    def __init__(self, approximate: str = "none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, self.approximate)


class Softmax(FunctionModule):
    """``exp(x) / sum(exp(x))`` along ``dim``.

    Args:
        dim: the dimension
    """

    _names = ("dim",)

    def __init__(self, dim: int | None = None):
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class Softmin(Softmax):
    """``softmax(-x)``.

    Args:
        dim: the dimension
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class LogSoftmax(Softmax):
    """``log(softmax(x))`` along ``dim``.

    Args:
        dim: the dimension
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise AssertionError("Softmax2d requires a 3D or 4D tensor as input")
        return input.softmax(-3)
