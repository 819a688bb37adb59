"""Losses that take more than the engine's; _losses.py has the others. Their arithmetic and their reductions are PyTorch's."""
from __future__ import annotations

import warnings
from typing import Callable

from ... import Tensor, cosine_similarity, int64, minimum, pairwise_distance, pdist, tensor
from ..._library import raw as R
from . import _losses
from ._losses import *  # noqa: F401,F403
from ._reduction import number_of

__all__ = ["cosine_similarity", "cross_entropy", "ctc_loss", "kl_div", "linear_cross_entropy", "pairwise_distance", "pdist", "triplet_margin_with_distance_loss", *_losses.__all__]


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None, ignore_index: int = -100, reduce=None,
                  reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """-log softmax(input)[target]: scores (N, C, *) against class indices (N, *) or probabilities. A DTensor has its own."""
    if not isinstance(input, Tensor) and hasattr(input, "device_mesh"):
        return input.cross_entropy(target, weight, number_of(reduction, size_average, reduce), ignore_index, label_smoothing)
    return _losses.cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)


def _lengths(value, n: int, name: str) -> Tensor:
    t = value.to(int64).reshape(-1) if isinstance(value, Tensor) else tensor([value] if isinstance(value, int) else list(value), dtype=int64)
    if t.numel() != n:
        raise RuntimeError(f"{name}_lengths must be of size batch_size")
    return t


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths, target_lengths, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """-log of the probability of each target, summed over all ways to spread it over the positions (Graves et al., 2006).

    Args:
        log_probs: (T, N, C), or (T, C) for one sequence: logarithms of probabilities, as log_softmax answers them
        targets: (N, S), or all targets one after the other; none is ``blank``
        input_lengths, target_lengths: of the N sequences
        zero_infinity: 0 where a target does not fit into its input, instead of infinity
    """
    batch = log_probs.shape[1] if log_probs.dim() == 3 else 1
    if log_probs.dim() in (2, 3) and not 0 <= blank < log_probs.shape[-1]:
        raise RuntimeError("blank must be in label range")
    return R.ctc_loss(log_probs, targets, _lengths(input_lengths, batch, "input"), _lengths(target_lengths, batch, "target"), blank,
                      number_of(reduction), zero_infinity)


def kl_div(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """``target * (log target - input)`` for log-probabilities; ``"batchmean"`` divides the sum by the batch."""
    if reduction == "batchmean" and size_average is None and reduce is None:
        return input.kl_div(target, 3, log_target)
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
                      "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                      "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                      stacklevel=2)
    return input.kl_div(target, number_of(reduction, size_average, reduce), log_target)


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None,
                         reduction: str = "mean", ignore_index: int = -100, label_smoothing: float = 0.0) -> Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)`` for (*, D) and class indices (*), without all logits at once."""
    loss = R.linear_cross_entropy(input.reshape(-1, input.shape[-1]), linear_weight, target.reshape(-1), linear_bias, weight, number_of(reduction),
                                  ignore_index, label_smoothing)
    return loss.reshape(target.shape) if reduction == "none" else loss


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *,
                                      distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
                                      margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Tensor:
    """:func:`triplet_margin_loss` with a distance of the caller's."""
    distance = pairwise_distance if distance_function is None else distance_function
    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    # Where the loss is 0 the gradient passes, as that of PyTorch's clamp_min does.
    loss = (distance(anchor, positive) - far + margin).clamp(min=0)
    number = number_of(reduction)
    return loss.mean() if number == 1 else loss.sum() if number == 2 else loss
