"""What programs set of torch._inductor. haft has no compiler of Python; settings have no effect."""
import sys
from types import SimpleNamespace

from .._names import also

__all__ = []

triton = SimpleNamespace()  # of torch._inductor.config, which is this module
also(__name__, "config", sys.modules[__name__])
