"""Colours of images: grey, brightness, contrast, saturation and hue, as torchvision computes them: PIL's images by PIL, all others
on tensors."""
import haft

from .._image import through

__all__ = ["adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation", "adjust_sharpness", "autocontrast", "equalize", "invert", "posterize",
           "rgb_to_grayscale", "solarize", "to_grayscale"]


def _channels(t, allowed, name):
    if t.dim() < 3 or t.size(-3) not in allowed:
        raise TypeError(f"{name}: Input image tensor permitted channel values are {list(allowed)}, but found "
                        f"{t.size(-3) if t.dim() > 2 else 1 if t.dim() == 2 else 0}")


def _grey(t):
    # One channel of the image's type.
    if t.size(-3) == 1:
        return t
    r, g, b = t.unbind(-3)
    return (0.2989 * r.to(_floating(t)) + 0.587 * g.to(_floating(t)) + 0.114 * b.to(_floating(t))).to(t.dtype).unsqueeze(-3)


def _floating(t):
    return t.dtype if t.dtype.is_floating_point else haft.float32


def _highest(t):
    return 1.0 if t.dtype.is_floating_point else float(haft.iinfo(t.dtype).max)


def _blend(t, other, ratio):
    kind = _floating(t)
    return (ratio * t.to(kind) + (1 - ratio) * other.to(kind)).clamp(0, _highest(t)).to(t.dtype)


def _strength(value, name):
    if value < 0:
        raise ValueError(f"{name} ({value}) is not non-negative.")


def rgb_to_grayscale(image, num_output_channels=1):
    """The grey of a colour image, in 1 channel or 3 equal ones."""
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")

    def grey(t):
        _channels(t, (1, 3), "rgb_to_grayscale")
        y = _grey(t)
        return y if num_output_channels == 1 else y.expand((*t.shape[:-3], 3, *t.shape[-2:])).clone()

    def of_pil(picture):
        from PIL import Image
        y = picture.convert("L")
        return y if num_output_channels == 1 else Image.merge("RGB", [y] * 3)
    return through(image, grey, of_pil)


to_grayscale = rgb_to_grayscale


def _enhanced(kind, factor):
    def enhance(picture):
        from PIL import ImageEnhance
        return getattr(ImageEnhance, kind)(picture).enhance(factor)
    return enhance


def adjust_brightness(image, brightness_factor):
    """0: black, 1: the image, 2: twice as bright."""
    _strength(brightness_factor, "brightness_factor")
    return through(image, lambda t: _blend(t, haft.zeros_like(t), brightness_factor), _enhanced("Brightness", brightness_factor))


def adjust_contrast(image, contrast_factor):
    """0: all grey, 1: the image, 2: twice the contrast."""
    _strength(contrast_factor, "contrast_factor")

    def change(t):
        _channels(t, (1, 3), "adjust_contrast")
        mean = _grey(t).to(_floating(t)).mean((-3, -2, -1), keepdim=True)
        return _blend(t, mean, contrast_factor)
    return through(image, change, _enhanced("Contrast", contrast_factor))


def adjust_saturation(image, saturation_factor):
    """0: without colours, 1: the image, 2: twice as strong."""
    _strength(saturation_factor, "saturation_factor")

    def change(t):
        _channels(t, (1, 3), "adjust_saturation")
        return t if t.size(-3) == 1 else _blend(t, _grey(t), saturation_factor)
    return through(image, change, _enhanced("Color", saturation_factor))


def _hsv(t):
    r, g, b = t.unbind(-3)
    high, low = t.amax(-3), t.amin(-3)
    span = high - low
    flat = span == 0
    saturation = span / haft.where(flat, haft.ones_like(high), high)
    d = haft.where(flat, haft.ones_like(span), span)
    rc, gc, bc = (high - r) / d, (high - g) / d, (high - b) / d
    hue = haft.where(high == r, bc - gc, haft.where(high == g, 2 + rc - bc, 4 + gc - rc))
    return haft.fmod(hue / 6 + 1, 1.0), saturation, high


def _rgb(h, s, v):
    sector = (h * 6).floor()
    f = h * 6 - sector
    p, q, u = ((v * x).clamp(0, 1) for x in (1 - s, 1 - s * f, 1 - s * (1 - f)))
    sector = sector.to(haft.int64) % 6

    def pick(*values):
        out = values[-1]
        for k in range(5):
            out = haft.where(sector == k, values[k], out)
        return out
    return haft.stack([pick(v, q, p, p, u, v), pick(u, v, v, q, p, p), pick(p, p, u, v, v, q)], -3)


_BITS = {haft.uint8: 8, haft.int8: 7, haft.int16: 15, haft.int32: 31, haft.int64: 63}


