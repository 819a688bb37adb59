"""How losses say what becomes of the losses of all elements, and PyTorch's warning."""
from __future__ import annotations

import warnings

from ... import Tensor

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def number_of(name: str, size_average=None, reduce=None) -> int:
    if size_average is not None or reduce is not None:
        name = legacy_name(size_average, reduce)
    try:
        return _NUMBERS[name]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is not a valid value for reduction") from None


def legacy_name(size_average, reduce) -> str:
    name = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.",
                  stacklevel=4)
    return name


def warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        warnings.warn(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
                      "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
                      "same size.", stacklevel=3)
