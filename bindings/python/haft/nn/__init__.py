"""haft.nn: modules, their parameters, and the functions that they compute."""
from . import functional, init, modules, parameter
from .modules import *  # noqa: F401,F403
from .parameter import Parameter
from . import utils  # after the modules, which it uses

__all__ = ["Parameter", "functional", "init", "modules", "parameter", "utils", *modules.__all__]
