"""Works that calls of a group begin, and what the calls make of their arguments."""
import warnings

from .. import _haft
from .._errors import Error, TimedOutError
from ._future import Future
from ._groups import GroupMember, _microseconds, _world

NONE = -2 ** 63  # HAFT_NONE


class ReduceOp:
    """How values of ranks are joined."""
    SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR = range(8)


class Work:
    """A call that was begun with async_op=True."""

    def __init__(self, native, pg, after=None, result=None):
        self._native, self._pg, self._after, self._result = native, pg, after, result

    def get_future(self):
        """A Future of the list of tensors that the call writes."""
        def value():
            self.wait()
            return self._result

        return Future(value, self.is_completed)

    def wait(self, timeout=None):
        """Waits until it is done; raises what it failed with, or TimedOutError while it goes on."""
        if not self._native.wait(NONE if timeout is None else _microseconds(timeout)):
            raise TimedOutError(f"the work was not done within {timeout}")
        if self._after:
            self._after, after = None, self._after
            after()
        return True

    def is_completed(self):
        """Whether it is done, in whatever way."""
        return self._native.is_done()

    def exception(self):
        """What it failed with; None."""
        if not self.is_completed():
            return None
        try:
            self._native.wait(NONE)
        except Error as e:
            return e
        return None

    def is_success(self):
        """Whether it is done and has not failed."""
        return self.is_completed() and self.exception() is None

    def source_rank(self):
        """Who sent what an irecv has got."""
        source = self._native.source()
        if source < 0:
            raise RuntimeError("source_rank: the work is no irecv, or is not done")
        return self._pg._ranks[source]

    def add_done_callback(self, done):
        """Calls done(work) once when it is done, on the thread that finds it so."""
        _haft.work_on_done(self._native, lambda status: done(self))


def of(group):
    """The group of a call; None for who is not in it."""
    if group is GroupMember.NON_GROUP_MEMBER:
        warnings.warn("a collective was called on a group that this process is not in: it does nothing", stacklevel=3)
        return None
    g = group or _world()
    if g._native is None:
        raise ValueError("the process group was destroyed")
    return g


def begun(pg, async_op, name, *arguments):
    """The work of a call that was begun; or the call itself."""
    if async_op:
        result = arguments[0] if isinstance(arguments[0], list) else [arguments[0]]
        return Work(getattr(pg._native, name + "_async")(*arguments), pg, None, result)
    getattr(pg._native, name)(*arguments)
    return None


def place(pg, rank, group_rank, what, first=None):
    """The group's rank of one of the job's, or that which was given; `first` where none is."""
    if first is not None and rank is None and group_rank is None:
        rank = first
    if (rank is None) == (group_rank is None):
        raise ValueError(f"{what}: give either a rank of the job or one of the group")
    return pg._local(rank, what) if group_rank is None else group_rank


def source(pg, src, group_src, what):
    """The same of whom to receive from; -1: from whoever is first."""
    return -1 if src is None and group_src is None else place(pg, src, group_src, what)


def elements(pg, sizes, t):
    """Elements that go to each rank, of sizes along the first dimension; equal parts without."""
    row = t.numel() // t.shape[0] if t.dim() and t.shape[0] else 1
    return [s * row for s in sizes] if sizes else [t.numel() // pg.size()] * pg.size()
