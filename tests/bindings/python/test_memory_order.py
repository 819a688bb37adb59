"""In which order results lie in memory: strides beside PyTorch's."""
import itertools
import unittest

import torch

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()
SIZES = ((3,), (4, 3), (2, 3, 4), (2, 1, 3), (2, 3, 4, 5), (1, 3, 2, 4), (2, 1, 3, 4), (2, 3, 1, 1), (2, 3, 2, 2, 3))


def orders(h, sizes, offset=0):
    """Tensors of those sizes whose dimensions lie in every order, and one that leaves gaps."""
    n = len(sizes)
    for order in itertools.permutations(range(n)):
        t = (h.arange(h.Size(sizes).numel(), dtype=h.float32) + offset).reshape([sizes[d] for d in order])
        yield t.permute([order.index(d) for d in range(n)])
    yield h.zeros(*sizes[:-1], 2 * sizes[-1])[..., ::2]


def pairs(sizes, offset=0):
    return list(zip(orders(haft, sizes, offset), orders(torch, sizes, offset)))


def facts(x):
    # A stride that is never stepped along means nothing.
    return tuple(x.shape), [s for s, n in zip(x.stride(), x.shape) if n != 1 and x.numel()], x.is_contiguous()


class MemoryOrder(unittest.TestCase):
    def compare(self, call, inputs, *what):
        a, b = (call(h, *(x[k] for x in inputs)) for k, h in enumerate((haft, torch)))
        self.assertEqual(facts(a), facts(b), what)
        self.assertEqual(a.tolist(), b.tolist(), what)

    def test_one_input(self):
        calls = {"exp2": lambda h, x: h.exp2(x % 4), "neg": lambda h, x: -x, "scalar": lambda h, x: x * 2 + 1, "compare": lambda h, x: x > 3, "zero-dim": lambda h, x: x * h.tensor(2.),
                 "zero-dim first": lambda h, x: h.tensor(2.) * x, "to": lambda h, x: x.to(h.int64), "to half": lambda h, x: x.to(h.float16), "promoted": lambda h, x: x.to(h.int32) * 1.5, "clone": lambda h, x: x.clone(),
                 "zeros_like": lambda h, x: h.zeros_like(x), "ones_like": lambda h, x: h.ones_like(x, dtype=h.float64), "full_like": lambda h, x: h.full_like(x, 2), "contiguous": lambda h, x: x.contiguous()}
        for sizes in SIZES:
            for i, x in list(enumerate(pairs(sizes)))[::1 if len(sizes) < 5 else 7]:
                for name, call in calls.items():
                    self.compare(call, [x], name, sizes, i)

    def test_two_inputs(self):
        for sizes in SIZES[:7]:
            for (i, x), (j, y) in itertools.product(enumerate(pairs(sizes)), enumerate(pairs(sizes, 1))):
                self.compare(lambda h, a, b: a + b, [x, y], sizes, i, j)

    def test_broadcast_inputs(self):
        for sizes in SIZES[1:7]:
            for mask in itertools.product((0, 1), repeat=len(sizes)):
                small = [1 if m else s for m, s in zip(mask, sizes)]
                for drop in range(len(sizes)):
                    if any(s != 1 for s in small[:drop]):
                        continue
                    y = haft.ones(*small[drop:]), torch.ones(*small[drop:])
                    for i, x in enumerate(pairs(sizes)):
                        self.compare(lambda h, a, b: a + b, [x, y], sizes, small, drop, i)
                        self.compare(lambda h, a, b: b + a, [x, y], sizes, small, drop, i)

    def test_three_inputs(self):
        x, y, z = (pairs((2, 3, 4), k) for k in range(3))
        for i, j, k in itertools.product(range(len(x)), repeat=3):
            self.compare(lambda h, a, b, c: h.where(a % 2 == 0, b, c), [x[i], y[j], z[k]], i, j, k)
            self.compare(lambda h, a, b, c: h.addcmul(a, b, c), [x[i], y[j], z[k]], i, j, k)

    def test_channels_last_flows(self):
        for h in (haft, torch):
            x = h.arange(2 * 16 * 3 * 5, dtype=h.float32).reshape(2, 16, 3, 5).contiguous(memory_format=h.channels_last).requires_grad_()
            scale, shift = h.ones(1, 16, 1, 1), h.zeros(16, 1, 1)
            y = h.relu(x * scale + shift).to(h.float64).to(h.float32)
            y.mul_(0.5)
            self.assertTrue(y.is_contiguous(memory_format=h.channels_last))
            self.assertFalse(y.is_contiguous())
            y.backward(h.ones_like(y))
            self.assertEqual(x.grad.sum().item(), (2 * 16 * 3 * 5 - 1) / 2)

    def test_expanded_and_empty(self):
        for call in (lambda h: h.arange(3.).expand(2, 3) + 1, lambda h: h.arange(3.).reshape(3, 1).expand(3, 4) * h.arange(3.).reshape(3, 1).expand(3, 4), lambda h: h.zeros(2, 0, 3).transpose(0, 2) + 1,
                     lambda h: h.zeros(0, 3, 2, 2).contiguous(memory_format=h.channels_last) + 1):
            self.compare(call, [])

    def test_large_results(self):
        # Tiles and several threads: one operand lies across the other.
        a, b = ([h.arange(300 * 257, dtype=h.float32).reshape(sizes) for h in (haft, torch)] for sizes in ((300, 257), (257, 300)))
        for call in (lambda h, a, b: a.t() + b, lambda h, a, b: b - a.t(), lambda h, a, b: a.t() * a.t()):
            self.compare(call, [a, b])


if __name__ == "__main__":
    unittest.main()
