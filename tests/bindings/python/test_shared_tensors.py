"""Tensors in shared memory: Hogwild training over spawn and fork, queues, ties, and what is left behind."""
import gc
import glob
import os
import unittest

import haft
import haft.multiprocessing as mp
import leaks
from haft import nn

setUpModule, tearDownModule = leaks.guard()


def make():
    haft.manual_seed(3)
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 16, 3))


def batch(seed):
    g = haft.Generator().manual_seed(seed)
    y = haft.randint(0, 3, (30,), generator=g)
    x = haft.randn(30, 1, 6, 6, generator=g) * 0.3
    x[haft.arange(30), 0, y] += 1.5
    return x, y


def train(rank, net, steps):
    x, y = batch(rank)
    optimizer = haft.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def fill(index, inbox, outbox):
    outbox.put([t.is_shared() for t in inbox.get()])
    a, view, b = inbox.get()
    a += 1
    view[0] = -5
    outbox.put((a.data_ptr() == b.data_ptr(), view.shape, view.stride(), b.requires_grad, type(b).__name__))
    inbox.get()  # stays until what it sent has arrived


def write(index, t, tied):
    t[index] = index + 1.0
    tied[1].data.mul_(2)


class Hogwild(unittest.TestCase):
    def check(self, method, strategy="file_descriptor"):
        before = mp.get_sharing_strategy()
        mp.set_sharing_strategy(strategy)
        try:
            net = make().share_memory()
        finally:
            mp.set_sharing_strategy(before)
        self.assertTrue(all(t.is_shared() for t in net.state_dict().values()))
        x, y = batch(9)
        with haft.no_grad():
            # Often enough that the engine would keep weights in the layout of its kernels.
            first = [nn.functional.cross_entropy(net.eval()(x), y).item() for _ in range(5)][-1]
        net.train()
        mp.start_processes(train, (net, 40), nprocs=2, start_method=method)
        with haft.no_grad():
            last = nn.functional.cross_entropy(net.eval()(x), y).item()
            copy = make().eval()
            copy.load_state_dict(net.state_dict())
            self.assertAlmostEqual(last, nn.functional.cross_entropy(copy(x), y).item(), places=5)
        self.assertLess(last, first / 2)
        self.assertGreater(net[1].num_batches_tracked.item(), 40)

    def test_spawn(self):
        self.check("spawn")

    def test_fork(self):
        self.check("fork")

    def test_forkserver(self):
        self.check("forkserver")

    def test_files(self):
        self.check("spawn", "file_system")
        gc.collect()
        self.assertEqual(glob.glob(f"/dev/shm/haft_{os.getpid()}_*"), [])


class Sharing(unittest.TestCase):
    def test_queue(self):
        context = mp.get_context("spawn")
        inbox, outbox = context.Queue(), context.Queue()
        running = mp.spawn(fill, (inbox, outbox), nprocs=1, join=False)
        a = haft.arange(12.).reshape(3, 4).share_memory_()
        own = haft.ones(3)
        inbox.put([own, a, a[1:]])
        self.assertEqual(outbox.get(timeout=600), [False, True, True])
        view = a.t()[2:]
        inbox.put((a, view, nn.Parameter(a)))
        self.assertEqual(outbox.get(timeout=600), (True, (2, 3), (1, 4), True, "Parameter"))
        self.assertEqual(a.tolist(), [[1, 2, -5, 4], [5, 6, -5, 8], [9, 10, -5, 12]])
        self.assertEqual(own.tolist(), [1, 1, 1])
        inbox.put(None)
        while not running.join():
            pass
        for q in (inbox, outbox):
            q.close()
            q.join_thread()

    def test_ties_and_types(self):
        for dtype in (haft.float32, haft.bfloat16, haft.int64, haft.bool, haft.float16, haft.float64):
            t = haft.zeros(4, dtype=dtype).share_memory_()
            w = nn.Parameter(haft.ones(2, 2)).share_memory_()
            mp.spawn(write, (t, [w, w.data, w]), nprocs=2)
            self.assertEqual(t.tolist(), [1, True if dtype is haft.bool else 2, 0, 0] if dtype is not haft.bool else [True, True, False, False])
            self.assertEqual(w.tolist(), [[4, 4], [4, 4]])
            self.assertTrue(w.is_leaf and w.requires_grad and isinstance(w, nn.Parameter))

    def test_in_place(self):
        t = haft.randn(3, 5).t()
        values, place = t.tolist(), t
        t.requires_grad_()
        (t * 2).sum().backward()
        self.assertIs(t.share_memory_(), place)
        at = t.data_ptr()
        self.assertEqual((t.tolist(), t.requires_grad, t.is_leaf, t.grad.tolist()), (values, True, True, [[2] * 3] * 5))
        (t * 3).sum().backward()
        self.assertEqual(t.grad[0, 0].item(), 5)
        self.assertEqual(t.share_memory_().data_ptr(), at)
        self.assertTrue(t.detach()[2:, 1:].is_shared())
        self.assertFalse(t.detach().clone().is_shared())
        with self.assertRaisesRegex(RuntimeError, "detach"):
            (t * 2).share_memory_()
        empty = haft.ones(0, 3).share_memory_()
        self.assertEqual(empty.shape, (0, 3))
        self.assertEqual(haft.tensor(2.5).share_memory_().item(), 2.5)

    def test_descriptors_go_with_the_tensors(self):
        from haft.multiprocessing import _shared
        before = len(os.listdir("/proc/self/fd")), len(_shared._starts)
        many = [haft.full((1000,), i).share_memory_() for i in range(20)]
        views = [t[5:] for t in many]
        self.assertEqual(len(os.listdir("/proc/self/fd")), before[0] + 20)
        del many
        self.assertEqual([v[0].item() for v in views], list(range(20)))
        del views
        self.assertEqual((len(os.listdir("/proc/self/fd")), len(_shared._starts)), before)

    def test_strategies(self):
        self.assertEqual(mp.get_sharing_strategy(), "file_descriptor")
        self.assertEqual(mp.get_all_sharing_strategies(), {"file_descriptor", "file_system"})
        with self.assertRaisesRegex(ValueError, "'pigeons'"):
            mp.set_sharing_strategy("pigeons")


class LentMemory(unittest.TestCase):
    def test_weights_that_numpy_writes(self):
        import numpy as np
        for f, shape, x in ((lambda x, w: nn.functional.conv2d(x, w, padding=1), (32, 16, 3, 3), haft.randn(8, 16, 20, 20)),
                            (nn.functional.linear, (512, 784), haft.randn(8, 784))):
            array = np.random.default_rng(1).standard_normal(shape).astype("f")
            w = haft.from_numpy(array)
            with haft.no_grad():
                for _ in range(5):
                    y = f(x, w)
                array *= 2
                self.assertTrue(haft.allclose(f(x, w), y * 2, rtol=1e-4, atol=1e-4))


if __name__ == "__main__":
    unittest.main()
