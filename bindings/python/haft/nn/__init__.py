"""haft.nn: modules, their parameters, and the functions that they compute."""
from .._names import lazy
from . import attention, common_types, functional, init, modules, parameter
from .modules import *  # noqa: F401,F403
from .parameter import Buffer, Parameter, UninitializedParameter
from . import parallel, utils  # after the modules, which they use
from .parallel import DataParallel

__all__ = ["Buffer", "DataParallel", "Parameter", "UninitializedParameter", "attention", "functional", "init", "modules", "parallel", "parameter",
           "utils", *modules.__all__]

__getattr__, __dir__ = lazy(__name__, ("grad",))  # which wants haft.autograd
