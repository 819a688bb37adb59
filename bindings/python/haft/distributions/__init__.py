"""Random variables: draw from them, and ask for densities, entropies and divergences, with gradients."""
from . import constraints, transforms
from . import _kinds
from ._kinds import *
from .compound import Independent, MixtureSameFamily
from .distribution import Distribution
from .kl import kl_divergence, register_kl
from .transformed import TransformedDistribution
from .transforms import *

__all__ = sorted([*_kinds.__all__, *transforms.__all__, "Distribution", "Independent", "MixtureSameFamily", "TransformedDistribution", "constraints", "kl_divergence", "register_kl", "transforms"])
