"""A module of tests that ends with as many live handles and bytes as it began with: setUpModule, tearDownModule = leaks.guard()"""
import gc

import haft
import seeds  # noqa: F401
from haft import _haft


def now():
    gc.collect()
    _haft.trim_memory()  # weights that the engine keeps in the layout of its kernels count as live
    return _haft.live_handles(), _haft.memory_stats().live


def guard():
    before = []

    def set_up():
        haft.tensor(0)
        before.append(now())

    def tear_down():
        after = now()
        if after != before[0]:
            raise AssertionError(f"handles and bytes: {before[0]} before the tests, {after} after them")

    return set_up, tear_down
