"""A result that comes later: what haft.jit.fork and haft.distributed.rpc answer."""
import threading

__all__ = ["Future"]


class Future:
    """A result, or a failure, that is set once; any thread may ask for it."""

    def __init__(self, *, devices=None):
        self._done, self._lock, self._callbacks = threading.Event(), threading.Lock(), []
        self._value = self._error = None

    def done(self):
        """Whether the result or a failure is there."""
        return self._done.is_set()

    def wait(self):
        """The result, for which it waits; raises what the call failed with."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self):
        """The result of a future that is done."""
        if not self.done():
            raise RuntimeError("the future is not done: wait() for it")
        return self.wait()

    def _set(self, value, error):
        with self._lock:
            if self.done():
                raise RuntimeError("Future: the result is set already")
            self._value, self._error = value, error
            self._done.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def set_result(self, result):
        """Answers whoever waits; once."""
        self._set(result, None)

    def set_exception(self, error):
        """Fails whoever waits; once."""
        if not isinstance(error, Exception):
            raise TypeError(f"{error!r} is of type {type(error)}, not an Exception.")
        self._set(None, error)

    def _set_by(self, function, *args):
        """Its result is what the function answers, or raises."""
        try:
            result = function(*args)
        except BaseException as error:
            self._set(None, error)
        else:
            self._set(result, None)

    def add_done_callback(self, callback):
        """callback(self), in the thread that sets the result, or at once if it is there."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback):
        """The Future of callback(self), called when this is done."""
        after = Future()
        self.add_done_callback(lambda future: after._set_by(callback, future))
        return after
