"""Muon."""
from __future__ import annotations

from .. import _haft
from ._fused import FusedOptimizer

__all__ = ["Muon"]


class Muon(FusedOptimizer):
    """Muon (Jordan, 2024) for matrices: the momentum, made nearly orthogonal by a Newton-Schulz iteration. PyTorch iterates in bfloat16,
    haft in float32, or float64 for such parameters.

    Args:
        params: matrices, or groups of them
        lr: learning rate
        weight_decay: the rate times this part of the parameter is taken off it
        momentum: part of the mean of gradients that stays
        nesterov: whether the momentum is Nesterov's
        ns_coefficients: factors of the matrix, its cube and its fifth power in a step of the iteration
        eps: the least norm that the matrix is divided by
        ns_steps: steps of the iteration
        adjust_lr_fn: how the rate is scaled: ``"original"`` (also ``None``), ``"match_rms_adamw"`` or ``"spectral_unclamped"``
    """

    _make = staticmethod(_haft.Make.muon)
    _takes_rows = False
    _slots = ("momentum_buffer",)
    _names = ("lr", "weight_decay", "momentum", "nesterov", "ns_a", "ns_b", "ns_c", "eps", "ns_steps", "match_rms_adamw",
              "spectral_unclamped")

    def __init__(self, params, lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
                 ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315), eps: float = 1e-7, ns_steps: int = 5,
                 adjust_lr_fn: str | None = None):
        for name, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not value >= 0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw", "spectral_unclamped"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
                                      ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn))

    @staticmethod
    def _values(group: dict) -> tuple:
        a, b, c = group["ns_coefficients"]
        how = group["adjust_lr_fn"]
        return (group["lr"], group["weight_decay"], group["momentum"], group["nesterov"], a, b, c, group["eps"],
                group["ns_steps"], how == "match_rms_adamw", how == "spectral_unclamped")
