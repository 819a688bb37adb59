"""Modules that learn the size of their input from the first one."""
from __future__ import annotations

from ... import Tensor, empty, no_grad
from ..parameter import UninitializedParameter
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear
from .module import Module

__all__ = ["LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d",
           "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear"]


class LazyModuleMixin:
    """Of a class that becomes ``cls_to_become`` when its first input has come by."""

    cls_to_become: type

    def has_uninitialized_params(self) -> bool:
        """Whether some parameter has no size yet."""
        return any(isinstance(p, UninitializedParameter) for p in self._parameters.values())

    def initialize_parameters(self, input: Tensor) -> None:
        """Takes sizes from an input."""
        fresh = self.has_uninitialized_params()
        shapes = self._take_sizes(input)
        for name, shape in shapes.items():
            if isinstance(self._parameters.get(name), UninitializedParameter):
                self._parameters[name].materialize(shape)
        if fresh:
            with no_grad():
                self.reset_parameters()

    def forward(self, input: Tensor, *args, **kwargs):
        self.initialize_parameters(input)
        self.__class__ = self.cls_to_become
        return self.forward(input, *args, **kwargs)

    def _load_from_state_dict(self, state_dict, prefix, *rest) -> None:
        # A file knows the sizes, too.
        for name, p in self._parameters.items():
            if isinstance(p, UninitializedParameter) and prefix + name in state_dict:
                p.materialize(state_dict[prefix + name].shape)
        for name, b in self._buffers.items():
            if b is not None and prefix + name in state_dict and b.shape != state_dict[prefix + name].shape and 0 in b.shape:
                self._buffers[name] = empty(state_dict[prefix + name].shape, dtype=b.dtype, device=b.device)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def _forget_sizes(self, device, dtype) -> None:
        for name, p in self._parameters.items():
            if p is not None:
                self._parameters[name] = UninitializedParameter(device=device, dtype=dtype)


class LazyLinear(LazyModuleMixin, Linear):
    """:class:`Linear` with the input's last size as in_features.

    Args:
        out_features: size of the last dimension of outputs
        bias: add a learnt bias
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device=None, dtype=None):
        Module.__init__(self)
        self.in_features = 0
        self.out_features = out_features
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.register_parameter("bias", UninitializedParameter(device=device, dtype=dtype) if bias else None)

    def _take_sizes(self, input: Tensor) -> dict:
        self.in_features = input.shape[-1]
        return {"weight": (self.out_features, self.in_features), "bias": (self.out_features,)}


class _LazyConv(LazyModuleMixin):
    def __init__(self, out_channels: int, *args, device=None, dtype=None, **kwargs):
        super().__init__(out_channels, out_channels, *args, device=device, dtype=dtype, **kwargs)
        self.in_channels = 0
        self._forget_sizes(device, dtype)

    def _take_sizes(self, input: Tensor) -> dict:
        n = self._dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of size: "
                               f"{input.shape}")
        channels = input.shape[-n - 1]
        if channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        self.in_channels = channels
        sizes = ((channels, self.out_channels // self.groups) if self._transposed else (self.out_channels, channels // self.groups))
        return {"weight": (*sizes, *self.kernel_size), "bias": (self.out_channels,)}


class _LazyNorm(LazyModuleMixin):
    def __init__(self, *args, device=None, dtype=None, **kwargs):
        super().__init__(0, *args, device=device, dtype=dtype, **kwargs)
        self._forget_sizes(device, dtype)

    def initialize_parameters(self, input: Tensor) -> None:
        self._check_input_dim(input)
        channels = input.shape[1] if input.dim() == self._batched_dims(input) else input.shape[0]
        if not self.num_features:
            self.num_features = channels
            for name, b in self._buffers.items():
                if b is not None and b.dim() == 1 and not b.numel():
                    fill = b.new_zeros((channels,)) if name == "running_mean" else b.new_ones((channels,))
                    self._buffers[name] = fill
        super().initialize_parameters(input)

    def _batched_dims(self, input: Tensor) -> int:
        return input.dim()

    def _take_sizes(self, input: Tensor) -> dict:
        return {"weight": (self.num_features,), "bias": (self.num_features,)}


class _LazyInstance(_LazyNorm):
    def __init__(self, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True, device=None,
                 dtype=None, *, bias: bool = True):
        super().__init__(eps, momentum, affine, track_running_stats, device=device, dtype=dtype, bias=bias)

    def _batched_dims(self, input: Tensor) -> int:
        return {InstanceNorm1d: 3, InstanceNorm2d: 4, InstanceNorm3d: 5}[self.cls_to_become]


def _lazy(kind: type, base: type) -> type:
    _, _, parameters = (kind.__doc__ or "").partition("\n\n")
    kept = [line for line in parameters.split("\n") if not line.lstrip().startswith(("in_channels:", "num_features:"))]
    return type("Lazy" + kind.__name__, (base, kind), {
        "cls_to_become": kind, "__module__": __name__, "__qualname__": "Lazy" + kind.__name__,
        "__doc__": f":class:`{kind.__name__}` that takes the number of channels from its first input.\n\n" + "\n".join(kept)})


LazyConv1d, LazyConv2d, LazyConv3d = (_lazy(k, _LazyConv) for k in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (_lazy(k, _LazyConv) for k in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d))
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (_lazy(k, _LazyNorm) for k in (BatchNorm1d, BatchNorm2d, BatchNorm3d))
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (_lazy(k, _LazyInstance) for k in (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d))
