"""The transforms by the names of torchvision.transforms.v2: of images alone, what stands beside them goes through Compose as it is."""
import haft

from . import *  # noqa: F401,F403
from . import Compose as _Compose, __all__ as _names, _Transform, functional

__all__ = [*_names, "ToDtype", "ToImage", "ToPureTensor", "functional"]


class Compose(_Compose):
    """One transform after the other; of several arguments, or of a tuple, the first is the image."""

    def __call__(self, *inputs):
        if len(inputs) == 1 and not isinstance(inputs[0], (tuple, list)):
            return super().__call__(inputs[0])
        image, *beside = inputs[0] if len(inputs) == 1 else inputs
        return super().__call__(image), *beside


class ToImage(_Transform):
    """An image as a tensor (C, H, W) of its own type."""

    def forward(self, image):
        if isinstance(image, haft.Tensor):
            return image
        from .._image import tensor_of
        return tensor_of(image).contiguous()


class ToDtype(_Transform):
    """Another dtype; with scale the values go from the span of one to that of the other."""

    def __init__(self, dtype, scale=False):
        self.dtype, self.scale = dtype, scale

    def forward(self, image):
        return functional.convert_image_dtype(image, self.dtype) if self.scale else image.to(self.dtype)


class ToPureTensor(_Transform):
    """The tensor itself."""

    def forward(self, image):
        return image
