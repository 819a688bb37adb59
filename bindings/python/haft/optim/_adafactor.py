"""What Adafactor does; _optimizers.py has the class."""
from __future__ import annotations

from .. import Tensor, _haft
from ._fused import FusedOptimizer


class _Adafactor(FusedOptimizer):
    _make = staticmethod(_haft.Make.adafactor)
    _takes_rows = False
    _slots = ("step", "row_var", "col_var", "variance")
    _names = ("lr", "beta2_decay", "eps1", "eps2", "d", "weight_decay", "maximize")

    def __init__(self, params, lr, beta2_decay, eps, d, weight_decay, foreach, maximize):
        for what, value, fits in (("Learning rate should be >= 0", lr, lr >= 0), ("beta2_decay should be <= 0", beta2_decay, beta2_decay <= 0),
                                  ("epsilon1 should be >= 0", eps[0], eps[0] is None or eps[0] >= 0), ("epsilon2 should be >= 0", eps[1], eps[1] >= 0),
                                  ("Clipping threshold d should be >= 1", d, d >= 1), ("weight_decay should be >= 0", weight_decay, weight_decay >= 0)):
            if not fits:
                raise ValueError(f"{what} but is: {value}")
        super().__init__(params, dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay, foreach=foreach, maximize=maximize))

    @staticmethod
    def _values(group: dict) -> tuple:
        first, second = group["eps"]
        return (group["lr"], group["beta2_decay"], -1.0 if first is None else first, second, group["d"], group["weight_decay"], group["maximize"])

    def _fits(self, name: str, value: Tensor, p: Tensor) -> bool:
        shape = list(p.shape)
        if name in ("row_var", "col_var") and len(shape) > 1:
            shape[-1 if name == "row_var" else -2] = 1
        return list(value.shape) == shape
