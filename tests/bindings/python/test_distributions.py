"""haft.distributions beside PyTorch's: densities, entropies, divergences and their gradients; samples by their moments."""
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from parity import real

setUpModule, tearDownModule = leaks.guard()


def positive(*shape):
    return np.abs(real(*shape)) + 0.3


def unit(*shape):
    return 1 / (1 + np.exp(-real(*shape)))


LOW, WIDTH = real(3), positive(3)
GAMMAS = ("Gamma", "Chi2", "Beta", "Dirichlet", "StudentT")
SHIFTED = ("loc", "concentration", "concentration1", "df")

# name: parameters by name, a value of the support
CASES = {
    "Normal": ({"loc": real(3, 2), "scale": positive(3, 2)}, real(4, 3, 2)), "LogNormal": ({"loc": real(3), "scale": positive(3)}, positive(2, 3)),
    "Laplace": ({"loc": real(3), "scale": positive(3)}, real(2, 3)), "Gumbel": ({"loc": real(3), "scale": positive(3)}, real(2, 3)),
    "Uniform": ({"low": LOW, "high": LOW + WIDTH}, (LOW + WIDTH * unit(4, 3)).astype("f")), "Exponential": ({"rate": positive(3)}, positive(2, 3)),
    "Gamma": ({"concentration": positive(3) * 2, "rate": positive(3)}, positive(2, 3)), "Chi2": ({"df": positive(3) * 3}, positive(2, 3)),
    "Beta": ({"concentration1": positive(3), "concentration0": positive(3)}, unit(2, 3).astype("f")),
    "Dirichlet": ({"concentration": positive(2, 4)}, np.array([[0.25, 0.5, 0.125, 0.125], [0.0625, 0.5, 0.25, 0.1875]], "f")),
    "StudentT": ({"df": positive(3) + 4, "loc": real(3), "scale": positive(3)}, real(2, 3)),
    "Bernoulli": ({"probs": unit(3, 2)}, (unit(4, 3, 2) > 0.5).astype("f")), "Bernoulli by logits": ({"logits": real(3)}, np.array([1, 0, 1], "f")),
    "Geometric": ({"probs": unit(3)}, np.array([[0, 3, 7]], "f")), "Categorical": ({"probs": positive(3, 4)}, np.array([[0, 3, 2], [1, 1, 1]])),
    "Categorical by logits": ({"logits": real(3, 4)}, np.array([0, 3, 2])), "OneHotCategorical": ({"logits": real(2, 3)}, np.array([[0, 1, 0], [0, 0, 1]], "f")),
}


def made(lib, case, shift=0.0):
    name = case.split()[0]
    parameters = {k: (parity.as_haft if lib is haft else parity.as_torch)(v + np.float32(shift) * (k in SHIFTED), True) for k, v in CASES[case][0].items()}
    return getattr(lib.distributions, name)(**parameters), list(parameters.values())


