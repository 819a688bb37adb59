"""Transforms as functions of an image and their parameters. Every one takes all kinds of images and answers the same kind."""
import enum
import math
import numbers

import haft

from .._image import array_of, is_array, is_pil, size_of, tensor_of, through
from . import _colour
from ._colour import *  # noqa: F401,F403
from ._colour import convert_image_dtype

__all__ = [*_colour.__all__, "InterpolationMode", "affine", "center_crop", "convert_image_dtype", "crop", "erase", "five_crop", "gaussian_blur",
           "get_dimensions", "get_image_size", "hflip",
           "normalize", "pad", "perspective", "pil_to_tensor", "resize", "resized_crop", "rotate", "ten_crop", "to_pil_image", "to_tensor", "vflip"]


class InterpolationMode(enum.Enum):
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"  # from here on: PIL's images only
    HAMMING = "hamming"
    LANCZOS = "lanczos"

    @classmethod
    def of(cls, value):
        """The mode of a mode, a name or PIL's number."""
        if isinstance(value, int):
            if not 0 <= value < len(_PIL_MODES):
                raise ValueError(f"interpolation: PIL has no mode {value}; its modes are {', '.join(f'{i} ({m})' for i, m in enumerate(_PIL_MODES))}")
            return cls[_PIL_MODES[value]]
        return value if isinstance(value, cls) else cls(value)

    @property
    def pil(self):
        """PIL's number."""
        return _PIL_MODES.index(self.name.removesuffix("_EXACT"))


_PIL_MODES = ["NEAREST", "LANCZOS", "BILINEAR", "BICUBIC", "BOX", "HAMMING"]  # PIL.Image.Resampling


def get_image_size(image):
    """[width, height]"""
    height, width = size_of(image)
    return [width, height]


def get_dimensions(image):
    """[channels, height, width]"""
    height, width = size_of(image)
    if isinstance(image, haft.Tensor):
        return [image.size(-3) if image.dim() > 2 else 1, height, width]
    shape = array_of(image).shape
    return [shape[2] if len(shape) == 3 else 1, height, width]


# ---- between kinds and types ----

def to_tensor(picture):
    """A PIL image or array as a tensor (C, H, W): float in [0, 1] if it holds bytes, else of its own type."""
    if not (is_pil(picture) or is_array(picture)):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(picture)}")
    tensor = tensor_of(picture)
    if tensor.dtype == haft.uint8:
        return tensor.to(haft.get_default_dtype()).contiguous().div_(255)
    return tensor.clone().contiguous()


def pil_to_tensor(picture):
    """A PIL image as a tensor (C, H, W) of its own type."""
    if not is_pil(picture):
        raise TypeError(f"pic should be PIL Image. Got {type(picture)}")
    return tensor_of(picture).contiguous()


