"""Initial values, in place. Each function answers its tensor."""
from __future__ import annotations

import warnings

from .. import Tensor, no_grad
from .._names import called
from ._fans import calculate_gain, fan as _calculate_correct_fan, fans as _calculate_fan_in_and_fan_out  # noqa: F401
from ._initialisers import (constant_, dirac_, kaiming_normal_, kaiming_uniform_, normal_, ones_, orthogonal_, sparse_, trunc_normal_, uniform_,
                            xavier_normal_, xavier_uniform_, zeros_)

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal", "kaiming_normal_",
    "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal", "orthogonal_", "sparse",
    "sparse_", "trunc_normal_", "uniform", "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform",
    "xavier_uniform_", "zeros_",
]


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix, zeros elsewhere."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def _old(function):
    name = function.__name__[:-1]

    def deprecated(*args, **kwargs):
        warnings.warn(f"nn.init.{name} is now deprecated in favor of nn.init.{name}_.", stacklevel=2)
        return function(*args, **kwargs)

    return called(name, f":func:`{name}_` under its old name.", deprecated)


uniform, normal, constant, eye, dirac = map(_old, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(
    _old, (xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_))
orthogonal, sparse = map(_old, (orthogonal_, sparse_))
