"""Datasets, samplers, collating, and the DataLoader in this process and through the engine."""
import collections
import random
import unittest
import warnings

import haft
import leaks
from haft.utils.data import (BatchSampler, ChainDataset, ConcatDataset, DataLoader, Dataset, DistributedSampler, IterableDataset,
                             RandomSampler, SequentialSampler, StackDataset, Subset, SubsetRandomSampler, TensorDataset,
                             WeightedRandomSampler, default_collate, default_convert, random_split)

setUpModule, tearDownModule = leaks.guard()


class Plain(Dataset):
    """The items of a TensorDataset, of which the DataLoader knows nothing."""

    def __init__(self, *tensors):
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, i):
        return tuple(t[i] for t in self.tensors)


def is_native(loader):
    return type(iter(loader)).__name__ == "NativeIterator"


def lists(loader):
    return [[t.tolist() for t in batch] for batch in loader]


class Datasets(unittest.TestCase):
    def test_tensor_dataset(self):
        x, y = haft.randn(7, 2), haft.arange(7)
        d = TensorDataset(x, y)
        self.assertEqual(len(d), 7)
        self.assertEqual((d[3][0].tolist(), d[-1][1].item()), (x[3].tolist(), 6))
        with self.assertRaisesRegex(ValueError, "Size mismatch.*7, 3"):
            TensorDataset(x, y[:3])

    def test_concat_subset_stack_chain(self):
        a, b = list(range(5)), list(range(10, 13))
        both = ConcatDataset([Subset(a, [4, 0, 2]), b])
        self.assertEqual([both[i] for i in range(len(both))], [4, 0, 2, 10, 11, 12])
        self.assertEqual((both[-1], both[-6], both.cumulative_sizes), (12, 4, [3, 6]))
        for wrong in (6, 100):
            with self.assertRaises(IndexError):
                both[wrong]
        with self.assertRaises(ValueError):
            both[-7]
        self.assertEqual(StackDataset(a[:3], b)[1], (1, 11))
        self.assertEqual(StackDataset(x=a[:3], y=b)[2], {"x": 2, "y": 12})

        class Count(IterableDataset):
            def __iter__(self):
                return iter(range(3))

        self.assertEqual(list(ChainDataset([Count(), Count()])), [0, 1, 2, 0, 1, 2])
        self.assertEqual(list(Count() + Count()), [0, 1, 2, 0, 1, 2])
        with self.assertRaises(TypeError):
            ConcatDataset([Count()])
        with self.assertRaises(NotImplementedError):
            Dataset()[0]
        self.assertEqual(len(Plain(haft.arange(2)) + Plain(haft.arange(3))), 5)

    def test_random_split(self):
        data = list(range(30))
        for lengths, sizes in (([10, 15, 5], [10, 15, 5]), ([0.3, 0.3, 0.4], [9, 9, 12]), ([0.33, 0.67], [10, 20]),
                               ([1.0], [30]), ([0.5, 0.25, 0.25], [16, 7, 7])):
            parts = random_split(data, lengths)
            self.assertEqual([len(p) for p in parts], sizes)
            self.assertEqual(sorted(i for p in parts for i in p), data)
        same = [[list(p) for p in random_split(data, [20, 10], haft.Generator().manual_seed(5))] for _ in range(2)]
        self.assertEqual(same[0], same[1])
        with self.assertRaisesRegex(ValueError, "Sum of input lengths"):
            random_split(data, [10, 10])


