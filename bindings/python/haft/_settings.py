"""Switches that programs written for PyTorch set. Each says what it does here."""
from ._library import _haft
from ._forms import (are_deterministic_algorithms_enabled, get_default_device, get_deterministic_debug_mode,
                     is_deterministic_algorithms_warn_only_enabled, use_deterministic_algorithms)

__all__ = ["are_deterministic_algorithms_enabled", "compile", "get_default_device", "get_deterministic_debug_mode",
           "get_float32_matmul_precision", "get_num_interop_threads", "is_deterministic_algorithms_warn_only_enabled",
           "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal", "set_num_interop_threads", "typename",
           "use_deterministic_algorithms", "_assert"]

_precision = "highest"


def _assert(condition, message):
    """assert, as a function that tracers see."""
    if not condition:
        raise AssertionError(message)


def typename(obj):
    """The name of a tensor's type, "haft.FloatTensor", or of anything else's with its module."""
    if isinstance(obj, _haft.Tensor):
        return obj.type()
    if isinstance(obj, type(_haft)):
        return obj.__name__
    kind = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None)
    return kind.__qualname__ if module in (None, "builtins") else f"{module}.{kind.__qualname__}"


def get_num_interop_threads():
    """1: operators of one thread run one after the other; set_num_threads() is what one of them may use."""
    return 1


def set_num_interop_threads(num):
    """Checks that num is positive: there are no threads between operators, whose number it could be."""
    if isinstance(num, bool) or not isinstance(num, int):
        raise TypeError(f"set_num_interop_threads expects an int, but got {type(num).__name__}")
    if num < 1:
        raise RuntimeError(f"set_num_interop_threads expects a positive integer, got {num}")


def set_flush_denormal(mode):
    """False: subnormal numbers are computed as they are, and a processor's switch that others set stays as it is."""
    return False


def set_deterministic_debug_mode(debug_mode):
    """0 or "default", 1 or "warn", 2 or "error", as arguments of use_deterministic_algorithms."""
    names = {"default": 0, "warn": 1, "error": 2}
    level = names.get(debug_mode, debug_mode)
    if level not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected one of 0, 1, 2, `default`, `warn`, `error`, but got {debug_mode!r}")
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def set_float32_matmul_precision(precision):
    """"highest", "high" or "medium": what products of float32 may lose in this thread. Other than "highest" allows TF32 on devices that
    have it; the CPU's products lose nothing."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"set_float32_matmul_precision: {precision!r} is none of 'highest', 'high', 'medium'")
    _precision = precision
    if precision != "highest":
        _haft.set_math_precision(_haft.HAFT_MATH_TF32)
    elif _haft.math_precision() == _haft.HAFT_MATH_TF32:
        _haft.set_math_precision(_haft.HAFT_MATH_FAST)


def get_float32_matmul_precision():
    """"highest" unless this thread allows TF32; then what set_float32_matmul_precision was last given."""
    if _haft.math_precision() != _haft.HAFT_MATH_TF32:
        return "highest"
    return _precision if _precision != "highest" else "high"


def compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, disable=False):
    """The function or module itself: haft runs eagerly and has no compiler of Python, so the results are those of the call
    without compile(), at the same speed. Without a model a decorator."""
    if model is None:
        return lambda f: compile(f)
    if not callable(model):
        raise TypeError(f"compile() wants a function or a module, got {type(model).__name__}")
    return model
