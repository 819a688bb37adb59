"""x[...] read and written beside NumPy and PyTorch, with random indices."""
import random
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from seeds import SEED

setUpModule, tearDownModule = leaks.guard()


def random_slice(r, n):
    bound = lambda: r.choice([None, None, r.randint(-n - 2, n + 2)])
    return slice(bound(), bound(), r.choice([None, None, 1, 2, 3]))


def random_index(r, shape):
    """An index for that shape as haft, torch take it: a list of makers, one for each entry."""
    entries, dim, advanced, nones = [], 0, None, 0
    while dim < len(shape) and r.random() < 0.8:
        n = shape[dim]
        kind = r.choice(["int", "slice", "slice", "none", "tensor", "list", "mask", "tensor2", "scalar", "numpy"])
        if n == 0 and kind not in ("slice", "none", "mask"):
            kind = "slice"
        if kind == "int":
            i = r.randint(-n, n - 1)
            entries.append(lambda h, i=i: i)
            dim += 1
        elif kind == "scalar":
            i = r.randint(-n, n - 1)
            entries.append(lambda h, i=i: h.tensor(i))
            dim += 1
        elif kind == "slice":
            s = random_slice(r, n)
            entries.append(lambda h, s=s: s)
            dim += 1
        elif kind == "none":
            if len(shape) + nones < 7:  # a tensor has at most 8, and an index of two may add one
                entries.append(lambda h: None)
                nones += 1
        elif kind == "mask":
            rank = 2 if dim + 1 < len(shape) and r.random() < 0.3 and advanced is None else 1
            size = shape[dim:dim + rank]
            if advanced is not None:
                continue
            a = np.array([r.random() < 0.5 for _ in range(int(np.prod(size)))], dtype=bool).reshape(size)
            advanced = "mask"
            entries.append(lambda h, a=a: h.tensor(a))
            dim += rank
            if rank == 2:  # PyTorch 1.13 applies what follows a mask of several dimensions to the wrong one
                return entries
        else:
            if advanced == "mask":
                continue
            if advanced is None:
                advanced = 3
            values = [r.randint(-n, n - 1) for _ in range(3)]
            if kind == "list":
                entries.append(lambda h, v=values: v)
            elif kind == "numpy":
                entries.append(lambda h, v=values: np.array(v))
            elif kind == "tensor2":
                entries.append(lambda h, v=values: h.tensor([v, v[::-1]]))
            else:
                entries.append(lambda h, v=values: h.tensor(v))
            dim += 1
    if r.random() < 0.3:
        entries.append(lambda h: Ellipsis)
    return entries


