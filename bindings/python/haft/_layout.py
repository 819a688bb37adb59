"""How elements lie in memory: names that PyTorch has for it. Every tensor here but gradients of rows is strided."""


from ._names import Named


class layout(Named):
    """haft.strided, or haft.sparse_coo: gradients of rows."""
    __slots__ = ()


class memory_format(Named):
    """An order of dimensions in memory: haft.contiguous_format, .preserve_format, .channels_last, .channels_last_3d."""
    __slots__ = ()


strided = layout("strided")
sparse_coo = layout("sparse_coo")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
_RANKS = {channels_last: 4, channels_last_3d: 5}


def _known(wanted):
    if not isinstance(wanted, memory_format):
        raise TypeError(f"memory_format must be a memory_format, not {type(wanted).__name__}")
    return _RANKS.get(wanted)


def check_layout(wanted):
    """Refuses a layout that no tensor can be made in."""
    if wanted is not None and wanted is not strided:
        if not isinstance(wanted, layout):
            raise TypeError(f"layout must be a layout, not {type(wanted).__name__}")
        raise RuntimeError(f"haft makes no tensors of layout {wanted}")


def _channels_last_strides(shape):
    step, strides = shape[1], [0] * len(shape)
    strides[1] = 1
    for i in range(len(shape) - 1, 1, -1):
        strides[i] = step
        step *= shape[i]
    strides[0] = step
    return strides


def lies(t, wanted):
    """Whether t lies in memory as a memory_format says; None where that format is any."""
    rank = _known(wanted)
    if rank is None:
        if wanted is preserve_format:
            return None
        return t.is_contiguous()
    if t.ndim != rank:
        return False
    return t.numel() == 0 or all(n == 1 or s == w for n, s, w in zip(t.shape, t.stride(), _channels_last_strides(t.shape)))


def laid(t, wanted, copy=False):
    """t itself if it lies so, else (or for copy) a copy that does; gradients flow through."""
    rank = _known(wanted)
    if wanted is preserve_format or lies(t, wanted) and not copy:
        return t.clone() if copy else t
    if rank is None:
        return t.clone() if t.is_contiguous() else t.contiguous()
    if t.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {wanted.name} format")
    dims = list(range(rank))
    moved = t.permute(*dims[:1], *dims[2:], 1)
    moved = moved.clone() if moved.is_contiguous() else moved.contiguous()
    return moved.permute(0, rank - 1, *range(1, rank - 1))
