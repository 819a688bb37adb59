"""Future: a value that is there when a call of a group is done."""

__all__ = ["Future"]

_NOTHING = object()


class Future:
    """What a communication hook answers. Functions given to then() run when somebody waits, on the thread that does."""

    def __init__(self, make=None, done=None):
        self._make, self._done, self._value = make, done, _NOTHING

    def set_result(self, value):
        """Gives it its value."""
        self._value = value

    def done(self):
        """Whether wait() would return at once."""
        return self._value is not _NOTHING or bool(self._done and self._done())

    def wait(self):
        """The value; raises what the call failed with."""
        if self._value is _NOTHING:
            if self._make is None:
                raise RuntimeError("this Future was never given a result")
            self._value = self._make()
        return self._value

    def value(self):
        """The same."""
        return self.wait()

    def then(self, callback):
        """A Future of callback(this one)."""
        return Future(lambda: callback(self), self.done)
