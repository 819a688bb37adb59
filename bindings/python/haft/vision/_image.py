"""The three kinds of images: tensors (..., C, H, W), NumPy arrays (H, W) or (H, W, C), and PIL's where PIL is."""
import sys

import haft


def is_pil(image):
    module = sys.modules.get("PIL.Image")  # nobody has PIL images who has not loaded it
    return module is not None and isinstance(image, module.Image)


def is_array(image):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(image, numpy.ndarray) and image.ndim in (2, 3)


def _refuse(image):
    raise TypeError(f"image should be a tensor (..., C, H, W), an array (H, W) or (H, W, C), or a PIL image; got {type(image)}")


def array_of(image):
    """A PIL image or array as an array."""
    import numpy
    if is_pil(image):
        return numpy.array(image)
    return image if is_array(image) else _refuse(image)


def tensor_of(image):
    """(C, H, W) of any image but a tensor; it may share the image's memory."""
    import numpy
    array = numpy.ascontiguousarray(array_of(image))
    if not array.flags.writeable:
        array = array.copy()
    tensor = haft.from_numpy(array)
    return tensor.unsqueeze(0) if array.ndim == 2 else tensor.permute(2, 0, 1)


def like(original, tensor):
    """(C, H, W) as the kind of image that `original` is."""
    array = (tensor[0] if array_of(original).ndim == 2 else tensor.permute(1, 2, 0)).contiguous().numpy()
    if is_pil(original):
        from PIL import Image
        return Image.fromarray(array, mode=original.mode)
    return array


def through(image, function, of_pil=None):
    """function(tensor) for an image of any kind, answered as the same kind. of_pil: what PIL itself does with its own images."""
    if of_pil is not None and is_pil(image):
        return of_pil(image)
    if isinstance(image, haft.Tensor):
        if image.dim() < 2:
            _refuse(image)
        return function(image)
    return like(image, function(tensor_of(image)))


def size_of(image):
    """Height and width."""
    if isinstance(image, haft.Tensor):
        return (image.size(-2), image.size(-1)) if image.dim() >= 2 else _refuse(image)
    if is_pil(image):
        return image.height, image.width
    return image.shape[:2] if is_array(image) else _refuse(image)
