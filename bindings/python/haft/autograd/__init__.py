"""Differentiation: backward, grad, functions of your own, checks, functional transforms."""
from . import _function as function, functional
from .._library import _haft
from .._modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from ._function import Function, NestedIOFunction, once_differentiable
from ._gradcheck import GradcheckError, gradcheck, gradgradcheck

_RETAIN, _CREATE, _UNUSED = 1, 2, 4


def _flags(retain_graph, create_graph):
    return (_RETAIN if (create_graph if retain_graph is None else retain_graph) else 0) | (_CREATE if create_graph else 0)


def _several(x):
    return (x,) if isinstance(x, _haft.Tensor) else tuple(x)


def _seeds(seeds, tensors):
    if seeds is None:
        return ()
    seeds = _several(seeds)
    if len(seeds) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(seeds)} gradients")
    for t, s in zip(tensors, seeds):
        if s is not None and s.shape != t.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output has a shape of {s.shape} and output has a shape of {t.shape}.")
    return () if all(s is None for s in seeds) else seeds


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of tensors to the .grad of the leaves that they were made from (or of `inputs` only)."""
    tensors = _several(tensors)
    flags = _flags(retain_graph, create_graph)
    seeds = _seeds(grad_variables if grad_tensors is None else grad_tensors, tensors)
    if inputs is None:
        _haft.backward(tensors, seeds, flags)
        return
    inputs = _several(inputs)
    if not inputs:
        raise RuntimeError("'inputs' argument to backward cannot be empty.")
    for x, g in zip(inputs, _haft.grad(tensors, inputs, flags | _UNUSED, seeds)):
        if g is not None:
            x.grad = g if x.grad is None else x.grad + g


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=False):
    """The gradients of outputs for inputs, as a tuple; None where allowed and unused."""
    outputs = _several(outputs)
    flags = _flags(retain_graph, create_graph) | (_UNUSED if allow_unused else 0)
    return _haft.grad(outputs, _several(inputs), flags, _seeds(grad_outputs, outputs))


class set_detect_anomaly:
    """Switches on or off that backward names the operator whose gradient is NaN; as a context manager until its end."""

    def __init__(self, mode=True, check_nan=True):
        self._before = _haft.set_anomaly_mode(bool(mode) and bool(check_nan))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        _haft.set_anomaly_mode(self._before)


class detect_anomaly:
    """Meanwhile backward fails at the first NaN and names the operator of the forward call."""

    def __init__(self, check_nan=True):
        self._on = bool(check_nan)

    def __enter__(self):
        self._before = _haft.set_anomaly_mode(self._on)
        return self

    def __exit__(self, *exc):
        _haft.set_anomaly_mode(self._before)


def Variable(data, requires_grad=False):
    """The tensor itself, as code before tensors had gradients writes it."""
    if requires_grad:
        data.requires_grad = True
    return data
