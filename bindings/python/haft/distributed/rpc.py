"""Calls of functions of other processes, by PyTorch's names.

    haft.distributed.rpc.init_rpc("worker0", rank=0, world_size=2)
    y = haft.distributed.rpc.rpc_sync("worker1", torch.add, args=(x, 1))
    haft.distributed.rpc.shutdown()

Functions, arguments and results are pickled, a function by its name; tensors go beside the pickle and arrive as copies on the CPU. Who knows the job's
secret (HAFT_SECRET) can therefore run any function in every process of the job.
"""
import collections as _collections
import enum as _enum
import functools as _functools
import io as _io
import itertools as _itertools
import pickle as _pickle
import threading as _threading
import traceback as _traceback

from .. import Tensor as _Tensor, _haft
from .._future import Future
from .._stores import microseconds as _microseconds_of

__all__ = ["BackendType", "Future", "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo", "functions", "get_worker_info",
           "init_rpc", "is_available", "remote", "rpc_async", "rpc_sync", "shutdown"]

_NONE = -2 ** 63  # HAFT_NONE: the agent's own time
_CALL, _MAKE, _FETCH, _SHARE, _DROP = "call", "make", "fetch", "share", "drop"
_FUNCTION = "python"
DEFAULT_RPC_TIMEOUT_SEC = 60.0
UNSET_RPC_TIMEOUT = -1.0
DEFAULT_SHUTDOWN_TIMEOUT = 0

_agent = None


class BackendType(_enum.Enum):
    """PyTorch's name of the one way there is."""
    TENSORPIPE = "TENSORPIPE"


class TensorPipeRpcBackendOptions:
    """num_worker_threads: functions that run at once. rpc_timeout: seconds of a call that names none. init_method: where processes meet. host: the
    address to listen at, by which others reach this process; None: found out."""

    def __init__(self, *, num_worker_threads=16, rpc_timeout=DEFAULT_RPC_TIMEOUT_SEC, init_method="env://", host=None, device_maps=None, devices=None):
        if device_maps or devices:
            raise ValueError("tensors of devices travel by the host's memory: there are no device maps")
        self.num_worker_threads, self.rpc_timeout, self.init_method, self.host = num_worker_threads, rpc_timeout, init_method, host


RpcBackendOptions = TensorPipeRpcBackendOptions

WorkerInfo = _collections.namedtuple("WorkerInfo", ["name", "id"])


class _Pickler(_pickle.Pickler):
    def __init__(self, file):
        super().__init__(file, _pickle.HIGHEST_PROTOCOL)
        self.tensors = []

    def persistent_id(self, o):
        if type(o) is not _Tensor:
            return None
        self.tensors.append(o.detach())
        return len(self.tensors) - 1, o.requires_grad


class _Unpickler(_pickle.Unpickler):
    def __init__(self, file, tensors):
        super().__init__(file)
        self._tensors = tensors

    def persistent_load(self, pid):
        place, requires_grad = pid
        t = self._tensors[place]
        return t.requires_grad_() if requires_grad else t


def _pack(value):
    file = _io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    return pickler.tensors, file.getvalue()


def _unpack(tensors, data):
    return _Unpickler(_io.BytesIO(data), tensors).load()


class _Failure:
    """What a function raised: its type, as the caller raises it again, and its text with the traceback of the other process."""

    def __init__(self, worker, error):
        self.type = type(error)
        self.text = f"On {worker}:\n{error!r}\n{''.join(_traceback.format_exception(type(error), error, error.__traceback__))}"

    def exception(self):
        """With the same type, where it takes a text."""
        try:
            e = self.type(self.text)
            return e if isinstance(e, BaseException) else RuntimeError(self.text)
        except BaseException:
            return RuntimeError(self.text)


