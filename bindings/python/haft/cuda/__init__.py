"""CUDA devices, where a plug-in for them is installed. Without one is_available() says so and why() says why."""
from typing import NamedTuple as _NamedTuple

import haft

from .._device import cuda_device as _device
from .._library import _haft
from .._graphs import CUDAGraph, graph
from ..runtime import device_properties
from .._streams import Event, Stream, current_stream, default_stream, set_stream, stream
from ._calls import *  # noqa: F401,F403
from ._calls import current_device, device_count, is_available, manual_seed, why

__all__ = ["CUDAGraph", "Event", "Stream", "current_device", "current_stream", "default_stream", "device", "device_count", "empty_cache", "get_device_capability", "get_device_name", "get_device_properties",
           "graph", "init", "ipc_collect", "is_available", "is_bf16_supported", "manual_seed", "manual_seed_all",
           "max_memory_allocated", "mem_get_info", "memory_allocated", "memory_reserved", "reset_peak_memory_stats", "set_device", "set_stream", "stream",
           "synchronize", "why"]


def empty_cache():
    """Gives cached memory back to the device; nothing to do without one."""
    for i in range(device_count()):
        _haft.trim_memory(_device(i))


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
    if name == "_initialized":  # programs that keep states of generators look
        return is_available()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
