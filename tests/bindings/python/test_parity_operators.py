"""Every operator of ops.def beside PyTorch: random arguments, types and layouts; promotion; moments of what is random; refusals.

HAFT_SEED repeats a run."""
import os
import re
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
import parity_cases
import parity_cases_nn  # noqa: F401: they fill CASES
import parity_cases_pointwise  # noqa: F401
import parity_cases_tensor  # noqa: F401

setUpModule, tearDownModule = leaks.guard()
OPERATORS = os.path.join(os.path.dirname(__file__), "../../../docs/operators.md")


def public():
    """The names of docs/operators.md, which is made of ops.def."""
    with open(OPERATORS) as f:
        return re.findall(r"^\| `(\w+)` \|", f.read(), re.M)


# What is random: how it is called, in both, and the mean, the standard deviation and the bounds that it must show.
N = 20000
RANDOM = {
    "rand": ("h.rand({n}) | h.rand(({n},), dtype=h.float64) | h.rand(100, 200)", 0.5, 12 ** -0.5, 0, 1),
    "randn": ("h.randn({n}) | h.randn(100, 200, dtype=h.float64)", 0, 1, -7, 7),
    "randint": ("h.randint(10, ({n},)) | h.randint(0, 10, ({n},), dtype=h.int32) | h.randint(high=10, size=({n},))", 4.5, 8.25 ** 0.5, 0, 9),
    "randperm": ("h.randperm({n}) | h.randperm({n}, dtype=h.int32)", (N - 1) / 2, ((N * N - 1) / 12) ** 0.5, 0, N - 1),
    "uniform": ("h.empty({n}).uniform_(-1, 3) | h.empty(100, 200, dtype=h.float64).uniform_(-1, 3)", 1, 4 / 12 ** 0.5, -1, 3),
    "normal": ("h.normal(2.0, 0.5, ({n},)) | h.empty({n}).normal_(2, 0.5) | h.normal(h.full(({n},), 2.0), 0.5)", 2, 0.5, -2, 6),
    "bernoulli": ("h.bernoulli(h.full(({n},), 0.3)) | h.empty({n}).bernoulli_(0.3) | h.full((100, 200), 0.3, dtype=h.float64).bernoulli()", 0.3, 0.21 ** 0.5, 0, 1),
    "multinomial": ("h.multinomial(h.tensor([0.2, 0.3, 0., 0.5]), {n}, replacement=True) | h.tensor([2., 3., 0., 5.]).multinomial({n}, True)", 1.8, 1.46 ** 0.5, 0, 3),
    "rand_like": ("h.rand_like(h.zeros({n})) | h.rand_like(h.zeros(100, 200), dtype=h.float64)", 0.5, 12 ** -0.5, 0, 1),
    "randn_like": ("h.randn_like(h.zeros({n})) | h.randn_like(h.zeros(100, 200), dtype=h.float64)", 0, 1, -7, 7),
    "dropout": ("h.nn.functional.dropout(h.ones({n}), 0.25) | h.dropout(h.ones(100, 200), 0.25, True)", 1, (0.25 / 0.75) ** 0.5, 0, 4 / 3 + 1e-6),
}


class Operators(unittest.TestCase):
    def test_every_operator_has_cases(self):
        names = public()
        self.assertGreater(len(names), 200)
        self.assertEqual(sorted(set(names) - set(parity_cases.CASES) - set(RANDOM)), [])
        self.assertEqual(sorted((set(parity_cases.CASES) | set(RANDOM)) - set(names)), [])

    def test_random(self):
        for seed, (name, (expressions, mean, std, low, high)) in enumerate(RANDOM.items(), parity.SEED):
            count = 0
            with self.subTest(name, HAFT_SEED=parity.SEED):
                for expression in expressions.format(n=N).split(" | "):
                    found = []
                    for h in (haft, torch):
                        h.manual_seed(seed)
                        t = eval(expression, {"h": h})
                        h.manual_seed(seed)
                        self.assertTrue(bool((eval(expression, {"h": h}) == t).all()), "not repeatable")
                        found.append(t)
                    ours, theirs = (t.numpy() for t in found)
                    self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype), expression)
                    for a in (ours, theirs):
                        self.assertLess(abs(a.astype("float64").mean() - mean), 6 * std / N ** 0.5 + 1e-12, expression)
                        self.assertLess(abs(a.astype("float64").std() / std - 1), 0.05, expression)
                        self.assertTrue(low <= a.min() and a.max() <= high, expression)
                    count += 1
                parity.record("operator", name, 0, checks=count, dtypes=sorted({str(ours.dtype)}), note="random: type, shape, range, mean and deviation; repeatable by seed")


def _test(name):
    def test(self):
        count, dtypes = parity_cases.run(name, parity_cases.CASES[name], parity.SEED)
        parity.record("operator", name, 0, checks=count, dtypes=sorted(dtypes), forms=[c.expression for c in parity_cases.CASES[name]])
    return test


for _name in parity_cases.CASES:
    setattr(Operators, f"test_{_name}_", _test(_name))

if __name__ == "__main__":
    unittest.main()
