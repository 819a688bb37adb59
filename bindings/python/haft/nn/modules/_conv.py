"""What convolutions and transposed convolutions have in common; _layers.py has the classes, with the parameters of core/schema/modules.def."""
from __future__ import annotations

import math

from ... import Tensor, empty
from .. import functional as F, init
from ..parameter import Parameter
from ._bases import Family
from .utils import _ntuple


class _ConvNd(Family):
    """``_dims`` spatial dimensions."""

    _transposed = False

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups, bias, padding_mode, device,
                 dtype):
        super().__init__()
        tuples = _ntuple(self._dims)
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = tuples(kernel_size)
        self.stride = tuples(stride)
        self.dilation = tuples(dilation)
        self.output_padding = tuples(output_padding)
        self.transposed = self._transposed
        self.groups = groups
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
            self.padding = padding
        else:
            self.padding = tuples(padding)
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.padding_mode = padding_mode
        # For the other modes the input is padded first, the last dimension in front.
        self._reversed_padding_repeated_twice = self._sides()
        channels = (in_channels, out_channels // groups) if self._transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty((*channels, *self.kernel_size), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def _sides(self) -> list[int]:
        sides = []
        for i in reversed(range(self._dims)):
            if self.padding == "valid":
                sides += [0, 0]
            elif self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[i]] * 2
        return sides

    def reset_parameters(self) -> None:
        """Uniform within 1 / sqrt(fan in), as the core's convolutions."""
        init.kaiming_uniform_(self.weight, math.sqrt(5))
        if self.bias is not None:
            fan_in = init._calculate_fan_in_and_fan_out(self.weight)[0]
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        n = self._dims
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", (0,) * n), ("dilation", (1,) * n), ("output_padding", (0,) * n), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Forward(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, 0, dilation, groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode), 0
        elif self._dims == 2 and input.dim() == 4 and type(padding) is tuple:  # the commonest without a detour
            return input.conv2d(weight, bias, self.stride, padding, self.dilation, self.groups)
        function = (F.conv1d, F.conv2d, F.conv3d)[self._dims - 1]
        return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    _transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device,
                 dtype):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding, dilation, groups, bias, padding_mode, device,
                         dtype)

    def _output_padding(self, input: Tensor, output_size) -> tuple:
        """What brings the output to the wanted size."""
        if output_size is None:
            return self.output_padding
        n = self._dims
        extra = input.dim() - n
        output_size = list(output_size)
        if len(output_size) == n + extra:
            output_size = output_size[extra:]
        if len(output_size) != n:
            raise ValueError(f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {n + extra} "
                             f"elements (got {len(output_size)})")
        least = [(input.size(d + extra) - 1) * self.stride[d] - 2 * self.padding[d]
                 + self.dilation[d] * (self.kernel_size[d] - 1) + 1 for d in range(n)]
        most = [low + self.stride[d] - 1 for d, low in enumerate(least)]
        if any(not low <= s <= high for s, low, high in zip(output_size, least, most)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                             f"(for an input of {list(input.size()[2:])})")
        return tuple(s - low for s, low in zip(output_size, least))

    def forward(self, input: Tensor, output_size=None) -> Tensor:
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self._dims - 1]
        return function(input, self.weight, self.bias, self.stride, self.padding,
                        self._output_padding(input, output_size), self.groups, self.dilation)
