"""PyTorch's names of the planners: the engine plans, and takes of them whether names that are missing are left alone."""

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner", "LoadPlanner", "SavePlanner"]


class SavePlanner:
    """PyTorch's base of plans to save."""


class LoadPlanner:
    """PyTorch's base of plans to load."""


class DefaultSavePlanner(SavePlanner):
    """There is one plan: what several ranks have is written once, spread over them."""

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, dedup_replicated_tensors=None, dedup_save_to_lowest_rank=False,
                 enable_plan_caching=False):
        pass


class DefaultLoadPlanner(LoadPlanner):
    """allow_partial_load: names that the checkpoint lacks are left as they are."""

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False):
        self.allow_partial_load = allow_partial_load
