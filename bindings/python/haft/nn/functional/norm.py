"""Normalisation."""
from __future__ import annotations

from typing import Sequence

from ... import Tensor
from ..._library import raw as R
from ._operators import group_norm, layer_norm, local_response_norm

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


def rms_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """Divided by the root of the mean square over the last dimensions (Zhang and Sennrich, arXiv:1910.07467)."""
    return R.rms_norm(input, normalized_shape, weight, -1.0 if eps is None else eps)


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
                  weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """(N, C, \\*) normalised over each channel of each sample; running statistics are means over the batch."""
    return R.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)
