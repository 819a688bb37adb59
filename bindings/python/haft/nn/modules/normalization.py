"""Normalisation over features, groups of channels and neighbouring channels."""
from ._layers import GroupNorm, LayerNorm, RMSNorm  # noqa: F401
from ._functions import LocalResponseNorm

__all__ = ["CrossMapLRN2d"]


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm by the name that it had in Lua's Torch: x / (k + alpha times the mean of squares over neighbouring channels)^beta.

    PyTorch's own forward pass keeps the first channel's square in the windows of all later ones, an error which its backward pass
    does not have; this computes the definition in both.

    Args:
        size: neighbouring channels
        alpha: factor of the mean
        beta: exponent
        k: what is added before the power
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__(size, alpha, beta, k)
