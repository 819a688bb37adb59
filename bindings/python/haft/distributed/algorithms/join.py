"""Uneven inputs: processes that have run out of data take part in what the others still call."""
from abc import ABC, abstractmethod

import haft

__all__ = ["Join", "JoinHook", "Joinable"]


class JoinHook:
    """What a process without data does for an object whose steps are collective."""

    def main_hook(self):
        """Takes part in one step of the others."""

    def post_hook(self, is_last_joiner):
        """Once, when all have run out. ``is_last_joiner``: this process was among the last that had data."""


class Joinable(ABC):
    """An object whose steps are collective. Its step begins with ``Join.notify_join_context(self)``."""

    def __init__(self):
        super().__init__()
        self._join_config = None

    @abstractmethod
    def join_hook(self, **kwargs):
        """The JoinHook of one Join, with the arguments given to that."""

    @property
    @abstractmethod
    def join_device(self):
        """Where its collectives' tensors are."""

    @property
    @abstractmethod
    def join_process_group(self):
        """The processes that join, the same for all objects of a Join."""


class Join:
    """Between its beginning and its end, processes may have different numbers of steps.

        with Join([ddp]):
            for batch in batches: ...

    Args:
        joinables: one DistributedDataParallel, which the engine joins, or any number of a program's own Joinables
        enable: False: all processes have as many steps, and nothing is done
        throw_on_early_termination: the first process that runs out ends it with a RuntimeError on all
        kwargs: for join_hook(); DistributedDataParallel knows divide_by_initial_world_size
    """

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        self._joinables, self._throw, self._enable, self._inner = list(joinables), throw_on_early_termination, enable, None
        if not self._joinables:
            raise ValueError("Join: give at least one object that joins")
        engine = [j for j in self._joinables if isinstance(j, haft.nn.parallel.DistributedDataParallel)]
        if engine:
            if len(self._joinables) > 1:
                raise ValueError("Join: a DistributedDataParallel is joined by the engine, alone: what else is collective in a step has to be called as "
                                 "often by all processes")
            self._inner = engine[0].join(enable=enable, throw_on_early_termination=throw_on_early_termination, **kwargs)
            return
        groups = {id(haft.distributed._of(j.join_process_group)) for j in self._joinables}
        if len(groups) > 1:
            raise ValueError("Join: its objects have different process groups")
        self._group = haft.distributed._of(self._joinables[0].join_process_group)
        self._hooks = [j.join_hook(**kwargs) for j in self._joinables]

    def _count(self, with_data):
        """How many processes have data, and whether the first that ran out has ended it."""
        n = haft.tensor([int(with_data), int(self._throw and not with_data)])
        self._group._native.all_reduce(n, haft.distributed.ReduceOp.SUM)
        return n.tolist()

    def __enter__(self):
        if self._inner is not None:
            return self._inner.__enter__()
        if self._enable:
            for j in self._joinables:
                j._join_config = self
        return None

    def __exit__(self, kind, value, trace):
        if self._inner is not None:
            return self._inner.__exit__(kind, value, trace)
        for j in self._joinables:
            j._join_config = None
        if not self._enable or kind is not None:
            return None
        last = True
        while True:
            left, ended = self._count(False)
            if not left:
                break
            if ended:
                raise RuntimeError("Join: a process has run out of data, which ends it on all of them")
            last = False
            for hook in self._hooks:
                hook.main_hook()
        for hook in self._hooks:
            hook.post_hook(last)
        return None

    @staticmethod
    def notify_join_context(joinable):
        """Says that this process still has data, once a step: the first joinable's call counts. Answers None: it has waited for the others."""
        join = getattr(joinable, "_join_config", None)
        if join is None or joinable is not join._joinables[0]:
            return None
        if join._count(True)[1]:
            raise RuntimeError("Join: a process has run out of data, which ends it on all of them")
        return None
