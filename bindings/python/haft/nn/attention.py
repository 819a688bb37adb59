"""torch.nn.attention: which implementation of attention to take. haft has one for each device, in tiles, and takes it always."""
import enum
from contextlib import contextmanager

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """PyTorch's names of implementations."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Accepts the implementations that a program asks for; the result is the same with each, and so is haft's way to it."""
    wanted = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(wanted, list) or not wanted or not all(isinstance(b, SDPBackend) for b in wanted):
        raise AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {backends!r}")
    yield
