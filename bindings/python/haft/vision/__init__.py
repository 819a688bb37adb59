"""Image datasets, networks, transforms and pictures of batches, in torchvision's manner."""
import importlib

_MODULES = ("datasets", "models", "transforms", "utils")


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(list(globals()) + list(_MODULES))
