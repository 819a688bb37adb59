"""Lookups by index."""
from __future__ import annotations

from ... import Tensor, no_grad
from ..._library import raw as R

__all__ = ["embedding", "embedding_bag", "one_hot"]


def _looked_up(index: Tensor, weight: Tensor, max_norm: float | None, norm_type: float, by_frequency: bool) -> Tensor:
    """The weight, whose rows that are looked up and longer than max_norm are scaled to it in place, and gradients divided by how
    often a row is looked up."""
    rows = index.reshape(-1)
    if max_norm is not None:
        with no_grad():
            picked = weight.detach().index_select(0, rows)
            norms = picked.norm(norm_type, 1, True)
            weight.detach()[rows] = picked * (max_norm / (norms + 1e-7)).masked_fill(norms <= max_norm, 1)
    if by_frequency and weight.requires_grad:
        counts = rows.bincount(minlength=weight.size(0)).clamp(min=1).unsqueeze(1).to(weight.dtype)
        weight = weight.detach() + (weight - weight.detach()) / counts
    return weight


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Rows of ``weight`` (V, D) at the indices (\\*) -> (\\*, D).

    Args:
        padding_idx: that row takes no gradient
        max_norm: rows longer than that are scaled down in ``weight`` itself before
        scale_grad_by_freq: gradients are divided by how often their row occurs in ``input``
        sparse: ``weight``, if it is a leaf, gets a gradient of rows, which SGD, Adagrad and SparseAdam take
    """
    if padding_idx is not None:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    weight = _looked_up(input, weight, max_norm, norm_type, scale_grad_by_freq)
    return weight.embedding(input, -1 if padding_idx is None else padding_idx, sparse)


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
                  norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of the rows of each bag: (B, N), or (N) with the offsets of the bags -> (B, D)."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum or mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                  f"supported for mode='sum' (got mode='{mode}').")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then "
                         f"it must have the same shape as the input ({list(input.shape)})")
    if input.dim() == 2 and offsets is not None:
        raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                         f"sequences. However, found offsets of type {type(offsets)}")
    if input.dim() == 1 and offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets is not None and offsets.numel() and int(offsets[0]) != 0:
        raise ValueError(f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
                         f"got {int(offsets[0])}")
    if sparse and mode == "max":
        raise RuntimeError("embedding_bag: max mode doesn't support sparse weights")
    weight = _looked_up(input, weight, max_norm, norm_type, scale_grad_by_freq)
    return R.embedding_bag(weight, input, offsets, per_sample_weights, ("sum", "mean", "max").index(mode), include_last_offset,
                           -1 if padding_idx is None else padding_idx % weight.size(0), sparse)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """int64 with 1 at each index along a new last dimension; -1: as many classes as the largest index needs."""
    if num_classes == -1:
        if tensor.numel() == 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(tensor.max()) + 1
    if tensor.numel():
        if int(tensor.min()) < 0:
            raise RuntimeError("Class values must be non-negative.")
        if int(tensor.max()) >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return tensor.one_hot(num_classes)
