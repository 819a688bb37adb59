"""Pruning: parts of a parameter held at zero by a mask.

A pruned parameter becomes ``name_orig`` and the buffer ``name_mask``; ``name`` is their product, computed before each
forward. ``remove`` makes the zeros permanent."""
from __future__ import annotations

from typing import Iterable

from ... import Tensor, _haft, cat, no_grad, ones_like
from ..._names import called
from ..modules.module import Module

__all__ = ["BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
           "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity",
           "is_pruned", "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove"]


def _count(amount, size: int) -> int:
    """How many of ``size`` units an amount means: a number of them, or a part."""
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
    if isinstance(amount, int):
        if amount > size:
            raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
        return amount
    return round(amount * size)


class BasePruningMethod:
    """The hook that multiplies parameter and mask. A method of your own writes ``compute_mask``."""

    PRUNING_TYPE = "unstructured"  # or "structured", "global"
    _tensor_name: str

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The new mask for the values ``t``, of which ``default_mask`` has taken some already."""
        raise NotImplementedError

    def apply_mask(self, module: Module) -> Tensor:
        """Parameter times mask."""
        return getattr(module, self._tensor_name + "_mask") * getattr(module, self._tensor_name + "_orig")

    def __call__(self, module: Module, inputs) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @classmethod
    def apply(cls, module: Module, name: str, *args, importance_scores: Tensor | None = None, **kwargs):
        """Adds the method to a parameter, on top of those that it has."""
        method = cls(*args, **kwargs)
        method._tensor_name = name
        old = [(k, h) for k, h in module._forward_pre_hooks.items()
               if isinstance(h, BasePruningMethod) and h._tensor_name == name]
        now = getattr(module, name)  # what earlier methods took counts as 0
        if not old:
            orig = now
            del module._parameters[name]
            module.register_parameter(name + "_orig", orig)
            mask = ones_like(orig.detach())
        else:
            orig, mask = getattr(module, name + "_orig"), getattr(module, name + "_mask")
            number, before = old[0]
            del module._forward_pre_hooks[number]
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
        scores = now if importance_scores is None else importance_scores
        if tuple(scores.shape) != tuple(orig.shape):
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}")
        with no_grad():
            mask = _remaining(method, scores.detach(), mask)
        if name + "_mask" in module._buffers:
            module._buffers[name + "_mask"] = mask
        else:
            module.register_buffer(name + "_mask", mask)
        hook = container if old else method
        setattr(module, name, hook.apply_mask(module))
        module.register_forward_pre_hook(hook)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A pruned copy of a tensor."""
        scores = t if importance_scores is None else importance_scores
        return t * _remaining(self, scores.detach(), ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Module) -> None:
        """The zeros become part of the parameter."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if name in module.__dict__:
            delattr(module, name)
        orig = module._parameters.pop(name + "_orig")
        with no_grad():
            orig.copy_(weight)
        del module._buffers[name + "_mask"]
        module.register_parameter(name, orig)


def _remaining(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Tensor:
    """The mask after a method that counts only what is left."""
    if method.PRUNING_TYPE == "global":
        return method.compute_mask(t, mask)
    if method.PRUNING_TYPE == "unstructured":
        left = (mask.reshape(-1) == 1).nonzero().squeeze(1)
        flat = mask.reshape(-1).clone()
        part = method.compute_mask(t.reshape(-1).index_select(0, left), flat.index_select(0, left))
        flat[left] = part.to(flat.dtype)
        return flat.reshape(mask.shape)
    dim = method.dim % t.dim()
    other = [d for d in range(t.dim()) if d != dim]
    left = ((mask != 0).any(other) if other else mask != 0).nonzero().squeeze(1)
    new = mask.clone()
    part = method.compute_mask(t.index_select(dim, left), mask.index_select(dim, left))
    new[(slice(None),) * dim + (left,)] = part
    return new


class PruningContainer(BasePruningMethod):
    """Several methods on one parameter."""

    def __init__(self, *methods: BasePruningMethod):
        self._pruning_methods = ()
        self._tensor_name = methods[0]._tensor_name if methods else None
        for m in methods:
            self.add_pruning_method(m)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """One more method."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError("Can only add pruning methods acting on the parameter named "
                             f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, i):
        return self._pruning_methods[i]


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask."""

    def compute_mask(self, t, default_mask):
        return default_mask


class _Amount(BasePruningMethod):
    _method = 0  # HAFT_PRUNE_*
    n: float = 2
    dim = -1

    def __init__(self, amount):
        _count(amount, 2 ** 62)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        if self.PRUNING_TYPE == "structured" and t.dim() < 2:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of "
                             f"shape {t.shape} with {t.dim()} dims")
        # The units among which a part is meant were chosen by the caller.
        count = _count(self.amount, t.size(self.dim) if self.PRUNING_TYPE == "structured" else t.numel())
        return _haft.prune_mask(t.detach(), default_mask, self._method, 0.0, count, float(self.n), self.dim)


class RandomUnstructured(_Amount):
    """Prunes elements at random."""

    _method = 1


class L1Unstructured(_Amount):
    """Prunes the elements nearest to zero."""

    _method = 2


class LnStructured(_Amount):
    """Prunes the slices along ``dim`` whose n-norm is smallest."""

    PRUNING_TYPE = "structured"
    _method = 4

    def __init__(self, amount, n: float, dim: int = -1):
        super().__init__(amount)
        self.n = n
        self.dim = dim


class RandomStructured(_Amount):
    """Prunes slices along ``dim`` at random."""

    PRUNING_TYPE = "structured"
    _method = 3

    def __init__(self, amount, dim: int = -1):
        super().__init__(amount)
        self.dim = dim


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        return default_mask * self.mask.to(default_mask.dtype)


def _applied(method: type, name: str, text: str):
    """A method as a function of a module, the name of its parameter, and the method's arguments; it answers the module."""
    def prune(module: Module, name: str, *arguments, importance_scores: Tensor | None = None, **named) -> Module:
        method.apply(module, name, *arguments, importance_scores=importance_scores, **named)
        return module
    return called(name, text, prune)


