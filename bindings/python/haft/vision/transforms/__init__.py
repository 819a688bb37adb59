"""Transforms of images, as torchvision's. Random ones draw from haft's default generator, which haft.manual_seed seeds.

A chain of Resize, CenterCrop, RandomCrop, RandomResizedCrop, random flips, RandomRotation, ToTensor and Normalize on MNIST, FashionMNIST, CIFAR or an
ImageFolder runs inside the engine when a DataLoader loads it; its random draws then depend on the loader's seed, the epoch and the item alone, and
images are resized as tensors are, which PIL rounds otherwise.
"""
import inspect
import math
import numbers
import warnings

import haft

from ...nn.modules.module import Module
from . import functional
from ._transform import _below, _chance, _Transform
from .functional import InterpolationMode

__all__ = ["AutoAugment", "AutoAugmentPolicy", "CenterCrop", "ColorJitter", "Compose", "ConvertImageDtype", "FiveCrop", "GaussianBlur", "Grayscale",
           "InterpolationMode", "Lambda", "Normalize", "PILToTensor", "Pad",
           "RandAugment", "RandomAdjustSharpness", "RandomAffine", "RandomApply", "RandomAutocontrast", "RandomChoice", "RandomCrop", "RandomEqualize",
           "RandomErasing",
           "RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomOrder", "RandomPerspective", "RandomPosterize", "RandomResizedCrop",
           "RandomRotation",
           "RandomSolarize", "RandomVerticalFlip", "Resize", "TenCrop", "ToPILImage", "ToTensor", "TrivialAugmentWide", "functional"]


def _pair(size, message):
    if isinstance(size, numbers.Number):
        return int(size), int(size)
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(message)
    return tuple(size)


def _uniform(low, high):
    return low + (high - low) * haft.rand(1).item()


class Compose:
    """One transform after the other."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image

    def __repr__(self):
        return "\n".join([f"{type(self).__name__}(", *(f"    {t}" for t in self.transforms), ")"])


def native_steps(transform):
    """The chain as the engine's transforms of a uint8 image (C, H, W), or None where it lacks one."""
    steps, chain, is_tensor = [], [transform], False
    while chain:
        t = chain.pop(0)
        if type(t) is Compose:
            chain[:0] = t.transforms
            continue
        if isinstance(t, ToTensor) == is_tensor and isinstance(t, (ToTensor, Normalize)):
            return None  # in Python an error; let Python say so
        step = t._native() if isinstance(t, _Transform) else None
        if step is None:
            return None
        is_tensor = is_tensor or isinstance(t, ToTensor)
        steps.append(step)
    return steps if is_tensor else None


class ToTensor(_Transform, function=functional.to_tensor):
    """functional.to_tensor"""

    def _native(self):
        if type(self) is ToTensor and haft.get_default_dtype() == haft.float32:
            return "to_float", (1.0 / 255,)


class PILToTensor(_Transform, function=functional.pil_to_tensor):
    """functional.pil_to_tensor"""


class ToPILImage(_Transform, function=functional.to_pil_image):
    """functional.to_pil_image"""


class ConvertImageDtype(_Transform, function=functional.convert_image_dtype):
    """functional.convert_image_dtype"""


_SMOOTH = {InterpolationMode.BILINEAR: 5, InterpolationMode.BICUBIC: 6}  # HAFT_INTERPOLATE_*_ANTIALIAS


def _smooth(transform):
    """The engine's number of an interpolation that PIL and tensors agree on, or None."""
    return _SMOOTH.get(InterpolationMode.of(transform.interpolation)) if transform.antialias else None


class Resize(_Transform, function=functional.resize):
    """functional.resize"""

    def _native(self):
        size = [self.size] if isinstance(self.size, numbers.Number) else list(self.size)
        if type(self) is Resize and self.max_size is None and len(size) in (1, 2) and min(size) > 0 and _smooth(self) is not None:
            return "resize", (size[0], size[1] if len(size) == 2 else 0, _smooth(self))


