"""Sequences of different lengths."""
from __future__ import annotations

from typing import Sequence

from ... import Tensor, full, stack

__all__ = ["pad_sequence", "unpad_sequence"]


def pad_sequence(sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0) -> Tensor:
    """Sequences (L, \\*) in one tensor (longest, N, \\*), or (N, longest, \\*)."""
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    longest = max(s.size(0) for s in sequences)
    rows = []
    for s in sequences:
        row = full((longest, *s.shape[1:]), padding_value, dtype=s.dtype, device=s.device)
        row[: s.size(0)] = s
        rows.append(row)
    return stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths, batch_first: bool = False) -> list[Tensor]:
    """The sequences again, cut to their lengths."""
    x = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    lengths = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [row[:n] for row, n in zip(x, lengths)]
