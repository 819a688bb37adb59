"""What distributions have in common."""
import haft
from haft import Size, Tensor

_validate = __debug__


def tensors(*values):
    """Numbers and tensors as tensors of one broadcast shape."""
    like = next((v for v in values if isinstance(v, Tensor)), None)
    made = [v if isinstance(v, Tensor) else haft.tensor(float(v), dtype=None if like is None or not like.dtype.is_floating_point else like.dtype,
                                                       device=None if like is None else like.device) for v in values]
    return haft.broadcast_tensors(*made)


def _absent(self, *value):
    raise NotImplementedError


class Distribution:
    """Base of all: `batch_shape` independent variables, each with values of `event_shape`.

    A class of your own writes sample or rsample, and log_prob.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints = {}
    _validate_args = _validate

    @staticmethod
    def set_default_validate_args(value):
        """Whether arguments and values are checked where a distribution does not say."""
        if value not in (True, False):
            raise ValueError("set_default_validate_args: True or False")
        Distribution._validate_args = value

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, (holds, text) in self.arg_constraints.items():
                value = self.__dict__.get(name)
                if value is not None and not bool(holds(value.detach()).all()):
                    raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                                     f"{type(self).__name__} to satisfy the constraint {text}, but found invalid values:\n{value}")

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the independent variables.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of one value.")

    mean = variance = property(_absent)

    @property
    def stddev(self):
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape=()):
        """Values of sample_shape + batch_shape + event_shape, without gradients."""
        with haft.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Values that gradients pass through to the parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample")

    def sample_n(self, n):
        return self.sample((n,))

    def log_prob(self, value):
        """The logarithm of density or probability of a value."""
        raise NotImplementedError

    cdf = icdf = entropy = _absent

    def perplexity(self):
        """exp of the entropy."""
        return self.entropy().exp()

    def enumerate_support(self, expand=True):
        """All values of a discrete distribution along a new first dimension."""
        raise NotImplementedError

    def expand(self, batch_shape):
        """The same with a larger batch_shape."""
        if not self.arg_constraints:
            raise NotImplementedError
        return type(self)(*(getattr(self, name).expand(batch_shape) for name in self.arg_constraints), validate_args=self._validate_args)

    def _extended_shape(self, sample_shape=()):
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _check(self, value, holds=None, text=""):
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        if not self._validate_args:
            return
        shape, own = tuple(value.shape), (*self._batch_shape, *self._event_shape)
        count = len(self._event_shape)
        if count and shape[-count:] != tuple(self._event_shape):
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {tuple(self._event_shape)}.")
        for i, j in zip(reversed(shape), reversed(own)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {own}.")
        if holds is not None and not bool(holds(value.detach()).all()):
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {shape}) to be within the support ({text}) of the "
                             f"distribution {self!r}, but found invalid values:\n{value}")

    def __repr__(self):
        shown = ", ".join(f"{k}: {v.item() if v.numel() == 1 else v.size()}" for k in self.arg_constraints
                          if isinstance(v := self.__dict__.get(k), Tensor))
        return f"{type(self).__name__}({shown})"


POSITIVE = (lambda t: t > 0, "GreaterThan(lower_bound=0.0)")
REAL = (lambda t: t == t, "Real()")


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
    mean = property(lambda self: self.base_dist.mean)
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

    def expand(self, batch_shape):
        at = len(self._event_shape) - len(self.base_dist.event_shape)
        return Independent(self.base_dist.expand((*batch_shape, *self._event_shape[:at])), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"
