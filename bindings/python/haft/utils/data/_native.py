"""The way through the engine's own loader: threads, prefetch and transforms without Python."""
import haft

from ... import _haft
from ._collate import default_collate
from .dataset import Subset
from .distributed import DistributedSampler
from .sampler import (BatchSampler, RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler)

_SAMPLERS = (DistributedSampler, RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler)


def _defines(cls, name):
    return next((c for c in cls.__mro__ if name in c.__dict__), None)


def _plain(tensor):
    return type(tensor) is haft.Tensor and tensor.device.type == "cpu" and not tensor.requires_grad


def plan(loader):
    """(dataset, transforms, indices or None) when the engine can make this loader's batches as they are, else None."""
    batches = loader.batch_sampler
    if (type(batches) is not BatchSampler or type(batches.sampler) not in _SAMPLERS or not batches.sampler._fits() or
            loader.collate_fn is not default_collate or loader.worker_init_fn is not None or
            loader.multiprocessing_context is not None):
        return None
    dataset, indices = loader.dataset, None
    while type(dataset) is Subset:
        if indices is None:
            chosen = dataset.indices
        else:
            chosen = [dataset.indices[i] for i in indices]
        indices = [int(i) for i in chosen]
        dataset = dataset.dataset
    cls = type(dataset)
    # A subclass that reads items in its own way is read in its own way.
    if _defines(cls, "_native") is None or _defines(cls, "_native") is not _defines(cls, "__getitem__") or \
            hasattr(dataset, "__getitems__"):
        return None
    native = dataset._native()
    if native is None:
        return None
    items, steps = native
    if isinstance(items, (list, tuple)):
        if not all(map(_plain, items)) or any(t.size(0) != len(dataset) for t in items):
            return None
        items = _haft.tensor_dataset(items)
    return items, steps, None if indices is None else haft.tensor(indices, dtype=haft.int64)


class NativeIterator:
    """One epoch from the engine's loader."""

    def __init__(self, loader, planned, base_seed):
        dataset, transforms, indices = planned
        batches = loader.batch_sampler
        order = batches.sampler._order()
        if indices is not None:
            order = indices[order]
        if order.numel() and order.min().item() < 0:  # from the end, as in Python
            order = haft.where(order < 0, order + dataset.size(), order)
        options = _haft.LoaderOptions(batches.batch_size, False, loader.num_workers)
        options.drop_last = batches.drop_last
        options.seed = base_seed
        if loader.num_workers:
            options.prefetch = loader.prefetch_factor * loader.num_workers
        self._left = self._count = len(loader)
        target, options.pin_memory = loader._target()
        if target is not None:
            options.device = target
        self._loader = _haft.ordered_loader(dataset, options, transforms, order.contiguous())

    def __iter__(self):
        return self

    def __len__(self):
        return self._count

    def __next__(self):
        batch = None if self._loader is None else self._loader.next()
        if batch is None:
            self._loader = None  # stops the threads
            raise StopIteration
        return list(batch)
