"""Differentiation: backward, grad, functions of your own, checks."""
from .._library import _haft

_RETAIN, _CREATE, _UNUSED = 1, 2, 4


def _flags(retain_graph, create_graph):
    return (_RETAIN if (create_graph if retain_graph is None else retain_graph) else 0) | (_CREATE if create_graph else 0)


def _several(x):
    return (x,) if isinstance(x, _haft.Tensor) else tuple(x)


def _seeds(seeds, count):
    if seeds is None:
        return ()
    seeds = _several(seeds)
    if len(seeds) != count:
        raise RuntimeError(f"got {count} tensors and {len(seeds)} gradients")
    return () if all(s is None for s in seeds) else seeds


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of tensors to the .grad of the leaves that they were made from (or of `inputs` only)."""
    tensors = _several(tensors)
    flags = _flags(retain_graph, create_graph)
    seeds = _seeds(grad_variables if grad_tensors is None else grad_tensors, len(tensors))
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
    """The gradients of outputs for inputs, as a tuple."""
    outputs = _several(outputs)
    flags = _flags(retain_graph, create_graph) | (_UNUSED if allow_unused else 0)
    return _haft.grad(outputs, _several(inputs), flags, _seeds(grad_outputs, len(outputs)))
