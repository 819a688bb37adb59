"""cuDNN. Its switches may be set, as listings do; the CPU does not look at them, as in PyTorch."""
from ..cuda import is_available

__all__ = ["is_available", "version"]

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def version():
    """None: there is no version to tell without the library."""
    return None
