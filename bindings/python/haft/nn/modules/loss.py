"""Losses as modules that the engine does not have; _losses.py has the others. ``reduction`` is ``"mean"``, ``"sum"`` or
``"none"``; functional.loss tells what each computes."""
from __future__ import annotations

from typing import Callable

from ... import Tensor
from .. import functional as F
from ._bases import _Loss
from ._attention_layers import LinearCrossEntropyLoss  # noqa: F401
from ._losses import *  # noqa: F401,F403 - torch.nn.modules.loss has all of them
from ._losses import NLLLoss
from .distance import PairwiseDistance

__all__ = ["NLLLoss2d", "TripletMarginWithDistanceLoss"]


class NLLLoss2d(NLLLoss):
    """:class:`NLLLoss` under its old name.

    Args:
        weight: weight of each class
        ignore_index: a class that does not count
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """


class TripletMarginWithDistanceLoss(_Loss):
    """:class:`TripletMarginLoss` with a distance of the caller's.

    Args:
        distance_function: distance of two batches; None: the Euclidean one
        margin: the margin
        swap: take the positive's distance to the negative where that is smaller
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
    """

    def __init__(self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0,
                 swap: bool = False, reduction: str = "mean"):
        super().__init__(reduction=reduction)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction)
