"""Pooling."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import Family
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "MaxPool1d", "MaxPool2d",
    "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]


class _MaxPool(Family):
    _arguments = """\
        kernel_size: size of the window, a number or one for each dimension
        stride: steps between windows; None: ``kernel_size``
        padding: minus infinity on each side
        dilation: steps between the elements of a window
        return_indices: answer where the maxima stood, too
        ceil_mode: let the last window reach beyond the edge
    """

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices: bool = False,
                 ceil_mode: bool = False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor):
        return self._function(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                              self.return_indices)

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(_MaxPool):
    """Maximum of each window of (N, C, L) or (C, L)."""

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """Maximum of each window of (N, C, H, W) or (C, H, W)."""

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """Maximum of each window of (N, C, D, H, W) or (C, D, H, W)."""

    _function = staticmethod(F.max_pool3d)


def _tuple(value, n: int) -> tuple:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


class _MaxUnpool(Family):
    _arguments = """\
        kernel_size: size of the window, a number or one for each dimension
        stride: steps between windows; None: ``kernel_size``
        padding: what the pooling put on each side
    """

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = _tuple(kernel_size, self._dims)
        self.stride = _tuple(stride if stride is not None else kernel_size, self._dims)
        self.padding = _tuple(padding, self._dims)

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


class AvgPool1d(Module):
    """Mean of each window of (N, C, L) or (C, L).

    Args:
        kernel_size: size of the window, a number or one for each dimension
        stride: steps between windows; None: ``kernel_size``
        padding: zeros put on each side
        ceil_mode: let the last window reach beyond the edge
        count_include_pad: count the zeros of the padding in the mean
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False, count_include_pad: bool = True):
        super().__init__()
        self.kernel_size = _tuple(kernel_size, 1)
        self.stride = _tuple(stride if stride is not None else kernel_size, 1)
        self.padding = _tuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Family):
    _arguments = """\
        kernel_size: size of the window, a number or one for each dimension
        stride: steps between windows; None: ``kernel_size``
        padding: zeros put on each side
        ceil_mode: let the last window reach beyond the edge
        count_include_pad: count the zeros of the padding in the mean
        divisor_override: divide by this instead of the window's size
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False, count_include_pad: bool = True,
                 divisor_override: int | None = None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return self._function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                              self.divisor_override)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """Mean of each window of (N, C, H, W) or (C, H, W)."""

    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """Mean of each window of (N, C, D, H, W) or (C, D, H, W)."""

    _function = staticmethod(F.avg_pool3d)


class _LPPool(Family):
    _arguments = """\
        norm_type: p of the norm
        kernel_size: size of the window, a number or one for each dimension
        stride: steps between windows; None: ``kernel_size``
        ceil_mode: let the last window reach beyond the edge
    """

    def __init__(self, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return self._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")


class LPPool1d(_LPPool):
    """``(sum of x ** norm_type) ** (1 / norm_type)`` over each window of (N, C, L) or (C, L)."""

    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """``(sum of x ** norm_type) ** (1 / norm_type)`` over each window of (N, C, H, W) or (C, H, W)."""

    _function = staticmethod(F.lp_pool2d)


class _AdaptiveAvgPool(Family):
    _arguments = """\
        output_size: size of the output; None in it keeps the input's
    """

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return self._function(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Mean over ``output_size`` windows of (N, C, L) or (C, L)."""

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Mean over a grid of windows of (N, C, H, W) or (C, H, W)."""

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Mean over a grid of windows of (N, C, D, H, W) or (C, D, H, W)."""

    _function = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPool(Family):
    _arguments = """\
        output_size: size of the output; None in it keeps the input's
        return_indices: answer where the maxima stood, too
    """

    def __init__(self, output_size, return_indices: bool = False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor):
        return self._function(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Maximum over ``output_size`` windows of (N, C, L) or (C, L)."""

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Maximum over a grid of windows of (N, C, H, W) or (C, H, W)."""

    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Maximum over a grid of windows of (N, C, D, H, W) or (C, D, H, W)."""

    _function = staticmethod(F.adaptive_max_pool3d)