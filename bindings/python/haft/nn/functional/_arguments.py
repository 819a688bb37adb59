"""What functions of _forms.py make of arguments that are more than an operator takes."""
from __future__ import annotations

import warnings

from ... import Tensor, float32, float64, int64, rand, tensor
from ..._library import raw as R
from ._reduction import number_of

MEAN = ("reduction: 'mean' divides the total loss by both the batch size and the support size."
        "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
        "'mean' will be changed to behave the same as 'batchmean' in the next major release.")


def put(value: Tensor, input: Tensor, inplace: bool) -> Tensor:
    """The value, written into the input where the caller asked for that."""
    return input.copy_(value) if inplace else value


def along(name: str, input: Tensor, dim: int | None, dtype) -> tuple[Tensor, int]:
    """The input in the wanted type, and a dimension."""
    if dim is None:
        warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as "
                      "an argument.", stacklevel=3)
        dim = 0 if input.dim() in (0, 1, 3) else 1
    return (input if dtype is None else input.to(dtype)), dim


def leaves(p: float, training: bool) -> bool:
    """Whether a dropout answers the input itself, in place, too: what others keep of it stays as it is."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return not training or p == 0


def without_features(input: Tensor, p: float, training: bool, inplace: bool, single: int | None = None) -> Tensor:
    """Dropout of whole channels; an input of `single` dimensions has no batch."""
    if leaves(p, training):
        return input
    out = R.feature_dropout(input.unsqueeze(0), p, True).squeeze(0) if input.dim() == single else R.feature_dropout(input, p, True)
    return put(out, input, inplace)


def spread(value, n: int, name: str = "value") -> list[int]:
    """n numbers from one number or from a sequence."""
    if isinstance(value, int):
        return [value] * n
    value = [int(v) for v in value]
    if len(value) == 1:
        return value * n
    if len(value) != n:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {n} values to match the "
                           f"convolution dimensions, but got {name}={value}")
    return value


def fractional(n: int, input: Tensor, kernel_size, output_size, output_ratio, samples: Tensor | None) -> tuple[Tensor, Tensor]:
    """Pooling by windows that begin at random distances: maxima and their places."""
    name = f"fractional_max_pool{n}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * n
        output_size = [int(size * ratio) for size, ratio in zip(input.shape[-n:], ratios)]
    if samples is None:
        batch = input.shape[:-n] if input.dim() == n + 2 else (1, *input.shape[:-n])
        samples = rand(*batch, n, dtype=float64 if input.dtype is float64 else float32, device=input.device)
    return getattr(R, name)(input, samples, spread(kernel_size, n), spread(output_size, n))


def shortened(index: Tensor, weight: Tensor, max_norm: float | None, norm_type: float) -> Tensor:
    """The weight, whose rows that are looked up and longer than max_norm are scaled to it in place."""
    if max_norm is not None:
        R.embedding_renorm(weight, index, max_norm, norm_type)
    return weight


def row(number: int | None, weight: Tensor) -> int:
    """A row from the front; -1 is none."""
    return -1 if number is None else number % weight.size(0)


def lengths(value, n: int, name: str) -> Tensor:
    """Lengths of n sequences, which may be plain numbers."""
    t = value.to(int64).reshape(-1) if isinstance(value, Tensor) else tensor([value] if isinstance(value, int) else list(value), dtype=int64)
    if t.numel() != n:
        raise RuntimeError(f"{name}_lengths must be of size batch_size")
    return t


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The losses of all elements, or what becomes of them."""
    number = number_of(reduction)
    return loss.mean() if number == 1 else loss.sum() if number == 2 else loss
