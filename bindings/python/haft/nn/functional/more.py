"""Functions that call the engine in several ways by their arguments."""
from __future__ import annotations

import math

from ... import Tensor
from ..._library import raw as R
from . import _losses
from ._reduction import number_of

__all__ = ["avg_pool2d", "cross_entropy", "gumbel_softmax", "interpolate"]

_MODES = {"nearest": (0, 0), "linear": (1, 1), "bilinear": (1, 2), "trilinear": (1, 3), "bicubic": (2, 2), "area": (3, 0),
          "nearest-exact": (4, 0)}  # the engine's number, dimensions behind the channels


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average=None, ignore_index: int = -100, reduce=None,
                  reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """-log softmax(input)[target]: scores (N, C, *) against class indices (N, *) or probabilities. A DTensor has its own."""
    if not isinstance(input, Tensor) and hasattr(input, "device_mesh"):
        return input.cross_entropy(target, weight, number_of(reduction, size_average, reduce), ignore_index, label_smoothing)
    return _losses.cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution (Jang et al., arXiv:1611.01144).

    ``hard``: one-hot forward, the gradient of the soft sample backward.
    """
    return R.gumbel_softmax(logits, tau, hard, dim)


def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Mean of each window of (N, C, H, W) or (C, H, W)."""
    stride = stride if isinstance(stride, int) else stride or None  # no strides are the kernel's
    return input.avg_pool2d(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def interpolate(input: Tensor, size=None, scale_factor=None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """Resamples (N, C, \\*) to ``size`` or by ``scale_factor``.

    Args:
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"`` (3-d input), ``"bilinear"``, ``"bicubic"`` (4-d),
            ``"trilinear"`` (5-d) or ``"area"``
        align_corners: the outermost elements keep their places
        antialias: bilinear and bicubic filters are as wide as what an element of a smaller result covers
    """
    n = input.dim() - 2
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("Anti-alias option is only supported for bilinear and bicubic modes")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    scales: list = [None] * n
    if size is not None:
        out = [size] * n if isinstance(size, int) else [int(s) for s in size]
        if len(out) != n:
            raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with "
                             f"spatial dimensions of {list(input.shape[2:])} and output size of {size}.")
    elif scale_factor is not None:
        factors = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * n
        if len(factors) != n:
            raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input "
                             f"with spatial dimensions of {list(input.shape[2:])} and scale_factor of shape "
                             f"{scale_factor}.")
        out = [int(math.floor(input.size(2 + i) * f)) for i, f in enumerate(factors)]
        if not recompute_scale_factor:
            scales = [float(f) for f in factors]
    else:
        raise ValueError("either size or scale_factor should be defined")
    number, wanted = _MODES.get(mode, (0, -1))
    if wanted not in (0, n):
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {wanted + 2}D input" if wanted > 0 else
                                  "Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: "
                                  "nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {})"
                                  .format(input.dim(), mode))
    if antialias:
        number = {"bilinear": 5, "bicubic": 6}[mode]
    return R.interpolate(input, out, number, bool(align_corners), *(s or 0.0 for s in reversed(scales)))
