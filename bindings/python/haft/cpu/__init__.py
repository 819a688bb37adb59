"""The host as a device: haft.cpu.amp."""
from . import amp

__all__ = ["amp"]
