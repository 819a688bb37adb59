"""An optimizer that looks at the norm of a parameter, written with operators."""
from __future__ import annotations

from .. import Tensor, tensor, zeros_like
from .optimizer import Optimizer

__all__ = ["LAMB"]


class LAMB(Optimizer):
    """LAMB (You et al., arXiv:1904.00962): Adam's step, scaled for each parameter by its norm over that of the step."""

    def __init__(self, params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-6,
                 weight_decay: float = 0.01, *, maximize: bool = False):
        for name, value in (("learning rate", lr), ("epsilon value", eps), ("weight_decay value", weight_decay)):
            if not value >= 0.0:
                raise ValueError(f"Invalid {name}: {value}")
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=tensor(0.0), exp_avg=zeros_like(p.detach()), exp_avg_sq=zeros_like(p.detach()))
        state["step"] += 1  # a tensor, as in PyTorch's state dicts
        step = int(state["step"])
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(beta1).add_(grad * (1 - beta1))
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = (square / (1 - beta2 ** step)).sqrt_().add_(group["eps"])
        change = mean / (1 - beta1 ** step) / root + p * group["weight_decay"]
        length, of_change = float(p.norm()), float(change.norm())
        ratio = length / of_change if length > 0 and of_change > 0 else 1.0
        p.sub_(change * (group["lr"] * ratio))
