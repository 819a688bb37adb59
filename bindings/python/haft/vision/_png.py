"""PNG files without a library."""
import struct
import zlib


def png(pixels, height, width, channels):
    """8-bit pixels, row-major, of 1 (grey), 3 (RGB) or 4 (RGBA) channels as a PNG file."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    row = width * channels
    rows = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")
