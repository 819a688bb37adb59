"""What linear layers do; _layers.py has the classes, with the parameters of core/schema/modules.def."""
from __future__ import annotations

import math

from ... import Tensor, _haft, empty
from .. import functional as F, init
from ..parameter import Parameter
from ._core import core, take
from .module import Module


class _Linear(Module):
    def __init__(self, in_features, out_features, bias, device, dtype):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fresh numbers from the core: the same for one seed in every language."""
        take(self, core(_haft.Make.linear, self.weight, self.in_features, self.out_features, self.bias is not None))

    def forward(self, input: Tensor) -> Tensor:
        return input.linear(self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class _Bilinear(Module):
    def __init__(self, in1_features, in2_features, out_features, bias, device, dtype):
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform within 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")
