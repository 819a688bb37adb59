"""Switches that programs written for PyTorch set. Each says what it does here."""
from ._library import _haft

__all__ = ["are_deterministic_algorithms_enabled", "compile", "get_default_device", "get_deterministic_debug_mode",
           "get_float32_matmul_precision", "is_deterministic_algorithms_warn_only_enabled", "set_deterministic_debug_mode",
           "set_float32_matmul_precision", "use_deterministic_algorithms"]

_deterministic, _warn_only = False, False
_precision = "highest"


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Kept for are_deterministic_algorithms_enabled(): on the CPU every operator answers the same bits for the same inputs and
    number of threads anyway. With a CUDA device this warns, because nothing is promised of a plug-in."""
    global _deterministic, _warn_only
    if mode:
        from . import cuda
        if cuda.is_available():
            from warnings import warn
            warn("use_deterministic_algorithms: holds on the CPU; operators of the CUDA plug-in stay as they are", stacklevel=2)
    _deterministic, _warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled():
    """What use_deterministic_algorithms was last given."""
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled():
    """The warn_only that use_deterministic_algorithms was last given."""
    return _deterministic and _warn_only


def set_deterministic_debug_mode(debug_mode):
    """0 or "default", 1 or "warn", 2 or "error", as arguments of use_deterministic_algorithms."""
    names = {"default": 0, "warn": 1, "error": 2}
    level = names.get(debug_mode, debug_mode)
    if level not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected one of 0, 1, 2, `default`, `warn`, `error`, but got {debug_mode!r}")
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode():
    """0, 1 or 2."""
    return 0 if not _deterministic else 1 if _warn_only else 2


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


def get_default_device():
    """The device of this thread's tensors that name none."""
    return _haft.default_device()


def compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, disable=False):
    """The function or module itself: haft runs eagerly and has no compiler of Python, so the results are those of the call
    without compile(), at the same speed. Without a model a decorator."""
    if model is None:
        return lambda f: compile(f)
    if not callable(model):
        raise TypeError(f"compile() wants a function or a module, got {type(model).__name__}")
    return model
