# Generated from core/schema/modules.def by tools/generate; do not edit.
"""The engine's layers as modules. haft.nn shows those that it does not write itself."""
from __future__ import annotations

from ... import _haft
from ._engine import EngineModule

__all__ = ["Linear", "Conv2d", "BatchNorm1d", "BatchNorm2d", "LayerNorm", "Dropout", "Embedding", "MaxPool2d",
           "AvgPool2d", "AdaptiveAvgPool2d", "ReLU", "LeakyReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "ELU",
           "Softplus", "Hardswish", "Mish", "Softmax", "LogSoftmax", "Identity", "Flatten"]


class Linear(EngineModule):
    """x weight^T + bias: x (*, in_features) to (*, out_features).

    Args:
        in_features: size of the last dimension of inputs
        out_features: size of the last dimension of outputs
        bias: whether a bias is added
    """

    _make = staticmethod(_haft.Make.linear)

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None,
                 generator=None):
        arguments = dict(in_features=in_features, out_features=out_features, bias=bias)
        super().__init__(arguments, device=device, dtype=dtype, generator=generator)


class Conv2d(EngineModule):
    """Cross-correlation of images: x (N, in_channels, H, W) to (N, out_channels, H', W').

    Args:
        in_channels: channels of the input
        out_channels: channels of the output
        kernel_size: size of the window
        stride: steps between windows
        padding: zeros on each side of the image
        dilation: steps between the elements of a window
        groups: groups of channels that do not see each other; divides both numbers of channels
        bias: whether a bias is added
    """

    _make = staticmethod(_haft.Make.conv2d)
    _pairs = ("kernel_size", "stride", "padding", "dilation")

    def __init__(self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0, dilation=1,
                 groups: int = 1, bias: bool = True, device=None, dtype=None, generator=None):
        arguments = dict(in_channels=in_channels, out_channels=out_channels, kernel_size=kernel_size,
                         stride=stride, padding=padding, dilation=dilation, groups=groups, bias=bias)
        super().__init__(arguments, device=device, dtype=dtype, generator=generator)


class BatchNorm1d(EngineModule):
    """Batch normalisation of x (N, C) or (N, C, L).

    Args:
        num_features: C
        eps: added to the variance
        momentum: part of a new batch in the running statistics
        affine: whether there are a weight and a bias
        track_running_stats: whether running statistics are kept; without them those of the batch serve in
            evaluation, too
    """

    _make = staticmethod(_haft.Make.batch_norm1d)

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device=None, dtype=None):
        arguments = dict(num_features=num_features, eps=eps, momentum=momentum, affine=affine,
                         track_running_stats=track_running_stats)
        super().__init__(arguments, device=device, dtype=dtype)


class BatchNorm2d(EngineModule):
    """Batch normalisation of x (N, C, H, W).

    Args:
        num_features: C
        eps: added to the variance
        momentum: part of a new batch in the running statistics
        affine: whether there are a weight and a bias
        track_running_stats: whether running statistics are kept; without them those of the batch serve in
            evaluation, too
    """

    _make = staticmethod(_haft.Make.batch_norm2d)

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device=None, dtype=None):
        arguments = dict(num_features=num_features, eps=eps, momentum=momentum, affine=affine,
                         track_running_stats=track_running_stats)
        super().__init__(arguments, device=device, dtype=dtype)


class LayerNorm(EngineModule):
    """Normalisation over the last dimensions.

    Args:
        normalized_shape: their sizes
        eps: added to the variance
        elementwise_affine: whether there are a weight and a bias of these sizes
    """

    _make = staticmethod(_haft.Make.layer_norm)

    def __init__(self, normalized_shape, eps: float = 1e-5, elementwise_affine: bool = True, device=None,
                 dtype=None):
        arguments = dict(normalized_shape=normalized_shape, eps=eps, elementwise_affine=elementwise_affine)
        super().__init__(arguments, device=device, dtype=dtype)


class Dropout(EngineModule):
    """Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p).

    Args:
        p: the probability, from 0 to 1
    """

    _make = staticmethod(_haft.Make.dropout)

    def __init__(self, p: float = 0.5, generator=None):
        arguments = dict(p=p)
        super().__init__(arguments, generator=generator)


class Embedding(EngineModule):
    """Rows of a table at integer positions: x (*) to (*, embedding_dim).

    Args:
        num_embeddings: rows of the table
        embedding_dim: width of a row
        padding_idx: a row that starts at 0 and gets no gradient; negative counts from the end
    """

    _make = staticmethod(_haft.Make.embedding)

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, device=None,
                 dtype=None, generator=None):
        arguments = dict(num_embeddings=num_embeddings, embedding_dim=embedding_dim, padding_idx=padding_idx)
        super().__init__(arguments, device=device, dtype=dtype, generator=generator)


