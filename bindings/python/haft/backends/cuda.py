"""CUDA. Its switches may be set, as listings do; the CPU does not look at them, as in PyTorch."""
from ..cuda import is_available

__all__ = ["is_built", "matmul"]


class matmul:
    allow_tf32 = False


def is_built():
    """True when a plug-in for CUDA is installed and finds a device."""
    return is_available()
