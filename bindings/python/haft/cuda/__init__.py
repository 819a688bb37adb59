"""CUDA devices, where a plug-in for them is installed. Without one is_available() says so and why() says why."""
from typing import NamedTuple as _NamedTuple

import haft

from .._device import cuda_device as _device, look_for_cuda as _look_for_cuda
from .._library import _haft
from .._names import called as _called
from .._graphs import CUDAGraph, graph
from ..runtime import device_properties
from .._streams import Event, Stream, current_stream, default_stream, set_stream, stream

__all__ = ["CUDAGraph", "Event", "Stream", "current_device", "current_stream", "default_stream", "device", "device_count", "empty_cache", "get_device_capability", "get_device_name", "get_device_properties",
           "graph", "init", "ipc_collect", "is_available", "is_bf16_supported", "manual_seed", "manual_seed_all",
           "max_memory_allocated", "mem_get_info", "memory_allocated", "memory_reserved", "reset_peak_memory_stats", "set_device", "set_stream", "stream",
           "synchronize", "why"]


def is_available():
    """True when there is a device to compute on."""
    return _look_for_cuda()[0] > 0


def device_count():
    """How many there are."""
    return _look_for_cuda()[0]


def why():
    """Why there is no device; empty if there is one."""
    return _look_for_cuda()[1]


def is_initialized():
    return is_available()


def current_device():
    """The index of this thread's default device where it is one of CUDA's, else 0."""
    return _device().index


def get_device_name(device=None):
    return device_properties(_device(device)).name


def synchronize(device=None):
    """Waits until the device has done all it was given."""
    _haft.synchronize(_device(device))


def empty_cache():
    """Gives cached memory back to the device; nothing to do without one."""
    if is_available():
        for i in range(device_count()):
            _haft.trim_memory(_device(i))


def _counted(name, field, text):
    def count(device=None):
        return getattr(_haft.memory_stats(_device(device)), field) if is_available() else 0
    return _called(name, text, count)


memory_allocated = _counted("memory_allocated", "live", "Bytes in use.")
memory_reserved = _counted("memory_reserved", "reserved", "What is taken from the device: memory in use and memory kept for later.")
max_memory_allocated = _counted("max_memory_allocated", "peak", "The most bytes in use since the last reset_peak_memory_stats().")


def reset_peak_memory_stats(device=None):
    if is_available():
        _haft.reset_peak_memory(_device(device))


def manual_seed(seed):
    """Numbers on all devices come from the generator of haft.manual_seed; without a device nothing happens, as in PyTorch."""
    if is_available():
        haft.manual_seed(seed)


manual_seed_all = manual_seed


class device:
    """A context manager that PyTorch's programs select a device with; tensors name theirs here."""

    def __init__(self, device):
        self.idx = _index(device)

    def __enter__(self):
        if self.idx >= 0:
            set_device(self.idx)
        return self

    def __exit__(self, *exc):
        pass


def _index(device):
    if isinstance(device, int):
        return device
    device = haft.device(device)
    if device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return current_device() if device.index is None else device.index


def set_device(device):
    """Checks that this is the device that "cuda" means already: without an index it is the first. Another one is named where it is
    used, haft.device("cuda", 1)."""
    index = _index(device)
    if index < 0:
        return
    if not is_available():
        raise RuntimeError(f"There is no CUDA device: {why()}")
    if index >= device_count():
        raise RuntimeError(f"invalid device ordinal: {index} of {device_count()}")
    if index != current_device():
        raise RuntimeError(f"set_device({index}): haft has no current CUDA device to change; write haft.device('cuda', {index}) where tensors "
                           f"are made, or haft.set_default_device('cuda:{index}')")


class _Properties(_NamedTuple):
    """What PyTorch's programs ask of a device."""
    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    L2_cache_size: int
    shared_memory_per_block: int
    uuid: str


def get_device_properties(device=None):
    """Name, architecture, processors and memory of a device."""
    p = device_properties(_device(device))
    return _Properties(p.name, p.compute_major, p.compute_minor, p.total_memory, p.multiprocessors, p.l2_cache, p.shared_memory, p.uuid)


def get_device_capability(device=None):
    """The version of its architecture, (9, 0)."""
    return get_device_properties(device)[1:3]


def mem_get_info(device=None):
    """Bytes of its memory that nobody holds, and all."""
    stats = _haft.memory_stats(_device(device))
    return stats.free, stats.total


def is_bf16_supported(including_emulation=True):
    """Whether there is a device: every backend of haft computes in bfloat16."""
    return is_available()


def init():
    """Looks for devices, as the first call of is_available() does."""
    _look_for_cuda()


def ipc_collect():
    """Nothing to do: memory of devices is not shared between processes."""


def _version():
    return None if not is_available() else "unknown"


def __getattr__(name):
    if name == "amp":
        from importlib import import_module
        return import_module(".amp", __name__)
    if name.endswith("Tensor"):
        from .._legacy import CUDA
        if name in CUDA:
            return CUDA[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
