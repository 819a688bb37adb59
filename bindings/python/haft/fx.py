"""What programs import of torch.fx. haft has no tracer of Python: marks for one are taken, tracing is refused."""
from ._marks import wrap
from ._names import absent

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap"]

globals().update(absent(__name__, "haft does not trace Python. Call the module as it is; hooks (register_forward_hook) see what it computes.",
                        "Graph GraphModule Node Proxy Tracer symbolic_trace"))
