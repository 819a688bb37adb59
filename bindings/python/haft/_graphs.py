"""Recorded device work by PyTorch's names."""
import threading
import weakref

from ._device import cuda_device as _cuda_device, device as _device
from ._library import _haft
from ._streams import stream as _stream

__all__ = ["CUDAGraph", "graph"]


_here = threading.local()


def note_step(optimizer):
    """An optimizer's step belongs to what the calling thread records, if it does."""
    if (recorded := getattr(_here, "graph", None)) is not None:
        recorded._optimizers.add(optimizer)


class CUDAGraph:
    """Work of a device that is recorded once and replayed at the cost of one call, over the same memory (docs/gpu.md).

    ``device``: the current CUDA device unless given.
    """

    def __init__(self, keep_graph=False, *, device=None):
        self._device = _cuda_device() if device is None else _device(device)
        self._graph = _haft.DeviceGraph(self._device)
        self._optimizers = weakref.WeakSet()

    def capture_begin(self, pool=None, capture_error_mode="thread_local"):
        """From here on what this thread enqueues on its current stream is recorded instead of run. Memory is the graph's own, so ``pool``
        changes nothing."""
        self._graph.begin()
        self._optimizers.clear()
        _here.graph = self

    def capture_end(self):
        """Ends the recording, which replays from now on."""
        _here.graph = None
        self._graph.end()

    def replay(self):
        """Enqueues all that was recorded on the current stream; random numbers and the settings of optimizers go on."""
        for optimizer in self._optimizers:
            optimizer._bound()  # what was changed in its param_groups since
        self._graph.replay()

    def reset(self):
        """Forgets what was recorded, or is being."""
        if self._graph.is_ready():
            self._graph = _haft.DeviceGraph(self._device)
        else:
            self._discard()

    def _discard(self):
        _here.graph = None
        self._graph.discard()


class graph:
    """``with graph(g):`` records what the block enqueues into ``g``; an exception throws the recording away."""

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="thread_local"):
        self._graph, self._stream = cuda_graph, None if stream is None else _stream(stream)

    def __enter__(self):
        if self._stream is not None:
            self._stream.__enter__()
        self._graph.capture_begin()

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                self._graph.capture_end()
            else:
                self._graph._discard()
        finally:
            if self._stream is not None:
                self._stream.__exit__(None, None, None)
