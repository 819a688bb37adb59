"""Recorded device work by PyTorch's names."""
import threading
import weakref

from ._library import _haft
from ._streams import _on, stream as _stream

__all__ = ["CUDAGraph", "graph", "graph_pool_handle"]


_here = threading.local()


def note_step(optimizer):
    """An optimizer's step belongs to what the calling thread records, if it does."""
    if (recorded := getattr(_here, "graph", None)) is not None:
        recorded._optimizers.add(optimizer)


class _Pool:
    # Memory that recordings share, of each device: a graph of which only that is used.
    def __init__(self):
        self._of = {}

    def on(self, device):
        return self._of.setdefault(device, _haft.DeviceGraph(device))


def graph_pool_handle():
    """Memory for several recordings, each in what the ones before have left free there: the ``pool`` of graph() and capture_begin(). They are
    replayed in the order in which they were recorded, never at once."""
    return _Pool()


def _check_mode(mode):
    if mode != "thread_local":
        raise NotImplementedError(f"capture_error_mode={mode!r}: haft refuses what the recording thread must not do, by name, and leaves other threads alone, "
                                  "which is PyTorch's 'thread_local'")


class CUDAGraph:
    """Work of a device that is recorded once and replayed at the cost of one call, over the same memory (docs/gpu.md).

    ``device``: the current CUDA device unless given. ``keep_graph``: must be False, for the cudaGraph_t itself is not kept.
    """

    def __init__(self, keep_graph=False, *, device=None):
        if keep_graph:
            raise NotImplementedError("CUDAGraph: keep_graph=True is not there: haft keeps what replays, not the cudaGraph_t that it was made of")
        self._device = _on(device)
        self._graph = _haft.DeviceGraph(self._device)
        self._optimizers = weakref.WeakSet()

    def capture_begin(self, pool=None, capture_error_mode="thread_local"):
        """From here on what this thread enqueues on its current stream is recorded instead of run. Memory is the graph's own, or, with
        ``pool`` (graph_pool_handle(), or pool() of another graph), shared with the recordings of that."""
        _check_mode(capture_error_mode)
        if pool is None:
            self._graph.begin()
        elif isinstance(pool, (_Pool, CUDAGraph)):
            self._graph.begin_sharing(pool.on(self._device) if isinstance(pool, _Pool) else pool._graph)
        else:
            raise TypeError(f"capture_begin: pool is what graph_pool_handle() or another graph's pool() answers, got {type(pool).__name__}")
        self._optimizers.clear()
        _here.graph = self

    def capture_end(self):
        """Ends the recording, which replays from now on."""
        _here.graph = None
        self._graph.end()

    def pool(self):
        """The memory of this graph's recording, for the ``pool`` of another one's."""
        return self

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
    """``with graph(g):`` records what the block enqueues into ``g``; an exception throws the recording away. ``pool`` as in capture_begin."""

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="thread_local"):
        _check_mode(capture_error_mode)
        self._graph, self._pool, self._stream = cuda_graph, pool, None if stream is None else _stream(stream)

    def __enter__(self):
        if self._stream is not None:
            self._stream.__enter__()
        try:
            self._graph.capture_begin(self._pool)
        except BaseException:
            if self._stream is not None:
                self._stream.__exit__(None, None, None)
            raise

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                self._graph.capture_end()
            else:
                self._graph._discard()
        finally:
            if self._stream is not None:
                self._stream.__exit__(None, None, None)
