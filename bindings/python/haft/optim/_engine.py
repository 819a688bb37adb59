"""What the engine's optimizers and schedules of _optimizers.py and _schedules.py have in common."""
from __future__ import annotations

from typing import Any, Callable

from .. import _haft, zeros
from ._fused import FusedOptimizer
from .lr_scheduler import LRScheduler


class EngineOptimizer(FusedOptimizer):
    """An optimizer of the engine whose options have the engine's names."""

    def __init__(self, params, options: dict[str, Any]):
        super().__init__(params, options)

    def _values(self, group: dict[str, Any]) -> tuple:
        return tuple(group[name] for name in self._names)


class EngineScheduler(LRScheduler):
    """A schedule of the engine for any optimizer: it works on an optimizer that holds nothing but the rates."""

    _make: Callable  # makes the engine's schedule from an optimizer and plain values

    def __init__(self, optimizer, arguments: dict[str, Any], last_epoch: int = -1, verbose: bool = False):
        self._arguments, self._rates, self._schedule = arguments, None, None
        super().__init__(optimizer, last_epoch, verbose)

    def _start(self, rates: list[float]) -> None:
        self._rates = None
        for rate in rates:
            if self._rates is None:
                self._rates = _haft.Make.sgd([zeros(1)], rate, 0.0, 0.0, 0.0, False, False)
            else:
                self._rates.add_group([zeros(1)])
        self._write(rates)
        self._schedule = self._make(self._rates, *self._arguments.values())

    def _write(self, rates: list[float]) -> None:
        for i, rate in enumerate(rates):
            self._rates.set_lr(rate, i)

    def get_lr(self) -> list[float]:
        now = self._lrs()
        if self.last_epoch == 0:
            self._start(now)
        else:
            if self._schedule is None or self._schedule.last_epoch() != self.last_epoch - 1:  # loaded, or sent to an epoch
                self._start(self.base_lrs)
                for _ in range(self.last_epoch - 1):
                    self._schedule.step()
            self._write(now)
            self._schedule.step()
        return [self._rates.lr(i) for i in range(len(now))]

    def state_dict(self) -> dict[str, Any]:
        return {key: value for key, value in super().state_dict().items() if key not in ("_rates", "_schedule")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._rates = self._schedule = None
