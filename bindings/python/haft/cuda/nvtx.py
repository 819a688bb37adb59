"""Ranges for NVIDIA's tools: ``nsys profile -t cuda,nvtx python program.py`` shows them. Without such a tool they cost nothing."""
from contextlib import contextmanager
from threading import local

from .._library import _haft
from ._calls import is_available, why

__all__ = ["mark", "range", "range_pop", "range_push"]

_open = local()


def _check():
    if not is_available():
        raise RuntimeError(f"NVTX functions need a CUDA device: {why()}")


def range_push(msg):
    """Opens a range of this thread; answers how many were open before."""
    _check()
    _haft.range_push(msg)
    depth = getattr(_open, "depth", 0)
    _open.depth = depth + 1
    return depth


def range_pop():
    """Closes the innermost range; answers how many are open then."""
    _haft.range_pop()
    _open.depth -= 1
    return _open.depth


def mark(msg):
    """A moment: a range that ends at once."""
    range_push(msg)
    range_pop()


@contextmanager
def range(msg, *args, **kwargs):
    """A range around a block, or a decorated function; msg is formatted with the other arguments."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
