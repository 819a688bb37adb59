"""Normalisation over features, groups of channels and neighbouring channels."""
from ._layers import GroupNorm, LayerNorm, RMSNorm  # noqa: F401
from ._functions import LocalResponseNorm  # noqa: F401
