"""Parameters as one vector, and back."""
from __future__ import annotations

from typing import Iterable

from ... import Tensor, cat, no_grad

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of the parameters, one after the other; gradients flow through."""
    return cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Writes slices of a vector into the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected haft.Tensor, but got: {type(vec)}")
    at = 0
    with no_grad():
        for p in parameters:
            n = p.numel()
            p.copy_(vec[at : at + n].reshape(p.shape))
            at += n
