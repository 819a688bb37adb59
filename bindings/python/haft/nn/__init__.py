"""haft.nn: modules, their parameters, and the functions that they compute."""
from . import functional, init, modules, parameter
from .modules import *  # noqa: F401,F403
from .parameter import Parameter
from .parallel import DataParallel
from . import utils  # after the modules, which it uses

__all__ = ["DataParallel", "Parameter", "functional", "init", "modules", "parameter", "utils", *modules.__all__]
