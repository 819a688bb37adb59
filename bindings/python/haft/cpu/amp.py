"""haft.amp for the host."""
from .. import amp as _amp

__all__ = ["autocast"]


class autocast(_amp.autocast):
    """haft.amp.autocast("cpu", ...)."""

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        super().__init__("cpu", dtype, enabled, cache_enabled)
