"""Convolutions of one to three dimensions, whose padding may be a word."""
from __future__ import annotations

from ... import Tensor
from ..._library import raw as R
from ..._names import called
from ._arguments import spread as _spread
from ._forms import pad

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc"]


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
    stride, dilation = _spread(stride, n, "stride"), _spread(dilation, n, "dilation")
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


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """A convolution over time, which is the first dimension: (T, N, Cin), (K, Cin, Cout), (Cout) -> (T', N, Cout)."""
    return R.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad, 1, 1).permute(2, 0, 1)
