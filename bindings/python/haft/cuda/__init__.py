"""CUDA devices, where a plug-in for them is installed. Without one is_available() says so and why() says why."""
import threading as _threading
from typing import NamedTuple as _NamedTuple

import haft

from .._device import cuda_device as _device, set_current as _set_current
from .._errors import OutOfMemoryError
from .._library import _haft
from .._graphs import CUDAGraph, graph, graph_pool_handle
from ..runtime import device_properties
from .._streams import Event, ExternalStream, Stream, current_stream, default_stream, get_stream_from_external, set_stream, stream
from ._calls import *  # noqa: F401,F403
from ._calls import current_device, device_count, is_available, manual_seed, why
from .graphs import is_current_stream_capturing, make_graphed_callables
from .memory import *  # noqa: F401,F403
from . import memory as _memory, random as _random
from .random import *  # noqa: F401,F403

__all__ = ["CUDAGraph", "Event", "ExternalStream", "OutOfMemoryError", "Stream", "can_device_access_peer", "current_device", "current_stream", "default_stream", "device",
           "device_count", "device_of", "get_device_capability", "get_device_name", "get_device_properties", "get_stream_from_external", "graph", "graph_pool_handle",
           "init", "ipc_collect", "is_available", "is_bf16_supported", "is_current_stream_capturing", "make_graphed_callables", "manual_seed", "manual_seed_all",
           "set_device", "set_stream", "stream", "synchronize", "why", *_memory.__all__, *_random.__all__]

manual_seed_all = manual_seed
_open = _threading.local()  # what blocks of `with device(...)` bring back


class device:
    """``with device(1):`` within which "cuda" without an index is that device for this thread; a negative index or None changes nothing."""

    def __init__(self, device):
        self.idx = -1 if device is None else _index(device)

    def __enter__(self):
        before = -1
        if self.idx >= 0:
            before = current_device()
            set_device(self.idx)
        _open.before = before, getattr(_open, "before", None)
        return self

    def __exit__(self, *exc):
        before, _open.before = _open.before
        if before >= 0:
            set_device(before)


class device_of(device):
    """The same with the device of a tensor; of one that is on no CUDA device nothing changes."""

    def __init__(self, obj):
        self.idx = obj.device.index if obj.device.type == "cuda" else -1


def _index(device):
    if isinstance(device, int):
        return device
    device = haft.device(device)
    if device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return current_device() if device.index is None else device.index


def set_device(device):
    """The device that "cuda" without an index means in this thread from now on; a negative index changes nothing."""
    index = _index(device)
    if index < 0:
        return
    if not is_available():
        raise RuntimeError(f"There is no CUDA device: {why()}")
    if index >= device_count():
        raise RuntimeError(f"invalid device ordinal: {index} of {device_count()}")
    _set_current(haft.device("cuda", index))


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
    """CUDA's, of the runtime in the plug-in: "13.0"; None without a device."""
    if not is_available():
        return None
    return device_properties(_device()).runtime.split(",")[0].removeprefix("CUDA ")


def __getattr__(name):
    if name in ("amp", "nvtx"):
        from importlib import import_module
        return import_module("." + name, __name__)
    if name.endswith("Tensor"):
        from .._legacy import CUDA
        if name in CUDA:
            return CUDA[name]
    if name == "_initialized":  # programs that keep states of generators look
        return is_available()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
