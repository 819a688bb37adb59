"""The host as a device: haft.cpu.amp, and what programs ask of any device."""
from . import amp

__all__ = ["amp", "current_device", "device_count", "is_available", "set_device", "synchronize"]


def is_available():
    """True."""
    return True


def device_count():
    """1."""
    return 1


def current_device():
    """ "cpu"."""
    return "cpu"


def synchronize(device=None):
    """Nothing is under way on the host when a call is back."""


def set_device(device):
    """There is one."""
