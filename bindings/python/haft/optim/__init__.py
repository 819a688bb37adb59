"""haft.optim: optimizers, and schedules of their learning rates."""
from .. import _names
from . import lr_scheduler
from . import _optimizers
from ._optimizers import *  # noqa: F401,F403
from .optimizer import Optimizer

__all__ = ["Optimizer", "lr_scheduler", "swa_utils", *_optimizers.__all__]

# A module each, in PyTorch.
_names.also(__name__, "adadelta adagrad adam adamax adamw asgd lbfgs nadam radam rmsprop rprop sgd sparse_adam", _optimizers)
__getattr__, __dir__ = _names.lazy(__name__, ("swa_utils",))  # which wants haft.nn
