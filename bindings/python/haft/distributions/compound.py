"""Distributions that are made of others, which may be Python's own."""
from haft import _haft

from . import constraints
from ._engine import EngineDistribution
from ._kinds import Categorical, LKJCholesky, LogisticNormal, LogNormal, Normal
from .distribution import Distribution


__all__ = ["Independent", "MixtureSameFamily"]

LogNormal.base_dist = property(lambda self: Normal(self.loc, self.scale, False), doc="The distribution of the logarithm.")
LogisticNormal.base_dist = property(lambda self: Independent(Normal(self.loc, self.scale, False), 1), doc="The normal variables.")
LKJCholesky.dim = property(lambda self: self.event_shape[-1], doc="Rows of a matrix.")


class Independent(Distribution):
    """The last dimensions of a distribution's batch as parts of one event."""

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        shape = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                             f"actual {reinterpreted_batch_ndims} vs {len(shape)}")
        at = len(shape) - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:at], (*shape[at:], *base_distribution.event_shape), validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    has_enumerate_support = False
    support = constraints.dependent_property(lambda self: self.base_dist.support and constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims))
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)

    def _sum(self, t):
        n = self.reinterpreted_batch_ndims
        return t.sum(list(range(-n, 0))) if n else t

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return self._sum(self.base_dist.log_prob(value))

    def entropy(self):
        return self._sum(self.base_dist.entropy())

    def expand(self, batch_shape, _instance=None):
        at = len(self._event_shape) - len(self.base_dist.event_shape)
        return Independent(self.base_dist.expand((*batch_shape, *self._event_shape[:at])), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamily(EngineDistribution):
    """A mixture of distributions of one kind: the components lie along the last dimension of their batch.

    Args:
        mixture_distribution: a Categorical, the probability of each component
        component_distribution: the components, of the engine
        validate_args: whether values are checked
    """

    _kind = "MixtureSameFamily"

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(f"MixtureSameFamily: the mixture is a Categorical, got {type(mixture_distribution).__name__}")
        if not isinstance(component_distribution, EngineDistribution):
            raise ValueError(f"MixtureSameFamily: the components are distributions of haft, got {type(component_distribution).__name__}")
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        self._start((), validate_args)

    def _made(self):
        return _haft.mixture_same_family(self.mixture_distribution._core, self.component_distribution._core, bool(self._validate_args))

    def __repr__(self):
        return f"MixtureSameFamily({self.mixture_distribution}, {self.component_distribution})"
