"""What programs import of torch.fx. haft has no tracer of Python: marks for one are taken, tracing is refused."""

from ._marks import wrap

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap"]


def _refused(name):
    return NotImplementedError(f"haft.fx.{name}: haft does not trace Python. Call the module as it is; hooks (register_forward_hook) see "
                               "what it computes.")


def symbolic_trace(root, concrete_args=None):
    """Not there: raises NotImplementedError with what to use instead."""
    raise _refused("symbolic_trace")


class Tracer:
    """Not there: making one raises NotImplementedError."""

    def __init__(self, *args, **kwargs):
        raise _refused(type(self).__name__)


class GraphModule(Tracer):
    """Not there, so no module is one: making one raises NotImplementedError."""


class Graph(Tracer):
    """Not there: making one raises NotImplementedError."""


class Node(Tracer):
    """Not there, so nothing is one: a name for annotations."""


class Proxy(Tracer):
    """Not there, so nothing is one: a name for annotations."""
