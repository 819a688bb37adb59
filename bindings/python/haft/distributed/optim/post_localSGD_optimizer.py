"""Local SGD: an optimizer after whose steps models are averaged."""
import warnings

import haft

from ._around import OptimizerAround

__all__ = ["PostLocalSGDOptimizer"]


class PostLocalSGDOptimizer(OptimizerAround):
    """An optimizer together with an averager: a step is that of the optimizer, and then the averager's turn, if it is.

    Args:
        optim: the optimizer of this process
        averager: of haft.distributed.algorithms.model_averaging.averagers
    """

    def __init__(self, optim, averager):
        super().__init__(optim)
        self.averager = averager

    def _step(self):
        self.optim.step()
        self.averager.average_parameters(self.param_groups)

    def state_dict(self):
        """The optimizer's, and under "step" how many steps the averager has seen."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict):
        """Goes on from what state_dict() told."""
        rest = dict(state_dict)
        if "step" not in rest:
            warnings.warn("load_state_dict: the state has no \"step\" of an averager, which begins anew", stacklevel=2)
        self.averager.load_state_dict({"step": haft.tensor([rest.pop("step", 0)])})
        self.optim.load_state_dict(rest)
