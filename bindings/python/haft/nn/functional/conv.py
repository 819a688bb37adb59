"""Linear layers, convolutions of one to three dimensions and their transposes, unfold and fold."""
from __future__ import annotations

from ... import Tensor, zeros
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
    """``input @ weight.T + bias``: (\\*, in), (out, in), (out) -> (\\*, out)."""
    return input.linear(weight, bias)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2`` for each k: (\\*, in1), (\\*, in2), (out, in1, in2) -> (\\*, out)."""
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(f"bilinear(): input batch dimensions do not match, got {input1.shape} and {input2.shape}")
    out, in1, in2 = weight.shape
    if input1.size(-1) != in1 or input2.size(-1) != in2:
        raise RuntimeError(f"bilinear(): wanted inputs of {in1} and {in2} features for a weight of shape "
                           f"{weight.shape}, got {input1.size(-1)} and {input2.size(-1)}")
    lead = input1.shape[:-1]
    a, b = input1.reshape(-1, in1), input2.reshape(-1, in2)
    # (B, in1) x (in1, out * in2) -> (B, out, in2), then against b.
    left = a.matmul(weight.permute(1, 0, 2).reshape(in1, out * in2)).reshape(-1, out, in2)
    result = left.matmul(b.unsqueeze(-1)).squeeze(-1)
    if bias is not None:
        result = result + bias
    return result.reshape(*lead, out)


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
    stride, dilation = _tuple(stride, 2, "stride"), _tuple(dilation, 2, "dilation")
    x, single = _batched(input, 2, "conv2d")
    if isinstance(padding, str):
        x, padding = _resolve_padding(x, weight, 2, padding, stride, dilation)
    y = x.conv2d(weight, bias, stride, _tuple(padding, 2, "padding"), dilation, groups)
    return y.squeeze(0) if single else y


def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation: (N, C, L) or (C, L) with weight (O, C / groups, kL)."""
    stride, dilation = _tuple(stride, 1, "stride"), _tuple(dilation, 1, "dilation")
    x, single = _batched(input, 1, "conv1d")
    if isinstance(padding, str):
        x, padding = _resolve_padding(x, weight, 1, padding, stride, dilation)
    # A picture of one row.
    y = x.unsqueeze(2).conv2d(weight.unsqueeze(2), bias, [1, *stride], [0, *_tuple(padding, 1, "padding")],
                              [1, *dilation], groups).squeeze(2)
    return y.squeeze(0) if single else y


