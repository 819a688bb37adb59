"""What normalisation over features and groups of channels does; _layers.py has the classes, with the parameters of core/schema/modules.def."""
from __future__ import annotations

from ... import Tensor, empty
from .. import functional as F, init
from ..parameter import Parameter
from .module import Module


class _Affine(Module):
    """Normalises, then scales and shifts by what it learns, if anything."""

    def _register(self, shape: tuple, device, dtype, **wanted: bool) -> None:
        for name, there in wanted.items():
            self.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if there else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            if getattr(self, name, None) is not None:
                init.constant_(getattr(self, name), value)


class _OverShape(_Affine):
    def __init__(self, normalized_shape, eps, elementwise_affine, device, dtype, **bias: bool):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._register(self.normalized_shape, device, dtype, weight=elementwise_affine, **bias)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class _LayerNorm(_OverShape):
    def __init__(self, normalized_shape, eps, elementwise_affine, bias, device, dtype):
        super().__init__(normalized_shape, eps, elementwise_affine, device, dtype, bias=elementwise_affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return input.layer_norm(self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return super().extra_repr() + (", bias=False" if self.elementwise_affine and self.bias is None else "")


class _RMSNorm(_OverShape):
    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class _GroupNorm(_Affine):
    def __init__(self, num_groups, num_channels, eps, affine, bias, device, dtype):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._register((num_channels,), device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}{', bias=False' if self.affine and self.bias is None else ''}"