class Pad(_Transform, function=functional.pad):
    """functional.pad"""


class Grayscale(_Transform, function=functional.rgb_to_grayscale):
    """functional.rgb_to_grayscale"""


class Lambda(_Transform):
    """A function of one's own."""

    def __init__(self, lambd):
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def forward(self, image):
        return self.lambd(image)

    def __repr__(self):
        return "Lambda()"


class Normalize(_Transform, function=functional.normalize):
    """(x - mean[c]) / std[c]"""

    def __repr__(self):
        return f"Normalize(mean={self.mean}, std={self.std})"

    def _native(self):
        mean, std = ([float(v) for v in haft.as_tensor(values, dtype=haft.float64).reshape(-1).tolist()]
                     for values in (self.mean, self.std))
        if type(self) is Normalize and len(mean) == len(std) and all(s > 0 for s in std):
            return "normalize", (*mean, *std)


class CenterCrop(_Transform):
    """functional.center_crop"""

    def __init__(self, size):
        self.size = _pair(size, "Please provide only two dimensions (h, w) for size.")

    def forward(self, image):
        return functional.center_crop(image, self.size)

    def _native(self):
        if type(self) is CenterCrop:
            return "center_crop", self.size


class RandomCrop(_Transform):
    """A random window of the image, after padding."""

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        self.size = _pair(size, "Please provide only two dimensions (h, w) for size.")
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(image, output_size):
        (h, w), (th, tw) = functional.size_of(image), output_size
        if h < th or w < tw:
            raise ValueError(f"Required crop size {(th, tw)} is larger than input image size {(h, w)}")
        if (h, w) == (th, tw):
            return 0, 0, h, w
        return _below(h - th + 1), _below(w - tw + 1), th, tw

    def forward(self, image):
        if self.padding is not None:
            image = functional.pad(image, self.padding, self.fill, self.padding_mode)
        h, w = functional.size_of(image)
        if self.pad_if_needed and w < self.size[1]:
            image = functional.pad(image, [self.size[1] - w, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and h < self.size[0]:
            image = functional.pad(image, [0, self.size[0] - h], self.fill, self.padding_mode)
        return functional.crop(image, *self.get_params(image, self.size))

    def _native(self):
        padding = 0 if self.padding is None else self.padding
        if type(self) is RandomCrop and isinstance(padding, int) and padding >= 0 and not self.pad_if_needed and \
                self.fill == 0 and self.padding_mode == "constant":
            return "random_crop", (*self.size, padding)


class RandomHorizontalFlip(_Transform):
    """Left becomes right, with probability p."""

    def __init__(self, p=0.5):
        self.p = p

    def forward(self, image):
        return self._changed(image) if _chance() < self.p else image

    def _changed(self, image):
        return functional.hflip(image)

    def _native(self):
        if type(self) is RandomHorizontalFlip:
            return "random_horizontal_flip", (self.p,)


class RandomVerticalFlip(RandomHorizontalFlip):
    """Top becomes bottom, with probability p."""

    def _changed(self, image):
        return functional.vflip(image)

    def _native(self):
        if type(self) is RandomVerticalFlip:
            return "random_vertical_flip", (self.p,)


class RandomRotation(_Transform):
    """Turned by a random angle: from -degrees to degrees, or between the two numbers given."""

    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
        self.degrees = _angles(degrees, "degrees")
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = fill

    @staticmethod
    def get_params(degrees):
        return _uniform(degrees[0], degrees[1])

    def forward(self, image):
        return functional.rotate(image, self.get_params(self.degrees), self.interpolation, self.expand, self.center, self.fill)

    def _native(self):
        low, high = self.degrees
        if type(self) is RandomRotation and low == -high and 0 <= high <= 360 and not self.expand and \
                self.interpolation in (InterpolationMode.NEAREST, "nearest") and self.center is None and not self.fill:
            return "random_rotation", (high,)


class RandomResizedCrop(_Transform):
    """A random window of `scale` of the area and `ratio` of the sides, resized."""

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3), interpolation=InterpolationMode.BILINEAR, antialias=True):
        self.size = _pair(size, "Please provide only two dimensions (h, w) for size.")
        for name, ends in (("Scale", scale), ("Ratio", ratio)):
            if not isinstance(ends, (tuple, list)):
                raise TypeError(f"{name} should be a sequence")
        if scale[0] > scale[1] or ratio[0] > ratio[1]:
            warnings.warn("Scale and ratio should be of kind (min, max)", stacklevel=2)
        self.scale, self.ratio = scale, ratio
        self.interpolation = interpolation
        self.antialias = antialias

    @staticmethod
    def get_params(image, scale, ratio):
        h, w = functional.size_of(image)
        for _ in range(10):
            area = h * w * _uniform(*scale)
            aspect = math.exp(_uniform(math.log(ratio[0]), math.log(ratio[1])))
            tw, th = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < tw <= w and 0 < th <= h:
                return _below(h - th + 1), _below(w - tw + 1), th, tw
        tw, th = w, h
        if w / h < min(ratio):
            th = round(w / min(ratio))
        elif w / h > max(ratio):
            tw = round(h * max(ratio))
        return (h - th) // 2, (w - tw) // 2, th, tw

    def forward(self, image):
        window = self.get_params(image, self.scale, self.ratio)
        return functional.resized_crop(image, *window, self.size, self.interpolation, self.antialias)

    def _native(self):
        if type(self) is RandomResizedCrop and min(self.size) > 0 and _smooth(self) is not None and \
                0 <= self.scale[0] <= self.scale[1] <= 1 and 0 < self.ratio[0] <= self.ratio[1] <= 1e6:
            return "random_resized_crop", (*self.size, *self.scale, *self.ratio, _smooth(self))


