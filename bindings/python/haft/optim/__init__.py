"""haft.optim: optimizers, and schedules of their learning rates."""
from . import lr_scheduler
from .adam import Adam, AdamW
from .adaptive import ASGD, LAMB, Adadelta, Adagrad, Adamax, Lion, NAdam, RAdam, RMSprop, Rprop
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .sgd import SGD
from . import _optimizers, _schedules
from .._names import add_missing

__all__ = ["ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LAMB", "LBFGS", "Lion", "NAdam", "Optimizer",
           "RAdam", "RMSprop", "Rprop", "SGD", "lr_scheduler"]

# Optimizers and schedules of the engine that have no class here.
add_missing(globals(), _optimizers)
add_missing(vars(lr_scheduler), _schedules)
