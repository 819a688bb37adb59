"""Adam and AdamW."""
from __future__ import annotations

from .. import _haft
from ._fused import FusedOptimizer

__all__ = ["Adam", "AdamW"]


class Adam(FusedOptimizer):
    """Adam (Kingma and Ba, arXiv:1412.6980), in one pass over all parameters.

    Args:
        params: tensors, or groups of them
        lr: learning rate
        betas: decay of the means of the gradient and of its square
        eps: added to the root
        weight_decay: L2 penalty
        amsgrad: with the largest mean square so far (Reddi et al., ICLR 2018)
        maximize: walk up instead of down
    """

    _slots = ("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    _names = ("lr", "beta1", "beta2", "eps", "weight_decay", "amsgrad", "maximize")
    _make = staticmethod(_haft.Make.adam)

    def __init__(self, params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None):
        if not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                                      maximize=maximize, foreach=foreach, capturable=capturable,
                                      differentiable=differentiable, fused=fused))

    @staticmethod
    def _values(group: dict) -> tuple:
        beta1, beta2 = group["betas"]
        return (group["lr"], beta1, beta2, group["eps"], group["weight_decay"], group["amsgrad"],
                group.get("maximize", False))


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, arXiv:1711.05101); see :class:`Adam`."""

    _make = staticmethod(_haft.Make.adamw)

    def __init__(self, params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused)
