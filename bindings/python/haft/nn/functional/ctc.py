"""Connectionist temporal classification (Graves et al., 2006)."""
from __future__ import annotations

from ... import Tensor, int64, tensor
from ..._library import raw as R
from ._reduction import number_of

__all__ = ["ctc_loss"]


def _lengths(value, n: int, name: str) -> Tensor:
    t = value.to(int64).reshape(-1) if isinstance(value, Tensor) else tensor([value] if isinstance(value, int) else list(value), dtype=int64)
    if t.numel() != n:
        raise RuntimeError(f"{name}_lengths must be of size batch_size")
    return t


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths, target_lengths, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """-log of the probability of each target, summed over all ways to spread it over the positions.

    Args:
        log_probs: (T, N, C), or (T, C) for one sequence: logarithms of probabilities, as log_softmax answers them
        targets: (N, S), or all targets one after the other; none is ``blank``
        input_lengths, target_lengths: of the N sequences
        zero_infinity: 0 where a target does not fit into its input, instead of infinity
    """
    batch = log_probs.shape[1] if log_probs.dim() == 3 else 1
    if log_probs.dim() in (2, 3) and not 0 <= blank < log_probs.shape[-1]:
        raise RuntimeError("blank must be in label range")
    return R.ctc_loss(log_probs, targets, _lengths(input_lengths, batch, "input"), _lengths(target_lengths, batch, "target"), blank,
                      number_of(reduction), zero_infinity)
