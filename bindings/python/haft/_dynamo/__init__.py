"""What programs import and set of torch._dynamo. haft runs Python as it is, so that settings of a compiler have no effect."""
import sys

from .._names import also
from ..compiler import allow_in_graph, disable, is_compiling, reset  # noqa: F401

__all__ = []

suppress_errors, cache_size_limit = False, 8  # of torch._dynamo.config, which is this module
also(__name__, "config", sys.modules[__name__])


def optimize(*args, **kwargs):
    """A decorator that leaves a function as it is."""
    return lambda function: function