def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation: (N, C, D, H, W) or (C, D, H, W) with weight (O, C / groups, kD, kH, kW)."""
    stride, dilation = _tuple(stride, 3, "stride"), _tuple(dilation, 3, "dilation")
    x, single = _batched(input, 3, "conv3d")
    if isinstance(padding, str):
        x, padding = _resolve_padding(x, weight, 3, padding, stride, dilation)
    depth, *padding = _tuple(padding, 3, "padding")
    if depth:
        x = pad(x, [0, 0, 0, 0, depth, depth])
    kd = weight.size(2)
    reach = dilation[0] * (kd - 1) + 1
    if x.size(2) < reach:
        raise RuntimeError(f"Calculated padded input size per channel: ({x.size(2)} x {x.size(3)} x {x.size(4)}). "
                           f"Kernel size: ({reach} x {weight.size(3)} x {weight.size(4)}). Kernel size can't be "
                           "greater than actual input size")
    # Each output slice is a flat convolution whose channels are the kd input slices that it sees.
    windows = x.unfold(2, reach, stride[0])[..., :: dilation[0]]  # (N, C, D', H, W, kd)
    n, c, d = windows.shape[:3]
    flat = windows.permute(0, 2, 1, 5, 3, 4).reshape(n * d, c * kd, *x.shape[3:])
    w = weight.reshape(weight.size(0), weight.size(1) * kd, *weight.shape[3:])
    y = flat.conv2d(w, bias, stride[1:], padding, dilation[1:], groups)
    y = y.reshape(n, d, *y.shape[1:]).transpose(1, 2)
    return y.squeeze(0) if single else y


def _conv_transpose(n: int, input: Tensor, weight: Tensor, bias, stride, padding, output_padding, groups: int,
                    dilation) -> Tensor:
    stride, dilation = _tuple(stride, n, "stride"), _tuple(dilation, n, "dilation")
    padding, output_padding = _tuple(padding, n, "padding"), _tuple(output_padding, n, "output_padding")
    for i in range(n):
        if output_padding[i] >= max(stride[i], dilation[i]):
            raise RuntimeError("output padding must be smaller than either stride or dilation, but got "
                               f"output_padding: {output_padding}, stride: {stride}, dilation: {dilation}")
    x, single = _batched(input, n, f"conv_transpose{n}d")
    c, per_group = weight.shape[:2]
    if x.size(1) != c:
        raise RuntimeError(f"Given transposed={1}, weight of size {list(weight.shape)}, expected input{list(x.shape)} "
                           f"to have {c} channels, but got {x.size(1)} channels instead")
    # The gradient of a convolution: stride - 1 zeros between the inputs, then a convolution with the flipped kernel.
    for i, s in enumerate(stride):
        if s > 1:
            dim = 2 + i
            x = x.unsqueeze(dim + 1)
            x = pad(x, [0, 0] * (x.dim() - dim - 2) + [0, s - 1]).flatten(dim, dim + 1)
            x = x.narrow(dim, 0, x.size(dim) - (s - 1))
    sides = []
    for i in reversed(range(n)):
        edge = dilation[i] * (weight.size(2 + i) - 1) - padding[i]
        sides += [edge, edge + output_padding[i]]
    x = pad(x, sides)
    # (groups, C / groups, O / groups, ...) -> (O, C / groups, ...)
    spatial = list(weight.shape[2:])
    w = weight.reshape(groups, c // groups, per_group, *spatial).transpose(1, 2)
    w = w.reshape(groups * per_group, c // groups, *spatial).flip([*range(2, 2 + n)])
    y = (conv1d, conv2d, conv3d)[n - 1](x, w, bias, 1, 0, dilation, groups)
    return y.squeeze(0) if single else y


def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of :func:`conv1d`: weight (C, O / groups, kL)."""
    return _conv_transpose(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of :func:`conv2d`: weight (C, O / groups, kH, kW)."""
    return _conv_transpose(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of :func:`conv3d`: weight (C, O / groups, kD, kH, kW)."""
    return _conv_transpose(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def unfold(input: Tensor, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The windows of a convolution as columns: (N, C, H, W) -> (N, C * kH * kW, L)."""
    kernel, dilation = _tuple(kernel_size, 2), _tuple(dilation, 2)
    padding, stride = _tuple(padding, 2), _tuple(stride, 2)
    x, single = _batched(input, 2, "unfold")
    x = pad(x, [padding[1], padding[1], padding[0], padding[0]])
    for i in (0, 1):
        reach = dilation[i] * (kernel[i] - 1) + 1
        x = x.unfold(2 + i, reach, stride[i])[..., :: dilation[i]]
    x = x.permute(0, 1, 4, 5, 2, 3).flatten(1, 3).flatten(2)  # (N, C, H', W', kH, kW)
    return x.squeeze(0) if single else x


def fold(input: Tensor, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Adds the columns of :func:`unfold` up again: (N, C * kH * kW, L) -> (N, C, H, W)."""
    size, kernel = _tuple(output_size, 2), _tuple(kernel_size, 2)
    dilation, padding, stride = _tuple(dilation, 2), _tuple(padding, 2), _tuple(stride, 2)
    x, single = (input.unsqueeze(0), True) if input.dim() == 2 else (input, False)
    counts = [(size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]
    columns = kernel[0] * kernel[1]
    if x.dim() != 3 or x.size(1) % columns or x.size(2) != counts[0] * counts[1]:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride={stride}, expected input of shape (N, C * {columns}, {counts[0] * counts[1]}), "
                           f"but got {list(input.shape)}")
    n, c = x.size(0), x.size(1) // columns
    x = x.reshape(n, c, *kernel, *counts)
    out = zeros(n, c, size[0] + 2 * padding[0], size[1] + 2 * padding[1], dtype=x.dtype, device=x.device)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilation[0], j * dilation[1]
            out[:, :, top : top + counts[0] * stride[0] : stride[0],
                left : left + counts[1] * stride[1] : stride[1]] += x[:, :, i, j]
    out = out[:, :, padding[0] : padding[0] + size[0], padding[1] : padding[1] + size[1]]
    return out.squeeze(0) if single else out
