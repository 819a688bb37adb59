"""Padding as modules."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import Family

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]


class _Pad(Family):
    _arguments = """\
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
    """
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
    _arguments = """\
        padding: one number for all sides, or (left, right, top, bottom, front, back) as far as they go
        value: what stands there
    """

    def __init__(self, padding, value: float):
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    _arguments = _Pad._arguments

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


def _of_rank(base: type, dims: int, doc: str) -> type:
    name = f"{base.__name__[1:]}{dims}d"
    where = ("(\\*, W)", "(\\*, H, W)", "(\\*, D, H, W)")[dims - 1]
    return type(base)(name, (base,), {"__doc__": f"{doc} {where}.", "__module__": __name__, "__qualname__": name})


ConstantPad1d, ConstantPad2d, ConstantPad3d = (_of_rank(_ConstantPad, n, "Puts a value around the last dimensions of") for n in (1, 2, 3))
ZeroPad1d, ZeroPad2d, ZeroPad3d = (_of_rank(_ZeroPad, n, "Puts zeros around the last dimensions of") for n in (1, 2, 3))
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = (
    _of_rank(_ReflectionPad, n, "Mirrors what stands next to the edges of") for n in (1, 2, 3))
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = (_of_rank(_ReplicationPad, n, "Repeats the edges of") for n in (1, 2, 3))
CircularPad1d, CircularPad2d, CircularPad3d = (_of_rank(_CircularPad, n, "Goes on at the other end of") for n in (1, 2, 3))