class _Agent:
    def __init__(self, native, rank, world_size, options):
        self.native, self.rank, self.world_size, self.timeout = native, rank, world_size, options.rpc_timeout
        self.lock = _threading.RLock()  # the collector may come while it is held, and let go of references
        self.values = {}  # of this process, by number: [future, references]
        self.numbers = _itertools.count()
        self.workers = []

    def info(self, to):
        if isinstance(to, WorkerInfo):
            return to
        if isinstance(to, str):
            return self.workers[self.native.rank_of(to)]
        if isinstance(to, int) and 0 <= to < self.world_size:
            return self.workers[to]
        raise ValueError(f"a process of the job is named by its name, rank (0 to {self.world_size - 1}) or WorkerInfo, got {to!r}")

    def send(self, to, message, timeout):
        """A future of what the other process answers to the message."""
        worker = self.info(to)
        time = self.timeout if timeout is None or timeout < 0 else timeout
        tensors, data = _pack(message)
        native = _haft.rpc_call(self.native, worker.id, _FUNCTION, tensors, data, _microseconds_of(time) if time else 2 ** 62)
        future = Future()

        def done(status):
            try:
                if status:
                    native.wait(0)
                value = _unpack(native.tensors(), _haft.future_bytes(native))
            except BaseException as e:
                return future._set(None, e)
            future._set(*((None, value.exception()) if isinstance(value, _Failure) else (value, None)))

        _haft.future_on_done(native, done)
        return future

    def serve(self, request):
        """On a thread of the agent: runs what another process asks for, and answers it."""
        try:
            kind, *rest = _unpack(request.tensors(), _haft.request_bytes(request))
            result = getattr(self, kind)(*rest)
        except BaseException as e:
            result = _Failure(self.workers[self.rank], e)
        if not isinstance(result, Future):
            return self.answer(request, result)
        result.add_done_callback(lambda f: self.answer_later(request, f))

    def answer_later(self, request, future):
        try:
            value = future.value()
        except BaseException as e:
            value = _Failure(self.workers[self.rank], e)
        self.answer(request, value)

    def answer(self, request, value):
        try:
            tensors, data = _pack(value)
        except BaseException as e:
            tensors, data = _pack(_Failure(self.workers[self.rank], e))
        _haft.request_reply(request, tensors, data)

    # What others ask for.
    def call(self, f, args, kwargs):
        """Runs a function; one of functions.async_execution answers when its future does."""
        return f(*args, **kwargs)

    def make(self, number, f, args, kwargs):
        """The same, and keeps the result for those who refer to it."""
        future = Future()
        with self.lock:
            self.values[number] = [future, 1]
        try:
            value = f(*args, **kwargs)
            if isinstance(value, Future):
                value = value.wait()
            future.set_result(value)
        except BaseException as e:
            future._set(None, e)
            raise

    def fetch(self, number):
        """A value that is kept here, when it is there."""
        with self.lock:
            return self.values[number][0]

    def share(self, number):
        """One more process refers to a value."""
        with self.lock:
            self.values[number][1] += 1

    def drop(self, number):
        """One refers to it no more."""
        with self.lock:
            entry = self.values.get(number)
            if not entry:
                return
            entry[1] -= 1
            if entry[1] <= 0:
                del self.values[number]
        del entry  # behind the lock: the value may be anything


def _need():
    if _agent is None:
        raise RuntimeError("there is no agent: call init_rpc first")
    return _agent


def is_available():
    """Always."""
    return True


def init_rpc(name, backend=None, rank=-1, world_size=None, rpc_backend_options=None):
    """Makes this process' agent and waits until all processes have come. rank and world_size: -1 and None where the launcher or the url says them."""
    global _agent
    from . import rendezvous
    if _agent is not None:
        raise RuntimeError("there is an agent already: shutdown() ends it")
    options = rpc_backend_options or TensorPipeRpcBackendOptions()
    store, rank, world_size = next(rendezvous(options.init_method, -1 if rank is None else rank, -1 if world_size is None else world_size))
    native = _haft.make_rpc(store._store, rank, world_size, name, options.host or "", options.num_worker_threads,
                            _microseconds_of(options.rpc_timeout) if options.rpc_timeout else 2 ** 62)
    agent = _Agent(native, rank, world_size, options)
    agent.store = store
    started = _threading.Event()

    def serve(request):
        started.wait()  # until it knows its peers
        agent.serve(request)

    _haft.rpc_register(native, _FUNCTION, serve)
    native.start()
    agent.workers = [WorkerInfo(native.name_of(r), r) for r in range(world_size)]
    _agent = agent
    started.set()


def shutdown(graceful=True, timeout=DEFAULT_SHUTDOWN_TIMEOUT):
    """Waits until no call is under way on any process, then ends the agent; all processes call it. Not graceful: ends it at once."""
    global _agent
    agent = _need()
    if graceful:
        agent.native.shutdown(_microseconds_of(timeout) if timeout else _NONE)
    else:
        agent.native.kill()
    _agent = None


def get_worker_info(worker_name=None):
    """Name and id of a process; None: this one's."""
    agent = _need()
    return agent.workers[agent.rank] if worker_name is None else agent.info(worker_name)


def rpc_async(to, func, args=None, kwargs=None, timeout=UNSET_RPC_TIMEOUT):
    """Begins func(*args, **kwargs) in another process; a Future of its result. Seconds; 0: no limit."""
    return _need().send(to, (_CALL, func, tuple(args or ()), dict(kwargs or {})), timeout)


