"""Connectionist temporal classification (Graves et al., 2006)."""
from __future__ import annotations

from ... import Tensor, arange, cat, full, int64, logaddexp, tensor, where, zeros

__all__ = ["ctc_loss"]

_NEVER = -1e30  # the logarithm of nothing: finite, so that gradients stay numbers


def _lengths(value, n: int, name: str) -> Tensor:
    t = value.to(int64).cpu().reshape(-1) if isinstance(value, Tensor) else tensor([value] if isinstance(value, int) else list(value), dtype=int64)
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
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    single = log_probs.dim() == 2
    if single:
        log_probs, targets = log_probs.unsqueeze(1), targets.unsqueeze(0)
    if log_probs.dim() != 3:
        raise RuntimeError(f"ctc_loss: log_probs must be (T, N, C) or (T, C), got {log_probs.dim()} dimensions")
    steps, batch, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    inputs, lengths = _lengths(input_lengths, batch, "input"), _lengths(target_lengths, batch, "target")
    if batch and (inputs.max().item() > steps or inputs.min().item() < 0):
        raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {inputs.max().item()}")
    longest = lengths.max().item() if batch else 0
    targets = targets.to(int64).cpu()
    if targets.dim() == 1:
        if targets.numel() != lengths.sum().item():
            raise RuntimeError(f"ctc_loss: {targets.numel()} targets for lengths that sum to {lengths.sum().item()}")
        padded = full((batch, longest), blank, dtype=int64)
        for row, part in zip(padded, targets.split(lengths.tolist())):
            row[:part.numel()] = part
        targets = padded
    elif targets.size(1) < longest:
        raise RuntimeError(f"Expected tensor to have size at least {longest} at dimension 1, but got size {targets.size(1)}")
    # Blanks around and between the labels.
    labels = full((batch, 2 * longest + 1), blank, dtype=int64)
    if longest:
        inside = arange(longest).unsqueeze(0) < lengths.unsqueeze(1)
        labels[:, 1::2] = where(inside, targets[:, :longest], blank)
    device = log_probs.device
    at_most = (2 * lengths + 1).unsqueeze(1).to(device)
    labels = labels.to(device)
    places = arange(labels.size(1), device=device).unsqueeze(0)
    # A label may follow the one before the blank between them if it is another.
    jumps = zeros(labels.shape, device=device).to(log_probs.dtype) + _NEVER
    if longest > 1:
        jumps[:, 3::2] = where(labels[:, 3::2] != labels[:, 1:-2:2], 0.0, _NEVER)
    emitted = log_probs.clamp(min=_NEVER).gather(2, labels.unsqueeze(0).expand(steps, -1, -1)).unbind(0)
    valid = inputs.to(device).unsqueeze(1)
    never = full((batch, 2), _NEVER, dtype=log_probs.dtype, device=device)
    alpha = where((places < 2) & (places < at_most), 0.0, _NEVER).to(log_probs.dtype)
    for t, e in enumerate(emitted):
        if t == 0:
            moved = alpha
        else:
            before = cat([never[:, :1], alpha[:, :-1]], 1)
            two = cat([never, alpha[:, :-2]], 1)[:, :alpha.size(1)] + jumps
            moved = logaddexp(logaddexp(alpha, before), two)
        alpha = where(t < valid, (moved + e).clamp(min=2 * _NEVER), alpha)
    # Nothing read: only the empty target is possible.
    alpha = where(valid == 0, where(places == 0, 0.0, _NEVER).to(alpha.dtype), alpha)
    end = (at_most - 1)
    last = alpha.gather(1, end)
    label = where(end > 0, alpha.gather(1, (end - 1).clamp(min=0)), _NEVER)
    loss = -logaddexp(last, label).squeeze(1)
    loss = where(loss > -_NEVER / 2, 0.0 if zero_infinity else float("inf"), loss)
    if reduction == "mean":
        return (loss / lengths.to(device=device, dtype=loss.dtype).clamp(min=1)).mean()
    if reduction == "sum":
        return loss.sum()
    return loss.squeeze(0) if single else loss
