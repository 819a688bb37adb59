"""The base of all schedules, and that of those whose rates the engine's schedule of the same name tells; _schedules.py has their classes, which
core/schema/modules.def makes."""
from __future__ import annotations

import math
import warnings
import weakref
from collections import Counter
from functools import wraps
from typing import Any, Callable

from .. import _haft, empty, float64, tensor
from .optimizer import Optimizer

__all__ = ["EngineSchedule", "LRScheduler"]


class LRScheduler:
    """Base of all schedules. A class of your own writes ``get_lr``.

    Args:
        optimizer: whose rates it sets
        last_epoch: the epoch to go on from; -1 starts
        verbose: print each change
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1, verbose: bool = False):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.verbose = verbose
        self._count_steps(optimizer)
        self._initial_step()

    @staticmethod
    def _count_steps(optimizer: Optimizer) -> None:
        """Lets the optimizer count its steps, so that a schedule that steps first is noticed."""
        if "_step_count" in optimizer.__dict__:
            return
        optimizer._step_count = 0
        owner = weakref.ref(optimizer)
        own = optimizer.__dict__.get("step")  # a program may have given this one a step of its own
        plain = type(optimizer).step

        @wraps(own or plain)
        def step(*args, **kwargs):
            o = owner()
            o._step_count += 1
            return own(*args, **kwargs) if own else plain(o, *args, **kwargs)

        optimizer.step = step

    def _initial_step(self) -> None:
        self._step_count = 0
        self._in_initial_step = True
        self.step()
        self._in_initial_step = False

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what :meth:`state_dict` answered."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[float]:
        """The rates that the last step set."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """The rates of the epoch ``last_epoch``, one a group."""
        raise NotImplementedError

    def print_lr(self, is_verbose: bool, group: int, lr: float, epoch: int | None = None) -> None:
        """Prints a rate."""
        if is_verbose:
            epoch_text = "" if epoch is None else f"Epoch {epoch:5d}: "
            print(f"{epoch_text}{'A' if epoch is None else 'a'}djusting learning rate of group {group} to {lr:.4e}.")

    def _lrs(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def _warn_order(self) -> None:
        if self._step_count == 1 and self.optimizer.__dict__.get("_step_count") == 0:
            warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in "
                          "the opposite order: `optimizer.step()` before `lr_scheduler.step()`. Otherwise the first "
                          "value of the learning rate schedule is skipped.", UserWarning, stacklevel=3)

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to a given one."""
        self._warn_order()
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            values = self.get_lr()
        else:
            self.last_epoch = epoch
            closed = getattr(self, "_get_closed_form_lr", None)
            values = closed() if closed else self.get_lr()
        self._set(values, epoch)

    def _set(self, values: list[float], epoch: int | None = None) -> None:
        for i, (group, lr) in enumerate(zip(self.optimizer.param_groups, values)):
            group["lr"] = lr
            self.print_lr(self.verbose, i, lr, epoch)
        self._last_lr = self._lrs()


_LRScheduler = LRScheduler


def _number(value: float):
    return tensor(float(value), dtype=float64)


class EngineSchedule(LRScheduler):
    """Rates by the engine's schedule: each is set in an optimizer that stands in for the group, stepped there, and read. Programs edit the rates
    of groups and the values of a schedule, so that nothing is kept from step to step."""

    _make: Callable  # makes the engine's schedule from an optimizer and the values
    _names: tuple[str, ...] = ()  # of the values, in the order that _make takes
    _steps_again = False  # where a training goes on, whose groups have made the step to last_epoch already

    def _values(self, group: dict) -> list:
        return [getattr(self, name) for name in self._names]

    def _epoch(self) -> int:
        return self.last_epoch

    def _started(self, group: dict, lr: float, base: float):
        """The engine's schedule in epoch 0, which ``lr`` is followed by, and its optimizer."""
        stand_in = _haft.Make.sgd([empty(0)], base, 0.0, 0.0, 0.0, False, False)
        stand_in.set_lr(lr, 0)
        return self._make(stand_in, *self._values(group)), stand_in

    def _next(self, group: dict, base: float) -> float:
        schedule, stand_in = self._started(group, group["lr"], base)
        if self._epoch():
            _haft.set_schedule_state(schedule, [("last_epoch", _number(self._epoch() - 1)), ("base_lrs.0", _number(base))])
            stand_in.set_lr(group["lr"], 0)
            schedule.step()
        self._after(group, stand_in)
        return stand_in.lr(0)

    def _after(self, group: dict, stand_in) -> None:
        pass

    def get_lr(self) -> list[float]:
        if self._in_initial_step and self.last_epoch and not self._steps_again:
            return self._lrs()
        return [self._next(group, base) for group, base in zip(self.optimizer.param_groups, self.base_lrs)]

    def _closed(self, group: dict, base: float) -> float:
        schedule, stand_in = self._started(group, base, base)
        for _ in range(self.last_epoch):
            schedule.step()
        return stand_in.lr(0)

    def _get_closed_form_lr(self) -> list[float]:
        return [self._closed(group, base) for group, base in zip(self.optimizer.param_groups, self.base_lrs)]


class _MultiStepLR(EngineSchedule):
    _make = staticmethod(_haft.Make.multi_step_lr)

    def __init__(self, optimizer, milestones, gamma, last_epoch, verbose):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def _values(self, group: dict) -> list:
        return [sorted(self.milestones.elements()), self.gamma]


class _CosineAnnealingLR(EngineSchedule):
    _make = staticmethod(_haft.Make.cosine_annealing_lr)
    _names = ("T_max", "eta_min")

    def __init__(self, optimizer, T_max, eta_min, last_epoch, verbose):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch, verbose)

    def _get_closed_form_lr(self) -> list[float]:
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
                for base in self.base_lrs]
