"""Padding as modules."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from .module import Module

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]


class _Pad(Module):
    """``padding``: one number for all sides, or (left, right, top, bottom, front, back) as far as they go."""

    _dims = 1
    _mode = "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self._dims)
        if len(self.padding) != 2 * self._dims:
            raise ValueError(f"{type(self).__name__} takes {2 * self._dims} numbers, got {len(self.padding)}")

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding, value: float):
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPad(_Pad):
    _mode = "reflect"


class _ReplicationPad(_Pad):
    _mode = "replicate"


class _CircularPad(_Pad):
    _mode = "circular"


class ConstantPad1d(_ConstantPad):
    """Puts a value around the last dimensions of (\\*, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
        value: what stands there
    """

    _dims = 1


class ConstantPad2d(_ConstantPad):
    """Puts a value around the last dimensions of (\\*, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
        value: what stands there
    """

    _dims = 2


class ConstantPad3d(_ConstantPad):
    """Puts a value around the last dimensions of (\\*, D, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
        value: what stands there
    """

    _dims = 3


class ZeroPad1d(_ZeroPad):
    """Puts zeros around the last dimensions of (\\*, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 1


class ZeroPad2d(_ZeroPad):
    """Puts zeros around the last dimensions of (\\*, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 2


class ZeroPad3d(_ZeroPad):
    """Puts zeros around the last dimensions of (\\*, D, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 3


class ReflectionPad1d(_ReflectionPad):
    """Mirrors what stands next to the edges of (\\*, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 1


class ReflectionPad2d(_ReflectionPad):
    """Mirrors what stands next to the edges of (\\*, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 2


class ReflectionPad3d(_ReflectionPad):
    """Mirrors what stands next to the edges of (\\*, D, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 3


class ReplicationPad1d(_ReplicationPad):
    """Repeats the edges of (\\*, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 1


class ReplicationPad2d(_ReplicationPad):
    """Repeats the edges of (\\*, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 2


class ReplicationPad3d(_ReplicationPad):
    """Repeats the edges of (\\*, D, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 3


class CircularPad1d(_CircularPad):
    """Goes on at the other end of (\\*, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 1


class CircularPad2d(_CircularPad):
    """Goes on at the other end of (\\*, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 2


class CircularPad3d(_CircularPad):
    """Goes on at the other end of (\\*, D, H, W).

    Args:
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """

    _dims = 3
