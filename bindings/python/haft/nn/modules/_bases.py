"""What the classes of _functions.py and _losses.py, which core/schema/modules.def makes, have in common."""
from __future__ import annotations

from ... import Tensor
from ..functional.loss import _legacy_reduction
from .module import Module


class FunctionModule(Module):
    """A function with its attributes, which PyTorch shows by these names."""

    _names: tuple[str, ...] = ()

    def extra_repr(self) -> str:
        text = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._names)
        if getattr(self, "inplace", False):
            text += ", inplace=True" if text else "inplace=True"
        return text


class _Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _legacy_reduction(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    def __init__(self, weight: Tensor | None = None, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
