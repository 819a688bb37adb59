"""Pooling over one to three dimensions; what follows from the operators' signatures is generated."""
from __future__ import annotations

from ... import Tensor
from ._operators import *  # noqa: F401,F403
from ._operators import __all__ as _operators, avg_pool3d
from .conv import _tuple

__all__ = [*(name for name in _operators if "pool" in name), "avg_pool2d"]


def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Mean of each window of (N, C, H, W) or (C, H, W)."""
    stride = stride if isinstance(stride, int) else stride or None  # no strides are the kernel's
    if divisor_override is None:
        return input.avg_pool2d(kernel_size, stride, padding, ceil_mode, count_include_pad)
    kernel, stride = _tuple(kernel_size, 2), _tuple(kernel_size if stride is None else stride, 2)
    return avg_pool3d(input.unsqueeze(-3), [1, *kernel], [1, *stride], [0, *_tuple(padding, 2)], ceil_mode, count_include_pad,
                      divisor_override).squeeze(-3)
