"""Sequences of different lengths."""
from __future__ import annotations

from typing import NamedTuple, Sequence

from ... import Tensor, argsort, as_tensor, float16, float32, float64, int64
from ..._library import raw as R

__all__ = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
           "unpack_sequence", "unpad_sequence"]


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Where each place of a permutation comes from."""
    return None if permutation is None else argsort(permutation)


class _Fields(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Fields):
    """Sequences of different lengths without padding, longest first: all first positions, then all second ones, ...

    ``data`` is (sum of lengths, \\*), ``batch_sizes`` how many sequences reach each position. Where the caller's were not sorted,
    ``sorted_indices`` tells their order and ``unsorted_indices`` the way back. Made by :func:`pack_padded_sequence`.
    """

    def __new__(cls, data: Tensor, batch_sizes: Tensor | None = None, sorted_indices: Tensor | None = None,
                unsorted_indices: Tensor | None = None):
        if batch_sizes is None:
            raise ValueError("PackedSequence: batch_sizes is missing")
        if batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be "
                             "instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn.")
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs) -> PackedSequence:
        """The same with data in another dtype or on another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        move = (lambda t: None if t is None else t.to(data.device))
        return type(self)(data, self.batch_sizes, move(self.sorted_indices), move(self.unsorted_indices))

    def cpu(self) -> PackedSequence:
        return self.to("cpu")

    def cuda(self, device=None) -> PackedSequence:
        return self.to("cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device)

    def double(self) -> PackedSequence:
        return self.to(float64)

    def float(self) -> PackedSequence:
        return self.to(float32)

    def half(self) -> PackedSequence:
        return self.to(float16)

    def long(self) -> PackedSequence:
        return self.to(int64)

    @property
    def is_cuda(self) -> bool:
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        return self.data.is_pinned()


def pack_padded_sequence(input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Padded sequences (L, N, \\*), or (N, L, \\*), without their padding.

    Args:
        lengths: of the N sequences
        enforce_sorted: whether they must be longest first
    """
    lengths = as_tensor(lengths if isinstance(lengths, Tensor) else [int(n) for n in lengths], dtype=int64, device="cpu")
    if input.dim() < 2 or 0 in input.shape[:2]:
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.numel() != input.size(0 if batch_first else 1):
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.numel()} (batch_size={input.size(0 if batch_first else 1)})")
    if lengths.min().item() <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if enforce_sorted and (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` "
                           "to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.")
    data, sizes, *order = R.pack_padded_sequence(input, lengths, batch_first, enforce_sorted)
    return PackedSequence(data, sizes) if enforce_sorted else PackedSequence(data, sizes, *order)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Tensor, Tensor]:
    """The sequences padded to the longest, or to ``total_length``, and their lengths."""
    if total_length is not None and total_length < sequence.batch_sizes.numel():
        raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {sequence.batch_sizes.numel()}")
    return R.pad_packed_sequence(sequence.data, sequence.batch_sizes, sequence.unsorted_indices, batch_first, padding_value, total_length)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences (L, \\*) of different lengths, packed."""
    sequences = list(sequences)
    return pack_padded_sequence(pad_sequence(sequences), [s.size(0) for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences again."""
    return list(R.unpack_sequence(packed_sequences.data, packed_sequences.batch_sizes, packed_sequences.unsorted_indices))


def pad_sequence(sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    """Sequences (L, \\*) in one tensor (longest, N, \\*), or (N, longest, \\*); the padding is on the ``"right"`` or the ``"left"``."""
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    return R.pad_sequence(sequences, batch_first, padding_value, padding_side == "left")


def unpad_sequence(padded_sequences: Tensor, lengths, batch_first: bool = False) -> list[Tensor]:
    """The sequences again, cut to their lengths."""
    return list(R.unpad_sequence(padded_sequences, as_tensor(lengths, dtype=int64), batch_first))
