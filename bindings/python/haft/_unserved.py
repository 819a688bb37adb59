"""haft.mps, haft.xpu and haft.mtia: kinds of devices that haft does not serve, which programs ask for before they use them."""
import sys as _sys

__all__ = ["device_count", "is_available", "is_initialized"]


def is_available():
    """False."""
    return False


def is_initialized():
    """False."""
    return False


def device_count():
    """0."""
    return 0


mps = mtia = xpu = _sys.modules[__name__]
