"""Tensors in memory that several processes write.

share_memory_() puts a tensor there. Through the queues, pipes and process arguments of multiprocessing it then travels as its
memory's descriptor, and whoever gets it reads and writes the same elements. Other tensors travel as copies.
"""
import atexit
import bisect
import ctypes
import mmap
import os
import threading
import weakref
from multiprocessing import reduction

from .. import _haft
from ..nn.parameter import Parameter

Tensor = _haft.Tensor
_FOLDER = "/dev/shm"
_strategy = "file_descriptor"
_lock = threading.RLock()
_starts, _by_start, _by_file = [], {}, weakref.WeakValueDictionary()  # what this process has mapped
_files = {}  # path: process that made it


def get_all_sharing_strategies():
    """The ways by which shared memory gets from process to process."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """The way of tensors that are shared from now on."""
    return _strategy


def set_sharing_strategy(new_strategy):
    """"file_descriptor": memory without a name whose descriptor travels; the process that sends lives until the other has it.
    "file_system": files in /dev/shm, which take no descriptors; they go with the tensor, or with the process that made them."""
    global _strategy
    if new_strategy not in get_all_sharing_strategies():
        raise ValueError(f"set_sharing_strategy: {new_strategy!r} is none of {sorted(get_all_sharing_strategies())}")
    _strategy = new_strategy


_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class _Memory:
    """A mapped piece. What bytes() lends holds it, and so do the tensors that lie there.

    Not the module mmap: its objects keep a descriptor of their own, and a model has many tensors."""

    def __init__(self, fd, size, path=None, owner=None):
        start = _libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, 0)
        if start == ctypes.c_void_p(-1).value:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        self.start, self.size, self.path, self.fd = start, size, path, fd
        info = os.fstat(fd)
        if path is not None:
            os.close(fd)
            self.fd = None
        with _lock:
            bisect.insort(_starts, start)
            _by_start[start] = weakref.ref(self)
            _by_file[info.st_dev, info.st_ino] = self
        weakref.finalize(self, _let_go, start, size, self.fd, path).atexit = False
        if path is not None and owner is not None:
            _files[path] = owner

    def bytes(self):
        lent = (ctypes.c_ubyte * self.size).from_address(self.start)
        lent.memory = self
        return memoryview(lent).cast("B")

    def __reduce__(self):
        if self.path is not None:
            return _open, (self.path, self.size)
        # A message takes one descriptor, however many tensors lie here: the pickler knows this object again.
        return _attach, (reduction.DupFd(self.fd), self.size)


def _let_go(start, size, fd, path):
    with _lock:
        _starts.remove(start)
        del _by_start[start]
    _libc.munmap(start, size)
    if fd is not None:
        os.close(fd)
    if path in _files:
        _unlink(path)


@atexit.register
def _unlink_all():
    for path in list(_files):
        _unlink(path)


def _unlink(path):
    if _files.pop(path) == os.getpid():  # not a forked child
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


def _new(size):
    path = None
    if _strategy == "file_descriptor":
        fd = os.memfd_create("haft-shared", os.MFD_CLOEXEC)
    else:
        path = f"{_FOLDER}/haft_{os.getpid()}_{os.urandom(8).hex()}"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, size)  # a lack of memory is an error here, not a signal at the first write
        return _Memory(fd, size, path, os.getpid())
    except BaseException:
        os.close(fd)
        if path is not None:
            os.unlink(path)
        raise


def _mapped(fd, size, path):
    # Memory that this process has already is not mapped twice: what was tied stays tied.
    with _lock:
        info = os.fstat(fd)
        known = _by_file.get((info.st_dev, info.st_ino))
        if known is not None:
            os.close(fd)
            return known
        try:
            return _Memory(fd, size, path)
        except BaseException:
            os.close(fd)
            raise


def _attach(descriptor, size):
    fd = descriptor.detach()
    os.set_inheritable(fd, False)
    return _mapped(fd, size, None)


def _open(path, size):
    return _mapped(os.open(path, os.O_RDWR | os.O_CLOEXEC), size, path)


def memory_of(tensor):
    """The shared memory in which a tensor lies, or None."""
    if not _starts or tensor.device.type != "cpu" or tensor.numel() == 0:
        return None
    address = tensor.data_ptr()
    with _lock:
        i = bisect.bisect_right(_starts, address) - 1
        memory = _by_start[_starts[i]]() if i >= 0 else None
    return memory if memory is not None and address < memory.start + memory.size else None


def share(tensor):
    """Moves a tensor's elements into shared memory; the object stays."""
    if tensor.numel() == 0 or memory_of(tensor) is not None:
        return tensor
    if tensor.device.type != "cpu":
        raise RuntimeError(f"share_memory_: the tensor is on {tensor.device}, and processes share host memory")
    if not tensor.is_leaf:
        raise RuntimeError("share_memory_: the tensor is a result that gradients pass through; detach() it")
    moved = _elements(_new(tensor.nbytes), tensor.dtype).reshape(tensor.shape)
    moved.copy_(tensor.detach())
    tensor._set_data(moved)  # gradient and hooks stay
    return tensor


def _elements(memory, dtype):
    count = memory.size // dtype.itemsize
    return _haft.reinterpret(_haft.from_buffer(memory.bytes()[:count * dtype.itemsize]), (count,), dtype)


def _rebuild(memory, offset, dtype, size, stride, requires_grad, parameter):
    tensor = _elements(memory, dtype).as_strided(size, stride, offset)
    if parameter:
        return Parameter(tensor, requires_grad)
    return tensor.requires_grad_() if requires_grad else tensor


def _reduce(tensor):
    memory = memory_of(tensor)
    offset = 0 if memory is None else tensor.data_ptr() - memory.start
    if memory is None or offset % tensor.dtype.itemsize or not tensor.is_leaf:
        return tensor.__reduce_ex__(2)
    return _rebuild, (memory, offset // tensor.dtype.itemsize, tensor.dtype, tuple(tensor.shape), tensor.stride(),
                      tensor.requires_grad, isinstance(tensor, Parameter))


reduction.ForkingPickler.register(Tensor, _reduce)
reduction.ForkingPickler.register(Parameter, _reduce)