class MaxPool2d(EngineModule):
    """The maximum of each window of x (N, C, H, W).

    Args:
        kernel_size: size of the window
        stride: steps between windows; 0 is the window's size
        padding: border around the image, at most half the window
        dilation: steps between the elements of a window
        ceil_mode: whether windows that only begin inside count, too
    """

    _make = staticmethod(_haft.Make.max_pool2d)
    _pairs = ("kernel_size", "stride", "padding", "dilation")

    def __init__(self, kernel_size, stride=0, padding=0, dilation=1, ceil_mode: bool = False):
        arguments = dict(kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
                         ceil_mode=ceil_mode)
        super().__init__(arguments)


class AvgPool2d(EngineModule):
    """The mean of each window of x (N, C, H, W).

    Args:
        kernel_size: size of the window
        stride: steps between windows; 0 is the window's size
        padding: border of zeros around the image, at most half the window
        ceil_mode: whether windows that only begin inside count, too
        count_include_pad: whether the border counts
    """

    _make = staticmethod(_haft.Make.avg_pool2d)
    _pairs = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size, stride=0, padding=0, ceil_mode: bool = False,
                 count_include_pad: bool = True):
        arguments = dict(kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
                         count_include_pad=count_include_pad)
        super().__init__(arguments)


class AdaptiveAvgPool2d(EngineModule):
    """The means over a grid of windows that covers the image.

    Args:
        output_size: size of the grid
    """

    _make = staticmethod(_haft.Make.adaptive_avg_pool2d)
    _pairs = ("output_size",)

    def __init__(self, output_size):
        arguments = dict(output_size=output_size)
        super().__init__(arguments)


class ReLU(EngineModule):
    """max(x, 0)."""

    _make = staticmethod(_haft.Make.relu)

    def __init__(self):
        super().__init__({})


class LeakyReLU(EngineModule):
    """x above 0, negative_slope x below.

    Args:
        negative_slope: the slope below 0
    """

    _make = staticmethod(_haft.Make.leaky_relu)

    def __init__(self, negative_slope: float = 0.01):
        arguments = dict(negative_slope=negative_slope)
        super().__init__(arguments)


class GELU(EngineModule):
    """x times the normal distribution function at x.

    Args:
        tanh: whether it is approximated by tanh
    """

    _make = staticmethod(_haft.Make.gelu)

    def __init__(self, tanh: bool = False):
        arguments = dict(tanh=tanh)
        super().__init__(arguments)


class SiLU(EngineModule):
    """x sigmoid(x)."""

    _make = staticmethod(_haft.Make.silu)

    def __init__(self):
        super().__init__({})


class Sigmoid(EngineModule):
    """1 / (1 + exp(-x))."""

    _make = staticmethod(_haft.Make.sigmoid)

    def __init__(self):
        super().__init__({})


class Tanh(EngineModule):
    """Hyperbolic tangent."""

    _make = staticmethod(_haft.Make.tanh)

    def __init__(self):
        super().__init__({})


class ELU(EngineModule):
    """x above 0, alpha (exp(x) - 1) below.

    Args:
        alpha: -alpha is the limit below 0
    """

    _make = staticmethod(_haft.Make.elu)

    def __init__(self, alpha: float = 1.0):
        arguments = dict(alpha=alpha)
        super().__init__(arguments)


class Softplus(EngineModule):
    """log(1 + exp(beta x)) / beta.

    Args:
        beta: sharpness, above 0
        threshold: where beta x is above it, the result is x itself
    """

    _make = staticmethod(_haft.Make.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        arguments = dict(beta=beta, threshold=threshold)
        super().__init__(arguments)


class Hardswish(EngineModule):
    """x relu6(x + 3) / 6."""

    _make = staticmethod(_haft.Make.hardswish)

    def __init__(self):
        super().__init__({})


class Mish(EngineModule):
    """x tanh(softplus(x))."""

    _make = staticmethod(_haft.Make.mish)

    def __init__(self):
        super().__init__({})


class Softmax(EngineModule):
    """exp(x) / sum(exp(x)) along a dimension.

    Args:
        dim: the dimension; negative counts from the end
    """

    _make = staticmethod(_haft.Make.softmax)

    def __init__(self, dim: int):
        arguments = dict(dim=dim)
        super().__init__(arguments)


class LogSoftmax(EngineModule):
    """The logarithm of softmax along a dimension.

    Args:
        dim: the dimension; negative counts from the end
    """

    _make = staticmethod(_haft.Make.log_softmax)

    def __init__(self, dim: int):
        arguments = dict(dim=dim)
        super().__init__(arguments)


class Identity(EngineModule):
    """x itself."""

    _make = staticmethod(_haft.Make.identity)

    def __init__(self):
        super().__init__({})


class Flatten(EngineModule):
    """The dimensions from start_dim to end_dim as one.

    Args:
        start_dim: the first; negative counts from the end
        end_dim: the last; negative counts from the end
    """

    _make = staticmethod(_haft.Make.flatten)

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        arguments = dict(start_dim=start_dim, end_dim=end_dim)
        super().__init__(arguments)