class RandomApply(_Transform):
    """All of the transforms with probability p, else none."""

    def __init__(self, transforms, p=0.5):
        self.transforms = transforms
        self.p = p

    def forward(self, image):
        if _chance() < self.p:
            for transform in self.transforms:
                image = transform(image)
        return image


class RandomOrder(RandomApply):
    """All of the transforms, in a random order."""

    def forward(self, image):
        for i in haft.randperm(len(self.transforms)).tolist():
            image = self.transforms[i](image)
        return image


class RandomChoice(_Transform):
    """One of the transforms; p: how likely each is, in proportion."""

    def __init__(self, transforms, p=None):
        if p is not None and not (isinstance(p, (list, tuple)) and len(p) == len(transforms)):
            raise TypeError("Argument p should be a sequence with a number for each transform")
        self.transforms = transforms
        self.p = p

    def forward(self, *args):
        if self.p is None:
            chosen = _below(len(self.transforms))
        else:
            chosen = int(haft.multinomial(haft.tensor(self.p, dtype=haft.float64), 1).item())
        return self.transforms[chosen](*args)


class RandomGrayscale(RandomHorizontalFlip):
    """Without colours, with probability p; the channels stay as many."""

    def __init__(self, p=0.1):
        super().__init__(p)

    def _changed(self, image):
        return functional.rgb_to_grayscale(image, functional.get_dimensions(image)[0])


def _at_random(function, usual=0.5):
    """A class that applies a function of functional.py with probability p."""
    names = list(inspect.signature(function).parameters)[1:]

    def __init__(self, *args, p=usual, **kwargs):
        given = inspect.signature(function).bind(None, *args, **kwargs).arguments
        self.__dict__.update((name, given[name]) for name in names)
        self.p = p

    def _changed(self, image):
        return function(image, *(getattr(self, name) for name in names))
    return {"__init__": __init__, "_changed": _changed, "__module__": __name__, "__doc__": f"functional.{function.__name__}, with probability p"}


