"""Pictures in files, by the names of torchvision.io: as tensors (C, H, W) of bytes. By PIL."""
import enum
import io as _io

import haft

from .._names import absent
from .transforms.functional import pil_to_tensor, to_pil_image

__all__ = ["ImageReadMode", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png", "read_file", "read_image", "write_file", "write_jpeg",
           "write_png"]

globals().update(absent(__name__, "haft reads and writes no videos.", "VideoReader read_video read_video_timestamps write_video"))


class ImageReadMode(enum.Enum):
    """What colours a picture gets; UNCHANGED: its own."""
    UNCHANGED = None
    GRAY = "L"
    GRAY_ALPHA = "LA"
    RGB = "RGB"
    RGB_ALPHA = "RGBA"


def read_file(path):
    """The bytes of a file (N)."""
    with open(path, "rb") as file:
        return haft.frombuffer(bytearray(file.read()), dtype=haft.uint8)


def write_file(filename, data):
    """Writes bytes (N) into a file."""
    with open(filename, "wb") as file:
        file.write(bytes(memoryview(data.contiguous())))


def decode_image(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """The picture in bytes (N) of a file, or in a file."""
    from PIL import Image, ImageOps
    mode = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    with Image.open(_io.BytesIO(bytes(memoryview(input.contiguous()))) if isinstance(input, haft.Tensor) else input) as picture:
        if apply_exif_orientation:
            picture = ImageOps.exif_transpose(picture)
        picture = picture.convert("RGB") if picture.mode in ("P", "CMYK") and mode.value is None else picture
        return pil_to_tensor(picture if mode.value is None else picture.convert(mode.value))


read_image = decode_jpeg = decode_png = decode_image


def _encoded(picture, format, **options):
    file = _io.BytesIO()
    to_pil_image(picture).save(file, format, **options)
    return haft.frombuffer(bytearray(file.getvalue()), dtype=haft.uint8)


def encode_png(input, compression_level=6):
    """A picture as the bytes (N) of a PNG file."""
    return _encoded(input, "PNG", compress_level=compression_level)


def encode_jpeg(input, quality=75):
    """A picture as the bytes (N) of a JPEG file."""
    return _encoded(input, "JPEG", quality=quality)


def write_png(input, filename, compression_level=6):
    """Writes a picture as a PNG file."""
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input, filename, quality=75):
    """Writes a picture as a JPEG file."""
    write_file(filename, encode_jpeg(input, quality))
