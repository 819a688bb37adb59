"""What a DataLoader reads: numbered items (Dataset) or a stream of them (IterableDataset)."""
import bisect
import itertools
import math
import warnings
from types import GenericAlias

import haft


class Dataset:
    """Numbered items: a subclass has `__getitem__(index)`, and `__len__()` where its size is known."""

    __class_getitem__ = classmethod(GenericAlias)

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """A stream of items: a subclass has `__iter__()`. In a DataLoader's workers it divides itself with get_worker_info()."""

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Item i is (tensors[0][i], tensors[1][i], ...). The tensors have equal first sizes and are shared, not copied."""

    def __init__(self, *tensors):
        if not tensors:
            raise ValueError("TensorDataset wants at least one tensor")
        sizes = [t.size(0) for t in tensors]
        if len(set(sizes)) != 1:
            raise ValueError(f"Size mismatch between tensors: first sizes {sizes}, wanted equal ones")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)

    def _native(self):
        return list(self.tensors), []


class StackDataset(Dataset):
    """Datasets of one length side by side: item i is a tuple of their items, or a dict when they have names."""

    def __init__(self, *args, **kwargs):
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset wants datasets by position or by name, at least one and not both ways")
        self.datasets = kwargs if kwargs else args
        self._items = list(kwargs.values()) if kwargs else list(args)
        sizes = [len(d) for d in self._items]
        if len(set(sizes)) != 1:
            raise ValueError(f"Size mismatch between datasets: lengths {sizes}, wanted equal ones")

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self):
        return len(self._items[0])


class ConcatDataset(Dataset):
    """Datasets one behind the other."""

    @staticmethod
    def cumsum(sequence):
        return list(itertools.accumulate(len(d) for d in sequence))

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset wants at least one dataset")
        for dataset in self.datasets:
            if isinstance(dataset, IterableDataset):
                raise TypeError("ConcatDataset does not support IterableDataset; ChainDataset does")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        if which == len(self.datasets):
            raise IndexError(f"index {index} is outside of {len(self)} items")
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset):
    """Streams one behind the other."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise TypeError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self):
        return sum(len(dataset) for dataset in self.datasets)


class Subset(Dataset):
    """The items of a dataset that `indices` names, in that order."""

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Parts the dataset at random into Subsets.

    lengths: sizes that add up to len(dataset), or fractions that add up to 1; what rounding leaves goes to the first parts,
    one item each.
    """
    lengths = list(lengths)
    total = len(dataset)
    if math.isclose(sum(lengths), 1):
        for i, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        sizes = [math.floor(total * fraction) for fraction in lengths]
        for i in range(total - sum(sizes)):
            sizes[i % len(sizes)] += 1
        for i, size in enumerate(sizes):
            if size == 0:
                warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
        lengths = sizes
    if sum(lengths) != total:
        raise ValueError(f"Sum of input lengths does not equal the length of the input dataset: {sum(lengths)} and {total}")
    order = haft.randperm(total, generator=generator).tolist()
    ends = itertools.accumulate(int(n) for n in lengths)
    return [Subset(dataset, order[end - int(n):end]) for n, end in zip(lengths, ends)]
