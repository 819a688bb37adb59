"""Losses and distances. Their arithmetic and their reductions are PyTorch's."""
from __future__ import annotations

import math
import warnings
from typing import Callable

from ... import Tensor, minimum, where

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss",
    "margin_ranking_loss", "mse_loss", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "nll_loss", "pairwise_distance", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction(name: str, size_average=None, reduce=None) -> int:
    if size_average is not None or reduce is not None:
        name = _legacy_reduction(size_average, reduce)
    try:
        return _REDUCTIONS[name]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is not a valid value for reduction") from None


def _legacy_reduction(size_average, reduce) -> str:
    name = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.",
                  stacklevel=4)
    return name


def _reduced(loss: Tensor, reduction: int) -> Tensor:
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


def _warn_sizes(input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        warnings.warn(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
                      "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
                      "same size.", stacklevel=3)


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                  ignore_index: int = -100, reduce=None, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:
    """``-log softmax(input)[target]``: (N, C, \\*) or (C) against class indices, or probabilities of input's shape."""
    return input.cross_entropy(target, weight, _reduction(reduction, size_average, reduce), ignore_index,
                               label_smoothing)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
             ignore_index: int = -100, reduce=None, reduction: str = "mean") -> Tensor:
    """``-input[target]`` for log-probabilities (N, C, \\*) or (C)."""
    return input.nll_loss(target, weight, _reduction(reduction, size_average, reduce), ignore_index)


def mse_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """``(input - target) ** 2``."""
    _warn_sizes(input, target)
    return input.mse_loss(target, _reduction(reduction, size_average, reduce))


def l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """``|input - target|``."""
    _warn_sizes(input, target)
    return input.l1_loss(target, _reduction(reduction, size_average, reduce))


def smooth_l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
                   beta: float = 1.0) -> Tensor:
    """Quadratic below ``beta``, linear above."""
    _warn_sizes(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    number = _reduction(reduction, size_average, reduce)
    return input.smooth_l1_loss(target, number, beta) if beta else input.l1_loss(target, number)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Quadratic below ``delta``, ``delta`` times linear above."""
    _warn_sizes(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return input.huber_loss(target, _reduction(reduction), delta)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None, reduce=None,
                         reduction: str = "mean") -> Tensor:
    """``-(t log x + (1 - t) log(1 - x))`` for probabilities; logarithms count at least -100."""
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size "
                         f"({input.size()}) is deprecated. Please ensure they have the same size.")
    if input.numel() and not bool(((input.detach() >= 0) & (input.detach() <= 1)).all()):
        raise RuntimeError("all elements of input should be between 0 and 1")
    return input.binary_cross_entropy(target, weight, number)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                                     reduce=None, reduction: str = "mean",
                                     pos_weight: Tensor | None = None) -> Tensor:
    """:func:`binary_cross_entropy` of ``sigmoid(input)``, without overflow."""
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return input.binary_cross_entropy_with_logits(target, weight, pos_weight, number)


def kl_div(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """``target * (log target - input)`` for log-probabilities; ``"batchmean"`` divides the sum by the batch."""
    if reduction == "batchmean" and size_average is None and reduce is None:
        return input.kl_div(target, 2, log_target) / input.size(0)
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
                      "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                      "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                      stacklevel=2)
    return input.kl_div(target, _reduction(reduction, size_average, reduce), log_target)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average=None,
                     eps: float = 1e-8, reduce=None, reduction: str = "mean") -> Tensor:
    """Negative logarithm of a Poisson distribution; ``full`` adds Stirling's term."""
    number = _reduction(reduction, size_average, reduce)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return _reduced(loss, number)


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    """Negative logarithm of normal distributions with means ``input`` and variances ``var``."""
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif not (input.size()[:-1] == var.size()[:-1] and var.size(-1) == 1):
            raise ValueError("var is of incorrect size")
    number = _reduction(reduction)
    if bool((var.detach() < 0).any()):
        raise ValueError("var has negative entry/entries")
    # Small variances count as eps, and take their gradient all the same.
    var = var + (var.detach().clamp(min=eps) - var.detach())
    loss = 0.5 * (var.log() + (input - target).square() / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, number)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average=None, reduce=None,
                         reduction: str = "mean") -> Tensor:
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1."""
    number = _reduction(reduction, size_average, reduce)
    loss = (margin - input).relu().masked_fill(target == 1, 0) + input.masked_fill(target == -1, 0)
    return _reduced(loss, number)


def soft_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                     reduction: str = "mean") -> Tensor:
    """``log(1 + exp(-target * input))``."""
    return _reduced((-target * input).exp().log1p(), _reduction(reduction, size_average, reduce))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average=None,
                        reduce=None, reduction: str = "mean") -> Tensor:
    """``max(0, -target * (input1 - input2) + margin)``."""
    number = _reduction(reduction, size_average, reduce)
    if input1.dim() != target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: "
                           f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    return _reduced(_clamp0(-target * (input1 - input2) + margin), number)


def _clamp0(x: Tensor) -> Tensor:
    # Where x is 0 the gradient passes, as that of PyTorch's clamp_min does.
    return x.clamp(min=0)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """``x1 . x2 / (|x1| |x2|)`` along ``dim``; each norm counts at least ``eps``."""
    n1, n2 = x1.norm(2, dim, True).clamp(min=eps), x2.norm(2, dim, True).clamp(min=eps)
    return ((x1 / n1) * (x2 / n2)).sum(dim)


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average=None,
                          reduce=None, reduction: str = "mean") -> Tensor:
    """``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1."""
    number = _reduction(reduction, size_average, reduce)
    if target.dim() not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.dim() != target.dim() + 1 or input2.dim() != target.dim() + 1:
        raise RuntimeError(f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs "
                           f"with sizes {list(input1.shape)} and {list(input2.shape)}.")
    d = target.dim()
    eps = 1e-12
    dot = (input1 * input2).sum(d)
    cos = dot / ((input1.square().sum(d) + eps) * (input2.square().sum(d) + eps)).sqrt()
    zeros = cos * 0
    loss = where(target == 1, 1 - cos, zeros) + where(target == -1, _clamp0(cos - margin), zeros)
    return _reduced(loss, number)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """p-norm of ``x1 - x2 + eps`` over the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim)


