"""Events that the engine's writer has no call for, in protobuf's wire format.

Field numbers are those of TensorFlow's event.proto, summary.proto and tensor.proto.
"""
import struct
import time


def _varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field, value):
    return _varint(field << 3) + _varint(value)


def real64(field, value):
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def real32(field, value):
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def event(step, walltime, body):
    return real64(1, time.time() if walltime is None else walltime) + integer(2, step) + body


def summary(value):
    """A Summary of one Value as the field of an Event."""
    return data(5, data(1, value))


def scalar(tag, value):
    return summary(data(1, tag) + real32(2, value))


def plugin(tag, name, content, tensor=b""):
    """A Value for a plug-in: its own bytes in the metadata, perhaps a TensorProto."""
    return summary(data(1, tag) + data(9, data(1, data(1, name) + data(2, content))) + (data(8, tensor) if tensor else b""))


def floats(rows):
    """A TensorProto of float32 from lists of one length."""
    dims = b"".join(data(2, integer(1, n)) for n in (len(rows), len(rows[0])))
    return integer(1, 1) + data(2, dims) + data(5, b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows))


def histogram(tag, low, high, count, total, squares, limits, counts):
    body = real64(1, low) + real64(2, high) + real64(3, count) + real64(4, total) + real64(5, squares)
    body += data(6, struct.pack(f"<{len(limits)}d", *limits)) + data(7, struct.pack(f"<{len(counts)}d", *counts))
    return summary(data(1, tag) + data(5, body))


def session_start(step):
    """Tells readers to forget what was written from this step on."""
    return data(7, integer(1, 1)) if step is not None else b""
