"""Modules that hold modules or parameters."""
from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import Any, Iterable, Iterator, Mapping

from ... import Tensor
from ..parameter import Parameter
from .module import Module

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _index(i, size: int) -> int:
    """A position from the front; negative ones count from the end."""
    i = i.__index__()
    if not -size <= i < size:
        raise IndexError(f"index {i} is out of range")
    return i % size


def _pairs(name: str, given: Iterable) -> Iterator[tuple]:
    """The pairs that a dictionary is updated by."""
    for i, pair in enumerate(given):
        if not hasattr(pair, "__iter__"):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is {type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(pair)}; 2 is required")
        yield pair


class _Ordered(Module):
    """What Sequential and ModuleList share: modules under the names "0", "1", ..."""

    def _renumber(self, modules: Iterable[Module]) -> None:
        # Into the same dictionary: state dicts and hooks of a subclass may hold it.
        modules = list(modules)
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def _name_at(self, i) -> str:
        return next(islice(self._modules, _index(i, len(self._modules)), None))

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self._sliced(list(self._modules.items())[i])
        return self._modules[self._name_at(i)]

    def __setitem__(self, i: int, module: Module) -> None:
        setattr(self, self._name_at(i), module)

    def __delitem__(self, i) -> None:
        for name in list(self._modules)[i] if isinstance(i, slice) else [self._name_at(i)]:
            del self._modules[name]
        self._renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module):
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module):
        """Adds a module in front of the one at ``index``."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, index: int | slice) -> Module:
        """Takes a module out."""
        module = self[index]
        del self[index]
        return module


class Sequential(_Ordered):
    """Modules one after the other: ``Sequential(a, b)``, or an ordered dictionary of named ones."""

    def __init__(self, *args):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else (
            (str(i), m) for i, m in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def _sliced(self, items: list) -> Sequential:
        return type(self)(OrderedDict(items))

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Adds the modules of another."""
        for module in list(sequential):
            self.append(module)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self).__iadd__(other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError("add operator supports only objects of Sequential class, but "
                             f"{type(other)} is given.")
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(m for _ in range(times) for m in self))

    __rmul__ = __mul__


class ModuleList(_Ordered):
    """A list whose modules are found as children. It has no forward of its own.

    Args:
        modules: the first ones
    """

    def __init__(self, modules: Iterable[Module] | None = None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _sliced(self, items: list) -> ModuleList:
        return type(self)(module for _, module in items)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Adds all modules of an iterable."""
        if not hasattr(modules, "__iter__"):
            raise TypeError("ModuleList.extend should be called with an iterable, but got " + type(modules).__name__)
        for module in list(modules):
            self.append(module)
        return self

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)


class _Keyed(Module):
    """What ModuleDict and ParameterDict share: values by keys, which are those of ``_kept()``."""

    def __len__(self) -> int:
        return len(self._kept())

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept())

    def __contains__(self, key: str) -> bool:
        return key in self._kept()

    def clear(self) -> None:
        """Takes all values out."""
        for key in list(self):
            del self[key]

    def pop(self, key: str) -> Any:
        """Takes a value out."""
        value = self[key]
        del self[key]
        return value

    def keys(self):
        """The names."""
        return self._kept().keys()

    def items(self):
        """Names and values."""
        return {key: self[key] for key in self}.items()

    def values(self):
        """The values."""
        return {key: self[key] for key in self}.values()


class ModuleDict(_Keyed):
    """A dictionary whose modules are found as children.

    Args:
        modules: the first ones
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable | None = None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def _kept(self) -> dict[str, Module]:
        return self._modules

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def update(self, modules: Mapping[str, Module] | Iterable) -> None:
        """Adds or replaces modules from a mapping or from pairs."""
        if not hasattr(modules, "__iter__"):
            raise TypeError("ModuleDict.update should be called with an iterable of key/value pairs, but got "
                            + type(modules).__name__)
        for name, module in _pairs("ModuleDict", modules.items() if hasattr(modules, "items") else modules):
            self[name] = module


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _describe(name, value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"({name}): Object of type: {type(value).__name__}"
    where = "" if value.device.type == "cpu" else f" ({value.device})"
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(n) for n in value.size())
    return f"({name}): {what} containing: [{str(value.dtype)} of size {size}{where}]"


class ParameterList(Module):
    """A list whose tensors are parameters.

    Args:
        values: the first ones
    """

    def __init__(self, values: Iterable[Any] | None = None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return type(self)([self[k] for k in range(*i.indices(len(self)))])
        return getattr(self, str(_index(i, self._size)))

    def __setitem__(self, i: int, value: Any) -> None:
        setattr(self, str(_index(i, self._size)), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._size))

    def append(self, value: Any) -> ParameterList:
        """Adds a value; a tensor becomes a parameter."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Adds all values of an iterable."""
        if not hasattr(values, "__iter__") or isinstance(values, Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got " + type(values).__name__)
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def extra_repr(self) -> str:
        return "\n".join(_describe(i, v) for i, v in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(_Keyed):
    """A dictionary whose tensors are parameters.

    Args:
        parameters: the first ones
    """

    def __init__(self, parameters: Any = None):
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _kept(self) -> dict[str, None]:
        return self._keys

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string "
                            f"(type is '{type(key).__name__}').")
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def copy(self) -> ParameterDict:
        """Another dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of the key, which is set when it is new."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Any]:
        """Takes the last value out."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of the key, or the default."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dictionary with one value under all keys."""
        return ParameterDict((k, default) for k in keys)

    def update(self, parameters: Any) -> None:
        """Adds or replaces values from a mapping or from pairs."""
        if not hasattr(parameters, "__iter__") or isinstance(parameters, Tensor):
            raise TypeError("ParametersDict.update should be called with an iterable of key/value pairs, but got "
                            + type(parameters).__name__)
        pairs = parameters.items() if isinstance(parameters, (Mapping, ParameterDict)) else parameters
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs)
        for key, value in _pairs("ParameterDict", list(pairs)):
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(_describe(k, v) for k, v in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        copy = self.copy()
        copy.update(other)
        return copy

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self
