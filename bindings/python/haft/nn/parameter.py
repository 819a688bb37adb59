"""Tensors that modules own."""
from __future__ import annotations

from .. import Tensor, empty, no_grad

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A tensor that a :class:`Module` lists among its parameters as soon as it becomes an attribute.

    It shares memory with ``data`` and is a leaf of its own.

    Args:
        data: the tensor with the values; ``None``: an empty one
        requires_grad: whether ``backward`` computes its gradient
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = empty(0)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo: dict) -> Parameter:
        known = memo.get(id(self))
        if known is not None:
            return known
        with no_grad():
            copy = type(self)(self.detach().clone(), self.requires_grad)
        memo[id(self)] = copy
        return copy

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: int):
        return _rebuild_parameter, (self.detach(), self.requires_grad)


def _rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    return Parameter(data, requires_grad)
