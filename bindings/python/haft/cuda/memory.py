"""Memory of CUDA devices as haft's allocator sees it: blocks of some sizes, by stream, that tensors take and give back (docs/gpu.md)."""
from .._device import cuda_device as _device
from .._library import _haft
from ..runtime import memory_free_blocks as _free_blocks, memory_stats as _stats_of
from ._calls import (device_count, is_available, max_memory_allocated, max_memory_reserved, mem_get_info, memory_allocated,
                     memory_reserved, reset_peak_memory_stats)

__all__ = ["empty_cache", "get_per_process_memory_fraction", "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "mem_get_info",
           "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot", "memory_stats", "memory_stats_as_nested_dict", "memory_summary",
           "reset_max_memory_allocated", "reset_max_memory_cached", "reset_peak_memory_stats", "set_per_process_memory_fraction"]

memory_cached, max_memory_cached = memory_reserved, max_memory_reserved
reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def empty_cache():
    """Gives cached memory back to the device; nothing to do without one."""
    for i in range(device_count()):
        _haft.trim_memory(_device(i))


def set_per_process_memory_fraction(fraction, device=None):
    """The part of the device's memory that tensors of this process may take, from 0 to 1; beyond, OutOfMemoryError is raised."""
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    which = _device(device)
    _haft.set_memory_limit(max(1, int(_stats_of(which).total * fraction)), which)


def get_per_process_memory_fraction(device=None):
    """What set_per_process_memory_fraction has set, else 1.0."""
    s = _stats_of(_device(device))
    return s.limit / s.total if s.limit else 1.0


def memory_stats_as_nested_dict(device=None):
    """memory_stats() as dicts in dicts; empty without a device."""
    if not is_available():
        return {}
    which = _device(device)
    s = _stats_of(which)
    free = sum(size * count for size, count in _free_blocks(which))

    def amount(**numbers):
        return {"all": numbers}
    return {
        "allocated_bytes": amount(current=s.live, peak=s.peak), "requested_bytes": amount(current=s.live, peak=s.peak),
        "active_bytes": amount(current=s.live, peak=s.peak), "reserved_bytes": amount(current=s.reserved, peak=s.peak_reserved),
        "inactive_split_bytes": amount(current=free), "allocation": amount(allocated=s.allocations),
        "segment": amount(allocated=s.allocations - s.cache_hits), "num_device_alloc": s.allocations - s.cache_hits,
        "num_alloc_retries": s.retries, "num_ooms": s.failures, "limit": s.limit}


def memory_stats(device=None):
    """What the allocator counts of a device, by PyTorch's names; what it does not count is not there. Bytes: ``allocated_bytes.all.current``
    and ``.peak`` in tensors as they were asked for (``requested_bytes`` and ``active_bytes`` are the same), ``reserved_bytes.all.current`` and
    ``.peak`` held from the device, ``inactive_split_bytes.all.current`` of these free, ``limit`` what may be in tensors (0: all). Counts since
    the start: ``allocation.all.allocated`` of blocks handed out, ``num_device_alloc`` (and ``segment.all.allocated``) of those that the device
    was asked for, ``num_alloc_retries`` of those that came once caches had been given back, ``num_ooms`` of refusals."""
    flat = {}

    def walk(prefix, value):
        if isinstance(value, dict):
            for name, inner in value.items():
                walk(f"{prefix}.{name}" if prefix else name, inner)
        else:
            flat[prefix] = value
    walk("", memory_stats_as_nested_dict(device))
    return dict(sorted(flat.items()))


def memory_snapshot(mempool_id=None, include_traces=True):
    """What each device's memory is cut into, as far as the allocator tells: a dict for the blocks of each size that lie free, and one for all
    that is in use. Addresses and streams of single blocks are not told, and there are no traces."""
    if mempool_id is not None:
        raise NotImplementedError("memory_snapshot: memory of recordings is not listed")
    out = []
    for i in range(device_count()):
        s, blocks = _stats_of(_device(i)), _free_blocks(_device(i))
        free = sum(size * count for size, count in blocks)
        if s.reserved > free:
            out.append({"device": i, "total_size": s.reserved - free, "allocated_size": s.live, "active_size": s.live, "requested_size": s.live,
                        "segment_type": "large", "blocks": [{"size": s.reserved - free, "requested_size": s.live, "state": "active_allocated"}]})
        for size, count in blocks:
            out.append({"device": i, "total_size": size * count, "allocated_size": 0, "active_size": 0, "requested_size": 0,
                        "segment_type": "small" if size < 1 << 20 else "large", "blocks": [{"size": size, "requested_size": 0, "state": "inactive"}] * count})
    return out


def _size(n):
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(n) >= factor * 10:
            return f"{n // factor} {unit}"
    return f"{n} B"


def memory_summary(device=None, abbreviated=False):
    """memory_stats() as a table; abbreviated leaves out counts and sizes of free blocks."""
    which = _device(device)
    stats = memory_stats(which)
    rows = [(title, stats[f"{key}.all.current"], stats.get(f"{key}.all.peak")) for title, key in (
        ("Allocated memory", "allocated_bytes"), ("GPU reserved memory", "reserved_bytes"), ("Free in the cache", "inactive_split_bytes"))]
    rule = "|" + "=" * 59 + "|"
    lines = [rule, f"| {f'CUDA memory of {which}, limit ' + (_size(stats['limit']) if stats['limit'] else 'none'):<57} |", rule,
             f"| {'':<21} | {'Cur Usage':>15} | {'Peak Usage':>15} |"]
    lines += [f"| {title:<21} | {_size(now):>15} | {'' if peak is None else _size(peak):>15} |" for title, now, peak in rows]
    if not abbreviated:
        lines.append(rule)
        lines += [f"| {title:<21} | {stats[key]:>15} | {'':>15} |" for title, key in (
            ("Allocations", "allocation.all.allocated"), ("Asked of the device", "num_device_alloc"), ("Retries", "num_alloc_retries"), ("Out of memory", "num_ooms"))]
        lines += [f"| {'Free blocks':<21} | {_size(size):>15} | {count:>15} |" for size, count in _free_blocks(which)]
    return "\n".join([*lines, rule])
