"""Padding: constant, reflected, repeated, circular."""
from __future__ import annotations

from typing import Sequence

from ... import Tensor
from ..._library import raw as R

__all__ = ["pad"]

_MODES = ("constant", "reflect", "replicate", "circular")


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds elements at both ends of the last dimensions; negative numbers take elements away.

    Args:
        pad: ``(left, right)`` for the last dimension, then for the one before it, ...
        mode: ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``
        value: of a constant padding, 0 unless given
    """
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode != "constant" and value:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    return R.pad(input, pad, _MODES.index(mode), value or 0)
