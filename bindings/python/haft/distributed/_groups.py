"""The groups that this process is in, for the modules of haft.distributed."""
import datetime as _datetime

from .. import _haft
from .._errors import BY_STATUS as _BY_STATUS, Error as _Error
from .._stores import microseconds as _microseconds_of

default_pg_timeout = _datetime.timedelta(minutes=5)


def _microseconds(timeout):
    return _microseconds_of(default_pg_timeout if timeout is None else timeout)


class ProcessGroup:
    """Some of the job's processes. Made by init_process_group() and new_group()."""

    def __init__(self, native, ranks, backend):
        self._native, self._ranks, self._backend = native, ranks, backend

    def rank(self):
        """This process's place in the group."""
        return self._native.rank()

    def size(self):
        """How many processes it has."""
        return self._native.size()

    @property
    def engine(self):
        """What moves the data: "shm", "gloo" or "mpi"."""
        return _haft.group_engine(self._native)

    @property
    def _timeout_us(self):
        return _haft.group_numbers(self._native)[4]

    @property
    def timeout(self):
        """Of every call that gives none of its own, a timedelta."""
        return _datetime.timedelta(microseconds=self._timeout_us)

    @property
    def failure(self):
        """The kind of exception that the group died of; None while it lives."""
        status = _haft.group_numbers(self._native)[0]
        return _BY_STATUS.get(status, _Error) if status else None

    def _local(self, rank, what):
        try:
            return self._ranks.index(rank)
        except ValueError:
            raise ValueError(f"{what}: rank {rank} is not in the group of ranks {self._ranks}") from None


class GroupMember:
    """What new_group() answers to a process that is not in the group."""
    NON_GROUP_MEMBER = object()
    WORLD = None
    join = None  # init_process_group


def is_initialized():
    """Whether init_process_group() was called."""
    return GroupMember.WORLD is not None


def _world():
    if not is_initialized():
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return GroupMember.WORLD


def get_rank(group=None):
    """This process's rank; in a group that it is not in -1."""
    return -1 if group is GroupMember.NON_GROUP_MEMBER else (group or _world()).rank()
