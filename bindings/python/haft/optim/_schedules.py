# Generated from core/schema/modules.def by tools/generate; do not edit.
"""The engine's schedules. haft.optim.lr_scheduler shows those that it does not write itself."""
from __future__ import annotations

from .. import _haft
from ._engine import EngineScheduler

__all__ = ["StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR"]


class StepLR(EngineScheduler):
    """The rate times gamma every step_size steps.

    Args:
        optimizer: whose rates it sets
        step_size: steps between changes
        gamma: the factor
    """

    _make = staticmethod(_haft.Make.step_lr)

    def __init__(self, optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1,
                 verbose: bool = False):
        arguments = dict(step_size=step_size, gamma=gamma)
        super().__init__(optimizer, arguments, last_epoch, verbose)


class MultiStepLR(EngineScheduler):
    """The rate times gamma at each milestone.

    Args:
        optimizer: whose rates it sets
        milestones: the steps
        gamma: the factor
    """

    _make = staticmethod(_haft.Make.multi_step_lr)

    def __init__(self, optimizer, milestones, gamma: float = 0.1, last_epoch: int = -1,
                 verbose: bool = False):
        arguments = dict(milestones=milestones, gamma=gamma)
        super().__init__(optimizer, arguments, last_epoch, verbose)


class ExponentialLR(EngineScheduler):
    """The rate times gamma at every step.

    Args:
        optimizer: whose rates it sets
        gamma: the factor
    """

    _make = staticmethod(_haft.Make.exponential_lr)

    def __init__(self, optimizer, gamma: float, last_epoch: int = -1, verbose: bool = False):
        arguments = dict(gamma=gamma)
        super().__init__(optimizer, arguments, last_epoch, verbose)


class CosineAnnealingLR(EngineScheduler):
    """From the present rate to eta_min along half a cosine.

    Args:
        optimizer: whose rates it sets
        t_max: steps to the lowest rate
        eta_min: the lowest rate
    """

    _make = staticmethod(_haft.Make.cosine_annealing_lr)

    def __init__(self, optimizer, t_max: int, eta_min: float = 0.0, last_epoch: int = -1,
                 verbose: bool = False):
        arguments = dict(t_max=t_max, eta_min=eta_min)
        super().__init__(optimizer, arguments, last_epoch, verbose)


class LinearLR(EngineScheduler):
    """The first rate times a factor that goes from one value to another in a line: a warm-up.

    Args:
        optimizer: whose rates it sets
        start_factor: the factor at once, in (0, 1]
        end_factor: the factor at the end, in [0, 1]
        total_iters: steps between them
    """

    _make = staticmethod(_haft.Make.linear_lr)

    def __init__(self, optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1, verbose: bool = False):
        arguments = dict(start_factor=start_factor, end_factor=end_factor, total_iters=total_iters)
        super().__init__(optimizer, arguments, last_epoch, verbose)
