"""Operators of a program's own, by the names of torch.library: functions of tensors with gradients of their own, which haft.ops lists."""
from ._names import absent
from .autograd import Function

__all__ = ["CustomOpDef", "Library", "custom_op", "define", "impl", "register_autograd", "register_fake", "register_kernel"]

globals().update(absent(__name__, "haft's operators are in its core. Write an autograd.Function, or a function under custom_op.", "Library define impl"))


class CustomOpDef:
    """What custom_op() makes: the function itself; behind register_autograd() one that is recorded."""

    def __init__(self, function):
        self._function = self._run = self.default = function
        self.__doc__ = function.__doc__

    def __call__(self, *args, **kwargs):
        return self._run(*args, **kwargs)

    def register_autograd(self, backward, /, *, setup_context=None):
        """backward(ctx, *grads) answers a gradient for each argument; setup_context(ctx, inputs, output) keeps what it needs."""
        function = self._function
        methods = {"forward": staticmethod(function), "backward": staticmethod(backward),
                   "setup_context": staticmethod(setup_context or (lambda ctx, inputs, output: None))}
        self._run = self.default = type(function.__name__, (Function,), methods).apply

    def register_fake(self, fn, /):
        """Taken for PyTorch's sake: haft traces nothing, and asks for no shapes ahead."""
        return fn

    register_vmap = register_torch_dispatch = register_fake

    def register_kernel(self, device_types, fn=None, /):
        """Taken for the CPU: fn computes from here on."""
        def take(function):
            if device_types in ("cpu", None) or "cpu" in device_types:
                self._function = self._run = self.default = function
            return function
        return take if fn is None else take(fn)


class _Space:
    def __getattr__(self, name):
        raise AttributeError(f"haft.ops has no {name!r}: it lists what custom_op() has made, and haft's own operators are functions of haft")


ops = _Space()


def custom_op(name, fn=None, /, *, mutates_args=(), device_types=None, schema=None, tags=None):
    """Makes a function an operator, haft.ops.<space>.<name>; a decorator without fn.

    Args:
        name: "space::name"
        mutates_args, device_types, schema, tags: taken for PyTorch's sake
    """
    space, _, last = name.partition("::")
    if not space or not last:
        raise ValueError(f"custom_op: a name is 'space::name', got {name!r}")

    def make(function):
        made = CustomOpDef(function)
        vars(ops).setdefault(space, _Space()).__dict__[last] = made
        return made
    return make if fn is None else make(fn)


def _of(op):
    if isinstance(op, CustomOpDef):
        return op
    space, _, last = op.partition("::")
    return getattr(getattr(ops, space), last)


def register_autograd(op, backward, /, *, setup_context=None):
    """CustomOpDef.register_autograd of an operator or its name."""
    _of(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op, func=None, /):
    """Taken for PyTorch's sake, also as a decorator."""
    return _of(op).register_fake if func is None else func


def register_kernel(op, device_types, func=None, /):
    """CustomOpDef.register_kernel of an operator or its name."""
    return _of(op).register_kernel(device_types, func)
