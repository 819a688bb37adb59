"""Cross entropy over classes of which each rank has a part."""
from contextlib import contextmanager

from .._dtensor import loss_in_parts

__all__ = ["loss_parallel"]


@contextmanager
def loss_parallel():
    """Within it cross_entropy() of a DTensor whose classes are sharded is computed where they lie; no rank sees all of them."""
    before, loss_in_parts.on = loss_in_parts.on, True
    try:
        yield
    finally:
        loss_in_parts.on = before