def to_pil_image(picture, mode=None):
    """A tensor (C, H, W) or array (H, W, C) as a PIL image; floats in [0, 1] become bytes."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("to_pil_image needs PIL: install Pillow (Debian: python3-pil)") from error
    if isinstance(picture, haft.Tensor):
        picture = picture.detach().cpu()
        picture = picture.unsqueeze(0) if picture.dim() == 2 else picture
        if picture.dtype.is_floating_point:
            picture = picture.mul(255).to(haft.uint8)
        pixels = picture.permute(1, 2, 0).contiguous().numpy()
    else:
        pixels = array_of(picture)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    return Image.fromarray(pixels, mode=mode)


def normalize(tensor, mean, std, inplace=False):
    """(x - mean) / std by channel, of floating tensors (..., C, H, W)."""
    if not isinstance(tensor, haft.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.dtype.is_floating_point:
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.dim() < 3:
        raise ValueError(f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {tensor.size()}")
    std = haft.as_tensor(std, dtype=tensor.dtype, device=tensor.device).reshape(-1, 1, 1)
    mean = haft.as_tensor(mean, dtype=tensor.dtype, device=tensor.device).reshape(-1, 1, 1)
    if bool((std == 0).any()):
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero.")
    return tensor.sub_(mean).div_(std) if inplace else (tensor - mean) / std


# ---- where pixels stand ----

def hflip(image):
    """Left becomes right."""
    return through(image, lambda t: t.flip(-1))


def vflip(image):
    """Top becomes bottom."""
    return through(image, lambda t: t.flip(-2))


def _sides(padding):
    # left, top, right, bottom
    if isinstance(padding, numbers.Number):
        return (int(padding),) * 4
    sides = [int(p) for p in padding]
    if len(sides) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(sides)} element tuple")
    return tuple(sides * (4 // len(sides)))


def _mirrored(n, before, after):
    # For each place of the padded line the place of the line that it shows; the edge twice.
    if max(before, after) > n:
        raise ValueError(f"symmetric padding of {max(before, after)} is too much for a side of {n}")
    return [-1 - i if i < 0 else 2 * n - 1 - i if i >= n else i for i in range(-before, n + after)]


def pad(image, padding, fill=0, padding_mode="constant"):
    """Room on all sides. padding: one number, [left and right, top and bottom], or [left, top, right, bottom].
    padding_mode: constant, edge, reflect or symmetric."""
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    left, top, right, bottom = _sides(padding)

    def padded(t):
        height, width = t.size(-2), t.size(-1)
        if padding_mode == "symmetric":
            t = t.index_select(t.dim() - 2, haft.tensor(_mirrored(height, top, bottom)))
            return t.index_select(t.dim() - 1, haft.tensor(_mirrored(width, left, right)))
        several = isinstance(fill, (tuple, list)) and len(fill) > 1
        if padding_mode != "constant" or not several:
            value = fill[0] if isinstance(fill, (tuple, list)) else fill
            return haft.nn.functional.pad(t, (left, right, top, bottom), {"edge": "replicate"}.get(padding_mode, padding_mode),
                                          value if padding_mode == "constant" else None)
        size = list(t.shape[:-2]) + [height + top + bottom, width + left + right]
        out = haft.tensor(fill, dtype=t.dtype).reshape(-1, 1, 1).expand(size).clone()
        # Negative room takes away.
        y0, y1, x0, x1 = max(0, -top), height - max(0, -bottom), max(0, -left), width - max(0, -right)
        out[..., y0 + top:y1 + top, x0 + left:x1 + left] = t[..., y0:y1, x0:x1]
        return out

    return through(image, padded)


def crop(image, top, left, height, width):
    """A window; zeros where it reaches over the image."""
    def cropped(t):
        h, w = t.size(-2), t.size(-1)
        if top < 0 or left < 0 or top + height > h or left + width > w:
            return pad(t, [-left, -top, left + width - w, top + height - h])
        return t[..., top:top + height, left:left + width]

    return through(image, cropped)


def center_crop(image, output_size):
    """The middle; zeros where the image is too small."""
    th, tw = (output_size, output_size) if isinstance(output_size, numbers.Number) else \
        (output_size[0], output_size[-1])
    h, w = size_of(image)
    if tw > w or th > h:
        image = pad(image, [(tw - w) // 2 if tw > w else 0, (th - h) // 2 if th > h else 0,
                            (tw - w + 1) // 2 if tw > w else 0, (th - h + 1) // 2 if th > h else 0])
        h, w = size_of(image)
        if (th, tw) == (h, w):
            return image
    return crop(image, int(round((h - th) / 2)), int(round((w - tw) / 2)), th, tw)


def gaussian_blur(image, kernel_size, sigma=None):
    """The image folded with a Gaussian, reflected at its edges. kernel_size: odd, one number or (width, height); sigma likewise, by default
    0.3 ((size - 1) / 2 - 1) + 0.8."""
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != 2:
        raise ValueError(f"If kernel_size is a sequence its length should be 2. Got {len(sizes)}")
    if not all(size > 0 and size % 2 for size in sizes):
        raise ValueError(f"kernel_size should have odd and positive integers. Got {sizes}")
    sigmas = [0.15 * size + 0.35 for size in sizes] if sigma is None else [float(s) for s in ([sigma] if isinstance(sigma, numbers.Number) else sigma)]
    sigmas = sigmas * 2 if len(sigmas) == 1 else sigmas
    if len(sigmas) != 2:
        raise ValueError(f"If sigma is a sequence, its length should be 2. Got {len(sigmas)}")
    if not all(s > 0 for s in sigmas):
        raise ValueError(f"sigma should have positive values. Got {sigmas}")

    def blurred(t):
        x = t if t.dtype.is_floating_point else t.to(haft.float32)
        lines = []
        for size, s in zip(sizes, sigmas):
            weights = haft.exp(-0.5 * (haft.linspace(-(size // 2), size // 2, size, dtype=x.dtype, device=x.device) / s) ** 2)
            lines.append(weights / weights.sum())
        flat = x.reshape(-1, 1, *x.shape[-2:])
        flat = haft.nn.functional.pad(flat, (sizes[0] // 2, sizes[0] // 2, sizes[1] // 2, sizes[1] // 2), mode="reflect")
        out = haft.nn.functional.conv2d(flat, haft.outer(lines[1], lines[0])[None, None]).reshape(x.shape)
        return out if t.dtype.is_floating_point else out.round().to(t.dtype)
    return through(image, blurred)


def _resized(t, height, width, mode, antialias):
    if mode.value not in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        raise ValueError(f"resize: interpolation {mode.value!r} takes PIL images; tensors and arrays take nearest, nearest-exact, bilinear and bicubic")
    filtered = mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC)
    whole = filtered and not t.dtype.is_floating_point and t.dtype != haft.uint8  # the engine rounds bytes itself
    pixels = (t.to(haft.float32) if whole else t).reshape(1, -1, *t.shape[-2:])
    out = haft.nn.functional.interpolate(pixels, (height, width), mode=mode.value, antialias=antialias and filtered)
    return (out.round().to(t.dtype) if whole else out).reshape(*t.shape[:-2], height, width)


def resize(image, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    """Another size: (height, width), or one number for the shorter side. antialias: smooths when the image gets smaller, as
    PIL always does with its own images."""
    interpolation = InterpolationMode.of(interpolation)
    h, w = size_of(image)
    if isinstance(size, numbers.Number) or len(size) == 1:
        short = int(size if isinstance(size, numbers.Number) else size[0])
        new = [short, int(short * max(h, w) / min(h, w))]
        if max_size is not None:
            if max_size <= short:
                raise ValueError(f"max_size = {max_size} must be strictly greater than the requested size for the smaller edge "
                                 f"size = {size}")
            if new[1] > max_size:
                new = [int(max_size * new[0] / new[1]), max_size]
        height, width = new if h <= w else new[::-1]
    else:
        if max_size is not None:
            raise ValueError("max_size should only be passed if size specifies the length of the smaller edge")
        height, width = int(size[0]), int(size[1])
    if height < 1 or width < 1:
        raise ValueError(f"resize to {height} x {width} is not possible")
    if (height, width) == (h, w):
        return image
    return through(image, lambda t: _resized(t, height, width, interpolation, bool(antialias)),
                   lambda picture: picture.resize((width, height), interpolation.pil))


def resized_crop(image, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR, antialias=True):
    """A window, resized."""
    return resize(crop(image, top, left, height, width), size, interpolation, antialias=antialias)


def _rotated(t, angle, bilinear, expand, center, fill):
    h, w = t.size(-2), t.size(-1)
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    cy, cx = ((h - 1) / 2, (w - 1) / 2) if center is None else (center[1] - 0.5, center[0] - 0.5)
    height, width, oy, ox = h, w, cy, cx
    if expand:
        # The box around the turned corners.
        corners = [(cos * x + sin * y + w / 2, cos * y - sin * x + h / 2) for x in (-w / 2, w / 2) for y in (-h / 2, h / 2)]
        if angle % 90 == 0:
            width, height = (round(max(c) - min(c)) for c in zip(*corners))
        else:
            width, height = (math.ceil(round(max(c), 6)) - math.floor(round(min(c), 6)) for c in zip(*corners))
        oy, ox = (height - 1) / 2, (width - 1) / 2
    dy = (haft.arange(height, dtype=haft.float64, device=t.device) - oy).reshape(-1, 1)
    dx = (haft.arange(width, dtype=haft.float64, device=t.device) - ox).reshape(1, -1)
    return _sampled(t, dx * sin + dy * cos + cy, dx * cos - dy * sin + cx, bilinear, fill)


def _sampled(t, y, x, bilinear, fill):
    # The image at places (y, x) in pixels, each a matrix of the result's size.
    h, w = t.size(-2), t.size(-1)
    grid = haft.stack([(2 * x + 1) / w - 1, (2 * y + 1) / h - 1], -1).unsqueeze(0)

    def at(image):
        return haft.nn.functional.grid_sample(image, grid, "bilinear" if bilinear else "nearest", align_corners=False)
    pixels = t.reshape(1, -1, h, w).to(haft.float64)
    out = at(pixels)
    if fill:
        out = out + (1 - at(haft.ones_like(pixels[:, :1]))) * fill
    out = out if t.dtype.is_floating_point else out.round()
    return out.to(t.dtype).reshape(*t.shape[:-2], *y.shape)


def rotate(image, angle, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
    """Turned counter-clockwise by an angle in degrees, about the middle or `center` (x, y). expand: the result holds the
    whole image."""
    if is_pil(image):
        return image.rotate(angle, InterpolationMode.of(interpolation).pil, expand, center=center, fillcolor=_pil_fill(image, fill))
    bilinear, fill = _sampling("rotate", interpolation, fill)
    return through(image, lambda t: _rotated(t, angle, bilinear, expand, center, fill))


def _pil_fill(picture, fill):
    # A number for each band.
    bands = len(picture.getbands())
    fill = 0 if fill is None else fill
    values = tuple(fill) if isinstance(fill, (tuple, list)) else (fill,)
    values = values * bands if len(values) == 1 else values
    if len(values) != bands:
        raise ValueError(f"fill: {len(values)} numbers for an image with {bands} bands")
    values = values if picture.mode == "F" else tuple(map(int, values))
    return values if bands > 1 else values[0]


def _sampling(name, interpolation, fill):
    interpolation = InterpolationMode.of(interpolation)
    if interpolation not in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR):
        raise ValueError(f"{name}: interpolation should be nearest or bilinear")
    fill = 0 if fill is None else fill
    if isinstance(fill, (tuple, list)):
        if len(set(fill)) != 1:
            raise ValueError(f"{name}: fill should be one number for all channels")
        fill = fill[0]
    return interpolation is InterpolationMode.BILINEAR, fill


def affine(image, angle, translate, scale, shear, interpolation=InterpolationMode.NEAREST, fill=0, center=None):
    """Turned clockwise by an angle, scaled, sheared by one angle or two (x, y), all in degrees about the middle or `center`, and
    moved by `translate` (x, y) pixels."""
    if len(translate) != 2:
        raise ValueError("translate should be a sequence of length 2")
    if scale <= 0:
        raise ValueError("Argument scale should be positive")
    shear = (shear, 0.0) if isinstance(shear, numbers.Number) else (shear[0], 0.0) if len(shear) == 1 else tuple(shear)
    if len(shear) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {shear}")
    h, w = size_of(image)
    cx, cy = (w / 2, h / 2) if center is None else center
    # Forwards: turn and shear, scale, move. Asked for is where a pixel came from.
    turn, sx, sy = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    a, b = math.cos(turn - sy) / math.cos(sy), -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
    c, d = math.sin(turn - sy) / math.cos(sy), -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
    if is_pil(image):
        from PIL import Image
        x, y = -cx - translate[0], -cy - translate[1]
        rows = (d / scale, -b / scale, (d * x - b * y) / scale + cx, -c / scale, a / scale, (a * y - c * x) / scale + cy)
        return image.transform(image.size, getattr(Image, "Transform", Image).AFFINE, rows, InterpolationMode.of(interpolation).pil,
                               fillcolor=_pil_fill(image, fill))
    bilinear, fill = _sampling("affine", interpolation, fill)

    def change(t):
        y = (haft.arange(h, dtype=haft.float64, device=t.device) + (0.5 - cy - translate[1])).reshape(-1, 1)
        x = (haft.arange(w, dtype=haft.float64, device=t.device) + (0.5 - cx - translate[0])).reshape(1, -1)
        return _sampled(t, (a * y - c * x) / scale + (cy - 0.5), (d * x - b * y) / scale + (cx - 0.5), bilinear, fill)
    return through(image, change)


def perspective(image, startpoints, endpoints, interpolation=InterpolationMode.BILINEAR, fill=0):
    """Bent so that the four corners (x, y) of startpoints come to endpoints."""
    # A pixel (x, y) of the result was at ((a x + b y + c) / (g x + h y + 1), (d x + e y + f) / (g x + h y + 1)).
    rows, values = [], []
    for (x, y), (u, v) in zip(endpoints, startpoints):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    a, b, c, d, e, f, g, h = _solved([[*map(float, row), float(value)] for row, value in zip(rows, values)])
    if is_pil(image):
        from PIL import Image
        return image.transform(image.size, getattr(Image, "Transform", Image).PERSPECTIVE, (a, b, c, d, e, f, g, h), InterpolationMode.of(interpolation).pil,
                               fillcolor=_pil_fill(image, fill))
    bilinear, fill = _sampling("perspective", interpolation, fill)
    height, width = size_of(image)

    def change(t):
        y = haft.arange(height, dtype=haft.float64).reshape(-1, 1) + 0.5
        x = haft.arange(width, dtype=haft.float64).reshape(1, -1) + 0.5
        below = g * x + h * y + 1
        return _sampled(t, (d * x + e * y + f) / below - 0.5, (a * x + b * y + c) / below - 0.5, bilinear, fill)
    return through(image, change)


def _solved(rows):
    # Of equations, each its factors and its value (Gauss and Jordan).
    n = len(rows)
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if not rows[i][i]:
            raise ValueError("perspective: three of the corners lie on a line")
        rows[i] = [v / rows[i][i] for v in rows[i]]
        rows = [row if k == i else [v - row[i] * p for v, p in zip(row, rows[i])] for k, row in enumerate(rows)]
    return [row[-1] for row in rows]


def five_crop(image, size):
    """Windows of that size: at the corners (upper left, upper right, lower left, lower right) and in the middle."""
    (h, w), (height, width) = size_of(image), (size, size) if isinstance(size, numbers.Number) else size
    if height > h or width > w:
        raise ValueError(f"Requested crop size {(height, width)} is bigger than input size {(h, w)}")
    return (*(crop(image, top, left, height, width) for top in (0, h - height) for left in (0, w - width)), center_crop(image, (height, width)))


def ten_crop(image, size, vertical_flip=False):
    """five_crop() of the image and of its mirror image."""
    return (*five_crop(image, size), *five_crop((vflip if vertical_flip else hflip)(image), size))


def erase(image, i, j, h, w, v, inplace=False):
    """A window of a tensor (..., C, H, W), filled with v."""
    if not isinstance(image, haft.Tensor):
        raise TypeError(f"Tensor img should be Tensor Image. Got {type(image)}")
    image = image if inplace else image.clone()
    image[..., i:i + h, j:j + w] = v
    return image
