"""Pooling over one to three dimensions; what follows from the operators' signatures is generated."""
from __future__ import annotations

from ... import Tensor, float32, float64, rand
from ..._library import raw as R
from ._operators import *  # noqa: F401,F403
from ._operators import __all__ as _operators, avg_pool3d
from .conv import _tuple

__all__ = [*(name for name in _operators if "pool" in name), "avg_pool2d", "fractional_max_pool2d",
           "fractional_max_pool2d_with_indices", "fractional_max_pool3d", "fractional_max_pool3d_with_indices"]


def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Mean of each window of (N, C, H, W) or (C, H, W)."""
    stride = stride if isinstance(stride, int) else stride or None  # no strides are the kernel's
    if divisor_override is None:
        return input.avg_pool2d(kernel_size, stride, padding, ceil_mode, count_include_pad)
    kernel, stride = _tuple(kernel_size, 2), _tuple(kernel_size if stride is None else stride, 2)
    return avg_pool3d(input.unsqueeze(-3), [1, *kernel], [1, *stride], [0, *_tuple(padding, 2)], ceil_mode, count_include_pad,
                      divisor_override).squeeze(-3)


def _fractional(name: str, n: int, input: Tensor, kernel_size, output_size, output_ratio, samples: Tensor | None):
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    sizes = input.shape[-n:]
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * n
        output_size = [int(size * ratio) for size, ratio in zip(sizes, ratios)]
    if samples is None:
        batch = input.shape[:-n] if input.dim() == n + 2 else (1, *input.shape[:-n])
        samples = rand(*batch, n, dtype=float64 if input.dtype is float64 else float32, device=input.device)
    return getattr(R, name)(input, samples, _tuple(kernel_size, n), _tuple(output_size, n))


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                                       _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Maximum of windows of (N, C, H, W) or (C, H, W) that begin at random distances, and where it stands in its channel."""
    return _fractional("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                                       _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The same of (N, C, D, H, W) or (C, D, H, W)."""
    return _fractional("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                          _random_samples: Tensor | None = None):
    """Maximum of ``output_size`` windows of (N, C, H, W) or (C, H, W) that begin at random distances (Graham, arXiv:1412.6071)."""
    both = fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                          _random_samples: Tensor | None = None):
    """Maximum of ``output_size`` windows of (N, C, D, H, W) or (C, D, H, W) that begin at random distances."""
    both = fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return both if return_indices else both[0]
