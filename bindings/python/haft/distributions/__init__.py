"""Random variables: draw from them, and ask for densities, entropies and divergences, with gradients."""
from .continuous import Exponential, Gumbel, Laplace, LogNormal, Normal, Uniform
from .discrete import Bernoulli, Categorical, Geometric, OneHotCategorical, OneHotCategoricalStraightThrough
from .distribution import Distribution, Independent
from .gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from .kl import kl_divergence, register_kl

__all__ = ["Bernoulli", "Beta", "Categorical", "Chi2", "Dirichlet", "Distribution", "Exponential", "Gamma", "Geometric", "Gumbel",
           "Independent", "Laplace", "LogNormal", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "StudentT", "Uniform",
           "kl_divergence", "register_kl"]
