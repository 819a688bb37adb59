"""Parameters that are computed from others: ``register_parametrization(module, "weight", f)`` makes ``module.weight`` be
``f(module.parametrizations.weight.original)``."""
from __future__ import annotations

from contextlib import contextmanager

from ... import Tensor, no_grad
from ..modules._engine import EngineModule
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
           "type_before_parametrizations"]

_depth = 0
_cache: dict = {}


@contextmanager
def cached():
    """Inside, each parametrized tensor is computed once."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The functions of one tensor, in order, and what they begin with: ``original``, or ``original0``, ``original1``, ..."""

    def __init__(self, modules, original: Tensor, unsafe: bool = False):
        super().__init__(modules)
        value = original
        with no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        self.is_tensor = isinstance(value, Tensor)
        self.ntensors = 1 if self.is_tensor else len(value)
        for i, part in enumerate([value] if self.is_tensor else value):
            if not isinstance(part, Tensor):
                raise ValueError("A ParametrizationList must be initialised with Tensors: right_inverse must return a tensor or a sequence of them")
            name = "original" if self.is_tensor else f"original{i}"
            if isinstance(original, Parameter):
                # The same object where it can be: an optimizer may hold it.
                if self.is_tensor and part.shape == original.shape and part.dtype is original.dtype:
                    with no_grad():
                        if part is not original:
                            original.copy_(part.detach().clone())
                    self.register_parameter(name, original)
                else:
                    self.register_parameter(name, Parameter(part.detach().clone(), original.requires_grad))
            else:
                self.register_buffer(name, part.detach())
        if not unsafe:
            with no_grad():
                made = self()
            if not isinstance(made, Tensor) or made.dtype is not original.dtype or made.shape != original.shape:
                got = f"{made.dtype} {tuple(made.shape)}" if isinstance(made, Tensor) else type(made).__name__
                raise ValueError("Registering a parametrization may not change the dtype or the shape of the tensor, unless the `unsafe` flag is "
                                 f"enabled: {original.dtype} {tuple(original.shape)} became {got}")

    def _originals(self) -> list[Tensor]:
        return [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Assigns: changes the originals so that the functions give value."""
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for own, new in zip(self._originals(), [value] if self.is_tensor else value):
                own.data = new.detach().clone()

    def forward(self) -> Tensor:
        if not len(self):
            return self.original
        value = self[0](*self._originals())
        for module in list(self)[1:]:
            value = module(value)
        return value


def _property(name: str) -> property:
    def get(self):
        functions = self.parametrizations[name]
        if not _depth:
            return functions()
        key = id(self), name
        if key not in _cache:
            _cache[key] = self, functions()
        return _cache[key][1]

    def set(self, value):
        self.parametrizations[name].right_inverse(value)
    return property(get, set)


def _own_class(module: Module) -> None:
    # A class of this module alone, which has the properties.
    base = type(module)

    def deepcopy(self, memo):
        import copy
        if id(self) in memo:
            return memo[id(self)]
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        # The engine's module stays behind; the copy makes its own.
        state = self.__getstate__() if isinstance(self, EngineModule) else self.__dict__
        made.__dict__.update(copy.deepcopy(state, memo))
        return made

    def reduce(self, protocol):
        raise RuntimeError("Serialization of parametrized modules is only supported through state_dict().")

    module.__class__ = type("Parametrized" + base.__name__, (base,), {
        "__module__": base.__module__, "__deepcopy__": deepcopy, "__reduce_ex__": reduce, "__setattr__": _set_attribute,
        "_before_parametrizations": base})


def _set_attribute(self, name, value):
    if isinstance(getattr(type(self), name, None), property) and name in self.__dict__["_modules"].get("parametrizations", ()):
        object.__setattr__(self, name, value)
    else:
        Module.__setattr__(self, name, value)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations, or one of this name."""
    found = module.__dict__["_modules"].get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def type_before_parametrizations(module: Module) -> type:
    """The class that a module had."""
    return getattr(type(module), "_before_parametrizations", type(module)) if is_parametrized(module) else type(module)


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Module:
    """From here on ``module.tensor_name`` is ``parametrization(original)``, computed at each use.

    Args:
        parametrization: a module of one tensor; with ``right_inverse(value)`` values can be assigned
        unsafe: dtype and shape may change
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        functions = module.parametrizations[tensor_name]
        before = getattr(module, tensor_name).detach()
        if not unsafe:
            with no_grad():
                made = parametrization(before)
            if made.shape != before.shape or made.dtype is not before.dtype:
                raise ValueError("Registering a parametrization may not change the dtype or the shape of the tensor, unless the `unsafe` flag is enabled")
        if hasattr(parametrization, "right_inverse"):
            with no_grad():
                functions.right_inverse(parametrization.right_inverse(before))
        functions.append(parametrization)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'")
    original = getattr(module, tensor_name)
    functions = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = functions
    return module


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a tensor an ordinary one again: with the computed value, or with the original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    functions = module.parametrizations[tensor_name]
    originals = functions._originals()
    if not leave_parametrized and not functions.is_tensor:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors.")
    value = originals[0]
    if leave_parametrized:
        with no_grad():
            made = getattr(module, tensor_name).detach().clone()
        if functions.is_tensor and made.shape == value.shape:
            with no_grad():
                value.copy_(made)
        else:
            value = Parameter(made, value.requires_grad) if isinstance(value, Parameter) else made
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not len(module.parametrizations):
        del module._modules["parametrizations"]
        module.__class__ = type(module)._before_parametrizations
    if isinstance(value, Parameter):
        module.register_parameter(tensor_name, value)
    else:
        module.register_buffer(tensor_name, value)
    return module
