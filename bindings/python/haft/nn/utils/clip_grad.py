"""Limits for gradients."""
from __future__ import annotations

from typing import Iterable

from ... import Tensor, _haft, stack, tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def _with_grad(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [p for p in parameters if p.grad is not None]


def _numbers(grad: Tensor) -> Tensor:
    return grad.coalesce().values() if grad.is_sparse else grad.detach()


def _finite(total: Tensor, norm_type: float) -> Tensor:
    if not bool(total.isfinite()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so "
                           "it cannot be clipped. To disable this error and scale the gradients by the non-finite "
                           "norm anyway, set `error_if_nonfinite=False`")
    return total


def get_total_norm(tensors: Tensor | Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The norm of tensors together, as of one vector; 0 of none."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not tensors:
        return tensor(0.0)
    total = stack([_numbers(t).norm(norm_type).to(tensors[0].device) for t in tensors]).norm(norm_type)
    return _finite(total, norm_type) if error_if_nonfinite else total


def clip_grads_with_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor,
                          foreach: bool | None = None) -> None:
    """Scales all gradients by ``max_norm / total_norm`` where that is below 1; the norm is the caller's."""
    factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    for p in _with_grad(parameters):
        _numbers(p.grad).mul_(factor.to(p.grad.device))


def _rows(parameters: list[Tensor]) -> list[Tensor]:
    """Of parameters that fully_shard() has spread what this process has."""
    return [p.to_local() if hasattr(p, "_mesh") else p for p in parameters]


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scales all gradients so that the norm of them together is at most ``max_norm``; answers the norm before."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    parameters = _with_grad(given)
    if not parameters:  # or they are where the engine says
        return _haft.clip_grad_norm(given, max_norm, norm_type) if given and not hasattr(given[0], "_mesh") else tensor(0.0)
    mesh = next((p._mesh for p in parameters if hasattr(p, "_mesh")), None)  # fully_shard: all its processes call this
    if mesh is None:
        def clip(limit):
            return _haft.clip_grad_norm(parameters, limit, norm_type)
    else:
        group = mesh.get_group(mesh.ndim - 1)
        copies = [1 if hasattr(p, "_mesh") else group.size() for p in parameters]

        def clip(limit):
            return tensor(_haft.parallel_clip_grad_norm(group._native, _rows(parameters), copies, limit, norm_type))
    if error_if_nonfinite:
        # Nothing may change where it fails.
        _finite(get_total_norm([p.grad for p in parameters], norm_type) if mesh is None else clip(float("inf")), norm_type)
    return clip(max_norm).to(parameters[0].grad.dtype)


def clip_grad_norm(parameters, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Tensor:
    """:func:`clip_grad_norm_` under its old name."""
    import warnings
    warnings.warn("haft.nn.utils.clip_grad_norm is now deprecated in favor of haft.nn.utils.clip_grad_norm_.",
                  stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Limits every element of the gradients to ``[-clip_value, clip_value]``."""
    parameters = _with_grad(parameters)
    if parameters:
        _haft.clip_grad_value(_rows(parameters), clip_value)
