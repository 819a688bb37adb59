"""What the distributions of the engine have in common."""
import copy

import haft
from haft import Tensor, _haft

from . import constraints
from .distribution import Distribution


def _parameter(name, doc):
    return property(lambda self: self._core.parameter(name), doc=doc)


def _asked(name, doc):
    return property(lambda self: getattr(self._core, name)(), doc=doc)


def _tensors(given):
    # Numbers have the type and place of the first tensor.
    like = next((v for v in given if isinstance(v, Tensor)), None)
    dtype = like.dtype if like is not None and like.dtype.is_floating_point else None
    device = None if like is None else like.device
    return [v if v is None or isinstance(v, Tensor) else haft.tensor(float(v), dtype=dtype, device=device) for v in given]


_NAMED = {str(c): c for c in (constraints.real, constraints.positive, constraints.nonnegative, constraints.unit_interval, constraints.boolean, constraints.simplex,
                              constraints.nonnegative_integer, constraints.one_hot, constraints.real_vector, constraints.positive_definite, constraints.corr_cholesky)}
# Those with bounds of their own.
_BOUNDED = {"Uniform": lambda d: constraints.interval(d.low, d.high), "Pareto": lambda d: constraints.greater_than_eq(d.scale),
            "GeneralizedPareto": lambda d: constraints.interval(d.loc, haft.where(d.concentration < 0, d.loc - d.scale / d.concentration, haft.inf)),
            "Binomial": lambda d: constraints.integer_interval(0, d.total_count), "Categorical": lambda d: constraints.integer_interval(0, d.param_shape[-1] - 1),
            "Multinomial": lambda d: constraints.multinomial(d.total_count)}


class _Support(constraints.dependent_property):
    # Of a class, too, where it does not depend on the parameters.
    def __get__(self, distribution, kind=None):
        return kind._values if distribution is None and kind._values else super().__get__(distribution, kind)


class EngineDistribution(Distribution):
    """A distribution that the engine computes."""

    _kind = ""  # the engine's name of it
    _names = ()  # its parameters, in the engine's order
    _values = None  # what its values are, unless that depends on the parameters

    def _start(self, given, validate_args):
        if validate_args is not None:
            self._validate_args = bool(validate_args)
        self._parameters = dict(zip(self._names, _tensors(given)))
        self._hold(self._made())

    def _made(self):
        return _haft.Distribution(self._kind, list(self._parameters.values()), bool(self._validate_args))

    def _hold(self, core):
        self._engine, self._batch_shape, self._event_shape = core, core.batch_shape(), core.event_shape()

    @property
    def _core(self):
        if self._engine is None:  # a copy, or unpickled
            self._hold(self._made())
        return self._engine

    def __getstate__(self):
        return {**self.__dict__, "_engine": None}

    mean = _asked("mean", "The mean.")
    mode = _asked("mode", "The likeliest value.")
    variance = _asked("variance", "The variance.")
    stddev = _asked("stddev", "The root of the variance.")

    @_Support
    def support(self):
        """What its values are."""
        text, bounded = self._core.support(), _BOUNDED.get(self._kind)
        if bounded is None:
            return _NAMED.get(text) or constraints._Asked(text, self._in_support, len(self._event_shape))
        constraint = bounded(self)
        constraint.check = self._in_support
        return constraint

    def _in_support(self, value):  # a method of this class, with which constraints are pickled
        return self._core.in_support(value)

    @property
    def param_shape(self):
        """The shape of probs or logits."""
        return next(v for k, v in self._parameters.items() if v is not None and k in ("probs", "logits")).shape

    def sample(self, sample_shape=()):
        return self._core.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self._core.rsample(sample_shape)

    def log_prob(self, value):
        return self._core.log_prob(self._value(value))

    def cdf(self, value):
        return self._core.cdf(self._value(value))

    def icdf(self, value):
        return self._core.icdf(self._value(value))

    def entropy(self):
        return self._core.entropy()

    def enumerate_support(self, expand=True):
        return self._core.enumerate_support(expand)

    def expand(self, batch_shape, _instance=None):
        new = copy.copy(self)
        new._hold(self._core.expand(batch_shape))
        new._parameters = {k: None if v is None else new._core.parameter(k) for k, v in self._parameters.items()}
        return new

    def __repr__(self):
        shown = ((k, self._core.parameter(k)) for k, v in self._parameters.items() if v is not None)
        return f"{type(self).__name__}({', '.join(f'{k}: {v.item() if v.numel() == 1 else v.size()}' for k, v in shown)})"
