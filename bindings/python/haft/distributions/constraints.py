"""What parameters and values of distributions may be."""
from haft import _haft


class Constraint:
    """A condition on values; `check` tells which satisfy it. Their last `event_dim` dimensions belong together."""

    def __init__(self, text, check, event_dim=0):
        self._text, self._check, self.event_dim = text, check, event_dim

    def check(self, value):
        """True for each value that satisfies it: bool."""
        return self._check(value)

    def __repr__(self):
        return self._text


def _named(name, text, event_dim=0):
    return Constraint(text, lambda value: _haft.check_constraint(name, value), event_dim)


def interval(lower_bound, upper_bound):
    """From one bound to another, both included."""
    return Constraint(f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})", lambda value: (value >= lower_bound) & (value <= upper_bound))


def greater_than(lower_bound):
    """Above a bound."""
    return Constraint(f"GreaterThan(lower_bound={lower_bound})", lambda value: value > lower_bound)


def less_than(upper_bound):
    """Below a bound."""
    return Constraint(f"LessThan(upper_bound={upper_bound})", lambda value: value < upper_bound)


def independent(base_constraint, reinterpreted_batch_ndims):
    """Of values whose last dimensions belong together, all of which satisfy another."""
    count = reinterpreted_batch_ndims
    if not count:
        return base_constraint

    def check(value):
        holds = base_constraint.check(value)
        return holds.reshape(*holds.shape[:holds.ndim - count], -1).all(-1)
    return Constraint(f"IndependentConstraint({base_constraint}, {count})", check, base_constraint.event_dim + count)


real = _named("real", "Real()")
positive = _named("positive", "GreaterThan(lower_bound=0.0)")
nonnegative = _named("nonnegative", "GreaterThanEq(lower_bound=0.0)")
unit_interval = _named("unit_interval", "Interval(lower_bound=0.0, upper_bound=1.0)")
half_open_unit = _named("half_open_unit", "HalfOpenInterval(lower_bound=0.0, upper_bound=1.0)")
boolean = _named("boolean", "Boolean()")
nonnegative_integer = _named("nonnegative_integer", "IntegerGreaterThan(lower_bound=0)")
simplex = _named("simplex", "Simplex()", 1)
one_hot = _named("one_hot", "OneHot()", 1)
real_vector = _named("real_vector", "IndependentConstraint(Real(), 1)", 1)
positive_vector = _named("positive_vector", "IndependentConstraint(GreaterThan(lower_bound=0.0), 1)", 1)
real_matrix = _named("real_matrix", "IndependentConstraint(Real(), 2)", 2)
lower_cholesky = _named("lower_cholesky", "LowerCholesky()", 2)
positive_definite = _named("positive_definite", "PositiveDefinite()", 2)
