"""Pooling over one to three dimensions; what follows from the operators' signatures is generated."""
from __future__ import annotations

from ... import Tensor, float32, float64, rand
from ..._library import raw as R
from ..._names import called
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


def _fractional(n: int, sizes: str):
    name = f"fractional_max_pool{n}d"
    operator = getattr(R, name)

    def with_indices(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                     _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * n
            output_size = [int(size * ratio) for size, ratio in zip(input.shape[-n:], ratios)]
        if _random_samples is None:
            batch = input.shape[:-n] if input.dim() == n + 2 else (1, *input.shape[:-n])
            _random_samples = rand(*batch, n, dtype=float64 if input.dtype is float64 else float32, device=input.device)
        return operator(input, _random_samples, _tuple(kernel_size, n), _tuple(output_size, n))

    def pool(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
             _random_samples: Tensor | None = None):
        both = with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
        return both if return_indices else both[0]
    what = f"Maximum of windows of (N, C, {sizes}) or (C, {sizes}) that begin at random distances (Graham, arXiv:1412.6071)"
    return (called(name, f"{what}; return_indices: and where it stands in its channel.", pool),
            called(name + "_with_indices", f"{what}, and where it stands in its channel.", with_indices))


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional(2, "H, W")
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional(3, "D, H, W")
