"""Optimizers with a rate for each element, written with operators: Adagrad, Adadelta, Adamax, NAdam, RAdam,
Rprop, Lion, LAMB, and ASGD."""
from __future__ import annotations

import math

from .. import Tensor, full_like, maximum, tensor, zeros_like
from .optimizer import Optimizer

__all__ = ["ASGD", "Adadelta", "Adagrad", "Adamax", "LAMB", "Lion", "NAdam", "RAdam", "Rprop"]


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


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., JMLR 2011): divides by the root of the sum of squares."""

    def __init__(self, params, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False):
        _check(learning_rate=lr, lr_decay=lr_decay, weight_decay=weight_decay,
               initial_accumulator_value=initial_accumulator_value, epsilon=eps)
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable))
        for group in self.param_groups:
            for p in group["params"]:
                self._start(p, self.state[p], group)

    def _start(self, p: Tensor, state: dict, group: dict) -> None:
        state["step"] = tensor(0.0)
        state["sum"] = full_like(p.detach(), float(group["initial_accumulator_value"]))

    def _update(self, p, grad, state, group):
        if not state:
            self._start(p, state, group)
        step = _count(state)
        grad = _decayed(p, grad, group)
        state["sum"].addcmul_(grad, grad, value=1.0)
        rate = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        p.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-rate)


class Adadelta(Optimizer):
    """Adadelta (Zeiler, arXiv:1212.5701): the ratio of the root mean squares of steps and gradients."""

    def __init__(self, params, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False):
        _check(learning_rate=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _check(epsilon=eps, weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
                                      foreach=foreach, differentiable=differentiable))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=0, square_avg=zeros_like(p.detach()), acc_delta=zeros_like(p.detach()))
        state["step"] += 1
        rho, eps = group["rho"], group["eps"]
        grad = _decayed(p, grad, group)
        state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = (state["acc_delta"] + eps).sqrt_().div_((state["square_avg"] + eps).sqrt_()).mul_(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        p.sub_(delta * group["lr"])


class Adamax(Optimizer):
    """Adam with the infinity norm (Kingma and Ba, arXiv:1412.6980)."""

    def __init__(self, params, lr: float = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False):
        _check(learning_rate=lr, epsilon=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=tensor(0.0), exp_avg=zeros_like(p.detach()), exp_inf=zeros_like(p.detach()))
        step = _count(state)
        beta1, beta2 = group["betas"]
        grad = _decayed(p, grad, group)
        state["exp_avg"].mul_(beta1).add_(grad * (1 - beta1))
        state["exp_inf"].copy_(maximum(state["exp_inf"] * beta2, grad.abs().add_(group["eps"])))
        p.addcdiv_(state["exp_avg"], state["exp_inf"], value=-group["lr"] / (1 - beta1 ** step))


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


class RAdam(Optimizer):
    """Adam with a rectified variance (Liu et al., arXiv:1908.03265)."""

    def __init__(self, params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0, foreach: bool | None = None, differentiable: bool = False, *,
                 maximize: bool = False):
        _check(learning_rate=lr, epsilon=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=tensor(0.0), exp_avg=zeros_like(p.detach()), exp_avg_sq=zeros_like(p.detach()))
        step = _count(state)
        beta1, beta2 = group["betas"]
        grad = _decayed(p, grad, group)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(beta1).add_(grad * (1 - beta1))
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        unbiased = 1 - beta2 ** step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2 ** step / unbiased
        rate = group["lr"] / (1 - beta1 ** step)
        if length > 5.0:
            rectified = math.sqrt((length - 4) * (length - 2) * longest
                                  / ((longest - 4) * (longest - 2) * length))
            p.addcdiv_(mean, square.sqrt().add_(group["eps"]), value=-rate * rectified * math.sqrt(unbiased))
        else:
            p.sub_(mean * rate)


class Rprop(Optimizer):
    """Resilient backpropagation (Riedmiller and Braun, 1993): only the sign of the gradient counts."""

    def __init__(self, params, lr: float = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
                 step_sizes: tuple[float, float] = (1e-6, 50), *, foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False):
        _check(learning_rate=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable))

    def _update(self, p, grad, state, group):
        if not state:
            state.update(step=0, prev=zeros_like(p.detach()), step_size=full_like(grad, float(group["lr"])))
        state["step"] += 1
        down, up = group["etas"]
        sign = (grad * state["prev"]).sign()
        factor = full_like(sign, 1.0).masked_fill_(sign > 0, up).masked_fill_(sign < 0, down)
        state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        # Where the sign has changed this step is left out.
        grad = grad.masked_fill(sign < 0, 0)
        p.sub_(grad.sign() * state["step_size"])
        state["prev"].copy_(grad)


class Lion(Optimizer):
    """Lion (Chen et al., arXiv:2302.06675): the sign of a mean of the gradient, with decoupled weight decay."""

    def __init__(self, params, lr: float = 1e-4, betas: tuple[float, float] = (0.9, 0.99), weight_decay: float = 0,
                 *, maximize: bool = False):
        _check(learning_rate=lr)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, maximize=maximize))

    def _update(self, p, grad, state, group):
        if not state:
            state["exp_avg"] = zeros_like(p.detach())
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"]
        if group["weight_decay"]:
            p.mul_(1 - group["lr"] * group["weight_decay"])
        p.sub_((mean * beta1 + grad * (1 - beta1)).sign_() * group["lr"])
        mean.mul_(beta2).add_(grad * (1 - beta2))


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