class Parity(unittest.TestCase):
    def same(self, case, f, limit=1e-4):
        (p, ps), (q, qs) = made(haft, case), made(torch, case)
        a, b = f(haft, p), f(torch, q)
        parity.check(a, b, case, limit=limit)
        if b.requires_grad:
            (a * a).sum().backward()
            (b * b).sum().backward()
            for x, y in zip(ps, qs):
                if y.grad is not None:
                    parity.check(x.grad, y.grad, case, limit=5e-4)

    def test_everything(self):
        for case, (_, value) in CASES.items():
            with self.subTest(case):
                own, ref = made(haft, case)[0], made(torch, case)[0]
                self.assertEqual((tuple(own.batch_shape), tuple(own.event_shape)), (tuple(ref.batch_shape), tuple(ref.event_shape)))
                self.same(case, lambda lib, d: d.log_prob(lib.tensor(value)))
                self.same(case, lambda lib, d: d.entropy())
                self.same(case, lambda lib, d: d.perplexity())
                if not case.startswith("Categorical"):
                    self.same(case, lambda lib, d: d.mean)
                    self.same(case, lambda lib, d: d.variance)
                    self.same(case, lambda lib, d: d.stddev)
                if ref.has_rsample and case not in ("Gumbel", *GAMMAS):  # PyTorch refuses some of its values
                    self.same(case, lambda lib, d: d.cdf(lib.tensor(value)))
                if case.split()[0] in ("Normal", "Laplace", "Uniform", "Exponential"):
                    u = unit(2, *ref.batch_shape)
                    self.same(case, lambda lib, d: d.icdf(lib.tensor(u)))
                if ref.has_enumerate_support:
                    for expand in (True, False):
                        parity.check(own.enumerate_support(expand), ref.enumerate_support(expand))
                grown = own.expand((5, *own.batch_shape))
                self.assertEqual(tuple(grown.batch_shape), (5, *ref.batch_shape))
                self.assertEqual(repr(own).split("(")[0], repr(ref).split("(")[0])

    def test_divergences(self):
        for case in CASES:
            if case in ("Gumbel", "StudentT"):
                continue

            def kl(lib, p):
                q, _ = made(lib, case, 0.7)
                if case.startswith("Uniform"):
                    q = lib.distributions.Uniform(q.low - 1, q.high + 1)
                elif "probs" in CASES[case][0]:
                    q = type(q)(probs=1 - q.probs) if q.event_shape == () and "Cat" not in case else type(q)(probs=q.probs.square())
                return lib.distributions.kl_divergence(p, q)
            with self.subTest(case):
                self.same(case, kl)
        with self.assertRaisesRegex(NotImplementedError, "p type Normal and q type Uniform"):
            haft.distributions.kl_divergence(haft.distributions.Normal(0, 1), haft.distributions.Uniform(0, 1))

        def edges(lib):
            t, d = lib.tensor, lib.distributions
            b = d.kl_divergence(d.Bernoulli(t([0.0, 1.0, 0.5, 0.5])), d.Bernoulli(t([0.5, 0.5, 0.0, 1.0])))
            c = d.kl_divergence(d.Categorical(t([[0.0, 1.0], [0.5, 0.5]])), d.Categorical(t([[0.5, 0.5], [0.0, 1.0]])))
            return b, c, d.kl_divergence(d.Uniform(0.0, 2.0), d.Uniform(1.0, 3.0))
        for a, b in zip(edges(haft), edges(torch)):
            parity.check(a, b, limit=1e-4)

    def test_independent(self):
        def f(lib, d):
            i = lib.distributions.Independent(d, 1)
            return i.log_prob(lib.tensor(CASES["Normal"][1])) * i.entropy().sum() + lib.distributions.kl_divergence(i, lib.distributions.Independent(
                lib.distributions.Normal(lib.zeros(3, 2), lib.ones(3, 2)), 1))
        self.same("Normal", f)
        i = haft.distributions.Independent(made(haft, "Normal")[0], 2)
        self.assertEqual((tuple(i.batch_shape), tuple(i.event_shape), i.rsample((4,)).shape), ((), (3, 2), (4, 3, 2)))
        self.assertEqual(tuple(haft.distributions.Independent(made(haft, "Normal")[0], 1).expand((7, 3)).batch_shape), (7, 3))


