"""Linear layers, convolutions of one to three dimensions and their transposes, unfold and fold."""
from __future__ import annotations

from ... import Tensor
from ..._library import raw as R
from ..._names import called
from ._operators import bilinear, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .padding import pad

__all__ = ["bilinear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
           "fold", "linear", "unfold"]


def _tuple(value, n: int, name: str = "value") -> list[int]:
    """n numbers from one number or from a sequence."""
    if isinstance(value, int):
        return [value] * n
    value = [int(v) for v in value]
    if len(value) == 1:
        return value * n
    if len(value) != n:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {n} values to match the "
                           f"convolution dimensions, but got {name}={value}")
    return value


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``: (\\*, in), (out, in), (out) -> (\\*, out); a weight (in) gives (\\*)."""
    if weight.dim() == 1:
        product = input.matmul(weight)
        return product if bias is None else product + bias
    return input.linear(weight, bias)


def _batched(input: Tensor, n: int, name: str) -> tuple[Tensor, bool]:
    """(N, C, ...) from an input that may lack N, and whether it did."""
    if input.dim() == n + 1:
        return input.unsqueeze(0), True
    if input.dim() != n + 2:
        raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of "
                           f"size: {list(input.shape)}")
    return input, False


def _resolve_padding(input: Tensor, weight: Tensor, n: int, padding, stride, dilation) -> tuple[Tensor, list[int]]:
    """Numbers for "valid" and "same"; where "same" needs one more on one side, the input is padded there."""
    if padding == "valid":
        return input, [0] * n
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}', must be 'valid' or 'same'")
    stride, dilation = _tuple(stride, n, "stride"), _tuple(dilation, n, "dilation")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    if any(t % 2 for t in total):
        extra = []
        for t in reversed(total):
            extra += [0, t % 2]
        input = pad(input, extra)
    return input, [t // 2 for t in total]


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation: (N, C, H, W) or (C, H, W) with weight (O, C / groups, kH, kW)."""
    x, single = _batched(input, 2, "conv2d")
    if isinstance(padding, str):
        x, padding = _resolve_padding(x, weight, 2, padding, stride, dilation)
    y = x.conv2d(weight, bias, stride, padding, dilation, groups)
    return y.squeeze(0) if single else y


def _of_dimensions(n: int, sizes: str):
    operator = getattr(R, f"conv{n}d")

    def conv(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1, groups: int = 1) -> Tensor:
        if isinstance(padding, str):
            input, padding = _resolve_padding(input, weight, n, padding, stride, dilation)
        return operator(input, weight, bias, stride, padding, dilation, groups)
    kernel = sizes.replace(", ", ", k")
    return called(f"conv{n}d", f"Cross-correlation: (N, C, {sizes}) or (C, {sizes}) with weight (O, C / groups, k{kernel}).", conv)


conv1d, conv3d = _of_dimensions(1, "L"), _of_dimensions(3, "D, H, W")


def unfold(input: Tensor, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The windows of a convolution as columns: (N, C, H, W) -> (N, C * kH * kW, L)."""
    return R.im2col(input, kernel_size, dilation, padding, stride)


def fold(input: Tensor, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Adds the columns of :func:`unfold` up again: (N, C * kH * kW, L) -> (N, C, H, W)."""
    return R.col2im(input, output_size, kernel_size, dilation, padding, stride)
