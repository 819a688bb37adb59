"""Padding: constant, reflected, repeated, circular."""
from __future__ import annotations

from typing import Sequence

from ... import Tensor, arange, full

__all__ = ["pad"]


def _sources(size: int, left: int, right: int, mode: str, device) -> Tensor:
    """Where each element of the padded dimension comes from."""
    at = arange(-left, size + right, device=device)
    if mode == "replicate":
        return at.clamp(0, size - 1)
    if mode == "circular":
        return at.remainder(size)
    at = at.abs()  # reflect: 2 1 | 0 1 2 | 1 0
    return (size - 1) - ((size - 1) - at).abs()


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds elements at both ends of the last dimensions; negative numbers take elements away.

    Args:
        pad: ``(left, right)`` for the last dimension, then for the one before it, ...
        mode: ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``
        value: of a constant padding, 0 unless given
    """
    pad = [int(p) for p in pad]
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.dim():
        raise RuntimeError(f"Padding length too large: {len(pad)} numbers for {input.dim()} dimensions")
    ends = [(input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]
    if mode == "constant":
        return _constant(input, ends, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    for dim, left, right in ends:
        size = input.size(dim)
        most = {"reflect": size - 1, "circular": size}.get(mode)
        if most is not None and max(left, right) > most:
            what = ("Padding size should be less than the corresponding input dimension" if mode == "reflect"
                    else "Padding value causes wrapping around more than once")
            raise RuntimeError(f"{what}, but got: padding ({left}, {right}) at dimension {dim} of input "
                               f"{list(input.shape)}")
    for dim, left, right in ends:
        if left or right:
            input = input.index_select(dim, _sources(input.size(dim), left, right, mode, input.device))
    return input


def _constant(input: Tensor, ends: list, value: float) -> Tensor:
    for dim, left, right in ends:
        if left < 0 or right < 0:
            size = input.size(dim) + min(left, 0) + min(right, 0)
            if size < 0:
                raise RuntimeError(f"The input size {input.size(dim)}, plus negative padding {left} and {right}, "
                                   f"resulted in a negative output size at dimension {dim}")
            input = input.narrow(dim, max(-left, 0), size)
    ends = [(dim, max(left, 0), max(right, 0)) for dim, left, right in ends]
    if not any(left or right for _, left, right in ends):
        return input.clone()
    size, inner = list(input.shape), [slice(None)] * input.dim()
    for dim, left, right in ends:
        inner[dim] = slice(left, left + size[dim])
        size[dim] += left + right
    out = full(size, value, dtype=input.dtype, device=input.device)
    out[tuple(inner)] = input
    return out
