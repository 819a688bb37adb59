"""Pictures in files, by the names of torchvision.io: as tensors (C, H, W) of bytes. By the engine; what it does not read is PIL's."""
import enum
import io as _io
import os
from importlib.util import find_spec

import haft

from .. import _haft
from .._names import absent
from .transforms.functional import pil_to_tensor, to_pil_image

__all__ = ["ImageReadMode", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png", "read_file", "read_image", "write_file", "write_jpeg",
           "write_png"]

globals().update(absent(__name__, "haft reads and writes no videos.", "VideoReader read_video read_video_timestamps write_video"))


class ImageReadMode(enum.Enum):
    """What colours a picture gets; UNCHANGED: its own."""
    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4
    RGBA = RGB_ALPHA


def read_file(path):
    """The bytes of a file (N)."""
    with open(path, "rb") as file:
        return haft.frombuffer(bytearray(file.read()), dtype=haft.uint8)


def write_file(filename, data):
    """Writes bytes (N) into a file."""
    with open(filename, "wb") as file:
        file.write(bytes(memoryview(data.contiguous())))


def _is_utf8(path):
    """Whether the engine can be told the path: Python also has paths that are no UTF-8."""
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def _or_pil(engine, pil):
    try:
        return engine()
    except (haft.UnsupportedError, haft.UnavailableError):
        if find_spec("PIL") is None:
            raise
        return pil()


def decode_image(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """The picture in bytes (N) of a file, or in a file. apply_exif_orientation: as it was held, which PIL finds out."""
    mode = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    if not isinstance(input, haft.Tensor):
        input = os.fsdecode(input)
        input = input if _is_utf8(input) else read_file(input)
    read = _haft.decode_image if isinstance(input, haft.Tensor) else _haft.load_image

    def by_pil():
        from PIL import Image, ImageOps
        with Image.open(input if isinstance(input, str) else _io.BytesIO(bytes(memoryview(input.contiguous())))) as picture:
            if apply_exif_orientation:
                picture = ImageOps.exif_transpose(picture)
            wanted = [None, "L", "LA", "RGB", "RGBA"][mode.value] or ("RGB" if picture.mode in ("P", "CMYK") else picture.mode)
            return pil_to_tensor(picture.convert(wanted))
    return by_pil() if apply_exif_orientation else _or_pil(lambda: read(input, mode.value), by_pil)


read_image = decode_jpeg = decode_png = decode_image


def encode_png(input, compression_level=6):
    """A picture as the bytes (N) of a PNG file."""
    return _haft.encode_png(input, compression_level)


def encode_jpeg(input, quality=75):
    """A picture as the bytes (N) of a JPEG file."""
    def by_pil():
        file = _io.BytesIO()
        to_pil_image(input).save(file, "JPEG", quality=quality)
        return haft.frombuffer(bytearray(file.getvalue()), dtype=haft.uint8)
    return _or_pil(lambda: _haft.encode_jpeg(input, quality), by_pil)


def write_png(input, filename, compression_level=6):
    """Writes a picture as a PNG file."""
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input, filename, quality=75):
    """Writes a picture as a JPEG file."""
    write_file(filename, encode_jpeg(input, quality))
