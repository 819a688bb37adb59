"""Averages of weights over a training (Izmailov et al., arXiv:1803.05407)."""
from __future__ import annotations

import math
from copy import deepcopy
from typing import Any, Callable, Iterable

from .. import Tensor, int64, no_grad, tensor
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_scheduler import LRScheduler
from .optimizer import Optimizer

__all__ = ["AveragedModel", "SWALR", "update_bn"]


class AveragedModel(Module):
    """A copy of a module whose parameters are the average of those at each :meth:`update_parameters`.

    Args:
        device: where the copy lies
        avg_fn: ``avg_fn(average, parameter, number of averages so far)`` answers the new average; by default the equal one
        use_buffers: average the buffers, too
    """

    def __init__(self, model: Module, device=None, avg_fn: Callable | None = None, use_buffers: bool = False):
        super().__init__()
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn or (lambda average, new, n: average + (new - average) / (n + 1))
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _state(self, model: Module) -> list[Tensor]:
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of a module of the same structure into the average."""
        first = self.n_averaged.item() == 0
        with no_grad():
            for own, new in zip(self._state(self.module), self._state(model)):
                new = new.detach().to(own.device)
                own.copy_(new if first or not own.dtype.is_floating_point
                          else self.avg_fn(own.detach(), new, self.n_averaged.to(own.device)))
            if not self.use_buffers:
                for own, new in zip(self.module.buffers(), model.buffers()):
                    own.copy_(new.detach())
            self.n_averaged.add_(1)


def update_bn(loader: Iterable, model: Module, device=None) -> None:
    """Computes the statistics of batch normalisation anew by one pass over the data; of a tuple the first entry is the input."""
    norms = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not norms:
        return
    was_training = model.training
    model.train()
    for m in norms:
        m.reset_running_stats()
        m.momentum = None  # the plain average
    try:
        with no_grad():
            for input in loader:
                if isinstance(input, (list, tuple)):
                    input = input[0]
                model(input if device is None else input.to(device))
    finally:
        for m, momentum in norms.items():
            m.momentum = momentum
        model.train(was_training)


class SWALR(LRScheduler):
    """Leads the rates to ``swa_lr`` within ``anneal_epochs`` steps and holds them there.

    Args:
        swa_lr: one rate, or one a group
        anneal_strategy: ``"cos"`` or ``"linear"``
    """

    def __init__(self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1):
        rates = swa_lr if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        if len(rates) != len(optimizer.param_groups):
            raise ValueError(f"swa_lr must have the same length as optimizer.param_groups: swa_lr has {len(rates)}, "
                             f"optimizer.param_groups has {len(optimizer.param_groups)}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, rates):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        self.anneal_strategy = anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _way(self, step: int) -> float:
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self.anneal_strategy == "cos" else t

    def get_lr(self) -> list[float]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._way(max(0, step - 1)), self._way(step)
        rates = []
        for group in self.optimizer.param_groups:
            rate, end = group["lr"], group["swa_lr"]
            begin = end if before == 1 else (rate - before * end) / (1 - before)
            rates.append(end * now + begin * (1 - now))
        return rates