def rpc_sync(to, func, args=None, kwargs=None, timeout=UNSET_RPC_TIMEOUT):
    """Runs func(*args, **kwargs) in another process and answers its result; raises what it raised."""
    return rpc_async(to, func, args, kwargs, timeout).wait()


class RRef:
    """A reference to a value of some process, which keeps it as long as any process refers to it. RRef(value): of this process."""

    def __init__(self, value, type_hint=None):
        agent = _need()
        future = Future()
        future.set_result(value)
        self._set(agent, agent.rank, (agent.rank, next(agent.numbers)), None)
        with agent.lock:
            agent.values[self._number] = [future, 1]

    def _set(self, agent, owner, number, made):
        self._agent, self._owner, self._number, self._made = agent, owner, number, made

    def is_owner(self):
        """Whether the value lies in this process."""
        return self._owner == self._agent.rank

    def owner(self):
        """The process where it lies."""
        return self._agent.workers[self._owner]

    def owner_name(self):
        """Its name."""
        return self.owner().name

    def confirmed_by_owner(self):
        """Whether the owner has the value, or is known to make it."""
        return self._made is None or self._made.done()

    def to_here(self, timeout=UNSET_RPC_TIMEOUT):
        """A copy of the value; in its owner's process the value itself."""
        if self.is_owner():
            return self.local_value()
        if self._made is not None:
            self._made.wait()
        return self._agent.send(self._owner, (_FETCH, self._number), timeout).wait()

    def local_value(self):
        """The value, in its owner's process."""
        if not self.is_owner():
            raise RuntimeError(f"the value lies in {self.owner()}: to_here() brings a copy")
        if self._made is not None:
            self._made.wait()
        return self._agent.fetch(self._number).wait()

    def rpc_sync(self, timeout=UNSET_RPC_TIMEOUT):
        """Calls of the value's methods, where it lies: rref.rpc_sync().method(x)."""
        return _Proxy(self, rpc_sync, timeout)

    def rpc_async(self, timeout=UNSET_RPC_TIMEOUT):
        """The same, with a Future of the result."""
        return _Proxy(self, rpc_async, timeout)

    def remote(self, timeout=UNSET_RPC_TIMEOUT):
        """The same, with an RRef of the result."""
        return _Proxy(self, remote, timeout)

    def __reduce__(self):
        # Whoever gets it counts as one more that refers to it, from now on.
        if self._made is not None:
            self._made.wait()
        if self.is_owner():
            self._agent.share(self._number)
        else:
            self._agent.send(self._owner, (_SHARE, self._number), None).wait()
        return _rref, (self._owner, self._number)

    def __del__(self):
        agent = getattr(self, "_agent", None)
        if agent is None:
            return
        if self._made is None or self._made.done():
            _let_go(agent, self._owner, self._number)
        else:  # not before the value is there
            owner, number = self._owner, self._number
            self._made.add_done_callback(lambda _: _let_go(agent, owner, number))

    def __repr__(self):
        return f"RRef(owner={self.owner_name()!r}, number={self._number})"


def _let_go(agent, owner, number):
    if _agent is not agent:
        return
    try:
        if owner == agent.rank:
            agent.drop(number)
        else:
            agent.send(owner, (_DROP, number), None)
    except Exception:  # the owner is gone, and the value with it
        pass


def _rref(owner, number):
    r = RRef.__new__(RRef)
    r._set(_need(), owner, number, None)
    return r


def remote(to, func, args=None, kwargs=None, timeout=UNSET_RPC_TIMEOUT):
    """Begins func(*args, **kwargs) in another process, which keeps the result; an RRef to it."""
    agent = _need()
    worker = agent.info(to)
    number = (agent.rank, next(agent.numbers))
    r = RRef.__new__(RRef)
    r._set(agent, worker.id, number, agent.send(worker, (_MAKE, number, func, tuple(args or ()), dict(kwargs or {})), timeout))
    return r


def _on_value(rref, name, args, kwargs):
    return getattr(rref.local_value(), name)(*args, **kwargs)


class _Proxy:
    def __init__(self, rref, how, timeout):
        self._rref, self._how, self._timeout = rref, how, timeout

    def __getattr__(self, name):
        rref, how, timeout = self._rref, self._how, self._timeout
        return lambda *args, **kwargs: how(rref.owner(), _on_value, args=(rref, name, args, kwargs), timeout=timeout)


class functions:
    """Decorators of functions that others call."""

    @staticmethod
    def async_execution(f):
        """The function answers a Future; its caller gets what that does, and no thread waits for it."""

        @_functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(*args, **kwargs)

        return wrapper