RandomInvert, RandomPosterize, RandomSolarize, RandomAutocontrast, RandomEqualize, RandomAdjustSharpness = (
    type("Random" + name, (RandomHorizontalFlip,), _at_random(getattr(functional, function))) for name, function in (
        ("Invert", "invert"), ("Posterize", "posterize"), ("Solarize", "solarize"), ("Autocontrast", "autocontrast"), ("Equalize", "equalize"),
        ("AdjustSharpness", "adjust_sharpness")))


class FiveCrop(_Transform):
    """functional.five_crop"""

    def __init__(self, size):
        self.size = _pair(size, "Please provide only two dimensions (h, w) for size.")

    def forward(self, image):
        return functional.five_crop(image, self.size)


class TenCrop(FiveCrop):
    """functional.ten_crop"""

    def __init__(self, size, vertical_flip=False):
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def forward(self, image):
        return functional.ten_crop(image, self.size, self.vertical_flip)


class RandomPerspective(_Transform):
    """Seen from a random place, with probability p: each corner moves inwards by up to distortion_scale of half the side."""

    def __init__(self, distortion_scale=0.5, p=0.5, interpolation=InterpolationMode.BILINEAR, fill=0):
        self.distortion_scale, self.p, self.interpolation, self.fill = distortion_scale, p, interpolation, fill

    @staticmethod
    def get_params(width, height, distortion_scale):
        across, down = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        return corners, [[abs(x - _below(across + 1)), abs(y - _below(down + 1))] for x, y in corners]

    def forward(self, image):
        if _chance() >= self.p:
            return image
        corners = self.get_params(*functional.get_image_size(image), self.distortion_scale)
        return functional.perspective(image, *corners, self.interpolation, self.fill)


class ColorJitter(_Transform):
    """Brightness, contrast, saturation and hue by random factors, in random order.

    brightness, contrast, saturation: a number b for factors in [max(0, 1 - b), 1 + b], or the two ends; hue: h <= 0.5 for
    [-h, h], or the two ends.
    """

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        self.brightness = self._ends(brightness, "brightness")
        self.contrast = self._ends(contrast, "contrast")
        self.saturation = self._ends(saturation, "saturation")
        self.hue = self._ends(hue, "hue", 0, (-0.5, 0.5))

    @staticmethod
    def _ends(value, name, center=1, bound=(0, float("inf"))):
        if isinstance(value, numbers.Number):
            if value < 0:
                raise ValueError(f"If {name} is a single number, it must be non negative.")
            value = [center - value, center + value]
            if center == 1:
                value[0] = max(value[0], 0.0)
        elif not (isinstance(value, (tuple, list)) and len(value) == 2):
            raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
        if not bound[0] <= value[0] <= value[1] <= bound[1]:
            raise ValueError(f"{name} values should be between {bound}, but got {list(value)}.")
        return None if value[0] == value[1] == center else tuple(float(v) for v in value)

    @staticmethod
    def get_params(brightness, contrast, saturation, hue):
        return (haft.randperm(4), *(None if ends is None else _uniform(*ends) for ends in (brightness, contrast, saturation, hue)))

    def forward(self, image):
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        change = (functional.adjust_brightness, functional.adjust_contrast, functional.adjust_saturation, functional.adjust_hue)
        for k in order.tolist():
            if factors[k] is not None:
                image = change[k](image, factors[k])
        return image


class GaussianBlur(_Transform):
    """Blurs with a Gaussian whose width is drawn from sigma = (smallest, largest), or is always sigma. kernel_size: odd, one number or
    (width, height)."""

    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        self.kernel_size = _pair(kernel_size, "Kernel size should be a tuple/list of two integers")
        if not all(size > 0 and size % 2 for size in self.kernel_size):
            raise ValueError("Kernel size value should be an odd and positive number.")
        self.sigma = (float(sigma),) * 2 if isinstance(sigma, numbers.Number) else tuple(float(s) for s in sigma)
        if len(self.sigma) != 2 or not 0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError(f"sigma values should be positive and of the form (min, max). Got {self.sigma}")

    @staticmethod
    def get_params(sigma_min, sigma_max):
        return _uniform(sigma_min, sigma_max)

    def forward(self, image):
        sigma = self.get_params(*self.sigma)
        return functional.gaussian_blur(image, list(self.kernel_size), [sigma, sigma])


