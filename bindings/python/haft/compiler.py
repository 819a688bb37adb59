"""What programs import of torch.compiler. haft runs Python as it is, so that marks for a compiler have no effect."""
import contextlib

from ._marks import allow_in_graph, cudagraph_mark_step_begin, disable, is_compiling, reset
from ._settings import compile

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling", "is_dynamo_compiling",
           "is_exporting", "reset", "set_stance"]


assume_constant_result = allow_in_graph


class set_stance(contextlib.ContextDecorator):
    """How a compiler shall behave, as a call, a context or a decorator; there is none."""

    _STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile", "aot_eager_then_compile")

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        if stance not in self._STANCES:
            raise RuntimeError(f"set_stance: stance must be one of {', '.join(self._STANCES)}, got {stance!r}")

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


is_dynamo_compiling = is_exporting = is_compiling
