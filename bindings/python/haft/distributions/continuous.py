"""Distributions of real numbers; all have rsample."""
import math

import haft

from .distribution import POSITIVE, REAL, Distribution, tensors


class _LocScale(Distribution):
    has_rsample = True
    arg_constraints = {"loc": REAL, "scale": POSITIVE}

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = tensors(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    def _uniform(self, sample_shape):
        # Uniform numbers of which logarithms and the like are finite.
        u = haft.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        tiny, eps = haft.finfo(u.dtype).tiny, haft.finfo(u.dtype).eps
        return u.clamp(tiny, 1 - eps)

    mean = property(lambda self: self.loc)


class Normal(_LocScale):
    """The normal distribution of mean loc and standard deviation scale."""

    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.square())
    mode = property(lambda self: self.loc)

    def rsample(self, sample_shape=()):
        return self.loc + haft.randn(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device) * self.scale

    def log_prob(self, value):
        self._check(value)
        return -((value - self.loc) / self.scale).square() / 2 - self.scale.log() - math.log(2 * math.pi) / 2

    def cdf(self, value):
        self._check(value)
        return (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf()) / 2

    def icdf(self, value):
        return self.loc + self.scale * haft.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class LogNormal(Distribution):
    """exp of a normal variable of mean loc and standard deviation scale."""

    has_rsample = True
    arg_constraints = {"loc": REAL, "scale": POSITIVE}

    def __init__(self, loc, scale, validate_args=None):
        self.base_dist = Normal(loc, scale, validate_args)
        self.loc, self.scale = self.base_dist.loc, self.base_dist.scale
        super().__init__(self.loc.shape, (), validate_args)

    mean = property(lambda self: (self.loc + self.scale.square() / 2).exp())
    variance = property(lambda self: self.scale.square().expm1() * (2 * self.loc + self.scale.square()).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape).exp()

    def log_prob(self, value):
        self._check(value, *POSITIVE)
        return self.base_dist.log_prob(value.log()) - value.log()

    def cdf(self, value):
        self._check(value, *POSITIVE)
        return self.base_dist.cdf(value.log())

    def entropy(self):
        return self.base_dist.entropy() + self.loc


class Laplace(_LocScale):
    """exp(-|x - loc| / scale) / (2 scale)."""

    stddev = property(lambda self: math.sqrt(2) * self.scale)
    variance = property(lambda self: 2 * self.scale.square())
    mode = property(lambda self: self.loc)

    def rsample(self, sample_shape=()):
        u = self._uniform(sample_shape) * 2 - 1
        return self.loc - self.scale * u.sign() * (-u.abs()).clamp(min=haft.finfo(u.dtype).eps - 1).log1p()

    def log_prob(self, value):
        self._check(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value):
        self._check(value)
        x = value - self.loc
        return 0.5 - 0.5 * x.sign() * (-x.abs() / self.scale).expm1()

    def icdf(self, value):
        x = value - 0.5
        return self.loc - self.scale * x.sign() * (-2 * x.abs()).log1p()

    def entropy(self):
        return 1 + (2 * self.scale).log()


class Gumbel(_LocScale):
    """The largest of many: density exp(-(z + exp(-z))) / scale at z = (x - loc) / scale."""

    mean = property(lambda self: self.loc + self.scale * 0.57721566490153286)
    variance = property(lambda self: math.pi ** 2 / 6 * self.scale.square())
    mode = property(lambda self: self.loc)

    def rsample(self, sample_shape=()):
        return self.loc - self.scale * (-self._uniform(sample_shape).log()).log()

    def log_prob(self, value):
        self._check(value)
        z = (value - self.loc) / self.scale
        return -z - (-z).exp() - self.scale.log()

    def cdf(self, value):
        return (-(-(value - self.loc) / self.scale).exp()).exp()

    def entropy(self):
        return self.scale.log() + 1.57721566490153286


class Uniform(Distribution):
    """Equally likely in [low, high)."""

    has_rsample = True
    arg_constraints = {"low": REAL, "high": REAL}

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = tensors(low, high)
        super().__init__(self.low.shape, (), validate_args)
        if self._validate_args and not bool((self.low < self.high).all()):
            raise ValueError("Uniform is not defined when low>= high")

    mean = property(lambda self: (self.high + self.low) / 2)
    variance = property(lambda self: (self.high - self.low).square() / 12)

    def rsample(self, sample_shape=()):
        u = haft.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value):
        self._check(value, lambda v: (v >= self.low) & (v <= self.high), "Interval")
        inside = (value >= self.low) & (value < self.high)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def cdf(self, value):
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return (self.high - self.low).log()


class Exponential(Distribution):
    """rate exp(-rate x) for x >= 0."""

    has_rsample = True
    arg_constraints = {"rate": POSITIVE}

    def __init__(self, rate, validate_args=None):
        self.rate, = tensors(rate)
        super().__init__(self.rate.shape, (), validate_args)

    mean = property(lambda self: self.rate.reciprocal())
    stddev = property(lambda self: self.rate.reciprocal())
    variance = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape=()):
        u = haft.rand(self._extended_shape(sample_shape), dtype=self.rate.dtype, device=self.rate.device)
        return -(-u).log1p() / self.rate

    def log_prob(self, value):
        self._check(value, lambda v: v >= 0, "GreaterThanEq(lower_bound=0.0)")
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        return -(-self.rate * value).expm1()

    def icdf(self, value):
        return -(-value).log1p() / self.rate

    def entropy(self):
        return 1 - self.rate.log()