identity = _applied(Identity, "identity", "Makes the mask and prunes nothing: (module, name).")
random_unstructured = _applied(RandomUnstructured, "random_unstructured",
                               "Prunes an amount of the elements at random, a number of them or a part: (module, name, amount).")
l1_unstructured = _applied(L1Unstructured, "l1_unstructured",
                           "Prunes the elements nearest to zero, or of the lowest scores: (module, name, amount, importance_scores=None).")
random_structured = _applied(RandomStructured, "random_structured", "Prunes slices along dim at random: (module, name, amount, dim).")
ln_structured = _applied(LnStructured, "ln_structured",
                         "Prunes the slices along dim whose n-norm is smallest: (module, name, amount, n, dim, importance_scores=None).")
custom_from_mask = _applied(CustomFromMask, "custom_from_mask", "Prunes by a given mask: (module, name, mask).")


def global_unstructured(parameters: Iterable[tuple[Module, str]], pruning_method: type, importance_scores=None,
                        **kwargs) -> None:
    """Prunes elements of several parameters by one comparison of all."""
    parameters = list(parameters)
    scores = importance_scores or {}
    values = [scores.get((m, n), getattr(m, n)).detach().reshape(-1) for m, n in parameters]
    masks = [getattr(m, n + "_mask", ones_like(getattr(m, n).detach())).reshape(-1) for m, n in parameters]
    if pruning_method.PRUNING_TYPE != "unstructured":
        raise TypeError("Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found method "
                        f"{pruning_method} of type {pruning_method.PRUNING_TYPE}")
    method = pruning_method(**kwargs)
    with no_grad():
        mask = _remaining(method, cat(values), cat(masks))
    at = 0
    for module, name in parameters:
        p = getattr(module, name)
        custom_from_mask(module, name, mask[at : at + p.numel()].reshape(p.shape))
        at += p.numel()


def is_pruned(module: Module) -> bool:
    """Whether some parameter of the tree is pruned."""
    return any(isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values())


def remove(module: Module, name: str) -> Module:
    """Makes the zeros part of the parameter."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
