"""Optimizers around another one."""
from ...optim import Optimizer

__all__ = ["OptimizerAround"]


class OptimizerAround(Optimizer):
    """What ``self.optim`` has, under its own names; schedules and hooks of steps are this object's."""

    def __init__(self, optim):
        self.optim = optim
        self._without_hooks()

    @property
    def defaults(self):
        """Options of groups that do not say otherwise."""
        return self.optim.defaults

    @property
    def param_groups(self):
        """The groups of parameters, each with its options."""
        return self.optim.param_groups

    @property
    def state(self):
        """What is remembered of each parameter."""
        return self.optim.state

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters, or fills them with zeros."""
        self.optim.zero_grad(set_to_none)

    def add_param_group(self, param_group):
        """Adds parameters with options of their own; all processes call it."""
        self.optim.add_param_group(param_group)

    def __repr__(self):
        return f"{type(self).__name__}({self.optim!r})"
