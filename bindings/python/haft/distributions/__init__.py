"""Random variables: draw from them, and ask for densities, entropies and divergences, with gradients."""
from . import constraints
from . import _kinds
from ._kinds import *
from .compound import Independent, MixtureSameFamily
from .distribution import Distribution
from .kl import kl_divergence, register_kl

__all__ = sorted([*_kinds.__all__, "Distribution", "Independent", "MixtureSameFamily", "constraints", "kl_divergence", "register_kl"])
