"""Random variables: draw from them, and ask for densities, entropies and divergences, with gradients."""
from .continuous import Exponential, Gumbel, Laplace, LogNormal, Normal, Uniform
from .discrete import Bernoulli, Categorical, Geometric, OneHotCategorical, OneHotCategoricalStraightThrough
from .distribution import Distribution, Independent
from .kl import kl_divergence, register_kl

__all__ = ["Bernoulli", "Categorical", "Distribution", "Exponential", "Geometric", "Gumbel", "Independent", "Laplace", "LogNormal", "Normal",
           "OneHotCategorical", "OneHotCategoricalStraightThrough", "Uniform", "kl_divergence", "register_kl"]
