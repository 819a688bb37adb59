"""Post-local SGD: means of all processes up to a step, then of some of them only."""
from .... import _haft
from .default_hooks import engine_hook

__all__ = ["PostLocalSGDState", "post_localSGD_hook"]


class PostLocalSGDState:
    """Options of post_localSGD_hook.

    Args:
        subgroup: the processes that go on together
        start_localSGD_iter: the first step in which they do
        post_local_gradient_allreduce: False: each goes on by itself
    """

    def __init__(self, process_group=None, subgroup=None, start_localSGD_iter=1, post_local_gradient_allreduce=True):
        if subgroup is None and post_local_gradient_allreduce:
            raise ValueError("PostLocalSGDState: name the subgroup that goes on together, or set post_local_gradient_allreduce=False")
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter, self.post_local_gradient_allreduce = start_localSGD_iter, post_local_gradient_allreduce


def _set_up(ddp, state):
    part = state.subgroup._native if state.post_local_gradient_allreduce else None
    _haft.data_parallel_post_local(ddp._parallel, part, state.start_localSGD_iter)


post_localSGD_hook = engine_hook(
    "post_localSGD_hook", "To be registered with a PostLocalSGDState, beside an averager of haft.distributed.algorithms.model_averaging.", _set_up)
