"""Between backward and the optimizer's step, and random numbers, where ranks have parts of a model."""
from contextlib import contextmanager

from haft import _haft

from ... import ReduceOp, _of
from ._layers import ColumnParallelLinear, RowParallelLinear, VocabParallelEmbedding

__all__ = ["clip_grad_norm_", "join_gradients", "parameter_copies", "random_of_rank"]


def join_gradients(parameters, group=None, op=ReduceOp.AVG):
    """Joins gradients over ranks: data parallel for models whose step has many backwards, such as pipelines.

    All ranks bring as many parameters of the same shapes; one without a gradient counts as 0 and has one afterwards.
    """
    _haft.parallel_join_gradients(_of(group)._native, list(parameters), op)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, copies=None, group=None):
    """nn.utils.clip_grad_norm_ for a model that the ranks of a group have together; answers the norm before, a float.

    copies: for each parameter how many ranks of the group have the same gradient; None: each is this rank's alone.
    """
    return _haft.parallel_clip_grad_norm(_of(group)._native, list(parameters), list(copies or ()), float(max_norm), float(norm_type))


def parameter_copies(module, ranks):
    """For each parameter of a module that parallelize_module() has spread over so many ranks how many of them have the same gradient."""
    spread = set()
    for m in module.modules():
        if isinstance(m, (ColumnParallelLinear, RowParallelLinear, VocabParallelEmbedding)):
            spread.update(id(p) for p in m.parameters() if p is m.weight or isinstance(m, ColumnParallelLinear))
    return [1 if id(p) in spread else ranks for p in module.parameters()]


@contextmanager
def random_of_rank(group=None):
    """Random operators within draw apart on each rank of a group whose generators are equal and stay so: around dropout of parts."""
    before = _haft.set_random_stream(_of(group).rank() + 1)
    try:
        yield
    finally:
        _haft.set_random_stream(before)
