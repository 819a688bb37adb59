"""Other shapes."""
from __future__ import annotations

from ._functions import Flatten  # noqa: F401
from ._layers import Unflatten, Upsample  # noqa: F401

__all__ = ["UpsamplingBilinear2d", "UpsamplingNearest2d"]


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
