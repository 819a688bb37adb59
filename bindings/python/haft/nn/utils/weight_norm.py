"""A weight as length times direction (Salimans and Kingma, arXiv:1602.07868)."""
from __future__ import annotations

from ... import Tensor, _haft
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["remove_weight_norm", "weight_norm"]


def _core(dim: int | None):
    return _haft.Make.weight_norm(-1 if dim is None else dim)


class WeightNorm:
    """The hook that computes the weight before each forward."""

    def __init__(self, name: str, dim: int | None):
        self.name = name
        self.dim = dim

    def compute_weight(self, module: Module) -> Tensor:
        """``g * v / |v|``."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return _core(self.dim).forward([g, v])[0]

    def __call__(self, module: Module, args) -> None:
        setattr(module, self.name, self.compute_weight(module))


def _find(module: Module, name: str):
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            return number, hook
    return None, None


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Replaces a parameter by its length ``name_g`` and its direction ``name_v``; ``dim=None``: one length for all."""
    if _find(module, name)[1] is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(_core(dim).right_inverse(weight.detach())[0]))
    module.register_parameter(name + "_v", Parameter(weight.detach().clone()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Makes the weight a parameter again."""
    number, hook = _find(module, name)
    if hook is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = hook.compute_weight(module).detach()
    delattr(module, name)
    del module._parameters[name + "_g"], module._parameters[name + "_v"]
    module._forward_pre_hooks.pop(number)
    setattr(module, name, Parameter(weight))
    return module
