"""What every iterator of a DataLoader does."""
import copy
import warnings


class BatchIterator:
    def __init__(self, loader):
        # The loader holds its persistent iterator, so that one holds a copy: a cycle would keep the processes.
        self._loader = copy.copy(loader) if loader.persistent_workers else loader
        self._yielded = 0
        # A stream's own idea of its length; it may be wrong.
        self._expected = None
        if loader._iterable and hasattr(type(loader.dataset), "__len__"):
            try:
                self._expected = len(loader)
            except (TypeError, NotImplementedError):
                pass

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._loader)

    def __next__(self):
        batch = self._next()
        self._yielded += 1
        if self._expected is not None and self._yielded == self._expected + 1:
            warnings.warn(f"Length of IterableDataset {self._loader.dataset} was reported to be {self._expected} (when accessing "
                          f"len(dataloader)), but {self._yielded} samples have been fetched. For multiprocessing data-loading, "
                          "this could be caused by not properly configuring the IterableDataset replica at each worker.")
        return self._loader._pin(batch)
