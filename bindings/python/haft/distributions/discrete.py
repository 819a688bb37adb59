"""Distributions of a finite or countable number of values, by probabilities or by logits."""
import haft
from haft.nn import functional as F

from .distribution import REAL, Distribution, tensors

_UNIT = (lambda t: (t >= 0) & (t <= 1), "Interval(lower_bound=0.0, upper_bound=1.0)")
_SIMPLEX = (lambda t: (t >= 0).all(-1) & ((t.sum(-1) - 1).abs() < 1e-6), "Simplex()")


def _clamped(probs):
    eps = haft.finfo(probs.dtype).eps
    return probs.clamp(eps, 1 - eps)


class _Discrete(Distribution):
    # By either of two: the other follows.
    def _take(self, probs, logits):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self._probs, self._logits = probs, logits

    @property
    def _given(self):
        return ("probs", self._probs) if self._logits is None else ("logits", self._logits)

    param_shape = property(lambda self: self._given[1].shape)

    def expand(self, batch_shape):
        name, v = self._given
        return type(self)(**{name: v.expand((*batch_shape, *v.shape[len(self._batch_shape):]))}, validate_args=self._validate_args)

    def __repr__(self):
        name, v = self._given
        return f"{type(self).__name__}({name}: {v.item() if v.numel() == 1 else v.size()})"


class _Binary(_Discrete):
    arg_constraints = {"_probs": _UNIT, "_logits": REAL}

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(*(None if v is None else tensors(v)[0] for v in (probs, logits)))
        super().__init__(self.param_shape, (), validate_args)

    @property
    def probs(self):
        """The probability of 1."""
        return self._logits.sigmoid() if self._probs is None else self._probs

    @property
    def logits(self):
        """log(p / (1 - p))."""
        if self._logits is not None:
            return self._logits
        p = _clamped(self._probs)
        return p.log() - (-p).log1p()


class Bernoulli(_Binary):
    """1 with a probability, else 0."""

    has_enumerate_support = True
    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape=()):
        with haft.no_grad():
            return haft.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value, lambda v: (v == 0) | (v == 1), "Boolean()")
        logits, value = haft.broadcast_tensors(self.logits, value.to(self.logits.dtype))
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        p = self._given[1]
        values = haft.arange(2, dtype=p.dtype, device=p.device).reshape(-1, *[1] * len(self._batch_shape))
        return values.expand((2, *self._batch_shape)) if expand else values


class Geometric(_Binary):
    """How often a trial fails before it succeeds."""

    mean = property(lambda self: 1 / self.probs - 1)
    variance = property(lambda self: (1 / self.probs - 1) / self.probs)

    def sample(self, sample_shape=()):
        with haft.no_grad():
            p = self.probs.expand(self._extended_shape(sample_shape))
            u = haft.rand(p.shape, dtype=p.dtype, device=p.device).clamp(min=haft.finfo(p.dtype).tiny)
            return (u.log() / (-p).log1p()).floor()

    def log_prob(self, value):
        self._check(value, lambda v: (v >= 0) & (v == v.floor()), "IntegerGreaterThan(lower_bound=0)")
        p = self.probs
        return value * haft.where((p == 1) & (value == 0), 0.0, (-p).log1p()) + p.log()

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Categorical(_Discrete):
    """One of K numbers, by K probabilities (or weights, or logits) in the last dimension."""

    has_enumerate_support = True
    arg_constraints = {"_probs": _SIMPLEX, "_logits": REAL}

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(probs, logits)
        name, given = self._given
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        self._take(None if probs is None else probs / probs.sum(-1, keepdim=True),
                   None if logits is None else logits - logits.logsumexp(-1, keepdim=True))
        self._num_events = given.size(-1)
        super().__init__(given.shape[:-1], (), validate_args)

    @property
    def probs(self):
        return self._logits.softmax(-1) if self._probs is None else self._probs

    @property
    def logits(self):
        return _clamped(self._probs).log() if self._logits is None else self._logits

    @property
    def mean(self):
        return haft.full(self._batch_shape, float("nan"), dtype=self.probs.dtype)

    variance = mean

    @property
    def mode(self):
        return self.probs.argmax(-1)

    def sample(self, sample_shape=()):
        with haft.no_grad():
            flat = self.probs.reshape(-1, self._num_events)
            count = haft.Size(sample_shape).numel()
            drawn = haft.multinomial(flat, count, True) if count and flat.size(0) else haft.empty(flat.size(0), count, dtype=haft.int64)
            return drawn.t().reshape((*sample_shape, *self._batch_shape))

    def log_prob(self, value):
        self._check(value, lambda v: (v >= 0) & (v < self._num_events) & (v == v.floor() if v.dtype.is_floating_point else v == v),
                    f"IntegerInterval(lower_bound=0, upper_bound={self._num_events - 1})")
        shape = haft.broadcast_shapes(value.shape, self._batch_shape)
        logits = self.logits.expand((*shape, self._num_events))
        return logits.gather(-1, value.long().expand(shape).unsqueeze(-1)).squeeze(-1)

    def entropy(self):
        logits = self.logits.clamp(min=haft.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = haft.arange(self._num_events).reshape(-1, *[1] * len(self._batch_shape))
        return values.expand((self._num_events, *self._batch_shape)) if expand else values


class OneHotCategorical(Distribution):
    """Categorical with vectors of one 1 as values."""

    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits, validate_args)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))
    mode = property(lambda self: F.one_hot(self.probs.argmax(-1), self.probs.size(-1)).to(self.probs.dtype))
    param_shape = property(lambda self: self._categorical.param_shape)

    def expand(self, batch_shape):
        c = self._categorical.expand(batch_shape)
        return type(self)(c._probs, c._logits, self._validate_args)

    def sample(self, sample_shape=()):
        return F.one_hot(self._categorical.sample(sample_shape), self.probs.size(-1)).to(self.probs.dtype)

    def log_prob(self, value):
        self._check(value, lambda v: ((v == 0) | (v == 1)).all(-1) & (v.sum(-1) == 1), "OneHot()")
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.probs.size(-1)
        values = haft.eye(n, dtype=self.probs.dtype).reshape(n, *[1] * len(self._batch_shape), n)
        return values.expand((n, *self._batch_shape, n)) if expand else values

    def __repr__(self):
        return f"{type(self).__name__}({self._categorical!r})"


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples pass their gradient on to the probabilities (Bengio et al., 2013)."""

    has_rsample = True

    def rsample(self, sample_shape=()):
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
