"""Losses as modules that the engine does not have; _losses.py has the others. ``reduction`` is ``"mean"``, ``"sum"`` or
``"none"``; functional.loss tells what each computes."""
from __future__ import annotations

from typing import Callable

from ... import Tensor
from .. import functional as F
from ._bases import _Loss, _WeightedLoss
from ._losses import *  # noqa: F401,F403 - torch.nn.modules.loss has all of them
from ._losses import NLLLoss
from .distance import PairwiseDistance

__all__ = [
    "CTCLoss", "CosineEmbeddingLoss", "GaussianNLLLoss", "HingeEmbeddingLoss", "MarginRankingLoss",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss2d", "PoissonNLLLoss",
    "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]


class NLLLoss2d(NLLLoss):
    """:class:`NLLLoss` under its old name.

    Args:
        weight: weight of each class
        ignore_index: a class that does not count
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """


class CTCLoss(_Loss):
    """Log-probabilities (T, N, C) of positions against shorter targets, over all ways to spread them.

    Args:
        blank: the class that stands for nothing
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        zero_infinity: infinite losses count as 0
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths, target_lengths) -> Tensor:
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)


class PoissonNLLLoss(_Loss):
    """Negative logarithm of a Poisson distribution.

    Args:
        log_input: the input is the logarithm of the rate
        full: add the terms that do not depend on the input
        eps: added to the argument of the logarithm
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def __init__(self, log_input: bool = True, full: bool = False, size_average=None, eps: float = 1e-8, reduce=None,
                 reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(log_input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Negative logarithm of normal distributions with given means and variances.

    Args:
        full: add the terms that do not depend on the input
        eps: least variance
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class HingeEmbeddingLoss(_Loss):
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1.

    Args:
        margin: the margin
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def __init__(self, margin: float = 1.0, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-target * input))``.

    Args:
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Hinge loss between each target class and each other one.

    Args:
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Binary cross entropy of each class with logits, mean over the classes.

    Args:
        weight: weight of each class
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Mean over the other classes of ``max(0, margin - input[target] + input[i]) ** p``.

    Args:
        p: 1 or 2: the power
        margin: the margin
        weight: weight of each class
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average=None, reduce=None,
                 reduction: str = "mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError("weight must be one-dimensional")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """``max(0, -target * (input1 - input2) + margin)``.

    Args:
        margin: the margin
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1.

    Args:
        margin: the margin
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with the p-norm's distance.

    Args:
        margin: the margin
        p: p of the norm
        eps: keeps away from 0
        swap: take the positive's distance to the negative where that is smaller
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        size_average, reduce: older forms of ``reduction``
    """

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average=None,
                 reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap,
                                     reduction=self.reduction)


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
