"""Initial values of leaves come from the core's modules."""
from __future__ import annotations

from ... import Tensor, no_grad


def core(create, like: Tensor, *args):
    """A module of the core whose parameters have the dtype and the device of ``like``."""
    return create(*args, like.dtype, like.device, None)


def take(module, source) -> None:
    """Copies the parameters of a module of the core into those of the same names."""
    with no_grad():
        for name, own in module._parameters.items():
            if own is not None:
                own.copy_(source.parameter(name))
