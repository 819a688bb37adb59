"""Other shapes."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._functions import Flatten  # noqa: F401
from .module import Module

__all__ = ["Unflatten", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Unflatten(Module):
    """Dimension ``dim`` split into sizes, of which one may be -1.

    Args:
        dim: the dimension that is split
        unflattened_size: the sizes, of which one may be -1
    """

    def __init__(self, dim: int, unflattened_size):
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"dimensions are numbers, got dim={dim!r}")
        for i, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError("unflattened_size must be tuple of ints, but found element of type "
                                f"{type(size).__name__} at pos {i}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Upsample(Module):
    """Resamples (N, C, \\*); see :func:`haft.nn.functional.interpolate`.

    Args:
        size: size of the output
        scale_factor: factor of the sizes, in place of ``size``
        mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"``, ``"trilinear"`` or ``"area"``
        align_corners: whether corners keep their places
        recompute_scale_factor: take the factor from the rounded sizes
    """

    def __init__(self, size=None, scale_factor=None, mode: str = "nearest", align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None):
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(f) for f in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             self.recompute_scale_factor)

    def extra_repr(self) -> str:
        what = f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"
        return f"{what}, mode={self.mode}"


class UpsamplingNearest2d(Upsample):
    """:class:`Upsample` by the nearest element.

    Args:
        size: size of the output
        scale_factor: factor of the sizes, in place of ``size``
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """:class:`Upsample`, bilinear, with corners that keep their places.

    Args:
        size: size of the output
        scale_factor: factor of the sizes, in place of ``size``
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)
