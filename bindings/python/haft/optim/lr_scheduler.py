"""Schedules of the learning rate: call ``scheduler.step()`` after each epoch, or after each batch where that is meant.

A schedule writes ``lr`` into the optimizer's ``param_groups``; ``initial_lr`` there is the rate that it started from.
"""
from __future__ import annotations

import types
from bisect import bisect_right
from typing import Any

from . import _schedules
from ._cycles import per_group
from ._engine_schedule import LRScheduler, _LRScheduler  # noqa: F401
from ._schedules import *  # noqa: F401,F403
from .optimizer import Optimizer

__all__ = ["ChainedScheduler", "LRScheduler", "LambdaLR", "MultiplicativeLR", "SequentialLR",
           *(name for name in _schedules.__all__ if name != "SWALR")]

for _kind in (_schedules.StepLR, _schedules.MultiStepLR, _schedules.ConstantLR):
    _kind._steps_again = True  # as PyTorch's do


class _Lambdas(LRScheduler):
    """Keeps the state of callable objects; plain functions are not part of a state."""

    def __init__(self, optimizer: Optimizer, lr_lambda, last_epoch: int = -1, verbose: bool = False):
        self.lr_lambdas = per_group(lr_lambda, optimizer, "lr_lambdas")
        super().__init__(optimizer, last_epoch, verbose)

    def state_dict(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [None if isinstance(fn, types.FunctionType) else dict(getattr(fn, "__dict__", {}))
                               for fn in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state_dict = dict(state_dict)
        for fn, kept in zip(self.lr_lambdas, state_dict.pop("lr_lambdas")):
            if kept is not None:
                fn.__dict__.update(kept)
        self.__dict__.update(state_dict)


class LambdaLR(_Lambdas):
    """The initial rate times ``lr_lambda(epoch)``; one function, or one for each group."""

    def get_lr(self) -> list[float]:
        return [base * fn(self.last_epoch) for fn, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_Lambdas):
    """Each step multiplies the rate by ``lr_lambda(epoch)``."""

    def get_lr(self) -> list[float]:
        if self._in_initial_step:
            return self._lrs()
        return [lr * fn(self.last_epoch) for fn, lr in zip(self.lr_lambdas, self._lrs())]


class SequentialLR:
    """Schedules one after the other: the next takes over at each milestone."""

    def __init__(self, optimizer: Optimizer, schedulers: list, milestones: list[int], last_epoch: int = -1,
                 verbose: bool = False):
        for i, s in enumerate(schedulers):
            if s.optimizer is not optimizer:
                raise ValueError(f"Sequential Schedulers expects all schedulers to belong to the same optimizer, but "
                                 f"got schedulers at index {i} to be different than the optimizer passed in.")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each schedule has made its first step: take that back, then let only the first make it.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for s in self._schedulers:
            s.last_epoch -= 1
        self._schedulers[0]._initial_step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:
        """Goes to the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    get_last_lr = LRScheduler.get_last_lr

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what :meth:`state_dict` answered."""
        state_dict = dict(state_dict)
        for s, kept in zip(self._schedulers, state_dict.pop("_schedulers")):
            s.load_state_dict(kept)
        self.__dict__.update(state_dict)


class ChainedScheduler:
    """Schedules that all act at each step."""

    def __init__(self, schedulers: list, optimizer: Optimizer | None = None):
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        for i, s in enumerate(schedulers):
            if isinstance(s, ReduceLROnPlateau):
                raise ValueError(f"ChainedScheduler does not support `ReduceLROnPlateau`, whose step takes a metric, but got one at index {i}")
            if s.optimizer is not self.optimizer:
                raise ValueError(f"ChainedScheduler expects all schedulers to belong to the same optimizer, but got "
                                 f"schedulers at index 0 and {i} to be different")
        self._schedulers = list(schedulers)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Goes to the next epoch."""
        for s in self._schedulers:
            s.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    get_last_lr = SequentialLR.get_last_lr
    state_dict = SequentialLR.state_dict
    load_state_dict = SequentialLR.load_state_dict
