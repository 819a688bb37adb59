"""backward() and grad()."""
from .._library import _haft, raw
from .graph import GradientEdge

_RETAIN, _CREATE, _UNUSED = 1, 2, 4


def _flags(retain_graph, create_graph):
    return (_RETAIN if (create_graph if retain_graph is None else retain_graph) else 0) | (_CREATE if create_graph else 0)


def _several(x):
    return tuple(t.ownership_token if isinstance(t, GradientEdge) else t for t in ((x,) if isinstance(x, (_haft.Tensor, GradientEdge)) else x))


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
    """Adds the gradients of tensors to the .grad of the leaves that they were made from (or of `inputs` only, where
    tensors that are no leaves keep theirs from now on)."""
    tensors = _several(tensors)
    flags = _flags(retain_graph, create_graph)
    seeds = _seeds(grad_variables if grad_tensors is None else grad_tensors, tensors)
    if inputs is None:
        _haft.backward(tensors, seeds, flags)
        return
    inputs = _several(inputs)
    if not inputs:
        raise RuntimeError("'inputs' argument to backward cannot be empty.")
    _haft.backward_inputs(tensors, inputs, flags, seeds)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of outputs for inputs, as a tuple; None where allowed and unused, or zeros with materialize_grads. With is_grads_batched
    grad_outputs have a first dimension more, and so have the gradients: one pass for all of its places (haft.vmap)."""
    if is_grads_batched:
        if grad_outputs is None:
            raise RuntimeError("grad: is_grads_batched=True wants grad_outputs, with a first dimension more than the outputs")
        seeds, unused = _several(grad_outputs), []

        def row(given):
            given = iter(given)
            found = grad(outputs, inputs, [None if s is None else next(given) for s in seeds], retain_graph, create_graph, allow_unused=allow_unused,
                         materialize_grads=materialize_grads)
            unused[:] = [g is None for g in found]
            return tuple(g for g in found if g is not None)
        there = [s for s in seeds if s is not None]
        found = iter(_haft.vmap(row, there, [0] * len(there), 0, 0))
        return tuple(None if missing else next(found) for missing in unused)
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    outputs, inputs = _several(outputs), _several(inputs)
    flags = _flags(retain_graph, create_graph) | (_UNUSED if allow_unused or materialize_grads else 0)
    found = _haft.grad(outputs, inputs, flags, _seeds(grad_outputs, outputs))
    if materialize_grads:
        found = tuple(raw.zeros_like(x) if g is None else g for x, g in zip(inputs, found))
    return found