def _angles(value, name, lengths=(2,)):
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        return [-float(value), float(value)]
    if len(value) not in lengths:
        raise ValueError(f"{name} should be a sequence of length {' or '.join(map(str, lengths))}.")
    return [float(v) for v in value]


class RandomAffine(_Transform):
    """Turned, moved, scaled and sheared at random.

    degrees: [-d, d] or the two ends; translate: the largest parts of width and height; scale: the two ends; shear: [-s, s] along
    x, its two ends, or those of x and y.
    """

    def __init__(self, degrees, translate=None, scale=None, shear=None, interpolation=InterpolationMode.NEAREST, fill=0, center=None):
        self.degrees = _angles(degrees, "degrees")
        if translate is not None and not all(0.0 <= t <= 1.0 for t in translate):
            raise ValueError("translation values should be between 0 and 1")
        if scale is not None and not all(s > 0 for s in scale):
            raise ValueError("scale values should be positive")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else _angles(shear, "shear", (2, 4))
        self.interpolation = interpolation
        self.fill = fill
        self.center = center

    @staticmethod
    def get_params(degrees, translate, scale_ranges, shears, img_size):
        angle = _uniform(*degrees)
        moved = (0, 0) if translate is None else tuple(round(_uniform(-part * n, part * n)) for part, n in zip(translate, img_size))
        scale = 1.0 if scale_ranges is None else _uniform(*scale_ranges)
        shear = (0.0, 0.0)
        if shears is not None:
            shear = (_uniform(*shears[:2]), _uniform(*shears[2:]) if len(shears) == 4 else 0.0)
        return angle, moved, scale, shear

    def forward(self, image):
        size = functional.get_image_size(image)
        return functional.affine(image, *self.get_params(self.degrees, self.translate, self.scale, self.shear, size), self.interpolation,
                                 self.fill, self.center)


class RandomErasing(_Transform):
    """A random window of a tensor, filled with `value` (a number, one a channel, or "random"), with probability p."""

    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False):
        if not isinstance(value, (numbers.Number, str, tuple, list)):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        if not 0 <= scale[0] <= scale[1] <= 1:
            raise ValueError("Scale should be between 0 and 1")
        if not 0 <= p <= 1:
            raise ValueError("Random erasing probability should be between 0 and 1")
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    @staticmethod
    def get_params(image, scale, ratio, value=None):
        channels, height, width = image.shape[-3:]
        for _ in range(10):
            area = height * width * _uniform(*scale)
            aspect = math.exp(_uniform(math.log(ratio[0]), math.log(ratio[1])))
            h, w = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if h < height and w < width:
                v = haft.randn(channels, h, w).to(image.dtype) if value is None else haft.tensor(value, dtype=image.dtype).reshape(-1, 1, 1)
                return _below(height - h + 1), _below(width - w + 1), h, w, v
        return 0, 0, height, width, image

    def forward(self, image):
        if _chance() >= self.p:
            return image
        value = None if self.value == "random" else [float(v) for v in self.value] if isinstance(self.value, (tuple, list)) else [self.value]
        if value is not None and len(value) not in (1, image.size(-3)):
            raise ValueError(f"If value is a sequence, it should have either a single value or {image.size(-3)} (number of input channels)")
        return functional.erase(image, *self.get_params(image, self.scale, self.ratio, value), self.inplace)


from ._auto import AutoAugment, AutoAugmentPolicy, RandAugment, TrivialAugmentWide  # noqa: E402: over the classes above
