"""Optimizers that remember numbers of a parameter beside tensors, or look at its norm, written with operators."""
from __future__ import annotations

from .. import Tensor, tensor, zeros_like
from .optimizer import Optimizer

__all__ = ["ASGD", "LAMB", "NAdam"]


def _check(**named: float) -> None:
    """Numbers that must not be negative, by their names in the message."""
    for name, value in named.items():
        if not value >= 0.0:
            raise ValueError(f"Invalid learning rate: {value}" if name == "learning_rate"
                             else f"Invalid {name} value: {value}")


def _check_betas(betas: tuple) -> None:
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def _count(state: dict) -> int:
    """One more step of a parameter; the count is a tensor, as in PyTorch's state dicts."""
    state["step"] += 1
    return int(state["step"])


def _decayed(p: Tensor, grad: Tensor, group: dict) -> Tensor:
    return grad + group["weight_decay"] * p if group["weight_decay"] else grad


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    def __init__(self, params, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, momentum_decay: float = 4e-3, foreach: bool | None = None,
                 differentiable: bool = False, *, maximize: bool = False):
        _check(learning_rate=lr, epsilon=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      momentum_decay=momentum_decay, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=tensor(0.0), mu_product=tensor(1.0), exp_avg=zeros_like(p.detach()),
                         exp_avg_sq=zeros_like(p.detach()))
        step = _count(state)
        beta1, beta2 = group["betas"]
        grad = _decayed(p, grad, group)
        mu = beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        mu_next = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        state["mu_product"] *= mu
        product = float(state["mu_product"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(beta1).add_(grad * (1 - beta1))
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = (square / (1 - beta2 ** step)).sqrt_().add_(group["eps"])
        p.addcdiv_(grad, root, value=-group["lr"] * (1 - mu) / (1 - product))
        p.addcdiv_(mean, root, value=-group["lr"] * mu_next / (1 - product * mu_next))


class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992); the average of each parameter is ``state["ax"]``."""

    def __init__(self, params, lr: float = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
                 weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False):
        _check(learning_rate=lr, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
                                      foreach=foreach, maximize=maximize, differentiable=differentiable))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=tensor(0.0), eta=tensor(float(group["lr"])), mu=tensor(1.0), ax=zeros_like(p.detach()))
        step = _count(state)
        grad = _decayed(p, grad, group)
        eta, mu = float(state["eta"]), float(state["mu"])
        p.mul_(1 - group["lambd"] * eta)
        p.sub_(grad * eta)
        if mu == 1:
            state["ax"].copy_(p)
        else:
            state["ax"].add_((p - state["ax"]) * mu)
        state["eta"] = tensor(group["lr"] / (1 + group["lambd"] * group["lr"] * step) ** group["alpha"])
        state["mu"] = tensor(1 / max(1.0, step - group["t0"]))


class LAMB(Optimizer):
    """LAMB (You et al., arXiv:1904.00962): Adam's step, scaled for each parameter by its norm over that of the step."""

    def __init__(self, params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-6,
                 weight_decay: float = 0.01, *, maximize: bool = False):
        _check(learning_rate=lr, epsilon=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=tensor(0.0), exp_avg=zeros_like(p.detach()), exp_avg_sq=zeros_like(p.detach()))
        step = _count(state)
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(beta1).add_(grad * (1 - beta1))
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = (square / (1 - beta2 ** step)).sqrt_().add_(group["eps"])
        change = mean / (1 - beta1 ** step) / root + p * group["weight_decay"]
        length, of_change = float(p.norm()), float(change.norm())
        ratio = length / of_change if length > 0 and of_change > 0 else 1.0
        p.sub_(change * (group["lr"] * ratio))