class Indexing(unittest.TestCase):
    def setUp(self):
        self.r = random.Random(SEED)

    def cases(self, n):
        for _ in range(n):
            shape = tuple(self.r.choice([0, 1, 2, 3, 5] if self.r.random() < 0.1 else [1, 2, 3, 5]) for _ in range(self.r.randint(1, 4)))
            entries = random_index(self.r, shape)
            make = (lambda h: entries[0](h)) if len(entries) == 1 and self.r.random() < 0.5 else (lambda h: tuple(e(h) for e in entries))
            yield shape, make

    def test_read(self):
        for number, (shape, make) in enumerate(self.cases(600)):
            a = parity.real(*shape)
            x, y = haft.tensor(a, requires_grad=True), torch.tensor(a, requires_grad=True)
            try:
                want = y[make(torch)]
            except IndexError:
                with self.assertRaises(IndexError):
                    x[make(haft)]
                continue
            with self.subTest(seed=SEED, number=number, shape=shape, index=make(torch)):
                out = x[make(haft)]
                parity.check(out, want, "value")
                w = parity.real(*want.shape)
                (out * haft.tensor(w)).sum().backward()
                (want * torch.tensor(w)).sum().backward()
                parity.check(x.grad, y.grad, "gradient")

    def test_write(self):
        for number, (shape, make) in enumerate(self.cases(400)):
            a = parity.real(*shape)
            y = torch.tensor(a)
            try:
                size = y[make(torch)].shape
            except IndexError:
                continue
            value = parity.real(*size) if self.r.random() < 0.5 else parity.real(*size[1:]) if self.r.random() < 0.5 else 2.5
            with self.subTest(seed=SEED, number=number, shape=shape, index=make(torch)):
                results = []
                for h, convert in ((haft, parity.as_haft), (torch, parity.as_torch)):
                    leaf, v = convert(a, True), convert(value, True)
                    x = leaf * 1
                    index = make(h)
                    if isinstance(value, np.ndarray) and not self.different(index, h):
                        v = v * 0 + 1  # repeated places: which write wins is nobody's promise
                    x[index] = v
                    (x * x).sum().backward()
                    results.append((x, leaf.grad, v.grad if isinstance(v, (haft.Tensor, torch.Tensor)) and v.is_leaf else None))
                parity.check(results[0][0], results[1][0], "value")
                parity.check(results[0][1], results[1][1], "gradient of x")
                if results[1][2] is not None and results[0][2] is not None:
                    parity.check(results[0][2], results[1][2], "gradient of the value")

    @staticmethod
    def different(index, h):
        return not any(isinstance(i, (list, np.ndarray, haft.Tensor, torch.Tensor)) for i in (index if isinstance(index, tuple) else (index,)))

    def test_in_place_through_views(self):
        for h in (haft, torch):
            x = h.ones(3, 4, requires_grad=True)
            y = x * 2
            y[1] += 3
            y[:, 1:3] *= 2
            y[0, 0] = x[2, 2] * 5
            y.sum().backward()
            want = x.grad.tolist() if h is haft else want
            self.assertEqual(x.grad.tolist(), want)

    def test_errors(self):
        x = haft.zeros(2, 3)
        for call, error, words in ((lambda: x[2], IndexError, "out of bounds"), (lambda: x[0, 0, 0], IndexError, "too many indices"), (lambda: x[::-1], ValueError, "step must be greater than zero"),
                                   (lambda: haft.tensor(1)[0], IndexError, "0-dim"), (lambda: x[1.5], (IndexError, TypeError), ""), (lambda: x["a"], (IndexError, TypeError), ""),
                                   (lambda: x[haft.tensor([1.0])], IndexError, "long"), (lambda: x.__setitem__(0, "a"), TypeError, "assign"), (lambda: x.__setitem__(0, haft.ones(4)), RuntimeError, ""),
                                   (lambda: x[haft.tensor([5])], IndexError, "5"), (lambda: x[haft.tensor([True, False, True])], IndexError, ""), (lambda: x.__delitem__(0), TypeError, "delet"),
                                   (lambda: len(haft.tensor(1)), TypeError, "0-d"), (lambda: iter(haft.tensor(1)), TypeError, "0-d"), (lambda: [1, 2][haft.tensor(1.0)], TypeError, "integer")):
            with self.assertRaises(error) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_protocols(self):
        x = haft.arange(6).reshape(2, 3)
        self.assertEqual([r.tolist() for r in x], [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(len(x), 2)
        self.assertTrue(4 in x and 9 not in x)
        a, b = x
        self.assertEqual(b.tolist(), [3, 4, 5])
        self.assertEqual("abc"[haft.tensor(1)], "b")
        self.assertEqual(list(range(5))[haft.tensor(1):haft.tensor(3)], [1, 2])
        self.assertEqual([r.tolist() for r in reversed(x)], [[3, 4, 5], [0, 1, 2]])
        self.assertTrue(haft.tensor(1.0) and not haft.tensor(0) and not haft.tensor(False) and not haft.tensor([]))
        self.assertEqual((int(haft.tensor(2.7)), float(haft.tensor(3)), f"{haft.tensor(2.5):.2f}", round(haft.tensor(2.6).item())), (2, 3.0, "2.50", 3))
        self.assertEqual(len({x, x, x[0]}), 2)
        x[...] = 1
        self.assertEqual(x.sum().item(), 6)
        x[x > 0] = 5
        x[:, [0, 2]] = haft.tensor([7, 8])
        self.assertEqual(x.tolist(), [[7, 5, 8], [7, 5, 8]])
        x[0] = np.array([1, 2, 3])
        self.assertEqual(x[0].tolist(), [1, 2, 3])
        self.assertEqual(x[True].shape, (1, 2, 3))
        self.assertEqual(x[False].shape, (0, 2, 3))


if __name__ == "__main__":
    unittest.main()
