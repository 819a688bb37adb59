"""Tensors that modules own."""
from __future__ import annotations

from weakref import WeakValueDictionary

from .._library import _haft, raw

Tensor = _haft.Tensor

__all__ = ["Buffer", "Parameter", "UninitializedParameter", "is_lazy"]


alive: WeakValueDictionary[int, Parameter] = WeakValueDictionary()  # where graphs find the object of a leaf


class Parameter(Tensor):
    """A tensor that a :class:`Module` lists among its parameters as soon as it becomes an attribute.

    It shares memory with ``data`` and is a leaf of its own.

    Args:
        data: the tensor with the values; ``None``: an empty one
        requires_grad: whether ``backward`` computes its gradient
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        data = raw.empty((0,)) if data is None else data
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter wants a Tensor, got {type(data).__name__}")
        self = data.detach().as_subclass(cls)
        if requires_grad:
            self.requires_grad = True
        alive[id(self)] = self
        return self

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        pass  # __new__ has done everything

    def _saved(self) -> Tensor:
        """What state_dict() answers of it."""
        return self.detach()

    def __deepcopy__(self, memo: dict) -> Parameter:
        if id(self) in memo:
            return memo[id(self)]
        copy = type(self)(self.detach().clone(), self.requires_grad)
        memo[id(self)] = copy
        return copy

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: int):
        return _rebuild_parameter, (self.detach(), self.requires_grad)


class UninitializedParameter(Parameter):
    """A parameter whose size is not known yet; :meth:`materialize` makes it a :class:`Parameter`, the same object."""

    def __new__(cls, requires_grad: bool = True, device=None, dtype=None) -> UninitializedParameter:
        return super().__new__(cls, raw.empty((0,), dtype, device), requires_grad)

    def __init__(self, requires_grad: bool = True, device=None, dtype=None) -> None:
        pass

    def materialize(self, shape, device=None, dtype=None) -> None:
        """Gives it memory of a size; the numbers are undefined."""
        requires_grad = self.requires_grad
        memory = raw.empty(tuple(shape), dtype or self.dtype, device or self.device)
        self.__class__ = Parameter
        memory.requires_grad = requires_grad
        self._set_handle(memory)

    def __deepcopy__(self, memo: dict) -> UninitializedParameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: int):
        return type(self), (self.requires_grad, self.device, self.dtype)

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


class Buffer(Tensor):
    """A tensor that a :class:`Module` lists among its buffers as soon as it becomes an attribute. It shares memory with ``data``.

    Args:
        data: the tensor with the values; ``None``: an empty one
        persistent: whether it is part of the module's state
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        data = raw.empty((0,)) if data is None else data
        self = data.detach().as_subclass(cls)
        self.requires_grad = data.requires_grad
        self.persistent = persistent
        return self

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        pass  # __new__ has done everything


def is_lazy(param: Tensor) -> bool:
    """Whether a parameter has no size yet."""
    return isinstance(param, UninitializedParameter)


def _rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    return Parameter(data, requires_grad)
