"""The gamma distribution and those that are made of gamma variables; all have rsample."""
import math

import haft

from .distribution import POSITIVE, REAL, Distribution, tensors

_SIMPLEX = (lambda t: (t >= 0).all(-1) & ((t.sum(-1) - 1).abs() < 1e-6 * t.size(-1) + 1e-6), "Simplex()")


class Gamma(Distribution):
    """The gamma distribution of shape parameter concentration and rate."""

    has_rsample = True
    arg_constraints = {"concentration": POSITIVE, "rate": POSITIVE}

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = tensors(concentration, rate)
        super().__init__(self.concentration.shape, (), validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    variance = property(lambda self: self.concentration / self.rate.square())
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        x = haft.standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        # A logarithm of what underflowed stays finite.
        return x + (x.detach().clamp(min=haft.finfo(x.dtype).tiny) - x.detach())

    def log_prob(self, value):
        self._check(value, lambda v: v >= 0, "GreaterThanEq(lower_bound=0.0)")
        a, rate = self.concentration, self.rate
        return haft.xlogy(a, rate) + haft.xlogy(a - 1, value) - rate * value - a.lgamma()

    def entropy(self):
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()


class Chi2(Gamma):
    """The sum of squares of df normal variables."""

    arg_constraints = {"df": POSITIVE}

    def __init__(self, df, validate_args=None):
        self.df, = tensors(df)
        super().__init__(0.5 * self.df, 0.5, validate_args)


class Dirichlet(Distribution):
    """Parts of a whole, (..., k): gamma variables of shape parameters concentration, divided by their sum."""

    has_rsample = True
    arg_constraints = {"concentration": POSITIVE}

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.square() * (total + 1))

    @property
    def mode(self):
        most = (self.concentration - 1).clamp(min=0)
        mode, flat = most / most.sum(-1, True), (self.concentration < 1).all(-1, True)
        corner = haft.nn.functional.one_hot(self.concentration.argmax(-1), self.concentration.size(-1)).to(mode.dtype)
        return haft.where(flat, corner, mode)

    def expand(self, batch_shape):
        return Dirichlet(self.concentration.expand((*batch_shape, *self._event_shape)), self._validate_args)

    def rsample(self, sample_shape=()):
        parts = haft.standard_gamma(self.concentration.expand(self._extended_shape(sample_shape)))
        return parts / parts.sum(-1, True)

    def log_prob(self, value):
        self._check(value, *_SIMPLEX)
        a = self.concentration
        return haft.xlogy(a - 1, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self):
        a, k = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        return a.lgamma().sum(-1) - total.lgamma() - (k - total) * total.digamma() - ((a - 1) * a.digamma()).sum(-1)


class Beta(Distribution):
    """A part of a whole: the first of two parts of a Dirichlet distribution."""

    has_rsample = True
    arg_constraints = {"concentration1": POSITIVE, "concentration0": POSITIVE}

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = tensors(concentration1, concentration0)
        super().__init__(self.concentration1.shape, (), validate_args)

    @property
    def _both(self):
        return Dirichlet(haft.stack([self.concentration1, self.concentration0], -1), False)

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._both.mode[..., 0])

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.square() * (total + 1))

    def rsample(self, sample_shape=()):
        return self._both.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        self._check(value, lambda v: (v >= 0) & (v <= 1), "Interval(lower_bound=0.0, upper_bound=1.0)")
        return self._both.log_prob(haft.stack([value, 1 - value], -1))

    def entropy(self):
        return self._both.entropy()


class StudentT(Distribution):
    """loc + scale * t, t of Student's distribution with df degrees of freedom."""

    has_rsample = True
    arg_constraints = {"df": POSITIVE, "loc": REAL, "scale": POSITIVE}

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = tensors(df, loc, scale)
        super().__init__(self.df.shape, (), validate_args)

    mode = property(lambda self: self.loc)
    mean = property(lambda self: self.loc.masked_fill(self.df <= 1, float("nan")))

    @property
    def variance(self):
        of_many = self.scale.square() * self.df / (self.df - 2)
        return haft.where(self.df > 2, of_many, haft.where(self.df > 1, haft.full_like(self.df, float("inf")), haft.full_like(self.df, float("nan"))))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        x = haft.randn(shape, dtype=self.df.dtype, device=self.df.device)
        return self.loc + self.scale * x * (Chi2(self.df, False).rsample(sample_shape) / self.df).rsqrt()

    def log_prob(self, value):
        self._check(value)
        y = (value - self.loc) / self.scale
        scale = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1)).lgamma()
        return -0.5 * (self.df + 1) * (y.square() / self.df).log1p() - scale

    def entropy(self):
        half = 0.5 * (self.df + 1)
        beta = (0.5 * self.df).lgamma() + math.log(math.pi) / 2 - half.lgamma()
        return self.scale.log() + half * (half.digamma() - (0.5 * self.df).digamma()) + 0.5 * self.df.log() + beta
