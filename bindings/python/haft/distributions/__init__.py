"""Random variables: draw from them, and ask for densities, entropies and divergences, with gradients."""
from . import constraint_registry, constraints, transforms
from . import _kinds
from ._kinds import *
from .constraint_registry import biject_to, transform_to
from .compound import Independent, MixtureSameFamily
from .distribution import Distribution
from .kl import kl_divergence, register_kl
from .transformed import TransformedDistribution
from .transforms import *

__all__ = sorted([*_kinds.__all__, *transforms.__all__, "Distribution", "Independent", "MixtureSameFamily", "TransformedDistribution", "biject_to", "constraint_registry", "constraints",
                  "kl_divergence", "register_kl", "transform_to", "transforms"])
