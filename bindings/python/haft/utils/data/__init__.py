"""Datasets, samplers and the DataLoader, with PyTorch's names and meaning."""
import sys as _sys

from . import _collate
from ..._names import also as _also
from ._collate import default_collate, default_convert
from ._fetch import get_worker_info
from .dataloader import DataLoader
from .dataset import (ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset,
                      random_split)
from .distributed import DistributedSampler
from .sampler import (BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler,
                      WeightedRandomSampler)

__all__ = ["BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler",
           "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset",
           "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "default_collate", "default_convert",
           "get_worker_info", "random_split"]

_also(__name__, "_utils", _sys.modules[__name__])  # PyTorch's place of
_also(__name__ + "._utils", "collate", _collate)