class Samplers(unittest.TestCase):
    def test_orders(self):
        data = list(range(11))
        self.assertEqual(list(SequentialSampler(data)), data)
        haft.manual_seed(3)
        s = RandomSampler(data)
        first, second = list(s), list(s)
        self.assertNotEqual(first, second)
        self.assertEqual(sorted(first), data)
        haft.manual_seed(3)
        self.assertEqual(list(RandomSampler(data)), first)
        more = list(RandomSampler(data, num_samples=25))
        self.assertEqual(len(more), 25)
        self.assertEqual(sorted(more[:11]), data)
        self.assertEqual(sorted(more[11:22]), data)
        drawn = list(RandomSampler(data, replacement=True, num_samples=500))
        self.assertEqual((len(drawn), set(drawn)), (500, set(data)))
        picked = list(SubsetRandomSampler([7, 3, 9]))
        self.assertEqual(sorted(picked), [3, 7, 9])
        self.assertEqual(sorted(SubsetRandomSampler(["a", "b"])), ["a", "b"])
        for bad in (dict(replacement=1), ):
            with self.assertRaises(TypeError):
                RandomSampler(data, **bad)
        for bad in (0, -1, 2.5, True):
            with self.assertRaises(ValueError):
                RandomSampler(data, num_samples=bad)
        with self.assertRaises(ValueError):
            RandomSampler([])

    def test_weighted(self):
        drawn = collections.Counter(WeightedRandomSampler([1, 0, 3], 4000))
        self.assertEqual(set(drawn), {0, 2})
        self.assertAlmostEqual(drawn[2] / 4000, 0.75, delta=0.05)
        self.assertEqual(sorted(WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)), [0, 1, 2])
        with self.assertRaisesRegex(ValueError, "1d"):
            WeightedRandomSampler([[1.0]], 1)

    def test_batches(self):
        self.assertEqual(list(BatchSampler(range(7), 3, False)), [[0, 1, 2], [3, 4, 5], [6]])
        self.assertEqual(list(BatchSampler(range(7), 3, True)), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual([len(BatchSampler(range(7), 3, d)) for d in (False, True)], [3, 2])
        self.assertEqual(list(BatchSampler([], 3, False)), [])
        for bad in (0, -1, True, 1.5):
            with self.assertRaises(ValueError):
                BatchSampler(range(3), bad, False)

    def test_distributed(self):
        for n, world in ((10, 3), (12, 4), (2, 5), (7, 1)):
            for shuffle in (False, True):
                parts = [DistributedSampler(range(n), world, r, shuffle=shuffle) for r in range(world)]
                self.assertEqual({len(p) for p in parts}, {-(-n // world)})
                self.assertEqual({i for p in parts for i in p}, set(range(n)))
                parts = [DistributedSampler(range(n), world, r, shuffle=shuffle, drop_last=True) for r in range(world)]
                seen = [i for p in parts for i in p]
                self.assertEqual(len(seen), len(set(seen)))
                self.assertEqual(len(seen), n // world * world)
        s = DistributedSampler(range(100), 2, 0)
        first = list(s)
        self.assertEqual(list(s), first)
        s.set_epoch(1)
        self.assertNotEqual(list(s), first)
        self.assertEqual(list(DistributedSampler(range(10), 3, 1, shuffle=False)), [1, 4, 7, 0])
        with self.assertRaisesRegex(RuntimeError, "num_replicas and rank"):
            DistributedSampler(range(3))
        with self.assertRaisesRegex(ValueError, "Invalid rank 3"):
            DistributedSampler(range(3), 3, 3)


class Collate(unittest.TestCase):
    def test_kinds(self):
        Point = collections.namedtuple("Point", "x y")
        batch = [{"t": haft.tensor([i, i]), "f": i / 2, "i": i, "b": i > 0, "s": str(i), "l": [i, (i, 1.5)], "p": Point(i, [i])}
                 for i in range(2)]
        c = default_collate(batch)
        self.assertEqual(c["t"].tolist(), [[0, 0], [1, 1]])
        self.assertEqual((c["f"].dtype, c["i"].dtype, c["b"].dtype), (haft.float64, haft.int64, haft.bool))
        self.assertEqual((c["f"].tolist(), c["b"].tolist(), c["s"]), ([0, 0.5], [False, True], ["0", "1"]))
        self.assertEqual(c["l"][0].tolist(), [0, 1])
        self.assertEqual(c["l"][1][1].tolist(), [1.5, 1.5])
        self.assertEqual((type(c["p"]), c["p"].x.tolist(), c["p"].y[0].tolist()), (Point, [0, 1], [0, 1]))
        self.assertIsInstance(default_collate([(1, 2)]), list)
        ordered = default_collate([collections.OrderedDict(a=1)])
        self.assertIsInstance(ordered, collections.OrderedDict)
        with self.assertRaisesRegex(TypeError, "found <class 'object'>"):
            default_collate([object()])
        with self.assertRaisesRegex(RuntimeError, "equal size"):
            default_collate([[1], [1, 2]])

    def test_numpy(self):
        import numpy as np
        c = default_collate([(np.arange(3, dtype=np.float32), np.float64(i), np.int32(i)) for i in range(2)])
        self.assertEqual((c[0].shape, c[0].dtype), ((2, 3), haft.float32))
        self.assertEqual((c[1].dtype, c[2].dtype), (haft.float64, haft.int32))
        with self.assertRaises(TypeError):
            default_collate([np.array(["a"])])
        d = default_convert({"a": np.ones(2), "b": [1, np.zeros(1)], "c": "text"})
        self.assertEqual((d["a"].tolist(), d["b"][1].tolist(), d["c"], d["b"][0]), ([1, 1], [0], "text", 1))


class InProcess(unittest.TestCase):
    def test_arguments(self):
        data = list(range(5))
        for bad in (dict(num_workers=-1), dict(timeout=-1), dict(sampler=[0], shuffle=True), dict(batch_sampler=[[0]], batch_size=2),
                    dict(batch_size=None, drop_last=True), dict(batch_size=0), dict(persistent_workers=True),
                    dict(prefetch_factor=2), dict(multiprocessing_context="fork")):
            with self.subTest(bad), self.assertRaises(ValueError):
                DataLoader(data, **bad)
        loader = DataLoader(data, batch_size=2)
        with self.assertRaisesRegex(ValueError, "batch_size attribute should not be set"):
            loader.batch_size = 3

    def test_single_items(self):
        self.assertEqual(list(DataLoader([3, 1, 2], batch_size=None)), [3, 1, 2])
        self.assertEqual([b.tolist() for b in DataLoader(list(range(6)), batch_sampler=[[0, 5], [2]])], [[0, 5], [2]])
        self.assertEqual(list(DataLoader([1, 2, 3], batch_size=2, collate_fn=sum)), [3, 3])

    def test_getitems(self):
        class Many(Dataset):
            def __len__(self):
                return 4

            def __getitems__(self, indices):
                return [i * 10 for i in indices]

        self.assertEqual([b.tolist() for b in DataLoader(Many(), batch_size=3)], [[0, 10, 20], [30]])

    def test_stream_longer_than_it_says(self):
        class Lies(IterableDataset):
            def __iter__(self):
                return iter(range(5))

            def __len__(self):
                return 3

        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual([b.item() for b in DataLoader(Lies())], [0, 1, 2, 3, 4])
        self.assertEqual(len(seen), 1)
        self.assertIn("reported to be 3", str(seen[0].message))

    def test_pinning_without_accelerator_warns_once(self):
        if haft.cuda.is_available():
            self.skipTest("there is a device")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(len(list(DataLoader([1, 2, 3], pin_memory=True))), 3)
        self.assertEqual([str(w.message)[:12] for w in seen], ["'pin_memory'"])

    def test_errors_arrive(self):
        class Bad(Plain):
            def __getitem__(self, i):
                raise LookupError(i)

        with self.assertRaises(LookupError):
            next(iter(DataLoader(Bad(haft.arange(3)))))


class Native(unittest.TestCase):
    """The engine's loader gives what Python's would."""

    def same(self, make, tensors, **options):
        self.assertTrue(is_native(make(TensorDataset(*tensors))))
        self.assertFalse(is_native(make(Plain(*tensors))))
        native, plain = make(TensorDataset(*tensors)), make(Plain(*tensors))
        haft.manual_seed(12)
        ours = [lists(native) for _ in range(2)]
        haft.manual_seed(12)
        self.assertEqual(ours, [lists(plain) for _ in range(2)])
        self.assertEqual(len(native), len(plain))

    def test_orders(self):
        for _ in range(6):
            n, batch = random.randint(1, 40), random.randint(1, 9)
            tensors = [haft.randn(n, 3), haft.arange(n), haft.randint(0, 255, (n, 2, 2)).to(haft.uint8)]
            for workers in (0, 2):
                for drop in (False, True):
                    with self.subTest(n=n, batch=batch, workers=workers, drop=drop):
                        common = dict(batch_size=batch, drop_last=drop)
                        # The peer stays in this process.
                        self.same(lambda d: DataLoader(d, num_workers=workers * isinstance(d, TensorDataset), **common), tensors)
                        self.same(lambda d: DataLoader(d, shuffle=True, num_workers=workers * isinstance(d, TensorDataset),
                                                       **common), tensors)

    def test_samplers(self):
        tensors = [haft.randn(20, 2), haft.arange(20)]
        for sampler in (lambda d: SubsetRandomSampler([5, 1, 19]), lambda d: WeightedRandomSampler(list(range(20)), 30),
                        lambda d: RandomSampler(d, True, 50), lambda d: DistributedSampler(d, 3, 2),
                        lambda d: RandomSampler(d, generator=haft.Generator().manual_seed(4))):
            self.same(lambda d: DataLoader(d, batch_size=4, sampler=sampler(d)), tensors)
            self.same(lambda d: DataLoader(d, batch_sampler=BatchSampler(sampler(d), 6, True)), tensors)

    def test_subsets(self):
        x = haft.arange(20)
        part = Subset(Subset(TensorDataset(x), list(range(0, 20, 2))), [9, 0, 3])
        loader = DataLoader(part, batch_size=2)
        self.assertTrue(is_native(loader))
        self.assertEqual(lists(loader), [[[18, 0]], [[6]]])

    def test_indices_from_the_end_and_outside(self):
        data = TensorDataset(haft.arange(7))
        for dataset, sampler, want in ((data, SubsetRandomSampler([-1]), [6]), (Subset(data, [-2, 3]), None, [5, 3]),
                                       (Subset(data, [-2, 3]), SubsetRandomSampler([-1]), [3])):
            loader = DataLoader(dataset, batch_size=7, sampler=sampler)
            self.assertTrue(is_native(loader))
            self.assertEqual(lists(loader), [[want]])
        for outside in (7, -8):
            with self.assertRaises(IndexError):
                list(DataLoader(data, sampler=SubsetRandomSampler([outside])))
        self.assertEqual(list(DataLoader(TensorDataset(haft.zeros(0, 3)))), [])

    def test_every_type_of_element(self):
        kinds = (haft.bool, haft.uint8, haft.int8, haft.int16, haft.int32, haft.int64, haft.float16, haft.bfloat16, haft.float32,
                 haft.float64)
        tensors = [haft.arange(8).reshape(2, 4).t().to(kind) for kind in kinds]
        for batch in DataLoader(TensorDataset(*tensors), batch_size=3, num_workers=1):
            self.assertEqual([t.dtype for t in batch], list(kinds))
            self.assertEqual([t.to(haft.float64).tolist() for t in batch[1:]], [batch[-1].tolist()] * 9)

    def test_left_to_python(self):
        x = haft.arange(6.0)

        class Own(TensorDataset):
            def __getitem__(self, i):
                return self.tensors[0][i] * 2,

        self.assertFalse(is_native(DataLoader(Own(x))))
        self.assertEqual(lists(DataLoader(Own(x), batch_size=6)), [[[0, 2, 4, 6, 8, 10]]])
        self.assertFalse(is_native(DataLoader(TensorDataset(x), collate_fn=lambda b: b)))
        self.assertFalse(is_native(DataLoader(TensorDataset(x), batch_size=None)))
        self.assertFalse(is_native(DataLoader(TensorDataset(x), sampler=[0, 1])))
        recorded = haft.ones(3, requires_grad=True)
        batch, = next(iter(DataLoader(TensorDataset(recorded), batch_size=3)))
        batch.sum().backward()
        self.assertEqual(recorded.grad.tolist(), [1, 1, 1])

    def test_many_epochs_left_early(self):
        loader = DataLoader(TensorDataset(haft.randn(1000, 50)), batch_size=10, shuffle=True, num_workers=2)
        for _ in range(20):
            for k, (x,) in enumerate(loader):
                self.assertEqual(x.shape, (10, 50))
                if k == 3:
                    break

    def test_the_memory_of_a_batch_is_its_own(self):
        loader = DataLoader(TensorDataset(haft.arange(8)), batch_size=4, num_workers=1)
        batches = [b[0] for b in loader]
        batches[0].zero_()
        self.assertEqual([b.tolist() for b in batches], [[0, 0, 0, 0], [4, 5, 6, 7]])


if __name__ == "__main__":
    unittest.main()
