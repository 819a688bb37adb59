"""Pooling over one to three dimensions."""
from __future__ import annotations

from ... import Tensor, arange, stack, zeros
from .conv import _batched, _tuple
from .padding import pad

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d",
    "max_pool1d", "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
]


def _rows(input: Tensor, n: int, name: str):
    """(N, C, ...) with dimensions of size 1 in front of the spatial ones up to two, and the way back."""
    x, single = _batched(input, n, name)
    if n == 1:
        x = x.unsqueeze(2)

    def back(y: Tensor) -> Tensor:
        y = y.squeeze(2) if n == 1 else y
        return y.squeeze(0) if single else y

    return x, back


def max_pool2d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """Maximum of each window of (N, C, H, W) or (C, H, W); ``stride`` is the kernel's size unless given."""
    if return_indices:
        return _max_pool_with_indices(2, input, kernel_size, stride, padding, dilation, ceil_mode)
    return input.max_pool2d(_tuple(kernel_size, 2), [] if stride is None else _tuple(stride, 2), _tuple(padding, 2),
                            _tuple(dilation, 2), ceil_mode)


def max_pool1d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """Maximum of each window of (N, C, L) or (C, L)."""
    if return_indices:
        return _max_pool_with_indices(1, input, kernel_size, stride, padding, dilation, ceil_mode)
    x, back = _rows(input, 1, "max_pool1d")
    kernel = _tuple(kernel_size, 1)
    return back(x.max_pool2d([1, *kernel], [1, *(kernel if stride is None else _tuple(stride, 1))],
                             [0, *_tuple(padding, 1)], [1, *_tuple(dilation, 1)], ceil_mode))


def max_pool3d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """Maximum of each window of (N, C, D, H, W) or (C, D, H, W)."""
    if return_indices:
        return _max_pool_with_indices(3, input, kernel_size, stride, padding, dilation, ceil_mode)
    x, single = _batched(input, 3, "max_pool3d")
    kernel = _tuple(kernel_size, 3)
    stride = kernel if stride is None else _tuple(stride, 3)
    padding, dilation = _tuple(padding, 3), _tuple(dilation, 3)
    # The maximum over a box is the maximum over the maxima of its slices.
    y = _flat_pool(x, lambda s: s.max_pool2d(kernel[1:], stride[1:], padding[1:], dilation[1:], ceil_mode),
                   lambda s: s.max_pool2d([kernel[0], 1], [stride[0], 1], [padding[0], 0], [dilation[0], 1], ceil_mode))
    return y.squeeze(0) if single else y


def _flat_pool(x: Tensor, over_slices, over_depth) -> Tensor:
    n, c, d = x.shape[:3]
    y = over_slices(x.reshape(n * c, d, *x.shape[3:]))
    h, w = y.shape[2:]
    return over_depth(y.reshape(n, c, d, h * w)).reshape(n, c, -1, h, w)


