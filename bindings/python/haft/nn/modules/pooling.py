"""Unpooling; the pooling layers are generated from core/schema/modules.def."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import Family
from .utils import _ntuple

__all__ = ["MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]


class _MaxUnpool(Family):
    _arguments = """\
        kernel_size: size of the window, a number or one for each dimension
        stride: steps between windows; None: ``kernel_size``
        padding: what the pooling put on each side
    """

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = _ntuple(self._dims)(kernel_size)
        self.stride = _ntuple(self._dims)(kernel_size if stride is None else stride)
        self.padding = _ntuple(self._dims)(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size=None) -> Tensor:
        return self._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Puts maxima back where :class:`MaxPool1d` found them, 0 elsewhere."""

    _function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """Puts maxima back where :class:`MaxPool2d` found them, 0 elsewhere."""

    _function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """Puts maxima back where :class:`MaxPool3d` found them, 0 elsewhere."""

    _function = staticmethod(F.max_unpool3d)
