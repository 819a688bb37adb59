"""Where the values of a tensor lie that a group of ranks works on together."""

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """Shard, Replicate or Partial."""

    def is_shard(self, dim=None):
        """Whether each rank has a part, along dim."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self):
        """Whether each rank has all."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op=None):
        """Whether ranks' values are yet to be joined."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((type(self).__name__, *self.__dict__.values()))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in self.__dict__.items())})"


class Shard(Placement):
    """Each rank has a part along dim."""

    def __init__(self, dim):
        self.dim = dim


class Replicate(Placement):
    """Each rank has all."""


class Partial(Placement):
    """Each rank has a term: all ranks' joined are the value."""

    def __init__(self, reduce_op="sum"):
        if reduce_op not in ("sum", "avg"):
            raise ValueError(f"Partial: terms are joined by sum or avg, got {reduce_op!r}")
        self.reduce_op = reduce_op

    def __repr__(self):
        return f"Partial({self.reduce_op})"
