"""Memory for time: what a part of a model computes is forgotten, and computed again when gradients come by.

    y = haft.utils.checkpoint.checkpoint(block, x)
"""
import haft

from .. import _haft
from ..autograd import Function, grad
from ..autograd.graph import leaf_number

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


def _fresh(tensors):
    return [t.detach().requires_grad_(t.requires_grad) for t in tensors]


def _leaves(outputs, but):
    # Parameters and other leaves that the outputs were made from.
    waiting = [n for t in outputs if (n := _haft.grad_fn(t)) is not None]
    seen, found = set(), {}
    but = {leaf_number(t) for t in but if t.requires_grad}
    while waiting:
        node = waiting.pop()
        if node.id() in seen:
            continue
        seen.add(node.id())
        leaf = node.variable()
        if leaf is not None and node.id() not in but:
            found[node.id()] = leaf
        waiting.extend(n for i in range(node.next_count()) if (n := node.next(i)) is not None)
    return [found[number] for number in sorted(found)]


class _Recomputed(Function):
    @staticmethod
    def forward(ctx, run, state, outputs, count, *tensors):
        ctx.run, ctx.state, ctx.count = run, state, count
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        return outputs

    @staticmethod
    def backward(ctx, *grads):
        tensors = ctx.saved_tensors
        inputs, leaves = _fresh(tensors[:ctx.count]), list(tensors[ctx.count:])
        after = None if ctx.state is None else haft.get_rng_state()
        if ctx.state is not None:
            haft.set_rng_state(ctx.state)
        try:
            with haft.enable_grad():
                outputs = [t for t in _flat(ctx.run(inputs), []) if t.requires_grad]
        finally:
            if after is not None:
                haft.set_rng_state(after)
        if len(outputs) != len(grads):
            raise RuntimeError(f"checkpoint: the function gave {len(grads)} results with gradients, and {len(outputs)} when it was run again")
        wanted = [t for t in inputs + leaves if t.requires_grad]
        used = [(t, g) for t, g in zip(outputs, grads) if g is not None]
        if not used or not wanted:
            return (None,) * (4 + len(tensors))
        found = iter(grad([t for t, _ in used], wanted, [g for _, g in used], allow_unused=True))
        return (None,) * 4 + tuple(next(found) if t.requires_grad else None for t in inputs + leaves)


def checkpoint(function, *args, use_reentrant=True, preserve_rng_state=True, **kwargs):
    """function(*args, **kwargs), of which only the arguments are kept until the backward pass runs it again.

    Args:
        preserve_rng_state: the second run draws the numbers of the first
        use_reentrant: taken for PyTorch's sake; both ways give the gradients of arguments and of parameters, from backward() and
            from autograd.grad()

    Gradients of the gradient are not computed through it.
    """
    if not haft.is_grad_enabled():
        return function(*args, **kwargs)
    given = _flat((args, kwargs), [])
    state = haft.get_rng_state() if preserve_rng_state else None

    def run(tensors):
        a, k = _with((args_shape, kwargs_shape), iter(tensors))
        return function(*a, **k)

    # Only the nesting is kept here; the tensors are the Function's.
    args_shape, kwargs_shape = _with((args, kwargs), iter([_PLACE] * len(given)))
    del args, kwargs
    inputs = _fresh(given)
    result = run(inputs)
    made = _flat(result, [])
    recorded = [t for t in made if t.requires_grad]
    if not recorded:
        return result
    leaves = _leaves(recorded, inputs)
    outputs = tuple(t.detach() for t in recorded)
    plain = [t.detach() for t in made]
    shape, wanted = _with(result, iter([_PLACE] * len(made))), [t.requires_grad for t in made]
    del result, made, recorded, inputs
    outputs = iter(_Recomputed.apply(run, state, outputs, len(given), *given, *leaves))
    return _with(shape, iter([next(outputs) if w else p for w, p in zip(wanted, plain)]))


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
