"""Objects between a DataLoader and its worker processes.

A message is a pickle and the memory of the tensors (and whatever else pickles its memory apart) in it. Small ones travel through
the socket; large ones lie in anonymous shared memory whose descriptor travels, so that tensors arrive without a copy and nothing
is left behind when a process dies.
"""
import array
import io
import mmap
import os
import pickle
import socket
import struct

import haft

from ... import _haft

_LETTERLESS = (haft.bfloat16, haft.float8_e4m3fn, haft.float8_e5m2)
_INLINE = 4096  # bytes of a message that go through the socket
_ALIGN = 64
_HEAD = struct.Struct("=qq")  # lengths in the message: of the table of segments, of the shared memory or 0


def _memory_of(tensor):
    # The elements of a dense host tensor as bytes. Buffers have no letter for bfloat16 and 8-bit floats: a copy.
    if tensor.dtype in _LETTERLESS:
        return memoryview(_haft.to_bytes(tensor))
    return memoryview(tensor.detach().reshape(-1)).cast("B")


def _rebuild(memory, dtype, size, requires_grad):
    memory = memoryview(memory)
    if isinstance(memory.obj, mmap.mmap) and dtype not in _LETTERLESS:
        tensor = haft.frombuffer(memory, dtype=dtype).reshape(size)
    else:
        tensor = _haft.from_bytes(memory, size, dtype, "cpu")
    return tensor.requires_grad_() if requires_grad else tensor


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        if type(value) is not haft.Tensor:
            return NotImplemented
        if value.requires_grad and not value.is_leaf:
            raise RuntimeError("A worker's batch holds a tensor with a gradient to compute, which cannot leave its process; "
                               "detach() it")
        dense = value.detach().cpu().contiguous()
        return _rebuild, (pickle.PickleBuffer(_memory_of(dense)), value.dtype, tuple(value.shape), value.requires_grad)


def _padded(n):
    return -n % _ALIGN


def _write_fully(fd, data):
    while len(data):
        data = data[os.write(fd, data):]


class Channel:
    """One end of a pair: whole messages both ways, EOFError when the other end is gone."""

    def __init__(self, sock):
        self.sock = sock

    @staticmethod
    def pair():
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return Channel(a), Channel(b)

    def fileno(self):
        return self.sock.fileno()

    def pack(self, value):
        """A message for send(): bytes and None, or bytes and a descriptor of shared memory."""
        buffers, stream = [], io.BytesIO()
        _Pickler(stream, 5, buffer_callback=buffers.append).dump(value)
        segments = [stream.getbuffer()] + [b.raw() for b in buffers]
        table = array.array("q", [s.nbytes for s in segments]).tobytes()
        if len(table) + sum(s.nbytes for s in segments) <= _INLINE:
            return b"".join([_HEAD.pack(len(table), 0), table, *segments]), None
        fd = os.memfd_create("haft-batch", os.MFD_CLOEXEC)
        try:
            total = 0
            for s in [memoryview(table), *segments]:
                _write_fully(fd, s)
                _write_fully(fd, memoryview(bytes(_padded(s.nbytes))))
                total += s.nbytes + _padded(s.nbytes)
            return _HEAD.pack(len(table), total), fd
        except BaseException:
            os.close(fd)
            raise

    def send(self, message, flags=0):
        data, fd = message
        rights = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
        self.sock.sendmsg([data], rights, flags)

    @staticmethod
    def drop(message):
        """Gives up the shared memory of a message that was sent, or will not be."""
        if message[1] is not None:
            os.close(message[1])

    def put(self, value):
        message = self.pack(value)
        try:
            self.send(message)
        finally:
            self.drop(message)

    def get(self):
        try:
            data, fds, _, _ = socket.recv_fds(self.sock, _INLINE + _HEAD.size, 1)
        except ConnectionResetError:
            data = b""
        if not data:
            raise EOFError("the other end of the channel is gone")
        table_size, shared = _HEAD.unpack_from(data)
        if shared:
            try:
                flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
                memory, at, align = memoryview(mmap.mmap(fds[0], shared, flags=flags)), 0, True
            finally:
                os.close(fds[0])
        else:
            memory, at, align = memoryview(bytearray(data)), _HEAD.size, False
        sizes = memory[at:at + table_size].cast("q").tolist()
        at += table_size + (_padded(table_size) if align else 0)
        segments = []
        for n in sizes:
            segments.append(memory[at:at + n])
            at += n + (_padded(n) if align else 0)
        return pickle.loads(segments[0], buffers=segments[1:])

    def close(self):
        try:
            # Unlike closing, this also reaches the peer when another process has inherited the socket.
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()
