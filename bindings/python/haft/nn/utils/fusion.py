"""A batch normalisation as part of the layer before it, for inference."""
from __future__ import annotations

from copy import deepcopy

from ... import Tensor, rsqrt, zeros_like
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_weights(conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None,
                         bn_b: Tensor | None, transpose: bool = False) -> tuple[Parameter, Parameter]:
    """Weight and bias of a convolution that gives what it and a batch normalisation with these numbers give.

    Args:
        conv_w, conv_b: of the convolution; its channels are the first dimension, the second with ``transpose``
        bn_rm, bn_rv: the running mean and variance
        bn_w, bn_b: of the normalisation; ``None``: 1 and 0
    """
    scale = rsqrt(bn_rv + bn_eps) if bn_w is None else bn_w * rsqrt(bn_rv + bn_eps)
    bias = zeros_like(bn_rm) if conv_b is None else conv_b
    moved = (bias - bn_rm) * scale
    shape = [1] * conv_w.dim()
    shape[int(transpose)] = -1
    return (Parameter((conv_w * scale.reshape(shape)).to(conv_w.dtype), conv_w.requires_grad),
            Parameter((moved if bn_b is None else moved + bn_b).to(conv_w.dtype if conv_b is None else conv_b.dtype), bias.requires_grad))


def _fused(layer: Module, bn: Module, *transpose) -> Module:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    fused = deepcopy(layer)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, *transpose)
    return fused


def fuse_conv_bn_eval(conv: Module, bn: Module, transpose: bool = False) -> Module:
    """A convolution that gives what ``bn(conv(x))`` gives; both are in evaluation mode."""
    return _fused(conv, bn, transpose)


def fuse_linear_bn_eval(linear: Module, bn: Module) -> Module:
    """A linear layer that gives what ``bn(linear(x))`` gives; both are in evaluation mode."""
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
                             f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}")
    return _fused(linear, bn)


def fuse_linear_bn_weights(linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor,
                           bn_b: Tensor) -> tuple[Parameter, Parameter]:
    """:func:`fuse_conv_bn_weights` of a linear layer, weight (outputs, inputs)."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