def _max_pool_with_indices(n: int, input: Tensor, kernel_size, stride, padding, dilation, ceil_mode: bool):
    """Also where each maximum stands among the spatial positions of the input."""
    kernel = _tuple(kernel_size, n)
    stride = kernel if stride is None or stride == [] else _tuple(stride, n)
    padding, dilation = _tuple(padding, n), _tuple(dilation, n)
    x, single = _batched(input, n, f"max_pool{n}d")
    sizes = list(x.shape[2:])
    where = arange(x[0, 0].numel(), device=x.device).reshape(sizes)
    sides = []
    for i in reversed(range(n)):
        if padding[i] > kernel[i] // 2:
            raise RuntimeError(f"pad should be at most half of kernel size, but got pad={padding[i]} and "
                               f"kernel_size={kernel[i]}")
        reach = dilation[i] * (kernel[i] - 1) + 1
        full = sizes[i] + 2 * padding[i] - reach
        count = (-(-full // stride[i]) if ceil_mode else full // stride[i]) + 1
        if ceil_mode and (count - 1) * stride[i] >= sizes[i] + padding[i]:
            count -= 1
        sides += [padding[i], max((count - 1) * stride[i] + reach - sizes[i] - padding[i], 0)]
    low = float("-inf") if x.is_floating_point() else -(2 ** 31)
    x, where = pad(x, sides, value=low), pad(where, sides)
    for i in range(n):
        reach = dilation[i] * (kernel[i] - 1) + 1
        x = x.unfold(2 + i, reach, stride[i])[..., :: dilation[i]]
        where = where.unfold(i, reach, stride[i])[..., :: dilation[i]]
    x, where = x.flatten(-n), where.flatten(-n)
    values, at = x.max(-1)
    indices = where.expand_as(x).gather(-1, at.unsqueeze(-1)).squeeze(-1)
    return (values.squeeze(0), indices.squeeze(0)) if single else (values, indices)


def _unpool(n: int, input: Tensor, indices: Tensor, kernel_size, stride, padding, output_size) -> Tensor:
    kernel = _tuple(kernel_size, n)
    stride = kernel if stride is None else _tuple(stride, n)
    padding = _tuple(padding, n)
    x, single = _batched(input, n, f"max_unpool{n}d")
    default = [(x.size(2 + i) - 1) * stride[i] + kernel[i] - 2 * padding[i] for i in range(n)]
    size = default if output_size is None else list(output_size)[-n:]
    for i in range(n):
        if not default[i] - stride[i] < size[i] < default[i] + stride[i]:
            raise ValueError(f"invalid output_size {list(size)} (dim {i} must be between {default[i] - stride[i]} and "
                             f"{default[i] + stride[i]})")
    count = 1
    for s in size:
        count *= s
    out = zeros(*x.shape[:2], count, dtype=x.dtype, device=x.device)
    at = indices.reshape(*x.shape[:2], -1)
    out = out.scatter(2, at, x.reshape(*x.shape[:2], -1)).reshape(*x.shape[:2], *size)
    return out.squeeze(0) if single else out


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Puts maxima back where :func:`max_pool1d` found them, 0 elsewhere."""
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Puts maxima back where :func:`max_pool2d` found them, 0 elsewhere."""
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Puts maxima back where :func:`max_pool3d` found them, 0 elsewhere."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Mean of each window of (N, C, H, W) or (C, H, W)."""
    kernel, padding = _tuple(kernel_size, 2), _tuple(padding, 2)
    stride = [] if stride is None else _tuple(stride, 2)
    if divisor_override is None:
        return input.avg_pool2d(kernel, stride, padding, ceil_mode, count_include_pad)
    return _window_sum(input, kernel, stride, padding, ceil_mode) / _divisor(divisor_override)


def _divisor(divisor: int) -> int:
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    return divisor


def _window_sum(x: Tensor, kernel: list, stride: list, padding: list, ceil_mode: bool) -> Tensor:
    """Sum of each window; with ceil_mode the input is padded as far as the last window reaches."""
    if not ceil_mode:
        return x.avg_pool2d(kernel, stride, padding, False, True) * (kernel[0] * kernel[1])
    stride = stride or kernel
    extra = []
    for i in (1, 0):
        full = x.size(i - 2) + 2 * padding[i] - kernel[i]
        count = -(-full // stride[i]) + 1
        if (count - 1) * stride[i] >= x.size(i - 2) + padding[i]:
            count -= 1
        extra += [padding[i], max((count - 1) * stride[i] + kernel[i] - x.size(i - 2) - padding[i], 0)]
    return pad(x, extra).avg_pool2d(kernel, stride, [0, 0], False, True) * (kernel[0] * kernel[1])


def avg_pool1d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    """Mean of each window of (N, C, L) or (C, L)."""
    x, back = _rows(input, 1, "avg_pool1d")
    kernel = _tuple(kernel_size, 1)
    return back(x.avg_pool2d([1, *kernel], [1, *(kernel if stride is None else _tuple(stride, 1))],
                             [0, *_tuple(padding, 1)], ceil_mode, count_include_pad))


def avg_pool3d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:
    """Mean of each window of (N, C, D, H, W) or (C, D, H, W)."""
    kernel, padding = _tuple(kernel_size, 3), _tuple(padding, 3)
    stride = kernel if stride is None else _tuple(stride, 3)
    x, single = _batched(input, 3, "avg_pool3d")
    # How many elements a window has is a product over the dimensions, so means of means are right.
    if divisor_override is None:
        y = _flat_pool(x, lambda s: s.avg_pool2d(kernel[1:], stride[1:], padding[1:], ceil_mode, count_include_pad),
                       lambda s: s.avg_pool2d([kernel[0], 1], [stride[0], 1], [padding[0], 0], ceil_mode,
                                              count_include_pad))
    else:
        y = _flat_pool(x, lambda s: _window_sum(s, kernel[1:], stride[1:], padding[1:], ceil_mode),
                       lambda s: _window_sum(s, [kernel[0], 1], [stride[0], 1], [padding[0], 0], ceil_mode))
        y = y / _divisor(divisor_override)
    return y.squeeze(0) if single else y


def lp_pool2d(input: Tensor, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor:
    """``(sum of x ** norm_type) ** (1 / norm_type)`` over each window."""
    kernel = _tuple(kernel_size, 2)
    mean = avg_pool2d(input.pow(norm_type), kernel, stride, 0, ceil_mode)
    return (mean.sign() * mean.abs().relu()).mul(kernel[0] * kernel[1]).pow(1.0 / norm_type)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor:
    """``(sum of x ** norm_type) ** (1 / norm_type)`` over each window."""
    kernel = _tuple(kernel_size, 1)
    mean = avg_pool1d(input.pow(norm_type), kernel, stride, 0, ceil_mode)
    return (mean.sign() * mean.abs().relu()).mul(kernel[0]).pow(1.0 / norm_type)


def _sizes(output_size, input: Tensor, n: int) -> list[int]:
    """The output's size; ``None`` keeps that of the input."""
    if output_size is None or isinstance(output_size, int):
        output_size = [output_size] * n
    if len(output_size) != n:
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    return [input.size(i - n) if s is None else int(s) for i, s in enumerate(output_size)]


def adaptive_avg_pool2d(input: Tensor, output_size) -> Tensor:
    """Mean over a grid of ``output_size`` windows of (N, C, H, W) or (C, H, W)."""
    return input.adaptive_avg_pool2d(_sizes(output_size, input, 2))


def adaptive_avg_pool1d(input: Tensor, output_size) -> Tensor:
    """Mean over ``output_size`` windows of (N, C, L) or (C, L)."""
    x, back = _rows(input, 1, "adaptive_avg_pool1d")
    return back(x.adaptive_avg_pool2d([1, *_sizes(output_size, input, 1)]))


def adaptive_avg_pool3d(input: Tensor, output_size) -> Tensor:
    """Mean over a grid of ``output_size`` windows of (N, C, D, H, W) or (C, D, H, W)."""
    x, single = _batched(input, 3, "adaptive_avg_pool3d")
    d, *flat = _sizes(output_size, input, 3)
    y = _flat_pool(x, lambda s: s.adaptive_avg_pool2d(flat), lambda s: s.adaptive_avg_pool2d([d, s.size(3)]))
    return y.squeeze(0) if single else y


def _adaptive_max(n: int, input: Tensor, output_size, return_indices: bool):
    x, single = _batched(input, n, f"adaptive_max_pool{n}d")
    size, out = list(x.shape[2:]), _sizes(output_size, input, n)
    if all(o and s % o == 0 for s, o in zip(size, out)):
        kernel = [s // o for s, o in zip(size, out)]
        pool = (max_pool1d, max_pool2d, max_pool3d)[n - 1]
        result = pool(x, kernel, return_indices=return_indices)
    else:
        result = _adaptive_max_uneven(n, x, size, out)
        result = result if return_indices else result[0]
    if not single:
        return result
    return tuple(r.squeeze(0) for r in result) if return_indices else result.squeeze(0)


def _adaptive_max_uneven(n: int, x: Tensor, size: list, out: list):
    where = arange(x[0, 0].numel(), device=x.device).reshape(size).expand_as(x)
    for i in range(n):
        dim, values, places = 2 + i, [], []
        for k in range(out[i]):
            start, end = k * size[i] // out[i], -(-(k + 1) * size[i] // out[i])
            value, at = x.narrow(dim, start, end - start).max(dim, True)
            values.append(value)
            places.append(where.narrow(dim, start, end - start).gather(dim, at))
        x = stack(values, dim).squeeze(dim + 1)
        where = stack(places, dim).squeeze(dim + 1)
    return x, where


def adaptive_max_pool1d(input: Tensor, output_size, return_indices: bool = False):
    """Maximum over ``output_size`` windows of (N, C, L) or (C, L)."""
    return _adaptive_max(1, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size, return_indices: bool = False):
    """Maximum over a grid of ``output_size`` windows of (N, C, H, W) or (C, H, W)."""
    return _adaptive_max(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size, return_indices: bool = False):
    """Maximum over a grid of ``output_size`` windows of (N, C, D, H, W) or (C, D, H, W)."""
    return _adaptive_max(3, input, output_size, return_indices)
