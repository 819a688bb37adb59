"""Averages of weights over a training (Izmailov et al., arXiv:1803.05407)."""
from __future__ import annotations

from copy import deepcopy
from typing import Callable, Iterable

from .. import Tensor, _haft, int64, no_grad, tensor
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ._schedules import SWALR

__all__ = ["AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn"]


def _averaging(decay: float):
    # Of lists of tensors, by the engine.
    def average(averages, parameters, n) -> None:
        _haft.average_tensors(list(averages), [p.detach() for p in parameters], decay, max(1, int(n)))
    return average


def _of_one(average):
    def answer(averaged, parameter, n) -> Tensor:
        new = averaged.detach().clone()
        average([new], [parameter], n)
        return new
    return answer


def get_ema_multi_avg_fn(decay: float = 0.999):
    """A function of lists that makes them exponential averages, of which ``decay`` stays."""
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
    return _averaging(decay)


def get_swa_multi_avg_fn():
    """A function of lists that makes them equal averages."""
    return _averaging(-1.0)


def get_ema_avg_fn(decay: float = 0.999):
    """The same as :func:`get_ema_multi_avg_fn` of one tensor, answering the average."""
    return _of_one(get_ema_multi_avg_fn(decay))


def get_swa_avg_fn():
    """The same as :func:`get_swa_multi_avg_fn` of one tensor, answering the average."""
    return _of_one(get_swa_multi_avg_fn())


class AveragedModel(Module):
    """A copy of a module whose parameters are the average of those at each :meth:`update_parameters`.

    Args:
        device: where the copy lies
        avg_fn: ``avg_fn(average, parameter, number of averages so far)`` answers the new average; by default the equal one
        multi_avg_fn: ``multi_avg_fn(averages, parameters, number)`` writes into its lists
        use_buffers: average the buffers, too
    """

    def __init__(self, model: Module, device=None, avg_fn: Callable | None = None, multi_avg_fn: Callable | None = None,
                 use_buffers: bool = False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _state(self, model: Module) -> list[Tensor]:
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of a module of the same structure into the average."""
        n = int(self.n_averaged)
        with no_grad():
            own, new = self._state(self.module), [p.detach().to(q.device) for p, q in zip(self._state(model), self._state(self.module))]
            if n and self.avg_fn:
                for q, p in zip(own, new):
                    q.copy_(self.avg_fn(q.detach(), p, self.n_averaged.to(q.device)) if q.dtype.is_floating_point else p)
            elif n and self.multi_avg_fn:
                self.multi_avg_fn([q.detach() for q in own], new, self.n_averaged)
            else:
                _haft.average_tensors([q.detach() for q in own], new, -1.0, n)
            if not self.use_buffers:
                for q, p in zip(self.module.buffers(), model.buffers()):
                    q.copy_(p.detach())
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
