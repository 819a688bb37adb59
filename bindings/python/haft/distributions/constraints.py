"""What parameters and values of distributions may be."""
import haft
from haft import _haft

__all__ = ["Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than", "greater_than_eq",
           "half_open_interval", "half_open_unit", "independent", "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky",
           "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer",
           "positive_semidefinite", "positive_vector", "real", "real_matrix", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval"]


class Constraint:
    """A condition on values. One of your own writes `check`, and may have an `event_dim`: how many of the last dimensions belong together."""

    event_dim = 0
    is_discrete = False

    def check(self, value):
        """True for each value that satisfies it: bool."""
        raise NotImplementedError

    def __repr__(self):
        return type(self).__name__.lstrip("_") + "()"


class _Asked(Constraint):
    """One that something else checks."""

    def __init__(self, text, check, event_dim=0):
        self._text, self.check, self.event_dim = text, check, event_dim

    def __repr__(self):
        return self._text


def _named(name, kind, event_dim=0, is_discrete=False):
    # Each has a class of its own, by which registries know it.
    return type(kind, (Constraint,), {"check": lambda self, value: _haft.check_constraint(name, value), "event_dim": event_dim, "is_discrete": is_discrete,
                                      "__reduce__": lambda self: name, "__module__": __name__})()


def _bounded(kind, text, bounds, holds, is_discrete=False):
    # Of numbers or tensors, by which they are compared.
    names = bounds.split()

    def start(self, *args, **kwargs):
        given = dict(zip(names, args), **kwargs)
        if len(args) + len(kwargs) != len(names) or sorted(given) != sorted(names):
            raise TypeError(f"{kind}() takes {' and '.join(names)}, got {args} and {kwargs}")
        self.__dict__.update(given)

    def show(self):
        return f"{text}({', '.join(f'{n}={getattr(self, n)}' for n in names)})"
    return type(kind, (Constraint,), {"__doc__": f"{text}: {' and '.join(names)} are numbers or tensors.", "__init__": start, "__repr__": show,
                                      "check": lambda self, value: holds(value, *(getattr(self, n) for n in names)), "is_discrete": is_discrete, "__module__": __name__})


interval = _bounded("interval", "Interval", "lower_bound upper_bound", lambda v, low, high: (v >= low) & (v <= high))
half_open_interval = _bounded("half_open_interval", "HalfOpenInterval", "lower_bound upper_bound", lambda v, low, high: (v >= low) & (v < high))
greater_than = _bounded("greater_than", "GreaterThan", "lower_bound", lambda v, low: v > low)
greater_than_eq = _bounded("greater_than_eq", "GreaterThanEq", "lower_bound", lambda v, low: v >= low)
less_than = _bounded("less_than", "LessThan", "upper_bound", lambda v, high: v < high)
integer_interval = _bounded("integer_interval", "IntegerInterval", "lower_bound upper_bound", lambda v, low, high: (v % 1 == 0) & (v >= low) & (v <= high), True)
_integer_from = _bounded("_integer_from", "IntegerGreaterThan", "lower_bound", lambda v, low: (v % 1 == 0) & (v >= low), True)


class multinomial(Constraint):
    """Vectors of counts that add up to upper_bound or less."""

    event_dim = 1
    is_discrete = True

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, value):
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class independent(Constraint):
    """Of values whose last dimensions belong together, all of which satisfy another."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        if reinterpreted_batch_ndims < 0:
            raise ValueError(f"reinterpreted_batch_ndims must not be negative, got {reinterpreted_batch_ndims}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims

    event_dim = property(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)
    is_discrete = property(lambda self: self.base_constraint.is_discrete)

    def check(self, value):
        if value.ndim < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return _all(self.base_constraint.check(value), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint}, {self.reinterpreted_batch_ndims})"


def _all(holds, count):
    return holds.reshape(*holds.shape[:holds.ndim - count], -1).all(-1) if count else holds


class MixtureSameFamilyConstraint(Constraint):
    """Of values that each component of a mixture may have."""

    def __init__(self, base_constraint):
        self.base_constraint = base_constraint

    event_dim = property(lambda self: self.base_constraint.event_dim)
    is_discrete = property(lambda self: self.base_constraint.is_discrete)

    def check(self, value):
        return self.base_constraint.check(value.unsqueeze(-1 - self.event_dim)).all(-1)

    def __repr__(self):
        return f"MixtureSameFamilyConstraint({self.base_constraint})"


class cat(Constraint):
    """Of parts one behind the other along a dimension, each with a constraint and a length (left out: 1)."""

    def __init__(self, cseq, dim=0, lengths=None):
        self.cseq, self.dim = list(cseq), dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise ValueError(f"cat: {len(self.cseq)} constraints want as many lengths, got {self.lengths}")

    event_dim = property(lambda self: max(c.event_dim for c in self.cseq))
    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))

    def check(self, value):
        count = self.event_dim
        parts = [_all(c.check(v), count - c.event_dim) for c, v in zip(self.cseq, value.split(self.lengths, self.dim))]
        at = (self.dim if self.dim < 0 else self.dim - value.ndim) + count
        if at < 0:
            return haft.cat(parts, at)
        return haft.stack(parts).all(0)


class stack(Constraint):
    """Of parts one behind the other along a dimension of their own, each with a constraint."""

    def __init__(self, cseq, dim=0):
        self.cseq, self.dim = list(cseq), dim

    @property
    def event_dim(self):
        """Dimensions that belong together: one more where the parts lie within them."""
        count = max(c.event_dim for c in self.cseq)
        return count + (-count <= self.dim < 0)

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))

    def check(self, value):
        count = max(c.event_dim for c in self.cseq)
        parts = [_all(c.check(v), count - c.event_dim) for c, v in zip(self.cseq, value.unbind(self.dim))]
        if self.event_dim > count:
            return haft.stack(parts).all(0)
        return haft.stack(parts, self.dim if self.dim >= 0 else self.dim + count)


class _Dependent(Constraint):
    """Stands for what depends on the parameters of a distribution."""

    def __init__(self, *, is_discrete=None, event_dim=None):
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete=None, event_dim=None):
        return _Dependent(is_discrete=self._is_discrete if is_discrete is None else is_discrete, event_dim=self._event_dim if event_dim is None else event_dim)

    @property
    def is_discrete(self):
        """Whether values are apart from each other."""
        if self._is_discrete is None:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self):
        """Dimensions that belong together."""
        if self._event_dim is None:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def check(self, value):
        raise ValueError("Cannot determine validity of dependent constraint")


class dependent_property(property, _Dependent):
    """Decorates a method that answers the constraint of an object; of the class it is one that is not known yet."""

    def __init__(self, fn=None, *, is_discrete=None, event_dim=None):
        property.__init__(self, fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn):
        return dependent_property(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)

    def __repr__(self):
        return "DependentProperty()"


def is_dependent(constraint):
    """Whether a constraint stands for what depends on the parameters of a distribution."""
    return isinstance(constraint, _Dependent)


class _Square(Constraint):
    event_dim = 2

    def check(self, value):
        return haft.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=haft.bool, device=value.device)

    def _square(self, value):
        return value.shape[-2] == value.shape[-1]


class _Symmetric(_Square):
    def check(self, value):
        return haft.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if self._square(value) else super().check(value)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value):
        even = super().check(value)
        return even & (haft.linalg.eigvalsh(value) >= 0).all(-1) if self._square(value) else even


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value):
        return (value.tril() == value).all(-1).all(-1)


real = _named("real", "Real")
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
half_open_unit = half_open_interval(0.0, 1.0)
boolean = _named("boolean", "Boolean", 0, True)
nonnegative_integer = _integer_from(0)
positive_integer = _integer_from(1)
simplex = _named("simplex", "Simplex", 1)
one_hot = _named("one_hot", "OneHot", 1, True)
real_vector = independent(real, 1)
positive_vector = independent(positive, 1)
real_matrix = independent(real, 2)
lower_cholesky = _named("lower_cholesky", "LowerCholesky", 2)
lower_triangular = _LowerTriangular()
corr_cholesky = _named("corr_cholesky", "CorrCholesky", 2)
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _named("positive_definite", "PositiveDefinite", 2)
dependent = _Dependent()
