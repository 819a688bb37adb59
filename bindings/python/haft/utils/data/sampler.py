"""The order in which items are visited."""
import itertools
from types import GenericAlias

import haft


_DRAWN_AT_ONCE = 1 << 20  # indices


def draw_seed(generator=None):
    """A seed from the generator (default: the one that haft.manual_seed seeds)."""
    return int(haft.randint(0, 2**63 - 1, (1,), generator=generator).item())


def _check_count(what, value):
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{what} should be a positive integer value, but got {what}={value}")


def _check_flag(what, value):
    if not isinstance(value, bool):
        raise TypeError(f"{what} should be a boolean value, but got {what}={value}")


class Sampler:
    """Base of samplers: a subclass has `__iter__`, which yields indices, and usually `__len__`."""

    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, data_source=None):
        pass

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


class _Ordered(Sampler):
    # A sampler that knows a whole epoch at once: `_order()` draws it as an int64 tensor, which the engine's loader takes
    # as it is.
    def _order(self):
        raise NotImplementedError

    def _fits(self):
        """Whether a whole epoch of indices is no burden."""
        return True

    def __iter__(self):
        return iter(self._order().tolist())


class SequentialSampler(_Ordered):
    """0, 1, 2, ..."""

    def __init__(self, data_source):
        self.data_source = data_source

    def _order(self):
        return haft.arange(len(self.data_source), dtype=haft.int64)

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(_Ordered):
    """A new random order each time. With replacement every index is drawn anew; num_samples defaults to all items."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _check_flag("replacement", replacement)
        if num_samples is not None or len(data_source) == 0:
            _check_count("num_samples", self.num_samples)

    @property
    def num_samples(self):
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _order(self):
        n, count, generator = len(self.data_source), self.num_samples, self.generator
        if generator is None:
            generator = haft.Generator()
            generator.manual_seed(draw_seed())
        if self.replacement:
            return haft.randint(0, n, (count,), dtype=haft.int64, generator=generator)
        rounds = [haft.randperm(n, generator=generator) for _ in range(-(-count // n))]
        order = rounds[0] if len(rounds) == 1 else haft.cat(rounds)
        return order if count == order.size(0) else order[:count]

    def _fits(self):
        return not self.replacement or self.num_samples <= _DRAWN_AT_ONCE

    def __iter__(self):
        if self._fits():
            yield from self._order().tolist()
            return
        # An endless stream of draws in all but name: some at a time.
        generator, left = self.generator, self.num_samples
        if generator is None:
            generator = haft.Generator()
            generator.manual_seed(draw_seed())
        while left > 0:
            count = min(left, _DRAWN_AT_ONCE)
            yield from haft.randint(0, len(self.data_source), (count,), dtype=haft.int64, generator=generator).tolist()
            left -= count

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(_Ordered):
    """The given indices in a random order."""

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def _order(self):
        order = haft.randperm(len(self.indices), generator=self.generator)
        if isinstance(self.indices, haft.Tensor):
            return self.indices[order]
        return haft.tensor([int(self.indices[i]) for i in order.tolist()], dtype=haft.int64)

    def __iter__(self):
        for i in haft.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(_Ordered):
    """num_samples indices from 0..len(weights) - 1, drawn with these weights; they need not add up to 1."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _check_count("num_samples", num_samples)
        _check_flag("replacement", replacement)
        weights = haft.as_tensor(weights, dtype=haft.float64)
        if weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}")
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def _order(self):
        return haft.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of batch_size indices from another sampler; the last may be smaller unless drop_last."""

    def __init__(self, sampler, batch_size, drop_last):
        _check_count("batch_size", batch_size)
        _check_flag("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
