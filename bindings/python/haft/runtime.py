"""The library as a guest in a program: memory, threads, log, and what the machine offers."""
from typing import NamedTuple as _NamedTuple

from . import _haft
from ._forms import get_num_threads, set_num_threads
from ._runtime import commit, decommit, get_memory_limit, reset_peak_memory, set_memory_limit, set_memory_pressure_callback, synchronize, trim_memory

__all__ = ["DeviceProperties", "MemoryStats", "commit", "decommit", "describe", "describe_device", "device_properties", "get_memory_limit", "get_math_precision", "get_num_threads", "library_path", "live_handles",
           "load_backend", "memory_free_blocks", "memory_stats", "metrics_text", "reset_peak_memory", "set_log_sink", "set_memory_limit", "set_memory_pressure_callback",
           "set_math_precision", "set_num_threads", "synchronize", "trim_memory", "version"]

_LEVELS = {"none": _haft.HAFT_LOG_NONE, "error": _haft.HAFT_LOG_ERROR, "warning": _haft.HAFT_LOG_WARNING, "info": _haft.HAFT_LOG_INFO,
           "debug": _haft.HAFT_LOG_DEBUG}
_NAMES = {number: name for name, number in _LEVELS.items()}

describe = _haft.describe
describe_device = _haft.describe_device
library_path = _haft.library_path
live_handles = _haft.live_handles
load_backend = _haft.load_backend
metrics_text = _haft.metrics_text
version = _haft.version


class MemoryStats(_NamedTuple):
    """Memory of a device in bytes."""
    live: int  # handed out, as asked for
    peak: int  # highest live since the last reset
    reserved: int  # held from the system, caches included
    allocations: int  # requests so far
    cache_hits: int  # of these, served from a cache
    limit: int  # that may be live at once; 0: no limit
    total: int  # that the device has; -1: unknown
    free: int  # of these, held by nobody; -1: unknown
    pinned_live: int  # of pinned host memory handed out for devices of its type; the CPU's: for all types
    pinned_reserved: int  # the same, caches included
    peak_reserved: int  # highest reserved since the last reset; -1 for the CPU
    retries: int  # requests that were served when caches had been given back
    failures: int  # requests that failed for want of memory


def memory_stats(device=None):
    """A MemoryStats of a device; None: the default one."""
    s = _haft.memory_stats(device)
    return MemoryStats(*(getattr(s, name) for name in MemoryStats._fields))


def memory_free_blocks(device=None):
    """(bytes, count) of each size of blocks that lie free in a device's cache, the smallest first; of the CPU none. Together they are idle,
    the last is the largest that serves without asking the device."""
    numbers = list(_haft.memory_free_blocks(device))
    return list(zip(numbers[::2], numbers[1::2]))


class DeviceProperties(_NamedTuple):
    """What a device is. Numbers are 0 and texts empty where it has none or does not say."""
    name: str  # as its maker calls it
    compute_major: int  # the architecture's version
    compute_minor: int
    multiprocessors: int  # of the CPU: processors
    total_memory: int
    l2_cache: int
    shared_memory: int  # that a group of threads can have
    pci: str
    uuid: str  # the same in every process and after a restart
    runtime: str  # driver and libraries with their versions


def device_properties(device=None):
    """A DeviceProperties; None: the default device."""
    p = _haft.device_properties(device)
    return DeviceProperties(*(getattr(p, name) for name in DeviceProperties._fields))


def set_log_sink(sink, level="warning"):
    """Calls sink(level, text) for log lines at least as urgent as level, on any thread; None: nowhere. Levels are "error",
    "warning", "info" and "debug". `set_log_sink(lambda level, text: logging.getLogger("haft").log(getattr(logging,
    level.upper()), text))` hands them to the module logging."""
    if level not in _LEVELS:
        raise ValueError(f"set_log_sink: {level!r} is none of {', '.join(_LEVELS)}")
    _haft.set_log_sink(_LEVELS[level], None if sink is None else lambda number, text: sink(_NAMES[number], text))


_MATH = {"exact": _haft.HAFT_MATH_EXACT, "fast": _haft.HAFT_MATH_FAST, "tf32": _haft.HAFT_MATH_TF32}


def set_math_precision(precision):
    """How this thread's operators may compute float32. "exact": plain algorithms; "fast", the default: also those that round more
    (Winograd's convolution: up to twice as fast, with errors of 1e-6 instead of 2e-7); "tf32": also products of factors with 10 bits
    of mantissa, on devices that have them, as ``set_float32_matmul_precision("high")`` allows."""
    if precision not in _MATH:
        raise ValueError(f"set_math_precision: {precision!r} is none of 'exact', 'fast', 'tf32'")
    _haft.set_math_precision(_MATH[precision])


def get_math_precision():
    """"exact", "fast" or "tf32"."""
    return next(name for name, code in _MATH.items() if code == _haft.math_precision())
