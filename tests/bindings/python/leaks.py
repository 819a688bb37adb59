"""A module of tests that ends with as many live handles and bytes as it began with: setUpModule, tearDownModule = leaks.guard()"""
import gc

import haft
from haft import _haft


def now():
    gc.collect()
    return _haft.live_handles(), _haft.memory_stats().live


def guard(packed=0):
    """packed: bytes that may stay, because the engine keeps weights that were used twice in the layout of its kernels."""
    before = []

    def set_up():
        haft.tensor(0)
        before.append(now())

    def tear_down():
        after = now()
        if after[0] != before[0][0] or not 0 <= after[1] - before[0][1] <= packed:
            raise AssertionError(f"handles and bytes: {before[0]} before the tests, {after} after them")

    return set_up, tear_down
