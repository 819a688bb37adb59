"""Resampling, shuffled pixels, and grids."""
from __future__ import annotations

import math

from ... import Tensor, arange, float32, linspace, stack, tensor

__all__ = ["affine_grid", "channel_shuffle", "grid_sample", "interpolate", "pixel_shuffle", "pixel_unshuffle",
           "upsample", "upsample_bilinear", "upsample_nearest"]


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(\\*, C * r * r, H, W) -> (\\*, C, H * r, W * r) (Shi et al., arXiv:1609.05158)."""
    r = upscale_factor
    if input.dim() < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                           f"{input.dim()} dimension(s)")
    *lead, c, h, w = input.shape
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    n = len(lead)
    x = input.reshape(*lead, c // (r * r), r, r, h, w)
    return x.permute(*range(n), n, n + 3, n + 1, n + 4, n + 2).reshape(*lead, c // (r * r), h * r, w * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(\\*, C, H * r, W * r) -> (\\*, C * r * r, H, W)."""
    r = downscale_factor
    if input.dim() < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                           f"{input.dim()} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    for name, size in (("height", h), ("width", w)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but {size} is not "
                               f"divisible by {r}")
    n = len(lead)
    x = input.reshape(*lead, c, h // r, r, w // r, r)
    return x.permute(*range(n), n, n + 2, n + 4, n + 1, n + 3).reshape(*lead, c * r * r, h // r, w // r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """(N, groups * C, \\*): channel c of group g becomes channel g of group c."""
    n, c = input.shape[:2]
    if groups < 1 or c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    return input.reshape(n, groups, c // groups, *input.shape[2:]).transpose(1, 2).reshape(input.shape)


def _source(out: int, size: int, align: bool, scale: float | None, dtype, device) -> Tensor:
    """Where each output element lies among the input elements."""
    at = arange(out, dtype=dtype, device=device)
    if align:
        return at * ((size - 1) / (out - 1) if out > 1 else 0.0)
    step = 1 / scale if scale else size / out
    return (at + 0.5) * step - 0.5


def _nearest(x: Tensor, dim: int, out: int, scale: float | None, exact: bool) -> Tensor:
    size = x.size(dim)
    step = 1 / scale if scale else size / out
    # In the precision of the values, as PyTorch: which neighbour is nearest may hang on the last bit.
    at = arange(out, dtype=x.dtype if x.dtype.is_floating_point else float32, device=x.device)
    at = ((at + 0.5 if exact else at) * step).floor().clamp(max=size - 1)
    return x.index_select(dim, at.long())


def _linear(x: Tensor, dim: int, out: int, align: bool, scale: float | None) -> Tensor:
    size = x.size(dim)
    at = _source(out, size, align, scale, x.dtype, x.device).clamp(min=0)
    low = at.floor().clamp(max=size - 1)
    part = (at - low).reshape([-1 if d == dim else 1 for d in range(x.dim())])
    first = low.long()
    second = (first + 1).clamp(max=size - 1)
    return x.index_select(dim, first) * (1 - part) + x.index_select(dim, second) * part


def _cubic(x: Tensor, dim: int, out: int, align: bool, scale: float | None) -> Tensor:
    """Keys' convolution with A = -0.75."""
    size, a = x.size(dim), -0.75
    at = _source(out, size, align, scale, x.dtype, x.device)
    low = at.floor()
    t = at - low

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    result = None
    for k, weight in enumerate((far(t + 1), near(t), near(1 - t), far(2 - t))):
        index = (low.long() + (k - 1)).clamp(0, size - 1)
        term = x.index_select(dim, index) * weight.reshape([-1 if d == dim else 1 for d in range(x.dim())])
        result = term if result is None else result + term
    return result


def interpolate(input: Tensor, size=None, scale_factor=None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """Resamples (N, C, \\*) to ``size`` or by ``scale_factor``.

    Args:
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"`` (3-d input), ``"bilinear"``, ``"bicubic"`` (4-d),
            ``"trilinear"`` (5-d) or ``"area"``
        align_corners: the outermost elements keep their places
    """
    n = input.dim() - 2
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    if antialias:
        raise ValueError("Anti-alias option is only supported for bilinear and bicubic modes"
                         if mode not in ("bilinear", "bicubic") else "haft resamples without anti-aliasing")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    scales: list = [None] * n
    if size is not None:
        out = [size] * n if isinstance(size, int) else [int(s) for s in size]
        if len(out) != n:
            raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with "
                             f"spatial dimensions of {list(input.shape[2:])} and output size of {size}.")
    elif scale_factor is not None:
        factors = list(scale_factor) if isinstance(scale_factor, (tuple, list)) else [scale_factor] * n
        if len(factors) != n:
            raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input "
                             f"with spatial dimensions of {list(input.shape[2:])} and scale_factor of shape "
                             f"{scale_factor}.")
        out = [int(math.floor(input.size(2 + i) * f)) for i, f in enumerate(factors)]
        if not recompute_scale_factor:
            scales = [float(f) for f in factors]
    else:
        raise ValueError("either size or scale_factor should be defined")
    if any(o < 1 for o in out):
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input {list(input.shape)} and "
                           f"output {out}")
    ranks = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
    if mode == "area":
        from . import pooling
        pool = (pooling.adaptive_avg_pool1d, pooling.adaptive_avg_pool2d, pooling.adaptive_avg_pool3d)[n - 1]
        return pool(input, out)
    if mode in ranks:
        if ranks[mode] != n:
            raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {ranks[mode] + 2}D input")
    elif mode not in ("nearest", "nearest-exact"):
        raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: "
                                  "nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {})"
                                  .format(input.dim(), mode))
    x = input
    for i in range(n):
        dim = 2 + i
        if mode.startswith("nearest"):
            x = _nearest(x, dim, out[i], scales[i], mode == "nearest-exact")
        elif mode == "bicubic":
            x = _cubic(x, dim, out[i], bool(align_corners), scales[i])
        else:
            x = _linear(x, dim, out[i], bool(align_corners), scales[i])
    return x


