"""What LinearCrossEntropyLoss does; _attention_layers.py has the class, with the parameters of core/schema/modules_python.def."""
from __future__ import annotations

import math

from ... import Tensor
from .. import functional as F
from ._bases import _WeightedLoss
from .linear import Linear


class _LinearCrossEntropyLoss(_WeightedLoss):
    def __init__(self, in_features, num_classes, out_features, bias, reduction, weight, ignore_index, label_smoothing, options, device, dtype):
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0.0 <= label_smoothing <= 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        linear, sizes = self.linear, (self.num_classes, *self.out_features)
        return F.linear_cross_entropy(input, linear.weight.reshape(*sizes, linear.in_features), target, weight=self.weight,
                                      linear_bias=None if linear.bias is None else linear.bias.reshape(sizes), reduction=self.reduction,
                                      ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options)

    def extra_repr(self) -> str:
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
                f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
                f"label_smoothing={self.label_smoothing}, options={self.options}")
