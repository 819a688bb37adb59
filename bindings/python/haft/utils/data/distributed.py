"""The part of a dataset that one process of several visits."""
import importlib
import importlib.util
import math

import haft

from .sampler import _Ordered


def _group():
    # The process group, where this build has one and the program has started it.
    if importlib.util.find_spec("haft.distributed") is None:
        return None
    dist = importlib.import_module("haft.distributed")
    return dist if dist.is_available() and dist.is_initialized() else None


class DistributedSampler(_Ordered):
    """Gives each of num_replicas processes an equal part of the items.

    Every process draws the same order from `seed` and the epoch of set_epoch(), and takes every num_replicas-th item from its
    rank on. Without drop_last the order is repeated from its start until all parts are equal. num_replicas and rank default to
    those of the process group; without one they must be given.
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None or rank is None:
            group = _group()
            if group is None:
                raise RuntimeError("DistributedSampler: there is no process group; give num_replicas and rank")
            num_replicas = group.get_world_size() if num_replicas is None else num_replicas
            rank = group.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size = len(dataset)
        if drop_last and size % num_replicas:
            self.num_samples = math.ceil((size - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def _order(self):
        size = len(self.dataset)
        if self.shuffle:
            generator = haft.Generator()
            generator.manual_seed(self.seed + self.epoch)
            order = haft.randperm(size, generator=generator)
        else:
            order = haft.arange(size, dtype=haft.int64)
        if size and self.total_size > size:
            order = haft.cat([order] * -(-self.total_size // size))
        return order[:self.total_size][self.rank::self.num_replicas]

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Goes to the order of this epoch; call it at the start of each, or every epoch has the same order."""
        self.epoch = epoch
