"""Stochastic gradient descent."""
from __future__ import annotations

from .. import _haft
from ._fused import FusedOptimizer
from .optimizer import required

__all__ = ["SGD"]


class SGD(FusedOptimizer):
    """Stochastic gradient descent with momentum, in one pass over all parameters.

    Args:
        params: tensors, or groups of them
        lr: learning rate
        momentum: part of the last step that goes on
        dampening: part of the gradient that does not enter the momentum
        weight_decay: L2 penalty
        nesterov: look ahead along the momentum
        maximize: walk up instead of down
    """

    _slots = ("momentum_buffer",)
    _names = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize")
    _make = staticmethod(_haft.Make.sgd)

    def __init__(self, params, lr=required, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
                 nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
                 differentiable: bool = False):
        if lr is not required and not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize, foreach=foreach,
                                      differentiable=differentiable))

    @staticmethod
    def _values(group: dict) -> tuple:
        return (group["lr"], group["momentum"], group["dampening"], group["weight_decay"], group["nesterov"],
                group.get("maximize", False))