def upsample(input: Tensor, size=None, scale_factor=None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:
    """:func:`interpolate` under its old name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size=None, scale_factor=None) -> Tensor:
    """:func:`interpolate` by the nearest element."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size=None, scale_factor=None) -> Tensor:
    """:func:`interpolate`, bilinear, with corners that keep their places."""
    return interpolate(input, size, scale_factor, "bilinear", True)


def affine_grid(theta: Tensor, size, align_corners: bool | None = None) -> Tensor:
    """Points of an affine map (N, 2, 3) for :func:`grid_sample`: (N, H, W, 2)."""
    n, _, h, w = size
    if theta.dim() != 3 or list(theta.shape[1:]) != [2, 3]:
        raise ValueError(f"Expected a batch of 2D affine matrices of shape Nx2x3 for size {list(size)}. Got "
                         f"{list(theta.shape)}.")

    def axis(count: int) -> Tensor:
        at = linspace(-1, 1, count, dtype=theta.dtype, device=theta.device)
        if count == 1:
            return at * 0
        return at if align_corners else at * ((count - 1) / count)

    x, y = axis(w).unsqueeze(0).expand(h, w), axis(h).unsqueeze(1).expand(h, w)
    points = stack([x, y, x * 0 + 1], -1).reshape(h * w, 3)
    return points.matmul(theta.transpose(1, 2)).reshape(n, h, w, 2)


def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool | None = None) -> Tensor:
    """Reads (N, C, H, W) at the points of ``grid`` (N, H', W', 2), whose corners are -1 and 1."""
    if mode not in ("bilinear", "nearest"):
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'" if mode != "bicubic" else "haft samples grids bilinearly or by the nearest")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                         f"'reflection', but got: '{padding_mode}'")
    n, c, h, w = input.shape

    def place(g: Tensor, size: int) -> Tensor:
        at = (g + 1) * ((size - 1) / 2) if align_corners else ((g + 1) * size - 1) / 2
        if padding_mode == "border":
            at = at.clamp(0, size - 1)
        elif padding_mode == "reflection":
            low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
            if span == 0:
                return at * 0
            at = (at - low).abs().remainder(2 * span)
            at = span - (at - span).abs() + low
            at = at.clamp(0, size - 1)
        return at

    x, y = place(grid[..., 0], w), place(grid[..., 1], h)
    flat = input.reshape(n, c, h * w)

    def read(ix: Tensor, iy: Tensor) -> Tensor:
        inside = (ix >= 0) & (ix < w) & (iy >= 0) & (iy < h)
        at = (iy.clamp(0, h - 1) * w + ix.clamp(0, w - 1)).long().reshape(n, 1, -1)
        got = flat.gather(2, at.expand(n, c, at.size(2))).reshape(n, c, *ix.shape[1:])
        return got * inside.unsqueeze(1).to(input.dtype)

    if mode == "nearest":
        return read(x.detach().round(), y.detach().round())
    left, top = x.detach().floor(), y.detach().floor()
    fx, fy = (x - left).unsqueeze(1), (y - top).unsqueeze(1)
    return (read(left, top) * (1 - fx) * (1 - fy) + read(left + 1, top) * fx * (1 - fy)
            + read(left, top + 1) * (1 - fx) * fy + read(left + 1, top + 1) * fx * fy)
