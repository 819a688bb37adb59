"""Streams and events of devices by PyTorch's names. On the CPU, whose work is done when a call returns, they have nothing to wait for."""
import threading as _threading
from contextlib import contextmanager as _contextmanager

from ._device import cuda_device as _cuda_device, device as _device, set_current as _set_current
from ._library import _haft

__all__ = ["Event", "ExternalStream", "Stream", "current_stream", "default_stream", "get_stream_from_external", "set_stream", "stream"]

_chosen = _threading.local()  # streams that set_stream has made current, by device: a stream of other code is kept while it is one


def _on(device):
    return _cuda_device(device) if device is None or _device(device).type == "cuda" else _device(device)


class Stream:
    """An order of work on a device besides its default one; ``with stream(s):`` sends operators there. priority below 0: what waits there
    begins before what waits on others."""

    def __init__(self, device=None, priority=0):
        self._stream = _haft.Stream(_on(device), priority)

    @classmethod
    def _of(cls, native):
        s = cls.__new__(cls)
        s._stream = native
        return s

    @property
    def device(self):
        return self._stream.device()

    @property
    def cuda_stream(self):
        """The cudaStream_t as a number, for other code of the process."""
        return self._stream.native_handle()

    def query(self):
        """Whether all its work is done."""
        return self._stream.is_done()

    def synchronize(self):
        """Waits until all its work is done."""
        self._stream.synchronize()

    def wait_event(self, event):
        """Later work starts after what the event has recorded."""
        if event._event is not None:
            self._stream.wait(event._event)

    def wait_stream(self, stream):
        """Later work starts after what the other stream has been given."""
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        """An event that marks the end of its work so far."""
        event = event or Event()
        event.record(self)
        return event

    def _key(self):
        kind = self.device.type
        return self.device, self.cuda_stream if kind == "cuda" else 0 if kind == "cpu" else id(self)

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, Stream) else NotImplemented

    def __hash__(self):
        return hash(self._key())


class ExternalStream(Stream):
    """A stream that other code of the process has made, by its cudaStream_t as a number; 0 is CUDA's legacy default stream. That code
    destroys it when nothing here uses it any more: where operators have run there, the end of the last object for it waits for them."""

    def __init__(self, stream_ptr, device=None):
        self._stream = _haft.Stream.from_native_handle(_on(device), stream_ptr)


def get_stream_from_external(data_ptr, device=None):
    """ExternalStream(data_ptr, device)."""
    return ExternalStream(data_ptr, device)


class Event:
    """A point in the work of a stream, of the device where it is recorded first."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise NotImplementedError("Event: events do not cross processes")
        self._timing, self._event = enable_timing, None

    def _made(self, device):
        if self._event is None:
            self._event = _haft.Event(device, self._timing)
        return self._event

    def record(self, stream=None):
        """Marks the end of the stream's work so far; without one, of the thread's current stream on CUDA."""
        stream = stream or current_stream()
        self._made(stream.device).record(stream._stream)

    @property
    def cuda_event(self):
        """The cudaEvent_t as a number, for other code of the process; one that was never recorded is of the current device."""
        return self._made(_on(None)).native_handle()

    def wait(self, stream=None):
        """The stream's later work starts after what was recorded."""
        (stream or current_stream()).wait_event(self)

    def query(self):
        """Whether what was recorded is done."""
        return self._event is None or self._event.is_done()

    def synchronize(self):
        """Waits until what was recorded is done."""
        if self._event is not None:
            self._event.synchronize()

    def elapsed_time(self, end_event):
        """Milliseconds of the device from this event to a later one; both with enable_timing."""
        if self._event is None or end_event._event is None:
            raise RuntimeError("elapsed_time: both events must be recorded before calculating elapsed time")
        return self._event.elapsed(end_event._event)


def current_stream(device=None):
    """This thread's stream of a device; of the current CUDA device where none is named."""
    return Stream._of(_haft.current_stream(_on(device)))


def default_stream(device=None):
    """The stream of a device that is there without being made."""
    return Stream._of(_haft.default_stream(_on(device)))


def set_stream(stream):
    """Sends this thread's operators of the stream's device there, and makes that the current CUDA device."""
    if stream is None:
        return
    _haft.set_current_stream(stream._stream)
    device = stream.device
    if device.type != "cpu":
        _set_current(device)
    if not hasattr(_chosen, "streams"):
        _chosen.streams = {}
    _chosen.streams[device] = stream


@_contextmanager
def stream(stream):
    """Sends this thread's operators of the stream's device there inside a ``with``, where that is the current CUDA device; None: changes
    nothing."""
    if stream is None:
        yield
        return
    device = stream.device
    before, here = current_stream(device), None if device.type == "cpu" else _haft.current_device(device.type)
    set_stream(stream)
    try:
        yield
    finally:
        set_stream(before)
        if here is not None:
            _set_current(here)
