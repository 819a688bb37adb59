"""Fetching a batch, and what a worker process knows of itself."""

info = None  # the WorkerInfo of this process


class WorkerInfo:
    """Of the worker process that asks: id, num_workers, seed, dataset (its own copy)."""

    def __init__(self, id, num_workers, seed, dataset):
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset!r})"


def get_worker_info():
    """The WorkerInfo of this process, or None outside of a DataLoader's worker."""
    return info


class Fetcher:
    """Turns what the sampler said into a batch; StopIteration when a stream has ended."""

    def __init__(self, dataset, iterable, batched, collate_fn, drop_last):
        self.dataset, self.batched, self.collate_fn, self.drop_last = dataset, batched, collate_fn, drop_last
        self.stream = iter(dataset) if iterable else None
        self.ended = False

    def __call__(self, index):
        return (self._number if self.stream is None else self._next)(index)

    def _number(self, index):
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if hasattr(self.dataset, "__getitems__") and self.dataset.__getitems__:
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])

    def _next(self, index):
        if self.ended:
            raise StopIteration
        if not self.batched:
            return self.collate_fn(next(self.stream))
        items = []
        for _ in index:
            try:
                items.append(next(self.stream))
            except StopIteration:
                self.ended = True
                break
        if not items or (self.drop_last and len(items) < len(index)):
            raise StopIteration
        return self.collate_fn(items)
