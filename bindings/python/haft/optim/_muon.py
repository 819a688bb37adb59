"""What Muon does; _optimizers.py has the class."""
from __future__ import annotations

from .. import _haft
from ._fused import FusedOptimizer


class _Muon(FusedOptimizer):
    _make = staticmethod(_haft.Make.muon)
    _takes_rows = False
    _slots = ("momentum_buffer",)
    _names = ("lr", "weight_decay", "momentum", "nesterov", "ns_a", "ns_b", "ns_c", "eps", "ns_steps", "match_rms_adamw",
              "spectral_unclamped")

    def __init__(self, params, lr, weight_decay, momentum, nesterov, ns_coefficients, eps, ns_steps, adjust_lr_fn):
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
