"""Inference sessions: one module run for many threads at once, with batches, limits, cancelling and metrics.

    session = haft.serving.InferenceSession(net, max_batch=32, max_delay=0.002, max_queue=256)
    y = session(x)                       # on any thread
    request = session.submit(x)          # or without waiting; `await request` works, too
    session.drain(timeout=5)
    session.close()
"""
import sys as _sys
import threading as _threading
from types import SimpleNamespace as _SimpleNamespace
from typing import NamedTuple as _NamedTuple

from . import _haft
from ._errors import CancelledError, OutOfMemoryError, QueueFullError, TimedOutError

__all__ = ["CancelToken", "CancelledError", "InferenceSession", "Metrics", "OutOfMemoryError", "QueueFullError", "Request",
           "TimedOutError"]


class Metrics(_NamedTuple):
    """What a session has done and does; times in seconds."""
    running: int  # batches that run now
    requests: int  # those that wait or run, and each of the next five, and invalid
    completed: int
    failed: int
    refused: int  # the queue was full
    cancelled: int
    timed_out: int
    batches: int
    mean_batch: float  # requests in a batch, on average
    queue_length: int
    queue_peak: int
    bytes_live: int  # of tensors that runs made
    bytes_peak: int
    latency_p50: float  # from submission to answer
    latency_p90: float
    latency_p99: float
    latency_max: float
    invalid: int  # inputs unlike those that the module has answered, and it does not take them


_NONE = -2 ** 63  # HAFT_NONE


def _microseconds(seconds):
    if seconds is None:
        return _NONE
    if not seconds >= 0:
        raise ValueError(f"a time is None or at least 0 seconds, got {seconds}")
    return min(round(seconds * 1e6), 2 ** 63 - 1)


def _outputs(tensors):
    return tensors[0] if len(tensors) == 1 else tensors


def core_module(module):
    """A module of the engine that runs a Python module, or any function of tensors that answers a tensor or several."""
    if isinstance(module, _haft.Module):
        return module
    if not callable(module):
        raise TypeError(f"wanted a module or a function of tensors, got {type(module).__name__}")
    if hasattr(module, "eval"):
        module.eval()

    def forward(inputs):
        try:
            return module(*inputs)
        except CancelledError as error:
            # Perhaps nobody asks for this error any more; until others take its place its frames would keep tensors.
            del inputs
            error.__traceback__ = None
            raise
    return _haft.Callback(type(module).__name__, forward)


class Request:
    """A request that a session has. `await` waits for its result in asyncio."""

    def __init__(self):
        self._lock, self._callbacks, self._answered = _threading.Lock(), [], False

    def _answer(self, status):
        # On the thread that answers.
        self._status = status
        with self._lock:
            self._answered = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._call(callback)

    def _call(self, callback):
        try:
            callback(self)
        except BaseException as error:  # nobody waits for it
            _sys.unraisablehook(_SimpleNamespace(exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__,
                                                 err_msg="A callback of a request has raised", object=callback))

    def add_done_callback(self, callback):
        """Calls callback(request) when it is answered, on the thread that answers; at once when it is."""
        with self._lock:
            if not self._answered:
                self._callbacks.append(callback)
                return
        self._call(callback)

    def done(self):
        """Whether it is answered."""
        return self._request.is_done()

    def wait(self, timeout=None):
        """False when it is not answered within so many seconds."""
        return self._request.wait(_microseconds(timeout))

    def result(self, timeout=None):
        """The module's output, or a tuple of several. Raises what the module raised, CancelledError, TimedOutError, ..."""
        if timeout is not None and not self.wait(timeout):
            raise TimedOutError(f"the request is not answered within {timeout} s")
        return _outputs(self._request.result())

    def cancel(self):
        """Answers it with CancelledError; without effect when it has its answer."""
        self._request.cancel()

    def __await__(self):
        import asyncio
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def set_done():
            if not future.done():
                future.set_result(None)
        self.add_done_callback(lambda _: loop.call_soon_threadsafe(set_done))
        try:
            yield from future
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self.result()


class InferenceSession:
    """Runs a module, which it puts into evaluation mode, without recording.

    Args:
        module: an nn.Module, or a function of tensors that answers a tensor or several. While the session has it, change it
            only by update().
        workers: batches that run at once; 0: the threads of an operator, with batching a quarter of it
        max_batch: rows (size 0 of the inputs) that run as one; 1: no batching
        max_delay: seconds that the first request of a batch waits for others
        max_queue: requests that wait; one more is a QueueFullError
        memory_limit: bytes of tensors made by runs that may be alive; 0: no limit
        timeout: seconds from submission to answer; None: no limit
        name: its label in runtime.metrics_text(); None: "session-" and a number

    The Python code of a module runs on one thread at a time; its operators run side by side.
    """

    def __init__(self, module, *, workers=0, max_batch=1, max_delay=0.0, max_queue=1024, memory_limit=0, timeout=None, name=None):
        options = _haft.SessionOptions()
        options.workers, options.max_batch, options.max_queue = workers, max_batch, max_queue
        options.max_delay_us, options.memory_limit = _microseconds(max_delay), memory_limit
        options.timeout_us = _microseconds(timeout)
        self._session = _haft.Session(core_module(module), options, name or "")
        self._module = module

    @property
    def module(self):
        """The module that batches run."""
        return self._module

    def run(self, *inputs, timeout=None):
        """The module's output for the inputs, or a tuple of several. timeout: seconds; None: as the session says."""
        return _outputs(self._session.run(inputs, _microseconds(timeout)))

    __call__ = run

    def submit(self, *inputs, timeout=None, callback=None):
        """A Request without waiting for it. callback(request) is called when it is answered."""
        request = Request()
        if callback is not None:
            request._callbacks.append(callback)
        made = _threading.Event()

        def done(status):
            made.wait()  # it may be answered before submit_with has returned
            request._answer(status)
        try:
            request._request = _haft.submit_with(self._session, inputs, done, _microseconds(timeout))
        finally:
            made.set()
        return request

    def update(self, module):
        """Batches that start from now on run this module, which is put into evaluation mode. It first runs here, on zeros like
        the inputs that were answered last: when it raises, or answers other dtypes or sizes than the session has, the session
        goes on with the module that it has. It returns when the last batch of the module before is over; inside a module or
        callback of the session it does not wait."""
        self._session.update(core_module(module))
        self._module = module

    def drain(self, timeout=None):
        """Takes no more requests and answers those it has; False when some were left after so many seconds."""
        return self._session.drain(_microseconds(timeout))

    def close(self):
        """Cancels what it has and lets go of the module; a second call does nothing."""
        self._session.close()
        self._module = None

    def metrics(self):
        """What the session has done and does: a Metrics."""
        m = self._session.metrics()
        return Metrics(*(getattr(m, name + "_us") / 1e6 if name.startswith("latency") else getattr(m, name) for name in Metrics._fields))

    def reset_metrics(self):
        """Counts, peaks and latencies begin anew."""
        self._session.reset_metrics()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


class CancelToken(_haft.CancelToken):
    """Something to cancel work by: operators inside `with token:` raise CancelledError once any thread calls token.cancel()."""
    __repr__ = object.__repr__

    def __enter__(self):
        _haft.set_cancel_token(self)
        return self

    def __exit__(self, *exc):
        _haft.set_cancel_token(None)
