"""Every operator of ops.def beside PyTorch: random arguments, types and layouts; promotion; moments of what is random; refusals.

HAFT_TEST_SEED repeats a run."""
import os
import re
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
import parity_cases
import parity_cases_compositions  # noqa: F401: they fill CASES
import parity_cases_nn  # noqa: F401
import parity_cases_complex  # noqa: F401
import parity_cases_windows  # noqa: F401
import parity_cases_pointwise  # noqa: F401
import parity_cases_linalg  # noqa: F401
import parity_cases_special  # noqa: F401
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
    "standard_gamma": ("(getattr(h, '_standard_gamma', None) or h.standard_gamma)(h.full(({n},), 2.5))", 2.5, 2.5 ** 0.5, 0, float("inf")),
    "bernoulli": ("h.bernoulli(h.full(({n},), 0.3)) | h.empty({n}).bernoulli_(0.3) | h.full((100, 200), 0.3, dtype=h.float64).bernoulli()", 0.3, 0.21 ** 0.5, 0, 1),
    "multinomial": ("h.multinomial(h.tensor([0.2, 0.3, 0., 0.5]), {n}, replacement=True) | h.tensor([2., 3., 0., 5.]).multinomial({n}, True)", 1.8, 1.46 ** 0.5, 0, 3),
    "exponential": ("h.empty({n}).exponential_(2.0) | h.empty(100, 200, dtype=h.float64).exponential_(2.0)", 0.5, 0.5, 0, float("inf")),
    "cauchy": ("h.empty({n}).cauchy_(1.0, 2.0).sub(1).abs().lt(2).float()", 0.5, 0.5, 0, 1),
    "log_normal": ("h.empty({n}).log_normal_(0.5, 0.25) | h.empty(100, 200, dtype=h.float64).log_normal_(0.5, 0.25)", 1.7010, 0.4320, 0, float("inf")),
    "geometric": ("h.empty({n}).geometric_(0.5) | h.empty(100, 200, dtype=h.int64).geometric_(0.5)", 2, 2 ** 0.5, 1, 99),
    "poisson": ("h.poisson(h.full(({n},), 4.0)) | h.poisson(h.full((100, 200), 4.0, dtype=h.float64))", 4, 2, 0, 99),
    "binomial": ("h.binomial(h.full(({n},), 10.0), h.full(({n},), 0.3))", 3, 2.1 ** 0.5, 0, 10),
    "gumbel_softmax": ("h.nn.functional.gumbel_softmax(h.zeros({n}, 2), hard=True)[:, 0]", 0.5, 0.5, 0, 1),
    "rand_like": ("h.rand_like(h.zeros({n})) | h.rand_like(h.zeros(100, 200), dtype=h.float64)", 0.5, 12 ** -0.5, 0, 1),
    "randn_like": ("h.randn_like(h.zeros({n})) | h.randn_like(h.zeros(100, 200), dtype=h.float64)", 0, 1, -7, 7),
    "dropout": ("h.nn.functional.dropout(h.ones({n}), 0.25) | h.dropout(h.ones(100, 200), 0.25, True)", 1, (0.25 / 0.75) ** 0.5, 0, 4 / 3 + 1e-6),
    "feature_dropout": ("h.nn.functional.dropout2d(h.ones({n}, 1, 1, 1), 0.25) | h.nn.functional.dropout1d(h.ones(100, 200, 1), 0.25)", 1, (0.25 / 0.75) ** 0.5, 0, 4 / 3 + 1e-6),
    "alpha_dropout": ("h.nn.functional.alpha_dropout(h.zeros({n}), 0.25, True)", 0, 0.660228, -1.14355, 0.38119),
    "feature_alpha_dropout": ("h.nn.functional.feature_alpha_dropout(h.zeros({n}, 1, 1), 0.25, True)", 0, 0.660228, -1.14355, 0.38119),
    "rrelu": ("h.nn.functional.rrelu(h.full(({n},), -1.0), 0.1, 0.4, True)", -0.25, 0.3 / 12 ** 0.5, -0.4 - 1e-6, -0.1 + 1e-6),
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
            with self.subTest(name, HAFT_TEST_SEED=parity.SEED):
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


PAIRED = ("add sub mul div pow maximum minimum fmod remainder floor_divide atan2 eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and "
          "bitwise_or bitwise_xor").split()
TYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
# Mistakes that both refuse, in the same built-in kind of exception.
MISTAKES = """
h.ones(2, 3) + h.ones(4) | h.ones(2, 3) @ h.ones(2, 3) | h.mm(h.ones(2), h.ones(2)) | h.ones(2, 3).view(4) | h.ones(2, 3).t().view(6) | h.ones(2, 3).reshape(4)
h.ones(2, 3).sum(5) | h.ones(2, 3).sum(-3) | h.ones(2, 3)[5] | h.ones(2, 3)[0, 0, 0] | h.ones(2, 3).select(0, 2) | h.ones(2, 3).transpose(0, 3) | h.ones(2, 3).unsqueeze(4)
h.cat([h.ones(2), h.ones(2, 3)]) | h.cat([h.ones(2, 3), h.ones(3, 2)]) | h.cat([]) | h.stack([h.ones(2), h.ones(3)]) | h.stack([]) | h.ones(2, 3).expand(3, 3) | h.ones(2, 3, 4).t()
h.ones(2, 3).permute(0) | h.ones(2, 3).permute(0, 0) | h.ones(2, 3).narrow(1, 2, 2) | h.ones(6).split([1, 2]) | h.ones(6).unfold(0, 7, 1) | h.ones(2, 3).unflatten(1, (2, 2))
h.index_select(h.ones(2, 3), 0, h.tensor([2])) | h.ones(2, 3).gather(0, h.tensor([[5]])) | h.ones(2, 3).gather(0, h.tensor([0])) | h.ones(2, 3)[h.tensor([3])] | h.ones(2, 3)[h.tensor([0.5])]
h.ones(2, 3).masked_select(h.ones(3)) | h.ones(3)[h.tensor([True, False])] | h.where(h.tensor([True, False]), h.ones(3), h.ones(3))
bool(h.ones(2)) | float(h.ones(2)) | int(h.ones(0)) | h.ones(2).item() | len(h.tensor(1)) | iter(h.tensor(1)) | list(h.tensor(2.)) | h.ones(2).tolist(1)
h.zeros(-1) | h.zeros("a") | h.zeros(2, dtype="float32") | h.tensor([[1], [2, 3]]) | h.tensor("a") | h.arange(0, 5, 0) | h.arange(5, 0, 1) | h.full((2,)) | h.eye(-1) | h.linspace(0, 1, -1)
~h.ones(2) | h.ones(2) & h.ones(2) | -h.tensor([True]) | h.tensor([True]) - h.tensor([True]) | h.ones(2, dtype=h.int64).mean() | h.tensor([1, 2]).requires_grad_() | h.tensor([1]).softmax(0)
h.ones(2, requires_grad=True).numpy() | h.ones(2, requires_grad=True).add_(1) | h.ones(2).backward() | h.ones(2, requires_grad=True).backward() | h.tensor([1, 2]).add_(0.5)
h.ones(0).max() | h.ones(0).argmax() | h.ones(0, 3).max(0) | h.ones(2).topk(3) | h.ones(2).kthvalue(3) | h.randperm(-1) | h.randint(5, 5, (2,)) | h.bernoulli(h.tensor([2.])) | h.multinomial(h.tensor([-1., 2.]), 1)
h.ones(2).kthvalue(0) | h.ones(0).kthvalue(1) | h.ones(0, 3).median(0) | h.ones(0, 3).nanmedian(0) | h.ones(3).median(1) | h.ones(2).cummax(1) | h.tensor([1]).logcumsumexp(0) | h.polygamma(-1, h.ones(2))
h.ones(3).scatter_reduce(0, h.tensor([0]), h.ones(1), 'max') | h.ones(3).index_reduce(0, h.tensor([0]), h.ones(1), 'sum') | h.ones(3).scatter(0, h.tensor([0]), h.ones(1), reduce='sum') | h.hypot(h.ones(2), 2) | h.xlogy(2, 3)
h.searchsorted(h.ones(3), h.ones(1), side='up') | h.searchsorted(h.ones(3), h.ones(1), side='left', right=True) | h.searchsorted(h.ones(2, 3), h.ones(3, 2)) | h.bucketize(h.ones(1), h.ones(2, 3)) | h.isin(1, 2)
h.bincount(h.ones(2)) | h.bincount(h.tensor([-1])) | h.bincount(h.tensor([[1]])) | h.bincount(h.tensor([1]), h.ones(2)) | h.bincount(h.tensor([1]), minlength=-1) | h.histc(h.tensor([1]), 3) | h.histc(h.tensor([1., float('nan')]), 3) | h.histc(h.ones(2), 0) | h.histc(h.ones(2), 3, 2, 1)
F.conv2d(h.ones(1, 3, 5, 5), h.ones(2, 4, 3, 3)) | F.conv2d(h.ones(1, 1, 2, 2), h.ones(1, 1, 3, 3)) | F.linear(h.ones(2, 3), h.ones(4, 5)) | F.max_pool2d(h.ones(1, 1, 2, 2), 3) | F.softmax(h.ones(2), 1)
F.cross_entropy(h.ones(2, 3), h.tensor([0, 3])) | F.cross_entropy(h.ones(2, 3), h.tensor([0])) | F.mse_loss(h.ones(2), h.ones(2), reduction='middle') | F.nll_loss(h.ones(2, 3), h.ones(2)) | F.embedding(h.tensor([5]), h.ones(3, 2))
F.one_hot(h.tensor([-1])) | F.one_hot(h.tensor([3]), 2) | F.layer_norm(h.ones(2, 3), [4]) | F.batch_norm(h.ones(1, 3), None, None, training=True) | F.dropout(h.ones(2), 1.5) | F.binary_cross_entropy(h.tensor([2.]), h.tensor([1.]))
h.ones(2).exp(1) | h.ones(2) + "a" | h.ones(2) + None | h.ones(2).nothing | h.nothing | h.ones(2).div(2, rounding_mode='up') | h.clamp(h.ones(2)) | h.dot(h.ones(2), h.ones(3)) | h.bmm(h.ones(2, 3, 4), h.ones(3, 4, 2))
"""


