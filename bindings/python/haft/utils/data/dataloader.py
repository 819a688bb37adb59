"""The DataLoader."""
import itertools
import warnings
from types import GenericAlias

import haft

from ..checkpoint import _flat, _with
from ._collate import default_collate, default_convert
from ._fetch import Fetcher
from ._iterator import BatchIterator
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, draw_seed


class _Endless:
    # Stands where a stream has no sampler.
    def __iter__(self):
        return itertools.repeat(None)


class DataLoader:
    """Batches of a dataset, in an order, made ahead by workers.

    The arguments are those of PyTorch. Where the engine can make the batches itself (a TensorDataset or a dataset of
    haft.vision whose transforms it has, a sampler of this package, the default collate_fn, no worker_init_fn), num_workers is a
    number of native threads and no process is started; the order and the batches are the same. In all other cases num_workers
    is a number of processes. An exception in a worker arrives as itself, with the worker's traceback as its cause.

    dataset: map-style (numbered) or an IterableDataset. batch_size: None gives single items. shuffle: a new order each epoch.
    sampler, batch_sampler: in place of shuffle (and of batch_size, drop_last). collate_fn: makes a batch of a list of items.
    timeout: seconds to wait for a batch of a worker, 0 for any. worker_init_fn(worker_id): called in every worker.
    generator: draws order and seeds. prefetch_factor: batches ahead per worker (2). persistent_workers: keeps the processes from
    epoch to epoch. in_order: taken for PyTorch's sake: batches come in order either way. multiprocessing_context: a start method or
    context. pin_memory: batches lie in memory that CUDA reads by itself, so that
    ``to(device, non_blocking=True)`` returns at once. device: batches arrive there, beside what it computes (PyTorch has no such argument).
    """

    __class_getitem__ = classmethod(GenericAlias)
    _initialized = False
    _iterator = None

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None,
                 generator=None, *, prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True, device=None):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing; "
                             "let num_workers > 0 to enable multiprocessing.")
        if prefetch_factor is not None and prefetch_factor < 1:
            raise ValueError(f"prefetch_factor should be at least 1, got {prefetch_factor}")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if multiprocessing_context is not None and num_workers == 0:
            raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                             f"but got num_workers={num_workers}")

        iterable = isinstance(dataset, IterableDataset)
        if iterable:
            for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
                if value is not None:
                    raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                                     f"{name}={value}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")

        if sampler is None:
            if iterable:
                sampler = _Endless()
            elif batch_sampler is None or not shuffle:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)

        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.device = None if device is None else haft.device(device)
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self._iterable = iterable
        self._initialized = True

    def __setattr__(self, name, value):
        if self._initialized and name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset",
                                          "persistent_workers"):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _index_sampler(self):
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __len__(self):
        if not self._iterable:
            return len(self._index_sampler)
        length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def __iter__(self):
        from ._native import NativeIterator, plan
        planned = plan(self)
        base_seed = draw_seed(self.generator)
        if planned is not None:
            return NativeIterator(self, planned, base_seed)
        if self.num_workers == 0:
            return LocalIterator(self, base_seed)
        from ._processes import ProcessIterator
        if not self.persistent_workers:
            return ProcessIterator(self, base_seed)
        if self._iterator is None or self._iterator.closed:
            self._iterator = ProcessIterator(self, base_seed)
        else:
            self._iterator.restart(base_seed)
        return self._iterator

    def _target(self):
        """The device that batches are for, or None, and whether they stay in pinned memory."""
        if self.device is not None:
            return (None, False) if self.device.type == "cpu" else (self.device, False)
        if not self.pin_memory:
            return None, False
        from ... import cuda
        if cuda.is_available():
            return haft.device(self.pin_memory_device or "cuda"), True
        if not self.__dict__.get("_warned"):
            self._warned = True
            warnings.warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                          "won't be used.")
        return None, False

    def _pin(self, batch):
        target, stays = self._target()
        if target is None:
            return batch
        pinned = [t.pin_memory(target) for t in _flat(batch, [])]
        return _with(batch, iter(pinned if stays else [t.to(target, non_blocking=True) for t in pinned]))


class LocalIterator(BatchIterator):
    """In this process."""

    def __init__(self, loader, base_seed):
        super().__init__(loader)
        self._indices = iter(loader._index_sampler)
        self._fetch = Fetcher(loader.dataset, loader._iterable, loader.batch_sampler is not None, loader.collate_fn,
                                      loader.drop_last)

    def _next(self):
        return self._fetch(next(self._indices))
