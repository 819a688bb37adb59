"""What parameters and values of distributions may be."""
from haft import _haft


class Constraint:
    """A condition on values; `check` tells which satisfy it."""

    def __init__(self, text, check):
        self._text, self._check = text, check

    def check(self, value):
        """True for each value that satisfies it: bool."""
        return self._check(value)

    def __repr__(self):
        return self._text


def _named(name, text):
    return Constraint(text, lambda value: _haft.check_constraint(name, value))


real = _named("real", "Real()")
positive = _named("positive", "GreaterThan(lower_bound=0.0)")
nonnegative = _named("nonnegative", "GreaterThanEq(lower_bound=0.0)")
unit_interval = _named("unit_interval", "Interval(lower_bound=0.0, upper_bound=1.0)")
half_open_unit = _named("half_open_unit", "HalfOpenInterval(lower_bound=0.0, upper_bound=1.0)")
boolean = _named("boolean", "Boolean()")
nonnegative_integer = _named("nonnegative_integer", "IntegerGreaterThan(lower_bound=0)")
simplex = _named("simplex", "Simplex()")
one_hot = _named("one_hot", "OneHot()")
real_vector = _named("real_vector", "IndependentConstraint(Real(), 1)")
positive_vector = _named("positive_vector", "IndependentConstraint(GreaterThan(lower_bound=0.0), 1)")
lower_cholesky = _named("lower_cholesky", "LowerCholesky()")
positive_definite = _named("positive_definite", "PositiveDefinite()")
