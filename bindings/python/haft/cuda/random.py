"""Random numbers of CUDA devices: they come from the generator of haft.manual_seed, one for all devices and the CPU."""
from .._random import default_generator as _generator, get_rng_state as _get, initial_seed as _initial_seed, set_rng_state as _set
from ._calls import device_count, is_available

__all__ = ["get_rng_state", "get_rng_state_all", "initial_seed", "seed", "seed_all", "set_rng_state", "set_rng_state_all"]


def get_rng_state(device="cuda"):
    """Seed and position of the generator that all devices draw from."""
    return _get()


def get_rng_state_all():
    """The same for each device."""
    return [_get() for _ in range(device_count())]


def set_rng_state(new_state, device="cuda"):
    """What get_rng_state answered; for the CPU and the other devices, too, since they share the generator."""
    _set(new_state)


def set_rng_state_all(new_states):
    """What get_rng_state_all answered; states must be equal, since devices share the generator."""
    states = [state.tolist() for state in new_states]
    if any(state != states[0] for state in states):
        raise RuntimeError("set_rng_state_all: the devices share one generator, and these states differ")
    if states:
        _set(new_states[0])


def initial_seed():
    """The seed that the generator's stream began with."""
    return _initial_seed()


def seed():
    """A seed from the system for the generator; without a device nothing happens, as in PyTorch."""
    if is_available():
        _generator.seed()


seed_all = seed
