"""Differentiation: backward, grad, functions of your own, checks, functional transforms."""
from . import forward_ad, function, functional, grad_mode, graph, variable
from .._modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ._backward import backward, grad
from ._gradcheck import GradcheckError, gradcheck, gradgradcheck
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function, NestedIOFunction, once_differentiable
from .variable import Variable


def __getattr__(name):
    if name == "profiler":
        from importlib import import_module
        return import_module(".profiler", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
