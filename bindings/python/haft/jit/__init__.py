"""Work beside the calling thread: fork and wait. haft runs functions as they are; there is no compiler of Python here."""
import builtins
import threading
import types
import typing
from collections import deque
from typing import Final

import haft

__all__ = ["Attribute", "Final", "Future", "annotate", "export", "fork", "ignore", "interface", "is_scripting", "is_tracing", "isinstance",
           "script", "script_if_tracing", "script_method", "trace", "unused", "wait"]


class Future:
    """The result that a function will have."""

    def __init__(self):
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._callbacks = []
        self._value = self._error = None

    def done(self):
        return self._done.is_set()

    def wait(self):
        """The result; what the function raised is raised here."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value

    value = wait

    def _set(self, value, error):
        with self._lock:
            if self._done.is_set():
                raise RuntimeError("Future: the result is set already")
            self._value, self._error = value, error
            self._done.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def set_result(self, result):
        self._set(result, None)

    def set_exception(self, error):
        if not builtins.isinstance(error, Exception):
            raise TypeError(f"{error!r} is of type {type(error)}, not an Exception.")
        self._set(None, error)

    def add_done_callback(self, callback):
        """callback(self), in the thread that sets the result, or at once if it is there."""
        with self._lock:
            if not self._done.is_set():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback):
        """The Future of callback(self)."""
        after = Future()

        def go_on(future):
            try:
                result = callback(future)
            except Exception as error:
                after._set(None, error)
            else:
                after._set(result, None)

        self.add_done_callback(go_on)
        return after


class _Pool:
    # A thread for each function that runs, so that forked functions may wait for forked functions. Threads stay for a while.
    KEEP = 5.0

    def __init__(self):
        self.reset()

    def reset(self):
        self.wanted = threading.Condition()
        self.tasks = deque()
        self.idle = 0

    def submit(self, task):
        with self.wanted:
            self.tasks.append(task)
            if self.idle >= len(self.tasks):
                self.wanted.notify()
                return
        threading.Thread(target=self.work, name="haft.jit.fork", daemon=True).start()

    def work(self):
        while True:
            with self.wanted:
                self.idle += 1
                found = self.wanted.wait_for(lambda: self.tasks, timeout=self.KEEP)
                self.idle -= 1
                if not found:
                    return
                task = self.tasks.popleft()
            task()
            del task


_pool = _Pool()
# A child has none of the threads.
import os  # noqa: E402
os.register_at_fork(after_in_child=_pool.reset)


def fork(func, *args, **kwargs):
    """Starts func(*args, **kwargs) in another thread and answers its Future; wait() gives the result.

    The engine's work in different threads runs at the same time. Whether gradients are recorded, inference mode and the
    default device are as in the caller.
    """
    future, recording, inference = Future(), haft.is_grad_enabled(), haft.is_inference_mode_enabled()
    device = haft.get_default_device()

    def run():
        try:
            with device, haft.inference_mode(inference), haft.set_grad_enabled(recording):
                result = func(*args, **kwargs)
        except BaseException as error:
            future._set(None, error)
        else:
            future._set(result, None)

    _pool.submit(run)
    return future


def wait(future):
    """The result of a fork()."""
    return future.wait()


def _refuse(name):
    raise NotImplementedError(
        f"haft.jit.{name}: haft does not compile Python. Call the function or module as it is; to run parts at the same time use "
        "haft.jit.fork and haft.jit.wait, to keep weights use haft.save(module.state_dict(), path).")


def script_method(function):
    """A mark for compilers: answers the function as it is."""
    return function


def __getattr__(name):
    if name == "ScriptModule":
        # On first use, for haft.nn is loaded after this. Its own class: isinstance(x, ScriptModule) is no question about Modules.
        global ScriptModule

        class ScriptModule(haft.nn.Module):
            """A Module whose functions run as they are written; haft compiles nothing."""
        return ScriptModule
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def script(obj, *args, **kwargs):
    """Not there: raises NotImplementedError with what to use instead."""
    _refuse("script")


def trace(func, *args, **kwargs):
    """Not there: raises NotImplementedError with what to use instead."""
    _refuse("trace")


def save(*args, **kwargs):
    """Not there: raises NotImplementedError with what to use instead."""
    _refuse("save")


def load(*args, **kwargs):
    """Not there: raises NotImplementedError with what to use instead."""
    _refuse("load")


def ignore(function=None, drop=False, **kwargs):
    """A mark for a compiler; the function stays as it is."""
    return function if callable(function) else (lambda f: f)


def unused(function):
    """A mark for a compiler; the function stays as it is."""
    return function


def export(function):
    """A mark for a compiler; the function stays as it is."""
    return function


def script_if_tracing(function):
    """A mark for a compiler; the function stays as it is."""
    return function


def interface(cls):
    """A mark for a compiler; the class stays as it is."""
    return cls


def annotate(the_type, the_value):
    """The value; the type is a compiler's matter."""
    return the_value


def Attribute(value, type):
    """The value; the type is a compiler's matter."""
    return value


_BARE = (list, tuple, dict, typing.Optional, typing.List, typing.Tuple, typing.Dict, typing.Set, typing.FrozenSet)


def isinstance(obj, target_type):
    """isinstance(), also for types such as List[int] and Optional[Tensor], whose elements are looked at."""
    if any(target_type is bare for bare in _BARE):
        name = getattr(target_type, "_name", None) or target_type.__name__
        if name.endswith("ict"):
            raise RuntimeError(f"Attempted to use {name} without contained types. Please add contained type, e.g. {name}[int, int]")
        raise RuntimeError(f"Attempted to use {name} without a contained type. Please add a contained type, e.g. {name}[int]")
    origin, parts = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        if builtins.isinstance(target_type, (tuple, list)):
            return any(isinstance(obj, t) for t in target_type)
        return obj is None if target_type in (None, type(None)) else builtins.isinstance(obj, target_type)
    if origin in (typing.Union, types.UnionType):
        return any(isinstance(obj, t) for t in parts)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is tuple and parts[1:] != (...,):
        return len(obj) == len(parts) and all(map(isinstance, obj, parts))
    if origin is dict:
        return all(isinstance(k, parts[0]) and isinstance(v, parts[1]) for k, v in obj.items())
    return all(isinstance(item, parts[0]) for item in obj)


def is_scripting():
    return False


def is_tracing():
    return False
