"""Tensors end to end, by the names of torch._utils, which programs import."""
from . import cat

__all__ = []


def _flatten_dense_tensors(tensors):
    """Their elements as one vector."""
    return cat([t.reshape(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Views of such a vector, of the sizes of the tensors."""
    return tuple(part.view_as(t) for part, t in zip(flat.split([t.numel() for t in tensors]), tensors))


def _take_tensors(tensors, size_limit):
    """Lists of tensors of one dtype, a new one where size_limit bytes are passed."""
    taken = {}
    for t in tensors:
        group = taken.setdefault(t.dtype, [])
        if group and sum(u.nbytes for u in group) + t.nbytes > size_limit:
            yield taken.pop(t.dtype)
            group = taken.setdefault(t.dtype, [])
        group.append(t)
    yield from taken.values()
