"""Data loading, exchange and logging, under PyTorch's names: haft.utils.checkpoint, .data, .dlpack, .tensorboard."""
import importlib

_MODULES = ("checkpoint", "data", "dlpack", "hooks", "tensorboard")


def __getattr__(name):
    # On first use: `import haft` shall not pay for what a program does not touch.
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(list(globals()) + list(_MODULES))
