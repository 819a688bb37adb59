"""What programs import of torch.fx. haft has no tracer of Python: marks for one are taken, tracing is refused."""

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap"]


def wrap(fn_or_name):
    """A mark for a tracer; the function (or its name) stays as it is."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(f"wrap() takes a function or its name, got {type(fn_or_name).__name__}")
    return fn_or_name


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
