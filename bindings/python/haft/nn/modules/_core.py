"""Initial values of leaves come from the core's modules."""
from __future__ import annotations

from ... import Tensor, _haft, no_grad


def core(create, like: Tensor, *args):
    """A module of the core whose parameters have the dtype and the device of ``like``."""
    build = _haft.Build()
    build.dtype = like.dtype
    build.device = like.device
    return create(*args, build)


def take(module, source) -> None:
    """Copies the parameters of a module of the core into those of the same names."""
    with no_grad():
        for name, own in module._parameters.items():
            if own is not None:
                own.copy_(source.parameter(name))