def convert_image_dtype(image, dtype=haft.float32):
    """A tensor in another type, scaled: integers span 0 to their highest value, floats 0 to 1."""
    if not isinstance(image, haft.Tensor):
        raise TypeError("Input img should be Tensor Image")
    if image.dtype == dtype:
        return image
    from_float, to_float = image.dtype.is_floating_point, dtype.is_floating_point
    if from_float and to_float:
        return image.to(dtype)
    if from_float:
        if (image.dtype == haft.float32 and dtype in (haft.int32, haft.int64)) or \
                (image.dtype == haft.float64 and dtype == haft.int64):
            raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
        return image.mul(2 ** _BITS[dtype] - 1e-3).to(dtype)
    if to_float:
        return image.to(dtype) / (2 ** _BITS[image.dtype] - 1)
    shift = _BITS[dtype] - _BITS[image.dtype]
    if shift < 0:
        return haft.div(image, 2 ** -shift, rounding_mode="floor").to(dtype)
    return image.to(dtype) * 2 ** shift


def adjust_hue(image, hue_factor):
    """Turns the colours by a part of the circle in [-0.5, 0.5]."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")

    def change(t):
        _channels(t, (1, 3), "adjust_hue")
        if t.size(-3) == 1:
            return t
        h, s, v = _hsv(convert_image_dtype(t, _floating(t)))
        return convert_image_dtype(_rgb((h + hue_factor) % 1.0, s, v), t.dtype)

    def of_pil(picture):
        from PIL import Image
        if picture.mode in ("L", "1", "I", "F"):
            return picture
        h, s, v = picture.convert("HSV").split()
        turn = int(hue_factor * 255)
        return Image.merge("HSV", (h.point(lambda value: (value + turn) % 256), s, v)).convert(picture.mode)
    return through(image, change, of_pil)


def _by_pil(name, *arguments):
    def change(picture):
        from PIL import ImageOps
        return getattr(ImageOps, name)(picture, *arguments)
    return change


def _inverted(t):
    return (1 - t) if t.dtype.is_floating_point else haft.iinfo(t.dtype).max - t


def invert(image):
    """The negative."""
    return through(image, _inverted, _by_pil("invert"))


def posterize(image, bits):
    """Bytes with their highest bits alone."""
    def change(t):
        if t.dtype != haft.uint8:
            raise TypeError(f"Only torch.uint8 image tensors are supported, but found {t.dtype}")
        return t & (256 - 2 ** (8 - bits))
    return through(image, change, _by_pil("posterize", bits))


def solarize(image, threshold):
    """The negative of what is at least as bright as that."""
    return through(image, lambda t: haft.where(t >= threshold, _inverted(t), t), _by_pil("solarize", threshold))


def autocontrast(image):
    """Each channel from black to white."""
    def change(t):
        low, high = (f(f(t.to(_floating(t)), -1, keepdim=True), -2, keepdim=True) for f in (haft.amin, haft.amax))
        flat = low == high
        scale = _highest(t) / haft.where(flat, haft.ones_like(low), high - low)
        return haft.where(flat, t, ((t - low) * scale).clamp(0, _highest(t)).to(t.dtype))
    return through(image, change, _by_pil("autocontrast"))


def equalize(image):
    """Bytes of each channel spread so that all are about as frequent."""
    def channel(t):
        count = haft.bincount(t.reshape(-1).to(haft.int64), minlength=256)
        step = int(count.sum() - count[t.max().to(haft.int64)]) // 255
        if not step:
            return t
        table = ((count.cumsum(0) - count + step // 2) // step).clamp(0, 255)
        return table[t.to(haft.int64)].to(haft.uint8)

    def change(t):
        if t.dtype != haft.uint8:
            raise TypeError(f"Only torch.uint8 image tensors are supported, but found {t.dtype}")
        return haft.stack([channel(c) for c in t.reshape(-1, *t.shape[-2:])]).reshape(t.shape)
    return through(image, change, _by_pil("equalize"))


def adjust_sharpness(image, sharpness_factor):
    """0: blurred, 1: the image, 2: twice as sharp."""
    _strength(sharpness_factor, "sharpness_factor")

    def change(t):
        if min(t.shape[-2:]) <= 2:
            return t
        kernel = haft.ones(3, 3, dtype=_floating(t))
        kernel[1, 1] = 5
        blurred = haft.nn.functional.conv2d(t.to(_floating(t)).reshape(-1, 1, *t.shape[-2:]), (kernel / 13)[None, None])
        smooth = t.to(_floating(t)).clone()
        smooth[..., 1:-1, 1:-1] = (blurred if t.dtype.is_floating_point else blurred.round()).reshape(smooth[..., 1:-1, 1:-1].shape)
        return _blend(t, smooth, sharpness_factor)
    return through(image, change, _enhanced("Sharpness", sharpness_factor))
