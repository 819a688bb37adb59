"""What holds for this thread: recording of gradients, inference mode, the default device; and the default dtype of all threads."""
from functools import wraps as _wraps

from ._library import _haft


def _is_generator(function):
    code = getattr(function, "__code__", None)  # the module inspect would cost a tenth of the import
    return code is not None and code.co_flags & 0x20 != 0


class _Mode:
    """A context manager that also decorates functions and generators."""

    def __call__(self, function):
        if isinstance(function, type):
            raise TypeError("a class cannot be decorated with this; decorate its methods")
        if _is_generator(function):
            @_wraps(function)
            def generator(*args, **kwargs):
                inner = function(*args, **kwargs)
                sent, thrown = None, None
                while True:
                    try:
                        with self._again():
                            item = inner.throw(thrown) if thrown is not None else inner.send(sent)
                    except StopIteration as stop:
                        return stop.value
                    sent = thrown = None
                    try:
                        sent = yield item
                    except GeneratorExit:
                        inner.close()
                        raise
                    except BaseException as error:
                        thrown = error
            return generator

        @_wraps(function)
        def wrapped(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)
        return wrapped

    def _again(self):
        return type(self)()


class _Recording(_Mode):
    def __new__(cls, function=None):
        self = super().__new__(cls)
        return self if function is None else self(function)

    def __enter__(self):
        self._before = _haft.set_grad_enabled(self._on)

    def __exit__(self, *exc):
        _haft.set_grad_enabled(self._before)


class no_grad(_Recording):
    """Nothing is recorded in this thread meanwhile."""

    _on = False


class enable_grad(_Recording):
    """Operators are recorded in this thread meanwhile."""

    _on = True


class set_grad_enabled(_Mode):
    """Switches recording on or off at once; as a context manager until its end."""

    def __init__(self, mode):
        self.mode = bool(mode)
        self._before = _haft.set_grad_enabled(self.mode)

    def __enter__(self):
        _haft.set_grad_enabled(self.mode)

    def __exit__(self, *exc):
        _haft.set_grad_enabled(self._before)

    def __call__(self, function):
        _haft.set_grad_enabled(self._before)  # a decorator does not switch by itself
        return super().__call__(function)

    def _again(self):
        return type(self)(self.mode)


class inference_mode(_Mode):
    """No recording and no bookkeeping of views in this thread meanwhile."""

    def __new__(cls, mode=True):
        self = super().__new__(cls)
        if callable(mode):
            self.mode = True
            return self(mode)
        self.mode = bool(mode)
        return self

    def __enter__(self):
        self._before = _haft.set_inference_mode(self.mode)

    def __exit__(self, *exc):
        _haft.set_inference_mode(self._before)

    def _again(self):
        return type(self)(self.mode)


def set_default_tensor_type(t):
    """A name such as 'haft.DoubleTensor', its class, or a dtype: dtype and kind of device of tensors that name none."""
    if not getattr(t, "is_floating_point", False):
        from ._legacy import named, tensortype
        if isinstance(t, str):
            try:
                t = named(t)
            except ValueError:
                raise TypeError(f"invalid type object: {t!r} names no type of tensors") from None
        if not isinstance(t, tensortype) or not t.dtype.is_floating_point:
            raise TypeError("only floating-point types are supported as the default type")
        if _haft.default_device().type != t.device_type:
            _haft.set_default_device(t.device_type)
        t = t.dtype
    _haft.set_common_default_dtype(t)
