"""Normalisation."""
from __future__ import annotations

from typing import Sequence

from ... import Tensor
from .padding import pad

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
               bias: Tensor | None = None, training: bool = False, momentum: float = 0.1,
               eps: float = 1e-5) -> Tensor:
    """(N, C, \\*) normalised per channel; training uses the batch's statistics and updates the running ones."""
    if training:
        size = input.shape
        count = 1
        for i, n in enumerate(size):
            if i != 1:
                count *= n
        if count == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    return input.batch_norm(weight, bias, running_mean, running_var, training, momentum, eps)


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Normalised over the last dimensions, which have ``normalized_shape``."""
    return input.layer_norm(normalized_shape, weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """Divided by the root of the mean square over the last dimensions (Zhang and Sennrich, arXiv:1910.07467)."""
    normalized_shape = list(normalized_shape)
    n = len(normalized_shape)
    if list(input.shape[-n:]) != normalized_shape:
        raise RuntimeError(f"Given normalized_shape={normalized_shape}, expected input with shape "
                           f"[*, {', '.join(map(str, normalized_shape))}], but got input of size{list(input.shape)}")
    if eps is None:
        from ... import finfo
        eps = finfo(input.dtype).eps
    result = input * (input.square().mean(list(range(-n, 0)), True) + eps).rsqrt()
    return result if weight is None else result * weight


def _per_channel(t: Tensor, dims: int) -> Tensor:
    return t.reshape([1, -1] + [1] * (dims - 2))


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """(N, C, \\*) normalised over each of ``num_groups`` groups of channels of each sample."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    n, c = input.shape[:2]
    if num_groups < 1 or c % num_groups:
        raise RuntimeError(f"Expected number of channels in input to be divisible by num_groups, but got input of "
                           f"shape {list(input.shape)} and num_groups={num_groups}")
    inner = 1
    for s in input.shape[2:]:
        inner *= s
    if n * (c // num_groups) * inner == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    rows = [c // num_groups * inner]
    result = input.reshape(n * num_groups, rows[0]).layer_norm(rows, None, None, eps).reshape(input.shape)
    if weight is not None:
        result = result * _per_channel(weight, input.dim())
    return result if bias is None else result + _per_channel(bias, input.dim())


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
                  weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """(N, C, \\*) normalised over each channel of each sample; running statistics are means over the batch."""
    if not use_input_stats:
        return input.batch_norm(weight, bias, running_mean, running_var, False, momentum, eps)
    n, c = input.shape[:2]
    inner = input.numel() // max(n * c, 1)
    if inner == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if running_mean is not None or running_var is not None:
        flat = input.detach().reshape(n, c, inner)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(flat.mean([0, 2]) * momentum)
        if running_var is not None:
            running_var.mul_(1 - momentum).add_(flat.var(2).mean(0) * momentum)
    return group_norm(input, c, weight, bias, eps)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """``input / (k + alpha * mean of squares over size channels) ** beta`` (Krizhevsky et al., 2012)."""
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)")
    if input.numel() == 0:
        return input
    squares = pad(input.square(), [0, 0] * (input.dim() - 2) + [size // 2, (size - 1) // 2])
    return input / (squares.unfold(1, size, 1).mean(-1) * alpha + k) ** beta
