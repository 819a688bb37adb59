"""cuDNN, which computes convolutions and attention on CUDA devices where the plug-in finds it. Switches are of the calling thread; the CPU does not
look at them, as in PyTorch."""
import sys as _sys
from contextlib import contextmanager as _contextmanager
from types import ModuleType as _ModuleType
from warnings import warn as _warn

from .._device import library_version as _library_version, look_for_cuda as _look_for_cuda
from .._library import _haft

__all__ = ["flags", "is_available", "set_flags", "version"]

_switches = {"benchmark": False, "benchmark_limit": 10, "deterministic": False}
_warned = set()


def version():
    """Of the library that the plug-in has found, 91900 for 9.19.0; None where there is none."""
    found = _library_version("cuDNN")
    return None if found is None else found[0] * 10000 + found[1] * 100 + found[2]


def is_available():
    """Whether there is a CUDA device, and the plug-in has found cuDNN."""
    return version() is not None


def _choose(on, off):
    _haft.set_kernel_choice(_haft.kernel_choice() & ~off | on)


class _Switches(_ModuleType):
    @property
    def enabled(self):
        """Whether convolutions and attention may be cuDNN's; haft's own kernels otherwise."""
        return not _haft.kernel_choice() & _haft.HAFT_KERNELS_NO_DNN

    @enabled.setter
    def enabled(self, on):
        _choose(0, _haft.HAFT_KERNELS_NO_DNN) if on else _choose(_haft.HAFT_KERNELS_NO_DNN, _haft.HAFT_KERNELS_DNN_ATTENTION)

    @property
    def allow_tf32(self):
        """Whether convolutions of float32 may be computed with TF32; unless set, where products may (set_float32_matmul_precision)."""
        choice = _haft.kernel_choice()
        return bool(choice & _haft.HAFT_KERNELS_TF32_CONVOLUTION or
                    _haft.math_precision() == _haft.HAFT_MATH_TF32 and not choice & _haft.HAFT_KERNELS_FLOAT32_CONVOLUTION)

    @allow_tf32.setter
    def allow_tf32(self, on):
        both = _haft.HAFT_KERNELS_TF32_CONVOLUTION, _haft.HAFT_KERNELS_FLOAT32_CONVOLUTION
        _choose(*(both if on else reversed(both)))

    @property
    def deterministic(self):
        """Of convolutions, whose plans always are; of the rest use_deterministic_algorithms() says it."""
        return _switches["deterministic"]

    @deterministic.setter
    def deterministic(self, on):
        _switches["deterministic"] = bool(on)

    @property
    def benchmark(self):
        """What was set: haft takes the first plan that cuDNN's heuristics propose and measures none."""
        return _switches["benchmark"]

    @benchmark.setter
    def benchmark(self, on):
        _switches["benchmark"] = bool(on)
        if on and _look_for_cuda()[0] and "benchmark" not in _warned:
            _warned.add("benchmark")
            _warn("cudnn.benchmark changes nothing: haft takes the plans that cuDNN's heuristics put first, and does not measure others", stacklevel=2)

    @property
    def benchmark_limit(self):
        """How many plans would be measured; see benchmark."""
        return _switches["benchmark_limit"]

    @benchmark_limit.setter
    def benchmark_limit(self, n):
        _switches["benchmark_limit"] = n


_module = _sys.modules[__name__]
_module.__class__ = _Switches


def set_flags(_enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None, _allow_tf32=None):
    """Sets those that are given; answers what all were, in this order."""
    names = "enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32"
    before = tuple(getattr(_module, name) for name in names)
    for name, value in zip(names, (_enabled, _benchmark, _benchmark_limit, _deterministic, _allow_tf32)):
        if value is not None:
            setattr(_module, name, value)
    return before


@_contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True):
    """Inside a ``with`` the switches are these."""
    choice, before = _haft.kernel_choice(), set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before)
        _haft.set_kernel_choice(choice)
