"""How the numbers of modules begin, and lie in memory."""
from __future__ import annotations

from ... import _haft, no_grad
from ..._random import default_generator
from ..modules._conv import _ConvNd
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format", "skip_init"]


def skip_init(module_cls: type, *args, **kwargs) -> Module:
    """``module_cls(*args, **kwargs)``, whose numbers are the caller's to write; the generator goes on as if none had been drawn."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    state = default_generator.state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        _haft.set_default_generator_state(state)


def _laid(module: Module, memory_format, dims: int) -> Module:
    for m in module.modules():
        if isinstance(m, _ConvNd) and m._dims == dims:
            with no_grad():
                m.weight.data = m.weight.detach().contiguous(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Module, memory_format) -> Module:
    """Lays the weights of 2-dimensional convolutions out in a memory format, such as ``haft.channels_last``."""
    return _laid(module, memory_format, 2)


def convert_conv3d_weight_memory_format(module: Module, memory_format) -> Module:
    """The same of 3-dimensional ones, such as in ``haft.channels_last_3d``."""
    return _laid(module, memory_format, 3)