class Samples(unittest.TestCase):
    def test_moments(self):
        haft.manual_seed(1)
        for case in CASES:
            if case.startswith("Categorical"):
                continue
            with self.subTest(case):
                d = made(haft, case)[0]
                x = d.sample((20000,))
                self.assertEqual(x.shape, (20000, *d.batch_shape, *d.event_shape))
                self.assertFalse(x.requires_grad)
                spread = d.stddev.detach()
                self.assertTrue(((x.mean(0) - d.mean.detach()).abs() < 6 * spread / 20000 ** 0.5 + 1e-3).all())
                if case not in ("LogNormal", "StudentT"):
                    self.assertTrue(haft.allclose(x.std(0), spread, rtol=0.1, atol=0.01))
        p = haft.tensor([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
        c = haft.distributions.Categorical(p)
        drawn = c.sample((20000,))
        self.assertTrue(haft.allclose(haft.stack([(drawn == k).float().mean(0) for k in range(3)], 1), p, atol=0.02))
        self.assertEqual((c.sample().shape, c.sample((2, 3)).shape, c.sample((0,)).shape), ((2,), (2, 3, 2), (0, 2)))
        self.assertEqual(c.mode.tolist()[0], 2)

    def test_gradients_of_samples(self):
        for name, parameters in (("Normal", (0.5, 2.0)), ("Laplace", (0.5, 2.0)), ("LogNormal", (0.1, 0.3)), ("Uniform", (-1.0, 2.0)), ("Gumbel", (0.5, 2.0)), ("Exponential", (2.0,)),
                                 ("Gamma", (1.7, 2.0)), ("Gamma", (0.4, 1.0)), ("Chi2", (3.0,)), ("Beta", (0.7, 2.0))):
            tensors = [haft.tensor(p, requires_grad=True) for p in parameters]
            d = getattr(haft.distributions, name)(*tensors)
            self.assertTrue(d.has_rsample)
            d.rsample((50000,)).mean().backward()
            found = [t.grad.item() for t in tensors]
            for t in tensors:
                t.grad = None
            d.mean.sum().backward()
            self.assertTrue(np.allclose(found, [0 if t.grad is None else t.grad.item() for t in tensors], atol=0.05), name)
        a = haft.tensor([2.0], requires_grad=True)
        slope, = haft.autograd.grad(haft.distributions.Gamma(a, 1.0).rsample().square().sum(), a, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "no second derivative"):
            slope.sum().backward()
        logits = haft.randn(2, 3, requires_grad=True)
        y = haft.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample()
        self.assertTrue(haft.allclose(y.sum(-1), haft.ones(2)))
        (y * haft.arange(3.0)).sum().backward()
        self.assertGreater(logits.grad.abs().sum().item(), 0)

    def test_policy_gradient(self):
        # REINFORCE on a bandit of three arms.
        haft.manual_seed(2)
        logits = haft.nn.Parameter(haft.zeros(3))
        optimizer = haft.optim.Adam([logits], 0.1)
        for _ in range(150):
            policy = haft.distributions.Categorical(logits=logits)
            action = policy.sample((16,))
            reward = haft.tensor([0.0, 1.0, 0.2])[action]
            loss = -(policy.log_prob(action) * (reward - reward.mean())).mean() - 0.01 * policy.entropy()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        self.assertGreater(haft.distributions.Categorical(logits=logits).probs[1].item(), 0.8)

    def test_errors(self):
        d = haft.distributions
        for call, text in ((lambda: d.Normal(0.0, -1.0), "parameter scale.*GreaterThan"), (lambda: d.Bernoulli(1.5), "Interval"), (lambda: d.Bernoulli(), "Either `probs` or `logits`"),
                           (lambda: d.Uniform(1.0, 0.0), "not defined"), (lambda: d.Normal(0.0, 1.0).log_prob(1.0), "must be a Tensor"),
                           (lambda: d.Bernoulli(0.5).log_prob(haft.tensor(0.5)), "support"), (lambda: d.Categorical(haft.tensor(1.0)), "one-dimensional"),
                           (lambda: d.Categorical(haft.ones(3)).log_prob(haft.tensor(3)), "support"), (lambda: d.Normal(haft.zeros(3), 1.0).log_prob(haft.zeros(2)), "not broadcastable"),
                           (lambda: d.Independent(d.Normal(0.0, 1.0), 1), "reinterpreted_batch_ndims")):
            with self.assertRaisesRegex(ValueError, text):
                call()
        d.Normal(0.0, -1.0, validate_args=False)
        with self.assertRaises(NotImplementedError):
            d.Bernoulli(0.5).rsample()


if __name__ == "__main__":
    unittest.main()
