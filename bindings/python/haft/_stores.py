"""Where the processes of a job meet: haft.distributed's stores, with PyTorch's names."""
import datetime as _datetime
import os as _os
from urllib.parse import quote as _quote

from . import _haft
from ._errors import InvalidArgumentError, TimedOutError

__all__ = ["DistStoreError", "FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]

_DEFAULT = _datetime.timedelta(seconds=300)

# What PyTorch calls a key that nobody sets in time.
DistStoreError = TimedOutError


def microseconds(time):
    """Of a timedelta or a number of seconds."""
    seconds = time.total_seconds() if isinstance(time, _datetime.timedelta) else float(time)
    if not seconds >= 0:
        raise ValueError(f"a timeout is at least 0 seconds, got {seconds}")
    return min(round(seconds * 1e6), 2 ** 63 - 1)


class Store:
    """Keys with bytes that all processes of a job see; any thread may call anything."""

    def __init__(self, store, timeout=_DEFAULT):
        self._store = store
        self._timeout = timeout

    @property
    def timeout(self):
        """How long `get` and `wait` wait for a key, a timedelta."""
        return self._timeout

    def set_timeout(self, timeout):
        """Sets how long `get` and `wait` wait for a key."""
        microseconds(timeout)
        self._timeout = timeout

    def set(self, key, value):
        """Sets a key to a text or bytes."""
        _haft.store_set(self._store, key, value)

    def get(self, key):
        """The bytes of a key; waits until somebody has set it."""
        return _haft.store_get(self._store, key, microseconds(self._timeout))

    def add(self, key, amount):
        """Adds to a key that holds a number, 0 when it is new; the sum."""
        return self._store.add(key, amount)

    def check(self, keys):
        """Whether all keys are there."""
        return self._store.has(list(keys))

    def wait(self, keys, timeout=None):
        """Waits until all keys are there."""
        self._store.wait(list(keys), microseconds(self._timeout if timeout is None else timeout))

    def compare_set(self, key, expected_value, desired_value):
        """Sets the key to `desired_value` if it holds `expected_value` (empty: or is not there); the bytes that it holds then, or
        `expected_value` when it is not there."""
        current = _haft.store_compare_exchange(self._store, key, expected_value, desired_value)
        if not current and len(expected_value) and not self.check([key]):
            return expected_value.encode() if isinstance(expected_value, str) else bytes(expected_value)
        return current

    def delete_key(self, key):
        """Removes a key; whether it was there."""
        return self._store.remove(key)

    def lease(self, key, value, seconds):
        """`set`, but the key is gone after the time unless it is set again."""
        _haft.store_lease(self._store, key, value, microseconds(seconds))


class HashStore(Store):
    """For the threads of one process."""

    def __init__(self):
        super().__init__(_haft.Store.hash())


class FileStore(Store):
    """In a folder that all processes reach, which the store makes (in PyTorch it is a file)."""

    def __init__(self, file_name, world_size=-1):
        path = _os.path.abspath(file_name)
        if _os.path.isfile(path) and _os.path.getsize(path) == 0:  # as tempfile makes it for PyTorch's
            path += ".store"
        self.path = path
        super().__init__(_haft.Store.open("file://" + _quote(path)))


class TCPStore(Store):
    """Held by the process that says `is_master`; the others connect. With HAFT_SECRET in the environment, only who has it."""

    def __init__(self, host_name, port, world_size=None, is_master=False, timeout=_DEFAULT, wait_for_workers=True, multi_tenant=False,
                 master_listen_fd=None, use_libuv=True):
        if master_listen_fd is not None:
            raise InvalidArgumentError("TCPStore opens its port itself: master_listen_fd is not for it")
        host = f"[{host_name}]" if ":" in host_name else host_name
        super().__init__(_haft.Store.open(f"tcp://{host}:{port}", is_master, microseconds(timeout)), timeout)
        self.host = host_name
        self.port = self._store.port()
        if world_size is not None and wait_for_workers:
            if self.add("init/", 1) == world_size:
                self.set("init/all", "1")
            if is_master:
                self.wait(["init/all"])


class PrefixStore(Store):
    """Another store under keys of its own."""

    def __init__(self, prefix, store):
        self.underlying_store = store
        super().__init__(store._store.prefixed(prefix), store.timeout)
