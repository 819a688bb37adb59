"""Pooling and unpooling."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._functions import *  # noqa: F401,F403 - torch.nn.modules.pooling has all of them
from .module import Module

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Module):
    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False, _random_samples: Tensor | None = None):
        super().__init__()
        name, n = type(self).__name__, self._dims
        numbers = {"output_size": output_size, "output_ratio": output_ratio}
        spread = {k: v if v is None or isinstance(v, (tuple, list)) else (v,) * n for k, v in numbers.items()}
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if output_ratio is not None and not all(0 < r < 1 for r in spread["output_ratio"]):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
        self.kernel_size = tuple(kernel_size) if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * n
        self.output_size, self.output_ratio = spread["output_size"], spread["output_ratio"]
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input: Tensor):
        return self._pool(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maximum of windows of (N, C, H, W) or (C, H, W) that begin at random distances (Graham, arXiv:1412.6071).

    Args:
        kernel_size: size of the windows
        output_size: how many there are
        output_ratio: part of the input's sizes that the result has, below 1, in place of them
        return_indices: answer where the maxima stood, too
        _random_samples: (N, C, dimensions) from [0, 1) in place of fresh numbers
    """

    _dims, _pool = 2, staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """The same of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size: size of the windows
        output_size: how many there are
        output_ratio: part of the input's sizes that the result has, below 1, in place of them
        return_indices: answer where the maxima stood, too
        _random_samples: (N, C, dimensions) from [0, 1) in place of fresh numbers
    """

    _dims, _pool = 3, staticmethod(F.fractional_max_pool3d)
