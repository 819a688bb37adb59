"""haft.optim: optimizers, and schedules of their learning rates."""
from . import lr_scheduler
from . import _optimizers
from ._optimizers import *  # noqa: F401,F403
from .optimizer import Optimizer

__all__ = ["Optimizer", "lr_scheduler", *_optimizers.__all__]
