"""Work beside the calling thread: fork and wait. haft runs functions as they are; there is no compiler of Python here."""
import builtins
import threading
import types
import typing
from collections import deque
from typing import Final

import haft

from .._future import Future
from .._marks import Attribute, annotate, ignore, is_scripting, unused
from .._names import absent as _absent

__all__ = ["Attribute", "Final", "Future", "annotate", "export", "fork", "ignore", "interface", "is_scripting", "is_tracing", "isinstance",
           "script", "script_if_tracing", "script_method", "trace", "unused", "wait"]


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
        with device, haft.inference_mode(inference), haft.set_grad_enabled(recording):
            return func(*args, **kwargs)

    _pool.submit(lambda: future._set_by(run))
    return future


def wait(future):
    """The result of a fork()."""
    return future.wait()


def __getattr__(name):
    if name == "ScriptModule":
        # On first use, for haft.nn is loaded after this. Its own class: isinstance(x, ScriptModule) is no question about Modules.
        global ScriptModule

        class ScriptModule(haft.nn.Module):
            """A Module whose functions run as they are written; haft compiles nothing."""
        return ScriptModule
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


globals().update(_absent(__name__, "haft does not compile Python. Call the function or module as it is; to run parts at the same time use haft.jit.fork and "
                                   "haft.jit.wait, to keep weights use haft.save(module.state_dict(), path).", "freeze load optimize_for_inference save script trace trace_module"))
script_method = export = script_if_tracing = interface = unused


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


is_tracing = is_scripting
