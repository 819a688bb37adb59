"""What distributions have in common."""
import haft
from haft import Size, Tensor


def _absent(self, *value):
    raise NotImplementedError


class Distribution:
    """Base of all: `batch_shape` independent variables, each with values of `event_shape`.

    A class of your own writes sample or rsample, and log_prob.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints = {}
    support = None
    _validate_args = __debug__

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
            for name, constraint in self.arg_constraints.items():
                value = self.__dict__.get(name)
                if value is not None and not bool(constraint.check(value.detach()).all()):
                    raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                                     f"{type(self).__name__} to satisfy the constraint {constraint}, but found invalid values:\n{value}")

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the independent variables.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of one value.")

    mean = mode = variance = property(_absent)

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

    def expand(self, batch_shape, _instance=None):
        """The same with a larger batch_shape."""
        raise NotImplementedError

    def _extended_shape(self, sample_shape=()):
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    @staticmethod
    def _value(value):
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        return value

    def _validate_sample(self, value):
        shape, own = tuple(self._value(value).shape), tuple(self._extended_shape())
        count = len(self._event_shape)
        if count and shape[-count:] != tuple(self._event_shape):
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {tuple(self._event_shape)}.")
        for i, j in zip(reversed(shape), reversed(own)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {own}.")
        if self.support is not None and not bool(self.support.check(value.detach()).all()):
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {shape}) to be within the support ({self.support}) of the "
                             f"distribution {self!r}, but found invalid values:\n{value}")

    def __repr__(self):
        shown = ", ".join(f"{k}: {v.item() if v.numel() == 1 else v.size()}" for k in self.arg_constraints
                          if isinstance(v := self.__dict__.get(k), Tensor))
        return f"{type(self).__name__}({shown})"
