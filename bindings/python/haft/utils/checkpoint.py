"""Memory for time: what a part of a model computes is forgotten, and computed again when gradients come by.

    y = haft.utils.checkpoint.checkpoint(block, x)
"""

import contextlib
import copy
import functools

import haft

from .. import _haft
from .._names import absent

__all__ = ["CheckpointPolicy", "checkpoint", "checkpoint_sequential", "create_selective_checkpoint_contexts", "get_device_states", "noop_context_fn",
           "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states"]

globals().update(absent(__name__, "haft keeps nothing of what runs inside of a checkpoint. Checkpoint the parts that are to be computed again, each by itself.",
                        "CheckpointPolicy create_selective_checkpoint_contexts"))

_PLACE = object()  # stands where a tensor was
_STOP = "all that backward needs has been computed again"  # how the engine ends the second run


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
    # The same nesting with other tensors. Containers of the host's own classes are copied and filled, not made anew.
    if value is _PLACE or isinstance(value, haft.Tensor):
        return next(tensors)
    if isinstance(value, tuple):
        made = [_with(v, tensors) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, list):
        made = copy.copy(value)
        made[:] = [_with(v, tensors) for v in value]
        return made
    if isinstance(value, dict):
        made = copy.copy(value)
        for k, v in value.items():
            made[k] = _with(v, tensors)
        return made
    return value


def noop_context_fn():
    """The contexts of the two runs, where nobody names others: none."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def get_device_states(*args):
    """Generators of devices, and their states: none, for haft's default generator, which get_rng_state() reads, draws for all devices."""
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """Sets what get_device_states() answered: nothing."""


_said = {"early_stop": None, "debug": None}  # in place of arguments


@contextlib.contextmanager
def _saying(name, value):
    before, _said[name] = _said[name], value
    try:
        yield
    finally:
        _said[name] = before


def set_checkpoint_early_stop(enable):
    """A context in which checkpoints' second runs end as soon as all is there that backward needs, or come to their end, whatever
    their argument says."""
    return _saying("early_stop", enable)


def set_checkpoint_debug_enabled(enabled):
    """A context in which checkpoints tell the operators of both runs where these differ, or do not, whatever their argument says."""
    return _saying("debug", enabled)


@contextlib.contextmanager
def _stopping_early(on):
    before = _haft.set_checkpoint_early_stop(on)
    try:
        yield
    finally:
        _haft.set_checkpoint_early_stop(before)


def _traced(run):
    # The names of run()'s operators, also where it fails.
    from ..profiler import profile
    names = []
    prof = profile()
    prof.__enter__()
    try:
        run()
    finally:
        prof.__exit__(None, None, None)
        names += [event.name for event in prof.events()]
    return names


def _compared(names, run):
    # The second run of a function whose first one called these operators.
    failure = []

    def guarded():
        try:
            run()
        except Exception as e:
            failure.append(e)
    second = _traced(guarded)
    if failure and not isinstance(failure[0], haft.AutogradError):
        raise failure[0]
    if failure or second != names:
        text = str(failure[0]) if failure else "checkpoint: the function called other operators when it ran again"
        raise haft.AutogradError(f"{text}\noperators of the first run: {', '.join(names)}\noperators of the second run: {', '.join(second)}")


def checkpoint(function=None, *args, use_reentrant=True, preserve_rng_state=True, context_fn=noop_context_fn, determinism_check="default",
               debug=False, early_stop=True, respect_saved_tensors_hooks=None, **kwargs):
    """function(*args, **kwargs), of which only the arguments are kept until the backward pass runs it again; without a function a decorator.

    Args:
        preserve_rng_state: the second run draws the numbers of the first
        context_fn: answers two context managers, one around each run
        determinism_check: "default" or "none"; haft compares what the runs keep in either case
        use_reentrant: taken for PyTorch's sake: haft has the form that is not reentrant, which gives gradients of arguments and
            of parameters, of every order, from backward() and from autograd.grad()
        debug: where the two runs differ the error tells the operators of both, at the cost of tracing them and of a whole second run
        early_stop: the second run ends with the operator that keeps the last tensor that backward needs; what it does later is not
            done again
        respect_saved_tensors_hooks: taken for PyTorch's sake: nothing is saved that hooks from outside could see
    """
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of 'default', 'none', not {determinism_check}")
    if function is None:
        if args or kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))

        def decorate(f):
            return functools.wraps(f)(functools.partial(checkpoint, f, preserve_rng_state=preserve_rng_state, context_fn=context_fn,
                                                        debug=debug, early_stop=early_stop))
        return decorate
    forward, again = context_fn()
    given, first = _flat((args, kwargs), []), []
    nesting = _with((args, kwargs), iter([_PLACE] * len(given)))  # the tensors themselves are the engine's to keep
    once = [(args, kwargs)]
    del args, kwargs

    if _said["debug"] is not None:
        debug = _said["debug"]
    names = []  # of the first run's operators

    def run(tensors):
        if once:
            a, k = once.pop()
            with forward:
                if debug:
                    names.extend(_traced(lambda: first.append(function(*a, **k))))
                else:
                    first.append(function(*a, **k))
        else:  # for what it keeps
            a, k = _with(nesting, iter(tensors))
            try:
                with again:
                    if debug:
                        _compared(names, lambda: function(*a, **k))
                    else:
                        function(*a, **k)
            except haft.CancelledError as e:
                if _STOP not in str(e):
                    raise
        return ()

    # Runs that are compared come to their end.
    with _stopping_early(not debug and bool(early_stop if _said["early_stop"] is None else _said["early_stop"])):
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
