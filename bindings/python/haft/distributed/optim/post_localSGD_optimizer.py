"""Local SGD: an optimizer after whose steps models are averaged."""
import warnings
from collections import OrderedDict

import haft

from ...optim import Optimizer

__all__ = ["PostLocalSGDOptimizer"]


class PostLocalSGDOptimizer(Optimizer):
    """An optimizer together with an averager: a step is that of the optimizer, and then the averager's turn, if it is.

    Args:
        optim: the optimizer of this process
        averager: of haft.distributed.algorithms.model_averaging.averagers
    """

    def __init__(self, optim, averager):
        self.optim, self.averager = optim, averager
        self._pre_hooks, self._post_hooks = OrderedDict(), OrderedDict()

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
        """The optimizer's."""
        return self.optim.state

    def _step(self):
        self.optim.step()
        self.averager.average_parameters(self.param_groups)

    def zero_grad(self, set_to_none=True):
        """Of all parameters."""
        self.optim.zero_grad(set_to_none)

    def add_param_group(self, param_group):
        """To be called before the first step."""
        self.optim.add_param_group(param_group)

    def state_dict(self):
        """The optimizer's, and under "step" how many steps the averager has seen."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict):
        """Goes on from what state_dict() told."""
        rest = dict(state_dict)
        if "step" not in rest:
            warnings.warn("Loaded state dict does not contain a step counter for an averager. Setting step counter to 0.", stacklevel=2)
        self.averager.load_state_dict({"step": haft.tensor([rest.pop("step", 0)])})
        self.optim.load_state_dict(rest)

    def __repr__(self):
        return f"PostLocalSGDOptimizer({self.optim!r})"
