"""Several processes that train one model: haft has the stores in which they meet, and says as PyTorch does that it was built without
groups of processes."""
import datetime as _datetime

from . import _haft
from ._stores import DistStoreError, FileStore, HashStore, PrefixStore, Store, TCPStore, microseconds as _microseconds

__all__ = ["DistStoreError", "FileStore", "HashStore", "PrefixStore", "Store", "TCPStore", "get_rank", "get_world_size",
           "init_process_group", "is_available", "is_initialized", "rendezvous"]


def rendezvous(url="env://", rank=-1, world_size=-1, timeout=_datetime.timedelta(seconds=300)):
    """Waits until all processes of the job are there and yields (store, rank, world_size), once; -1: the url or the launcher says it."""
    met = _haft.rendezvous(url, rank, world_size, _microseconds(timeout))
    yield Store(met.store(), timeout), met.rank, met.world_size


def is_available():
    """False."""
    return False


def is_initialized():
    """False: there can be no group of processes."""
    return False


def _refuse(*args, **kwargs):
    raise RuntimeError("haft has no distributed package: haft.distributed.is_available() is False. haft.multiprocessing.spawn starts "
                       "processes, and samplers take num_replicas and rank.")


def init_process_group(*args, **kwargs):
    """Raises RuntimeError."""
    _refuse()


def get_rank(group=None):
    """Raises RuntimeError: there is no group of processes."""
    _refuse()


def get_world_size(group=None):
    """Raises RuntimeError: there is no group of processes."""
    _refuse()
