"""haft.nn: modules, their parameters, and the functions that they compute."""
from . import attention, functional, init, modules, parameter
from .modules import *  # noqa: F401,F403
from .parameter import Parameter
from . import parallel, utils  # after the modules, which they use
from .parallel import DataParallel

__all__ = ["DataParallel", "Parameter", "attention", "functional", "init", "modules", "parallel", "parameter", "utils", *modules.__all__]
