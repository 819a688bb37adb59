"""Transforms of unconstrained numbers to what a constraint allows."""
from . import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Answers a transform for a constraint: registry(constraint). `register` adds the rule of a class of constraints."""

    def __init__(self):
        self._rules = {}

    def register(self, constraint, factory=None):
        """factory(constraint) makes the transform of constraints of a class, which is named by itself or by one of them. Without factory
        it decorates one."""
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = constraint if isinstance(constraint, type) else type(constraint)
        if not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._rules[kind] = factory
        return factory

    def __call__(self, constraint):
        """The transform of a constraint; NotImplementedError where there is no rule."""
        rule = self._rules.get(type(constraint))
        if rule is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return rule(constraint)


# To values one to one, and to values by each number for itself, more of them where need be.
biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _zero(bound):
    return isinstance(bound, (int, float)) and bound == 0


def _above(c):
    return transforms.ExpTransform() if _zero(c.lower_bound) else transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(c.lower_bound, 1)])


def _below(c):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(c.upper_bound, -1)])


def _within(c):
    if _zero(c.lower_bound) and isinstance(c.upper_bound, (int, float)) and c.upper_bound == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(c.lower_bound, c.upper_bound - c.lower_bound)])


def _parts(registry):
    registry.register(constraints.independent, lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims))
    registry.register(constraints.cat, lambda c: transforms.CatTransform([registry(one) for one in c.cseq], c.dim, c.lengths))
    registry.register(constraints.stack, lambda c: transforms.StackTransform([registry(one) for one in c.cseq], c.dim))


for _registry in (biject_to, transform_to):
    _registry.register(constraints.real, lambda c: transforms.identity_transform)
    _registry.register(constraints.greater_than, _above)
    _registry.register(constraints.greater_than_eq, _above)
    _registry.register(constraints.less_than, _below)
    _registry.register(constraints.interval, _within)
    _registry.register(constraints.half_open_interval, _within)
    _registry.register(constraints.corr_cholesky, lambda c: transforms.CorrCholeskyTransform())
    _parts(_registry)
biject_to.register(constraints.simplex, lambda c: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda c: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda c: transforms.LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda c: transforms.PositiveDefiniteTransform())
transform_to.register(constraints.positive_semidefinite, lambda c: transforms.PositiveDefiniteTransform())
