"""What programs ask about the libraries below: haft.backends.cudnn, .cuda, .mps, .mkldnn."""
from importlib import import_module

_MODULES = ("cuda", "cudnn", "mkldnn", "mps")


def __getattr__(name):
    if name in _MODULES:
        return import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(list(globals()) + list(_MODULES))
