"""haft.optim: optimizers, and schedules of their learning rates."""
from . import lr_scheduler
from . import _optimizers
from ._optimizers import *  # noqa: F401,F403
from . import adaptive
from .adaptive import *  # noqa: F401,F403
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = ["LBFGS", "Optimizer", "lr_scheduler", *_optimizers.__all__, *adaptive.__all__]
