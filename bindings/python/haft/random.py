"""Seeds and the state of the default generator, under the name of PyTorch's module."""
from contextlib import contextmanager

from ._random import default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@contextmanager
def fork_rng(devices=None, enabled=True):
    """What is drawn meanwhile leaves the default generator as it was; there is one generator for all devices."""
    if not enabled:
        yield
        return
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)
