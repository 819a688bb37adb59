"""Items to a batch."""
import sys
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import haft


def _is_numpy(value):
    numpy = sys.modules.get("numpy")  # nobody has NumPy values who has not loaded it
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def _is_namedtuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _like_mapping(original, pairs):
    if isinstance(original, MutableMapping) and type(original) is not dict:
        try:
            import copy
            clone = copy.copy(original)  # keeps what else the type holds, such as a default factory
            clone.update(pairs)
            return clone
        except TypeError:
            return pairs
    if type(original) is dict:
        return pairs
    try:
        return type(original)(pairs)
    except TypeError:
        return pairs


def _like_sequence(original, values):
    try:
        if isinstance(original, MutableSequence) and type(original) is not list:
            import copy
            clone = copy.copy(original)
            for i, v in enumerate(values):
                clone[i] = v
            return clone
        return type(original)(values) if not isinstance(original, range) else list(values)
    except TypeError:
        return list(values)


def default_convert(data):
    """NumPy arrays to tensors, inside of lists, tuples and dicts too; all else stays as it is."""
    if isinstance(data, haft.Tensor):
        return data
    if _is_numpy(data):
        return data if data.dtype.kind in "SUO" else haft.as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if _is_namedtuple(data):
        return type(data)(*(default_convert(v) for v in data))
    if isinstance(data, tuple):
        return [default_convert(v) for v in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(v) for v in data])
    return data


def default_collate(batch):
    """Stacks what the items hold along a new first dimension.

    Tensors and arrays become a tensor, numbers a tensor of float64, int64 or bool, text a list; tuples, lists, namedtuples and
    dicts are gone through.
    """
    first = batch[0]
    if isinstance(first, haft.Tensor):
        return haft.stack(list(batch), 0)
    if _is_numpy(first):
        if first.dtype.kind in "SUO":
            raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
                            f"found an array of {first.dtype}")
        return haft.stack([haft.as_tensor(a) for a in batch], 0)
    if isinstance(first, float):
        return haft.tensor(batch, dtype=haft.float64)
    if isinstance(first, int):
        return haft.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _like_mapping(first, {key: default_collate([item[key] for item in batch]) for key in first})
    if _is_namedtuple(first):
        return type(first)(*(default_collate(list(column)) for column in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(list(column)) for column in zip(*batch)]
        return columns if isinstance(first, tuple) else _like_sequence(first, columns)
    raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}")
