# Generated from core/schema/modules.def by tools/generate; do not edit.
"""The engine's optimizers. haft.optim shows those that it does not write itself."""
from __future__ import annotations

from .. import _haft
from ._engine import EngineOptimizer

__all__ = ["SGD", "Adam", "AdamW"]


class SGD(EngineOptimizer):
    """Stochastic gradient descent, with momentum when it is not 0.

    Args:
        params: tensors, or groups of them
        lr: learning rate
        momentum: part of the last step that goes on
        dampening: part of the gradient that does not enter the momentum
        weight_decay: the parameter times this is added to the gradient
        nesterov: whether the momentum is Nesterov's; wants momentum and no dampening
        maximize: whether to climb
    """

    _make = staticmethod(_haft.Make.sgd)
    _slots = ("momentum_buffer",)
    _names = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize")

    def __init__(self, params, lr: float = 1e-3, momentum: float = 0.0, dampening: float = 0.0,
                 weight_decay: float = 0.0, nesterov: bool = False, maximize: bool = False):
        arguments = dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                         nesterov=nesterov, maximize=maximize)
        super().__init__(params, arguments)


class Adam(EngineOptimizer):
    """Adam (Kingma and Ba, arXiv:1412.6980).

    Args:
        params: tensors, or groups of them
        lr: learning rate
        beta1: decay of the mean of gradients
        beta2: decay of the mean of their squares
        eps: added to the root
        weight_decay: the parameter times this is added to the gradient
        amsgrad: whether the largest mean of squares so far counts
        maximize: whether to climb
    """

    _make = staticmethod(_haft.Make.adam)
    _slots = ("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    _names = ("lr", "beta1", "beta2", "eps", "weight_decay", "amsgrad", "maximize")

    def __init__(self, params, lr: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
                 weight_decay: float = 0.0, amsgrad: bool = False, maximize: bool = False):
        arguments = dict(lr=lr, beta1=beta1, beta2=beta2, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                         maximize=maximize)
        super().__init__(params, arguments)


class AdamW(EngineOptimizer):
    """AdamW (Loshchilov and Hutter, arXiv:1711.05101): Adam whose weight decay shrinks the parameter.

    Args:
        params: tensors, or groups of them
        lr: learning rate
        beta1: decay of the mean of gradients
        beta2: decay of the mean of their squares
        eps: added to the root
        weight_decay: the rate times this part of the parameter is taken off it
        amsgrad: whether the largest mean of squares so far counts
        maximize: whether to climb
    """

    _make = staticmethod(_haft.Make.adamw)
    _slots = ("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    _names = ("lr", "beta1", "beta2", "eps", "weight_decay", "amsgrad", "maximize")

    def __init__(self, params, lr: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, maximize: bool = False):
        arguments = dict(lr=lr, beta1=beta1, beta2=beta2, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                         maximize=maximize)
        super().__init__(params, arguments)
