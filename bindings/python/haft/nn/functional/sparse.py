"""Lookups by index."""
from __future__ import annotations

from ... import Tensor, arange, int64, no_grad, stack, tensor, zeros

__all__ = ["embedding", "embedding_bag", "one_hot"]


def _renorm_rows(weight: Tensor, index: Tensor, max_norm: float, norm_type: float) -> None:
    """Rows that are looked up and longer than max_norm are scaled to it, in place."""
    with no_grad():
        rows = index.reshape(-1)
        picked = weight.detach().index_select(0, rows)
        norms = picked.norm(norm_type, 1, True)
        scale = (max_norm / (norms + 1e-7)).masked_fill(norms <= max_norm, 1)
        weight.detach()[rows] = picked * scale


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Rows of ``weight`` (V, D) at the indices (\\*) -> (\\*, D).

    Args:
        padding_idx: that row takes no gradient
        max_norm: rows longer than that are scaled down in ``weight`` itself before
        scale_grad_by_freq: gradients are divided by how often their row occurs in ``input``
        sparse: gradients are dense in any case
    """
    if padding_idx is not None:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        _renorm_rows(weight, input, max_norm, norm_type)
    result = weight.embedding(input, -1 if padding_idx is None else padding_idx)
    if scale_grad_by_freq and result.requires_grad:
        flat = input.reshape(-1)
        counts = zeros(weight.size(0), device=weight.device).index_add(0, flat, (flat * 0 + 1).to(zeros(0).dtype))
        per_row = counts.index_select(0, flat).reshape(*input.shape, 1).to(weight.dtype)
        result = result.detach() + (result - result.detach()) / per_row
    return result


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
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                             f"fixed length sequences. However, found offsets of type {type(offsets)}")
        bags = input.size(0)
        bag = arange(bags, device=input.device).unsqueeze(1).expand_as(input).reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        starts = [int(v) for v in offsets.tolist()]
        if starts and starts[0] != 0:
            raise ValueError(f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                             f"position 0. However, got {starts[0]}")
        ends = starts[1:] + ([] if include_last_offset else [input.size(0)])
        bags = len(ends)
        bag = tensor([i for i, (s, e) in enumerate(zip(starts, ends)) for _ in range(s, e)], dtype=int64,
                     device=input.device)
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    index = input.reshape(-1)[: bag.size(0)]
    rows = embedding(index, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if padding_idx is not None:
        keep = (index != padding_idx % weight.size(0)).nonzero().squeeze(1)
        rows, bag = rows.index_select(0, keep), bag.index_select(0, keep)
    if mode == "max":
        return _bag_max(rows, bag, bags)
    out = zeros(bags, weight.size(1), dtype=weight.dtype, device=weight.device).index_add(0, bag, rows)
    if mode == "mean":
        ones = zeros(bag.size(0), dtype=weight.dtype, device=weight.device) + 1
        count = zeros(bags, dtype=weight.dtype, device=weight.device).index_add(0, bag, ones)
        out = out / count.clamp(min=1).unsqueeze(1)
    return out


def _bag_max(rows: Tensor, bag: Tensor, bags: int) -> Tensor:
    out = []
    for i in range(bags):
        own = rows.index_select(0, (bag == i).nonzero().squeeze(1))
        out.append(own.max(0)[0] if own.size(0) else own.sum(0))
    return stack(out) if out else rows[:0]


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
