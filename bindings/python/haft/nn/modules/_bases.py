"""What the classes of _functions.py and _losses.py, which core/schema/modules.def makes, and families of classes by hand have in
common."""
from __future__ import annotations

from ... import Tensor
from ..functional._reduction import legacy_name
from .module import Module


class Family(Module):
    """Classes that differ in little more than their number of dimensions, ``_dims``, which follows from the name."""

    _dims = 1

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.__module__.startswith(__package__) and cls.__name__[-2:] in ("1d", "2d", "3d"):
            cls._dims = int(cls.__name__[-2])


class FunctionModule(Module):
    """A function with its attributes, which PyTorch shows by these names."""

    _names: tuple[str, ...] = ()
    _bare: bool | str = False  # which are shown without their names: none, all, or this one

    def extra_repr(self) -> str:
        text = ", ".join(("" if self._bare in (True, name) else f"{name}=") + repr(getattr(self, name)) for name in self._names)
        if getattr(self, "inplace", False) and "inplace" not in self._names:
            text += ", inplace=True" if text else "inplace=True"
        return text


class _Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = legacy_name(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    def __init__(self, weight: Tensor | None = None, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
