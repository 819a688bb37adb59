"""Memory for time: what a part of a model computes is forgotten, and computed again when gradients come by.

    y = haft.utils.checkpoint.checkpoint(block, x)
"""

import haft

from .. import _haft

__all__ = ["checkpoint", "checkpoint_sequential"]


_PLACE = object()  # stands where a tensor was


def _flat(value, out):
    # The tensors of nested tuples, lists and dicts, in order.
    if isinstance(value, haft.Tensor):
        out.append(value)
    elif isinstance(value, (list, tuple)):
        for v in value:
            _flat(v, out)
    elif isinstance(value, dict):
        for v in value.values():
            _flat(v, out)
    return out


def _with(value, tensors):
    # The same nesting with other tensors.
    if value is _PLACE or isinstance(value, haft.Tensor):
        return next(tensors)
    if isinstance(value, (list, tuple)):
        made = [_with(v, tensors) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, dict):
        return type(value)((k, _with(v, tensors)) for k, v in value.items())
    return value


def checkpoint(function, *args, use_reentrant=True, preserve_rng_state=True, **kwargs):
    """function(*args, **kwargs), of which only the arguments are kept until the backward pass runs it again.

    Args:
        preserve_rng_state: the second run draws the numbers of the first
        use_reentrant: taken for PyTorch's sake: haft has the form that is not reentrant, which gives gradients of arguments and
            of parameters, of every order, from backward() and from autograd.grad()
    """
    given, first = _flat((args, kwargs), []), []
    nesting = _with((args, kwargs), iter([_PLACE] * len(given)))  # the tensors themselves are the engine's to keep
    once = [(args, kwargs)]
    del args, kwargs

    def run(tensors):
        if once:
            a, k = once.pop()
            first.append(function(*a, **k))
        else:  # for what it keeps
            a, k = _with(nesting, iter(tensors))
            function(*a, **k)
        return ()

    _haft.checkpoint(run, given, preserve_rng_state)
    return first.pop()


def checkpoint_sequential(functions, segments, input, use_reentrant=True, **kwargs):
    """A Sequential (or functions one after the other) in so many checkpointed segments; the last one is not checkpointed."""
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if isinstance(functions, haft.nn.Module) else list(functions)

    def part(begin, end):
        def run(x):
            for f in functions[begin:end]:
                x = f(x)
            return x
        return run
    size, begin = len(functions) // segments, 0
    for _ in range(segments - 1):
        input = checkpoint(part(begin, begin + size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
        begin += size
    return part(begin, len(functions))(input)