class Kinds(unittest.TestCase):
    def test_promotion(self):
        """All pairs of types, tensors with dimensions, without and numbers: the type of the result, or a refusal of PyTorch's."""
        for name in PAIRED:
            wrong = []
            for a in TYPES:
                for b in TYPES + [True, 2, 1.5]:
                    for scalar in (False, True) if isinstance(b, str) else (False,):
                        found = []
                        for h in (torch, haft):
                            x = h.ones(3, dtype=getattr(h, a))
                            y = h.ones(() if scalar else 3, dtype=getattr(h, b)) if isinstance(b, str) else b
                            try:
                                t = getattr(h, name)(x, y)
                                found.append((parity_cases.plain(t.dtype), [float(v) for v in t.tolist()]))
                            except (RuntimeError, TypeError) as error:
                                found.append(str(error)[:60])
                        same = found[0][0] == found[1][0] and np.allclose(found[0][1], found[1][1], 1e-6) if isinstance(found[1], tuple) else False
                        if isinstance(found[0], tuple) and not same:
                            wrong.append((a, b, scalar, *found))
            self.assertEqual(wrong, [], name)

    def test_mistakes(self):
        F = {h: h.nn.functional for h in (haft, torch)}
        for expression in parity_cases.expressions(MISTAKES):
            with self.subTest(expression):
                found = []
                for h in (torch, haft):
                    try:
                        found.append(eval(expression, {"h": h, "F": F[h]}))
                    except Exception as error:  # noqa: BLE001: whatever they raise
                        found.append(error)
                theirs, ours = found
                self.assertIsInstance(theirs, Exception)
                self.assertIsInstance(ours, Exception)
                kinds = [k for k in (IndexError, TypeError, ValueError, RuntimeError, AttributeError) if isinstance(theirs, k)]
                self.assertTrue(kinds and isinstance(ours, kinds[0]), f"{type(ours).__name__}: {ours}; PyTorch {type(theirs).__name__}: {theirs}")
                del found, theirs, ours


def _test(name):
    def test(self):
        count, dtypes = parity_cases.run(name, parity_cases.CASES[name], parity.SEED)
        parity.record("operator", name, 0, checks=count, dtypes=sorted(dtypes), forms=[c.expression for c in parity_cases.CASES[name]])
    return test


for _name in parity_cases.CASES:
    setattr(Operators, f"test_{_name}_", _test(_name))

if __name__ == "__main__":
    unittest.main()
