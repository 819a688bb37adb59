"""Layers of whose weights each rank keeps a part. Rank 0's values of the dense layer count."""
import haft
from haft import _haft
from haft.nn import Module, Parameter
from haft.nn import functional as F

from ... import _of
from .._dtensor import DTensor, _sizes
from ..placement import Replicate, Shard

__all__ = ["ColumnParallelLinear", "RowParallelLinear", "VocabParallelEmbedding", "vocab_parallel_cross_entropy"]


def _begin(n, pg):
    return sum(_sizes(n, pg.size())[:pg.rank()])


def _local(x, placement):
    """What this rank has of an input that lies as the layer wants it."""
    return x.redistribute(placements=(placement,)).to_local() if isinstance(x, DTensor) else x


def _whole_or(dim):
    return Replicate() if dim is None else Shard(dim)


def _part(pg, dense, dim, blocks=1):
    """This rank's part of a parameter, of each of several blocks of equal size along dim."""
    if dense is None:
        return None
    n = dense.shape[dim] // blocks
    if not _sizes(n, pg.size())[-1]:
        raise ValueError(f"a size of {n} cannot be spread over {pg.size()} ranks: the last one would have none")
    whole = dense.detach().clone()
    pg._native.broadcast(whole, 0)
    begin, size = _begin(n, pg), _sizes(n, pg.size())[pg.rank()]
    return Parameter(haft.cat([whole.narrow(dim, b * n + begin, size) for b in range(blocks)], dim), dense.requires_grad)


class ColumnParallelLinear(Module):
    """A linear layer of whose outputs each rank computes a part.

    Args:
        dense: the layer it is made of
        group: the ranks
        gather_output: all ranks get the whole output
        sequence_dim: along it each rank brings a part of the sequence
        blocks: the outputs are so many blocks, each of which is spread: 3 for query, key and value in one weight
    """

    def __init__(self, dense, group=None, gather_output=False, sequence_dim=None, blocks=1):
        super().__init__()
        if dense.out_features % blocks or (blocks > 1 and gather_output):
            raise ValueError(f"{dense.out_features} outputs are not {blocks} equal blocks that stay split")
        self._group, self._sequence, self._gather = _of(group), sequence_dim, gather_output
        self.in_features, self.out_features = dense.in_features, dense.out_features
        self.weight = _part(self._group, dense.weight, 0, blocks)
        self.register_parameter("bias", _part(self._group, dense.bias, 0, blocks))

    def forward(self, input):
        g = self._group._native
        input = _local(input, _whole_or(self._sequence))
        x = _haft.parallel_copy_to(g, input) if self._sequence is None else _haft.parallel_all_gather(g, input, self._sequence)
        y = F.linear(x, self.weight, self.bias)
        return _haft.parallel_gather_from(g, y, -1, _sizes(self.out_features, self._group.size())) if self._gather else y

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}, ranks={self._group.size()}"


class RowParallelLinear(Module):
    """A linear layer of whose inputs each rank has a part; outputs are added up over ranks.

    Args:
        dense: the layer it is made of
        group: the ranks
        input_is_parallel: each rank brings its part of the last dimension; else all bring the whole
        sequence_dim: along it each rank gets its part of the sequence
    """

    def __init__(self, dense, group=None, input_is_parallel=True, sequence_dim=None):
        super().__init__()
        self._group, self._sequence, self._split = _of(group), sequence_dim, input_is_parallel
        self.in_features, self.out_features = dense.in_features, dense.out_features
        self.weight = _part(self._group, dense.weight, 1)
        bias = None
        if dense.bias is not None:
            bias = Parameter(dense.bias.detach().clone(), dense.bias.requires_grad)
            self._group._native.broadcast(bias.detach(), 0)
        self.register_parameter("bias", bias)

    def forward(self, input):
        g = self._group._native
        input = _local(input, Shard(-1) if self._split else Replicate())
        y = F.linear(input if self._split else _haft.parallel_split_to(g, input), self.weight)
        bias = self.bias
        if self._sequence is None:
            y = _haft.parallel_reduce_from(g, y)
        else:
            y = _haft.parallel_reduce_scatter(g, y, self._sequence)
            bias = bias if bias is None else _haft.parallel_copy_to(g, bias)
        return y if bias is None else y + bias

    extra_repr = ColumnParallelLinear.extra_repr


class VocabParallelEmbedding(Module):
    """An embedding of whose rows each rank has a part.

    Args:
        dense: the layer it is made of
        group: the ranks
        sequence_dim: along it each rank gets its part of the sequence
    """

    def __init__(self, dense, group=None, sequence_dim=None):
        super().__init__()
        if dense.max_norm is not None or dense.scale_grad_by_freq or dense.sparse:
            raise ValueError("max_norm, scale_grad_by_freq and sparse look at all rows: the embedding cannot be spread with them")
        self._group, self._sequence = _of(group), sequence_dim
        self.num_embeddings, self.embedding_dim, self.padding_idx = dense.num_embeddings, dense.embedding_dim, dense.padding_idx
        self.weight = _part(self._group, dense.weight, 0)

    def forward(self, input):
        input = _local(input, Replicate())
        if input.numel() and (int(input.min()) < 0 or int(input.max()) >= self.num_embeddings):
            raise IndexError("index out of range in self")
        at, rows = input - _begin(self.num_embeddings, self._group), self.weight.shape[0]
        others = (at < 0) | (at >= rows)
        padding = None if self.padding_idx is None else self.padding_idx - _begin(self.num_embeddings, self._group)
        padding = padding if padding is not None and 0 <= padding < rows else None
        y = F.embedding(at.masked_fill(others, 0), self.weight, padding).masked_fill(others.unsqueeze(-1), 0.0)
        if self._sequence is None:
            return _haft.parallel_reduce_from(self._group._native, y)
        return _haft.parallel_reduce_scatter(self._group._native, y, self._sequence)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}, ranks={self._group.size()}"


def vocab_parallel_cross_entropy(input, target, num_classes, group=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Cross entropy over classes of which each rank has a part in the last dimension of input (*, part); target (*) is the same on all."""
    number = {"none": 0, "mean": 1, "sum": 2}
    if reduction not in number:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _haft.parallel_cross_entropy(_of(group)._native, input, target, num_classes, number[reduction], ignore_index, label_smoothing)
