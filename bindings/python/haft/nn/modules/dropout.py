"""Dropout."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import Family

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _Dropout(Family):
    _arguments = """\
        p: probability of zeroing
        inplace: write the result into the input
    """

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return self._function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeroes each element with probability ``p`` while training and scales the rest by ``1 / (1 - p)``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, True, self.inplace) if self.training else input


class Dropout1d(_Dropout):
    """Zeroes whole channels of (N, C, L) or (C, L)."""

    _function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """Zeroes whole channels of (N, C, H, W)."""

    _function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    """Zeroes whole channels of (N, C, D, H, W) or (C, D, H, W)."""

    _function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    """Dropout that keeps mean and variance of what SELU gives."""

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_Dropout):
    """:class:`AlphaDropout` of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
