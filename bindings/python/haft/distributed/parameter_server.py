"""Parameter servers: some processes hold parameters and step them with an optimizer, workers push gradients and pull values.

    rpc.init_rpc("worker0")
    server = ParameterServer(mode="bounded", staleness=3, workers=4, optimizer="Adam", lr=1e-3)   # on each server
    client = ParameterClient(servers=[0, 1])                                                       # on each worker

docs/asynchronous-training.md tells how the modes behave and what happens when a process dies.
"""
import collections as _collections

from .. import _haft, float32 as _float32
from .._stores import microseconds as _microseconds
from . import rpc as _rpc

__all__ = ["ParameterClient", "ParameterServer", "ServerInfo"]

_MODES = {"synchronous": 0, "asynchronous": 1, "bounded": 2}

ServerInfo = _collections.namedtuple("ServerInfo", ["workers", "version", "slowest", "fastest", "waiting", "parameters", "elements", "rows"])


class ParameterServer:
    """Holds this process' part of the parameters until close(). optimizer: "SGD", "Adam", ... with its options by name. snapshot: a file of save() to
    begin with, where there is one."""

    def __init__(self, mode="synchronous", workers=1, optimizer="SGD", *, staleness=0, name="parameters", snapshot=None, **options):
        if mode not in _MODES:
            raise ValueError(f"mode is one of {', '.join(_MODES)}, got {mode!r}")
        self._native = _haft.make_parameter_server(_rpc._need().native, _MODES[mode], workers, optimizer, list(options), [float(v) for v in options.values()],
                                                   staleness, name, "" if snapshot is None else str(snapshot))

    def save(self, path):
        """Writes parameters, the optimizer's state and clocks into a file, from which a new server goes on."""
        self._native.save(str(path))

    def info(self):
        """Who is there, and what this server holds."""
        return ServerInfo(*_haft.parameter_server_numbers(self._native))

    def close(self):
        """Ends it: workers that wait fail."""
        self._native = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ParameterClient(_haft.ParameterClient):
    """A worker of the servers of these ranks or names; all workers give the same, in the same order. timeout: seconds of every call, also of a step that
    waits for others."""

    __repr__ = object.__repr__

    def __init__(self, servers, name="parameters", timeout=300):
        agent = _rpc._need()
        super().__init__(agent.native, [agent.info(s).id for s in servers], name, _microseconds(timeout))

    def add(self, key, value):
        """Adds a dense parameter; the values of the first worker stay. How many steps were made on it."""
        return super().add(key, value.detach())

    def add_table(self, key, rows, width, std=0.0, seed=0, dtype=_float32):
        """Adds a table, whose rows are made when they are first used, with normal random numbers of this deviation."""
        return super().add_table(key, rows, width, std, seed, dtype)

    def pull(self, tensors):
        """Writes the servers' values into the tensors of a dict by name; answers a version of each."""
        return dict(zip(tensors, super().pull(list(tensors), [t.detach() for t in tensors.values()])))

    def push(self, gradients):
        """Begins to send gradients, a dict by name, which step() waits for. None is no gradient."""
        there = {k: g for k, g in gradients.items() if g is not None}
        super().push(list(there), list(there.values()))
