"""Distributions of what transforms make of variables."""
import haft

from . import constraints
from .compound import Independent
from .distribution import Distribution
from .transforms import ComposeTransform, Transform, _sum

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """What transforms make, one after the other, of a distribution's values. Base and transforms may be Python's own.

    Args:
        base_distribution: whose values go through them
        transforms: one, or a list of them
        validate_args: whether values are checked
    """

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError(f"transforms must be a Transform or a list of Transforms, got {transforms!r}")
        whole = ComposeTransform(self.transforms)
        own = (*base_distribution.batch_shape, *base_distribution.event_shape)
        if len(own) < whole.domain.event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but got {own}.")
        shape = whole.forward_shape(own)
        wanted = whole.inverse_shape(shape)
        if tuple(wanted) != own:
            base_distribution = base_distribution.expand(wanted[:len(wanted) - len(base_distribution.event_shape)])
        missing = whole.domain.event_dim - len(base_distribution.event_shape)
        self.base_dist = Independent(base_distribution, missing) if missing > 0 else base_distribution
        inside = whole.codomain.event_dim + max(len(self.base_dist.event_shape) - whole.domain.event_dim, 0)
        at = len(shape) - inside
        super().__init__(shape[:at], shape[at:], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    @constraints.dependent_property
    def support(self):
        """What the last transform answers."""
        return ComposeTransform(self.transforms).codomain if self.transforms else self.base_dist.support

    def _through(self, x):
        for t in self.transforms:
            x = t(x)
        return x

    def _back(self, y):
        for t in reversed(self.transforms):
            y = t._back(y)
        return y

    def _turned(self, p):
        sign = ComposeTransform(self.transforms).sign
        return p if isinstance(sign, int) and sign == 1 else sign * (p - 0.5) + 0.5

    def sample(self, sample_shape=()):
        with haft.no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._through(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        count, y, total = len(self._event_shape), value, 0
        for t in reversed(self.transforms):
            x = t._back(y)
            count += t.domain.event_dim - t.codomain.event_dim
            total = total - _sum(t.log_abs_det_jacobian(x, y), count - t.domain.event_dim)
            y = x
        return total + _sum(self.base_dist.log_prob(y), count - len(self.base_dist.event_shape))

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._turned(self.base_dist.cdf(self._back(value)))

    def icdf(self, value):
        return self._through(self.base_dist.icdf(self._turned(value)))

    def expand(self, batch_shape, _instance=None):
        shape = ComposeTransform(self.transforms).inverse_shape((*batch_shape, *self._event_shape))
        base = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return TransformedDistribution(base, self.transforms, self._validate_args)

    def __repr__(self):
        return f"TransformedDistribution({self.base_dist}, {self.transforms})"