def _triplet(positive: Tensor, negative: Tensor, between: Callable[[], Tensor], margin: float, swap: bool,
             reduction: int) -> Tensor:
    if swap:
        negative = minimum(negative, between())
    return _reduced(_clamp0(positive - negative + margin), reduction)


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
                        eps: float = 1e-6, swap: bool = False, size_average=None, reduce=None,
                        reduction: str = "mean") -> Tensor:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with the p-norm's distance."""
    number = _reduction(reduction, size_average, reduce)
    dims = {anchor.dim(), positive.dim(), negative.dim()}
    if len(dims) != 1:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of "
                           f"dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and negative "
                           f"{negative.dim()}D inputs")
    distance = lambda a, b: pairwise_distance(a, b, p, eps)  # noqa: E731
    return _triplet(distance(anchor, positive), distance(anchor, negative), lambda: distance(positive, negative),
                    margin, swap, number)


def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *,
                                      distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
                                      margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Tensor:
    """:func:`triplet_margin_loss` with a distance of the caller's."""
    distance = pairwise_distance if distance_function is None else distance_function
    return _triplet(distance(anchor, positive), distance(anchor, negative), lambda: distance(positive, negative),
                    margin, swap, _reduction(reduction))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None,
                                reduce=None, reduction: str = "mean") -> Tensor:
    """Binary cross entropy of each class with logits, mean over the classes."""
    number = _reduction(reduction, size_average, reduce)
    loss = -(target * input.logsigmoid() + (1 - target) * (-input).logsigmoid())
    if weight is not None:
        loss = loss * weight
    return _reduced(loss.sum(-1) / input.size(-1), number)


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
                      size_average=None, reduce=None, reduction: str = "mean") -> Tensor:
    """Mean over the other classes of ``max(0, margin - input[target] + input[i]) ** p``."""
    number = _reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    x, y = (input, target) if input.dim() == 2 else (input.unsqueeze(0), target.reshape(1))
    y = y.unsqueeze(1)
    margins = (margin - x.gather(1, y) + x).relu()
    margins = margins.square() if p == 2 else margins
    if weight is not None:
        margins = margins * weight.index_select(0, y.squeeze(1)).unsqueeze(1)
    own = y == _class_numbers(x)
    loss = margins.masked_fill(own, 0).sum(1) / x.size(1)
    return _reduced(loss if input.dim() == 2 or number else loss.squeeze(0), number)


def _class_numbers(x: Tensor) -> Tensor:
    from ... import arange
    return arange(x.size(-1), device=x.device).unsqueeze(0)


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None,
                           reduction: str = "mean") -> Tensor:
    """Hinge loss between each target class and each other one; a row of targets ends at its first -1."""
    number = _reduction(reduction, size_average, reduce)
    x, y = (input, target) if input.dim() == 2 else (input.unsqueeze(0), target.unsqueeze(0))
    classes = x.size(1)
    given = (y < 0).to(x.dtype).cumsum(1) == 0  # (N, C): before the first -1
    index = y.clamp(min=0)
    is_target = (index.unsqueeze(2) == _class_numbers(x).unsqueeze(1)).logical_and(given.unsqueeze(2)).any(1)
    # (N, target, class)
    margins = (1 - x.gather(1, index).unsqueeze(2) + x.unsqueeze(1)).relu()
    margins = margins.masked_fill(given.logical_not().unsqueeze(2), 0).masked_fill(is_target.unsqueeze(1), 0)
    loss = margins.sum([1, 2]) / classes
    return _reduced(loss if input.dim() == 2 or number else loss.squeeze(0), number)
