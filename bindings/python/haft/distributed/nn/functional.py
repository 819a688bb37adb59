"""Collectives whose gradients are collectives, too, of every order. All ranks call them, and backward through them.

Whether tensors require a gradient must be the same on all ranks, and results are to be used on all of them: a rank that has nothing to
do in backward calls nothing, where the others wait for it.
"""
import haft

from .. import _of
from ... import _haft
from ._collectives import all_gather, all_reduce, broadcast, reduce, reduce_scatter
from ._written import native as _native, written as _written

__all__ = ["all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter", "scatter"]


def _all_gather_base(output_tensor, input_tensor, group=None):
    return _written(output_tensor, _haft.parallel_all_gather(_native(group), input_tensor, 0).reshape(output_tensor.shape))


def gather(tensor, dst=0, group=None):
    """The tensors of all ranks as a tuple for rank dst; zeros for the others."""
    pg = _of(group)
    n, root = pg.size(), pg._local(dst, "gather")
    come = [1] * n if pg.rank() == root else [0] * n
    y = _haft.parallel_all_to_all_single(pg._native, tensor.unsqueeze(0), come, [int(r == root) for r in range(n)])
    if pg.rank() == root:
        return tuple(y.unbind(0))
    return tuple(haft.zeros_like(tensor) + y.sum() for _ in range(n))  # with a history: backward goes through here on every rank


def scatter(tensors, src=0, group=None):
    """One tensor of rank src's for each rank; the others' tensors say what shape comes."""
    pg = _of(group)
    n, root = pg.size(), pg._local(src, "scatter")
    x = haft.stack(list(tensors))
    here = pg.rank() == root
    y = _haft.parallel_all_to_all_single(pg._native, x if here else x[:0], [int(r == root) for r in range(n)], [int(here)] * n)
    return y.squeeze(0)


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """A tensor from each rank for each rank. The outputs say what shapes come; the results are written to them, too."""
    x = haft.cat([t.reshape(-1) for t in input_tensor_list])
    come, go = [t.numel() for t in output_tensor_list], [t.numel() for t in input_tensor_list]
    parts = _haft.parallel_all_to_all_single(_native(group), x, come, go).split(come)
    return tuple(_written(o, p.reshape(o.shape)) for p, o in zip(parts, output_tensor_list))


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """Rows of the first dimension for each rank and from each. The result is written to output, too."""
    pg = _of(group)
    n = pg.size()
    come = list(output_split_sizes or [output.shape[0] // n] * n)
    go = list(input_split_sizes or [input.shape[0] // n] * n)
    return _written(output, _haft.parallel_all_to_all_single(pg._native, input, come, go))
