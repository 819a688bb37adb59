"""haft.distributions beside PyTorch's: densities, entropies, divergences and their gradients; samples by their moments."""
import copy
import pickle
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


def covariance(*shape):
    a = real(*shape, shape[-1])
    return (a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])).astype("f")


def correlation_factor(*shape):
    f = np.linalg.cholesky(covariance(*shape))
    return (f / np.sqrt((f * f).sum(-1, keepdims=True))).astype("f")


LOW, WIDTH = real(3), positive(3)
COVARIANCE = covariance(2, 3)
SHIFTED = ("loc", "concentration", "concentration1", "df")
NO_ENTROPY = ("LKJCholesky", "LogisticNormal", "VonMises", "Poisson", "NegativeBinomial", "FisherSnedecor", "RelaxedBernoulli", "RelaxedOneHotCategorical")
NO_MOMENTS = ("LKJCholesky", "LogisticNormal", "Categorical", "RelaxedBernoulli", "RelaxedOneHotCategorical")
QUANTILES = ("Normal", "LogNormal", "Laplace", "Gumbel", "Uniform", "Exponential", "HalfNormal", "HalfCauchy", "Cauchy", "Weibull", "Pareto", "Kumaraswamy",
             "ContinuousBernoulli", "GeneralizedPareto")
MODES = ("GeneralizedPareto", "VonMises", "LowRankMultivariateNormal", "Normal", "LogNormal", "Laplace", "Gumbel", "Exponential", "HalfNormal", "HalfCauchy", "Cauchy", "Weibull", "Pareto", "Gamma", "Chi2", "StudentT",
         "MultivariateNormal", "Geometric", "Poisson", "NegativeBinomial", "Binomial")
CDFS = ("Normal", "LogNormal", "Laplace", "Uniform", "Exponential", "HalfNormal", "HalfCauchy", "Cauchy", "Weibull", "Pareto", "Kumaraswamy", "ContinuousBernoulli", "GeneralizedPareto")
DIVERGENCES = ("ContinuousBernoulli", "LogisticNormal", "Cauchy", "LowRankMultivariateNormal", "Normal", "LogNormal", "HalfNormal", "Laplace", "Gumbel", "Uniform", "Exponential", "Pareto", "Gamma", "Chi2", "Dirichlet", "Beta", "Bernoulli",
               "Binomial", "Geometric", "Poisson", "Categorical", "OneHotCategorical", "MultivariateNormal")

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
    "HalfNormal": ({"scale": positive(3)}, positive(2, 3)), "HalfCauchy": ({"scale": positive(3)}, positive(2, 3)),
    "Cauchy": ({"loc": real(3), "scale": positive(3)}, real(2, 3)), "Weibull": ({"scale": positive(3), "concentration": positive(3) + 1}, positive(2, 3)),
    "Pareto": ({"scale": positive(3), "alpha": positive(3) + 2.5}, positive(2, 3) + 5), "FisherSnedecor": ({"df1": positive(3) + 3, "df2": positive(3) + 5}, positive(2, 3)),
    "ContinuousBernoulli": ({"probs": np.array([0.1, 0.25, 0.8], "f")}, unit(2, 3).astype("f")), "ContinuousBernoulli by logits": ({"logits": np.array([-1.5, 0.9, 2.5], "f")}, unit(2, 3).astype("f")),
    "GeneralizedPareto": ({"loc": LOW, "scale": WIDTH, "concentration": np.array([0.2, -0.4, 0.1], "f")}, (LOW + WIDTH * unit(4, 3)).astype("f")),
    "LogisticNormal": ({"loc": real(2, 3), "scale": positive(2, 3)}, np.array([[0.25, 0.5, 0.125, 0.125], [0.0625, 0.5, 0.25, 0.1875]], "f")),
    "LKJCholesky": ({"dim": 3, "concentration": positive(2) + 0.5}, correlation_factor(4, 2, 3)),
    "MultivariateNormal": ({"loc": real(2, 3), "covariance_matrix": COVARIANCE}, real(4, 2, 3)),
    "MultivariateNormal by precision": ({"loc": real(2, 3), "precision_matrix": COVARIANCE}, real(2, 3)),
    "MultivariateNormal by factor": ({"loc": real(3), "scale_tril": np.linalg.cholesky(COVARIANCE).astype("f")}, real(2, 3)),
    "VonMises": ({"loc": real(3), "concentration": positive(3)}, np.clip(real(2, 3), -3, 3)),
    "Kumaraswamy": ({"concentration1": positive(3) + 1, "concentration0": positive(3) + 1}, unit(2, 3).astype("f")),
    "LowRankMultivariateNormal": ({"loc": real(2, 3), "cov_factor": real(2, 3, 2), "cov_diag": positive(2, 3)}, real(4, 2, 3)),
    "Wishart": ({"df": positive(2) + 3, "covariance_matrix": COVARIANCE}, covariance(2, 3)),
    "Wishart by precision": ({"df": positive(2) + 3, "precision_matrix": COVARIANCE}, covariance(2, 3)),
    "Binomial": ({"total_count": np.array([4.0], "f"), "probs": unit(3)}, np.array([[0, 4, 2]], "f")),
    "Binomial by logits": ({"total_count": np.array([4.0], "f"), "logits": real(3)}, np.array([[1, 3, 0]], "f")),
    "NegativeBinomial": ({"total_count": positive(3) + 1, "probs": unit(3)}, np.array([[0, 4, 2]], "f")), "Poisson": ({"rate": positive(3) * 3}, np.array([[0, 4, 2]], "f")),
    "Multinomial": ({"total_count": 5, "probs": positive(2, 3)}, np.array([[5, 0, 0], [1, 2, 2]], "f")),
    "RelaxedBernoulli": ({"temperature": np.array([0.7], "f"), "logits": real(3)}, unit(2, 3).astype("f")),
    "RelaxedOneHotCategorical": ({"temperature": np.array(0.7, "f"), "logits": real(2, 4)}, np.array([[0.25, 0.5, 0.125, 0.125], [0.0625, 0.5, 0.25, 0.1875]], "f")),
}


SHARED = [case for case in CASES if hasattr(torch.distributions, case.split()[0])]  # older releases of PyTorch lack some


def made(lib, case, shift=0.0):
    name = case.split()[0]
    parameters = {k: v if isinstance(v, int) else (parity.as_haft if lib is haft else parity.as_torch)(np.asarray(v + np.float32(shift) * (k in SHIFTED)), True)
                  for k, v in CASES[case][0].items()}
    return getattr(lib.distributions, name)(**parameters), [v for v in parameters.values() if not isinstance(v, int)]


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
        for case in SHARED:
            value = CASES[case][1]
            with self.subTest(case):
                own, ref = made(haft, case)[0], made(torch, case)[0]
                self.assertEqual((tuple(own.batch_shape), tuple(own.event_shape)), (tuple(ref.batch_shape), tuple(ref.event_shape)))
                self.same(case, lambda lib, d: d.log_prob(lib.tensor(value)))
                name = case.split()[0]
                if name not in NO_ENTROPY:
                    self.same(case, lambda lib, d: d.entropy())
                    self.same(case, lambda lib, d: d.perplexity())
                if name not in NO_MOMENTS:
                    self.same(case, lambda lib, d: d.mean)
                    self.same(case, lambda lib, d: d.variance)
                    self.same(case, lambda lib, d: d.stddev)
                if name in CDFS:
                    self.same(case, lambda lib, d: d.cdf(lib.tensor(value)))
                if name == "Binomial":  # whose slopes at ties are not those of every release
                    parity.check(own.mode, ref.mode)
                elif name in MODES:
                    self.same(case, lambda lib, d: d.mode)
                if name in QUANTILES:
                    u = unit(2, *ref.batch_shape).astype("f")
                    self.same(case, lambda lib, d: d.icdf(lib.tensor(u)))
                if ref.has_enumerate_support:
                    for expand in (True, False):
                        parity.check(own.enumerate_support(expand), ref.enumerate_support(expand))
                grown = own.expand((5, *own.batch_shape))
                self.assertEqual(tuple(grown.batch_shape), (5, *ref.batch_shape))
                self.assertEqual(repr(own).split("(")[0], repr(ref).split("(")[0])
                self.assertTrue(bool(own.support.check(haft.tensor(value)).all()))

    def test_divergences(self):
        for case in SHARED:
            if case.split()[0] not in DIVERGENCES:
                continue

            def kl(lib, p):
                q, _ = made(lib, case, 0.7)
                if case.startswith("Uniform"):
                    q = lib.distributions.Uniform(q.low - 1, q.high + 1)
                elif case.startswith("Pareto"):
                    q = lib.distributions.Pareto(p.scale * 0.5, p.alpha + 1)
                elif case == "Binomial":
                    q = lib.distributions.Binomial(p.total_count, probs=1 - q.probs)
                elif case.startswith("Poisson"):
                    q = lib.distributions.Poisson(q.rate + 1)
                elif "probs" in CASES[case][0]:
                    q = type(q)(probs=1 - q.probs) if q.event_shape == () and "Cat" not in case else type(q)(probs=q.probs.square())
                return lib.distributions.kl_divergence(p, q)
            with self.subTest(case):
                self.same(case, kl)
        with self.assertRaisesRegex(NotImplementedError, "p type Normal and q type Gumbel|p type Weibull and q type Uniform"):
            haft.distributions.kl_divergence(haft.distributions.Weibull(1.0, 1.0), haft.distributions.Uniform(0, 1))

        def edges(lib):
            t, d = lib.tensor, lib.distributions
            b = d.kl_divergence(d.Bernoulli(t([0.0, 1.0, 0.5, 0.5])), d.Bernoulli(t([0.5, 0.5, 0.0, 1.0])))
            c = d.kl_divergence(d.Categorical(t([[0.0, 1.0], [0.5, 0.5]])), d.Categorical(t([[0.5, 0.5], [0.0, 1.0]])))
            return b, c, d.kl_divergence(d.Uniform(0.0, 2.0), d.Uniform(1.0, 3.0))
        for a, b in zip(edges(haft), edges(torch)):
            parity.check(a, b, limit=1e-4)

    def test_divergences_of_different_kinds(self):
        kinds = {"Bernoulli": (0.3,), "Beta": (1.5, 2.5), "ContinuousBernoulli": (0.3,), "Binomial": (4.0, 0.3), "Cauchy": (0.1, 1.2), "Exponential": (1.3,), "Gamma": (2.1, 1.4), "Gumbel": (0.2, 1.1),
                 "Laplace": (0.3, 0.8), "Normal": (0.3, 0.9), "Pareto": (1.2, 3.5), "Poisson": (2.5,), "Uniform": (0.1, 0.8)}
        compared = 0
        for p, of_p in kinds.items():
            for q, of_q in kinds.items():
                def kl(lib):
                    ps = [lib.tensor([v], requires_grad=True) for v in (*of_p, *of_q)]
                    made = [getattr(lib.distributions, name)(*given) for name, given in ((p, ps[:len(of_p)]), (q, ps[len(of_p):]))]
                    return lib.distributions.kl_divergence(*made), ps
                try:
                    wanted, theirs = kl(torch)
                except NotImplementedError:
                    continue
                if p == q:
                    continue
                with self.subTest(f"{p} and {q}"):
                    found, own = kl(haft)
                    parity.check(found, wanted.reshape(found.shape), limit=1e-4)
                    compared += 1
                    if wanted.requires_grad and bool(torch.isfinite(wanted).all()):
                        found.sum().backward()
                        wanted.sum().backward()
                        for a, b in zip(own, theirs):
                            parity.check(haft.zeros(1) if a.grad is None else a.grad, torch.zeros(1) if b.grad is None else b.grad, limit=5e-4)
        self.assertGreater(compared, 40)
        for q in ("MultivariateNormal", "LowRankMultivariateNormal"):
            for p in ("MultivariateNormal", "LowRankMultivariateNormal"):
                parity.check(haft.distributions.kl_divergence(made(haft, p)[0], made(haft, q)[0]), torch.distributions.kl_divergence(made(torch, p)[0], made(torch, q)[0]), limit=1e-4)

    def test_gamma_probabilities(self):
        for case in ("Gamma", "Chi2"):
            value, own = CASES[case][1], made(haft, case)[0]
            wanted = torch.special.gammainc(*(torch.tensor(t.detach().numpy()) for t in (own.concentration.expand(value.shape), own.rate * haft.tensor(value))))
            parity.check(own.cdf(haft.tensor(value)), wanted, limit=1e-5)
        k = haft.arange(6.0)
        counts = haft.distributions.Poisson(2.5)
        self.assertTrue(haft.allclose(counts.cdf(k), counts.log_prob(k).exp().cumsum(0)))
        gamma, inverse = haft.distributions.Gamma(2.3, 1.7), haft.distributions.InverseGamma(2.3, 1.7)
        x = haft.tensor([0.3, 0.9, 2.5])
        self.assertTrue(haft.allclose(inverse.cdf(x), 1 - gamma.cdf(1 / x)))
        self.assertTrue(haft.allclose(inverse.log_prob(x), gamma.log_prob(1 / x) - 2 * x.log()))
        self.assertTrue(haft.allclose(inverse.mean, haft.tensor(1.7 / 1.3)) and haft.allclose(inverse.mode, haft.tensor(1.7 / 3.3)))
        drawn = haft.distributions.InverseGamma(5.0, 2.0).sample((40000,))
        self.assertTrue(abs(drawn.mean().item() - 0.5) < 0.01 and abs(drawn.log().mean().item() - (np.log(2.0) - 1.5061176684318)) < 0.02)
        a, b = (haft.tensor(v, dtype=haft.float64, requires_grad=True) for v in (2.3, 1.7))
        self.assertTrue(haft.autograd.gradcheck(lambda a, b: haft.distributions.Gamma(a, b).cdf(haft.tensor(0.9, dtype=haft.float64)), (a, b)))
        # The entropy is the mean of -log_prob, the mode where the density is largest.
        d = haft.distributions.InverseGamma(3.0, 2.0)
        self.assertLess(abs(d.entropy().item() + d.log_prob(d.sample((40000,))).mean().item()), 0.05)
        steep = haft.distributions.Kumaraswamy(2.0, 3.0)
        around = steep.mode + haft.tensor([-0.01, 0.0, 0.01])
        self.assertEqual(steep.log_prob(around).argmax().item(), 1)
        # The slope at the end is the density from the left.
        for b, wanted in ((3.0, 0.0), (1.0, 2.0), (0.5, haft.inf)):
            end, shape = haft.ones((), requires_grad=True), haft.tensor(b, requires_grad=True)
            haft.distributions.Kumaraswamy(2.0, shape).cdf(end).backward()
            self.assertEqual((end.grad.item(), shape.grad.item()), (wanted, 0))

    def test_continuous_bernoulli(self):
        d = haft.distributions
        for slope in (-40.0, -3.0, -0.6, -0.4, -0.02, -0.005, 0.0, 1e-4, 0.009, 0.011, 0.45, 0.55, 2.0, 30.0, 200.0):
            n = haft.tensor([slope], dtype=haft.float64, requires_grad=True)
            own = d.ContinuousBernoulli(logits=n)
            x = (haft.arange(200000.0, dtype=haft.float64) + 0.5) / 200000
            density = own.log_prob(x.unsqueeze(1)).detach().exp().squeeze(1)
            mean = (density * x).mean()
            for found, wanted in ((density.mean(), 1), (own.mean, mean), (own.variance, (density * (x - mean).square()).mean()), (own.entropy(), -(density * density.log()).mean()),
                                  (own.cdf(haft.tensor([0.4], dtype=haft.float64)), density[:80000].sum() / 200000)):
                self.assertLess(abs(float(found) - float(wanted)), 1e-6, slope)
            u = haft.tensor([0.001, 0.3, 0.8], dtype=haft.float64)
            self.assertTrue(haft.allclose(own.cdf(own.icdf(u)), u, atol=1e-9, rtol=0), slope)
            for f in (lambda n: d.ContinuousBernoulli(logits=n).log_prob(haft.tensor(0.3, dtype=haft.float64)), lambda n: d.ContinuousBernoulli(logits=n).mean,
                      lambda n: d.ContinuousBernoulli(logits=n).cdf(haft.tensor(0.3, dtype=haft.float64)), lambda n: d.ContinuousBernoulli(logits=n).icdf(haft.tensor(0.3, dtype=haft.float64))):
                self.assertTrue(haft.autograd.gradcheck(f, (n,)), slope)
        # At the ends slopes are one-sided ones, not cut off, and finite where numbers hold them.
        for slope in (-800.0, -40.0, -3.0, 0.3, 2.0, 40.0, 800.0):
            n, u = haft.tensor(slope, dtype=haft.float64), haft.tensor([0.0, 1.0], dtype=haft.float64, requires_grad=True)
            x = d.ContinuousBernoulli(logits=n).icdf(u)
            self.assertEqual(x.tolist(), [0, 1], slope)
            slopes = haft.autograd.grad(x.sum(), u)[0]
            self.assertTrue(bool(slopes.isfinite().all()), slope)
            if abs(slope) < 100:
                self.assertTrue(haft.allclose(slopes, (-d.ContinuousBernoulli(logits=n).log_prob(x.detach())).exp()), slope)
        # Far out, and in float32, everything stays finite.
        far = haft.tensor([-3e4, -500.0, 500.0, 3e4], requires_grad=True)
        own = d.ContinuousBernoulli(logits=far)
        x = own.rsample((100,))
        sum(t.sum() for t in (x, own.log_prob(x.detach()), own.mean, own.variance, own.entropy(), own.cdf(x.detach()))).backward()
        self.assertTrue(bool(far.grad.isfinite().all()) and bool(((x >= 0) & (x <= 1)).all()))
        # Whether bounds may touch: the divergence from Uniform(0, 1) is finite, where PyTorch answers infinity.
        whole, own = d.Uniform(0.0, 1.0), d.ContinuousBernoulli(0.3)
        self.assertTrue(haft.allclose(d.kl_divergence(own, whole), -own.entropy()))
        self.assertTrue(haft.allclose(d.kl_divergence(whole, own), -own.log_prob(haft.tensor(0.5)), atol=1e-6))

    def test_generalized_pareto(self):
        d = haft.distributions
        loc, scale = haft.tensor(0.3, dtype=haft.float64), haft.tensor(1.4, dtype=haft.float64)
        x = loc + haft.tensor([0.1, 0.7, 1.2], dtype=haft.float64)
        flat, line = d.GeneralizedPareto(loc, scale, 0.0), d.GeneralizedPareto(loc, scale, -1.0)
        self.assertTrue(haft.allclose(flat.log_prob(x), d.Exponential(1 / scale).log_prob(x - loc)) and haft.allclose(flat.cdf(x), d.Exponential(1 / scale).cdf(x - loc)))
        self.assertTrue(haft.allclose(line.log_prob(haft.stack([loc, loc + scale])), -scale.log().expand(2)))  # up to the end
        self.assertEqual(d.GeneralizedPareto(0.0, 1.0, 2.0).mean.isnan().item(), True)
        for c in (0.0, 0.3, -0.4):
            c = haft.tensor(c, dtype=haft.float64, requires_grad=True)
            self.assertTrue(haft.autograd.gradcheck(lambda c: d.GeneralizedPareto(loc, scale, c, validate_args=False).log_prob(x), (c,)))
            self.assertTrue(haft.autograd.gradcheck(lambda c: d.GeneralizedPareto(loc, scale, c).icdf(haft.tensor([0.2, 0.9], dtype=haft.float64)), (c,)))
        # Around 0 nothing depends on how near the concentration is: neither far values nor slopes.
        for c in (0.0, 1e-9, 1e-7, 1e-5, 1e-3):
            own = d.GeneralizedPareto(0.0, 1.0, haft.tensor(c, requires_grad=True))
            x = haft.tensor(0.9)
            for y, wanted in ((own.log_prob(x), 0.9 ** 2 / 2 - 0.9), (own.icdf(1 - (-x).exp()), 0.9 ** 2 / 2)):  # slopes at 0
                self.assertLess(abs(haft.autograd.grad(y, own._parameters["concentration"])[0].item() - wanted), 2e-3, c)
            ends = own.icdf(haft.tensor([0.0, 1.0])).tolist(), own.cdf(haft.tensor([0.0, 1e10, haft.inf])).tolist(), own.log_prob(haft.tensor(haft.inf)).item()
            self.assertEqual(ends, ([0, haft.inf], [0, 1, 1], -haft.inf), c)
        with self.assertRaisesRegex(ValueError, "support"):
            d.GeneralizedPareto(0.0, 1.0, -0.5).log_prob(haft.tensor(2.1))
        drawn = d.GeneralizedPareto(haft.zeros(3), 1.0, haft.tensor([-1.5, -0.3, 0.4]))
        self.assertTrue(bool(drawn.support.check(drawn.sample((5000,))).all()))

    def test_correlations(self):
        haft.manual_seed(6)
        d = haft.distributions
        for n, concentration in ((2, 1.0), (3, 0.6), (5, 2.5)):
            own = d.LKJCholesky(n, concentration)
            f = own.sample((20000,))
            self.assertEqual((own.dim, tuple(own.event_shape), own.has_rsample), (n, (n, n), False))
            self.assertTrue(bool(own.support.check(f).all()))
            r = f @ f.mT
            for i in range(n):
                for j in range(i):
                    # Each is 2 Beta(a, a) - 1 with a = concentration - 1 + n / 2.
                    variance = 1 / (2 * concentration + n - 1)
                    self.assertLess(abs(r[:, i, j].mean().item()), 5 * (variance / 20000) ** 0.5)
                    self.assertLess(abs(r[:, i, j].square().mean().item() / variance - 1), 0.06)
        # In two dimensions the density is known: of the one element it is that of its Beta variable.
        x = haft.linspace(-0.9, 0.9, 7, dtype=haft.float64)
        f = haft.stack([haft.stack([haft.ones_like(x), haft.zeros_like(x)], -1), haft.stack([x, (1 - x * x).sqrt()], -1)], -2)
        wanted = d.Beta(haft.tensor(1.7, dtype=haft.float64), 1.7).log_prob((x + 1) / 2) - np.log(2)
        self.assertTrue(haft.allclose(d.LKJCholesky(2, haft.tensor(1.7, dtype=haft.float64)).log_prob(f), wanted))
        for dim in (1, 2.5):
            with self.assertRaisesRegex(ValueError, "dim to be an integer"):
                d.LKJCholesky(dim)
        with self.assertRaisesRegex(ValueError, "CorrCholesky"):
            d.LKJCholesky(2).log_prob(haft.ones(2, 2))

    def test_logistic_normal(self):
        for of in (lambda lib: (0.3, 1.2), lambda lib: (lib.zeros(4), 0.5), lambda lib: (lib.zeros(2, 1), lib.ones(3))):
            own, ref = (lib.distributions.LogisticNormal(*of(lib)) for lib in (haft, torch))
            self.assertEqual((tuple(own.batch_shape), tuple(own.event_shape), tuple(own.loc.shape)), (tuple(ref.batch_shape), tuple(ref.event_shape), tuple(ref.loc.shape)))
            self.assertEqual(tuple(own.rsample((5,)).shape), tuple(ref.rsample((5,)).shape))
            self.assertTrue(bool(own.support.check(own.sample((5,))).all()))
        haft.manual_seed(7)
        own = made(haft, "LogisticNormal")[0]
        x = own.expand((5, 2)).rsample((4000,))
        back = haft.distributions.StickBreakingTransform().inv(x).detach()
        self.assertEqual(tuple(x.shape), (4000, 5, 2, 4))
        self.assertTrue(haft.allclose(back.mean((0, 1)), own.loc, atol=0.05) and haft.allclose(back.std((0, 1)), own.scale, rtol=0.05))
        self.assertEqual(tuple(own.base_dist.event_shape), (3,))
        d = haft.distributions
        sticks = [d.StickBreakingTransform()]
        for p, q in ((d.LogisticNormal(0.0, 1.0), own), (d.TransformedDistribution(d.Normal(haft.zeros(1), 1.0), sticks), d.TransformedDistribution(d.Normal(haft.zeros(3), 1.0), sticks))):
            with self.assertRaises(NotImplementedError):
                d.kl_divergence(p, q)

    def test_low_rank_matrices(self):
        own, ref = made(haft, "LowRankMultivariateNormal")[0], made(torch, "LowRankMultivariateNormal")[0]
        for name in ("covariance_matrix", "precision_matrix", "scale_tril"):
            parity.check(getattr(own, name), getattr(ref, name), name, limit=1e-4)

    def test_transforms(self):
        def all_of(lib):
            t = lib.distributions.transforms
            return [t.AbsTransform(), t.AffineTransform(0.5, lib.tensor([-2.0, 3.0, 0.7])), t.ExpTransform(), t.PowerTransform(lib.tensor(1.7)), t.SigmoidTransform(),
                    t.SoftmaxTransform(), t.SoftplusTransform(), t.StickBreakingTransform(), t.TanhTransform(), t.ExpTransform().inv,
                    t.ComposeTransform([t.AffineTransform(0.1, 2.0), t.SigmoidTransform(), t.StickBreakingTransform()]),
                    t.CorrCholeskyTransform(), t.ReshapeTransform((3,), (3, 1)), t.ReshapeTransform((2, 3), (6,)), t.CatTransform([t.ExpTransform(), t.AffineTransform(0.5, -2.0)], -1, [1, 2]),
                    t.CatTransform([t.ExpTransform(), t.AffineTransform(0.1, 0.5, event_dim=1)], 0), t.StackTransform([t.ExpTransform(), t.TanhTransform()]),
                    t.StackTransform([t.ExpTransform(), t.SigmoidTransform(), t.SoftplusTransform()], 1), t.CumulativeDistributionTransform(lib.distributions.Normal(0.5, 1.5)),
                    t.IndependentTransform(t.ExpTransform(), 1), t.AffineTransform(lib.tensor(0.5), 2.0, event_dim=1), t.ComposeTransform([])]
        for own, ref in zip(all_of(haft), all_of(torch)):
            with self.subTest(str(ref)):
                data = np.abs(real(2, 3)) + 0.2
                x, x0 = haft.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
                y, y0 = own(x), ref(x0)
                parity.check(y, y0, limit=1e-5)
                parity.check(own.inv(y), ref.inv(y0), limit=1e-4)
                self.assertEqual((own.domain.event_dim, own.codomain.event_dim, own.bijective), (ref.domain.event_dim, ref.codomain.event_dim, ref.bijective))
                self.assertEqual(tuple(own.forward_shape((2, 3))), tuple(ref.forward_shape((2, 3))))
                self.assertTrue(bool(own.codomain.check(y.detach()).all()))
                if not ref.bijective:
                    continue
                j, j0 = own.log_abs_det_jacobian(x, y), ref.log_abs_det_jacobian(x0, y0)
                parity.check(j, j0, limit=1e-4)
                (j.sum() + y.sum()).backward()
                (j0.sum() + y0.sum()).backward()
                parity.check(x.grad, x0.grad, limit=5e-4)
        for call in (lambda t: t.AbsTransform().log_abs_det_jacobian(haft.ones(2), haft.ones(2)), lambda t: t.SoftmaxTransform().log_abs_det_jacobian(haft.ones(2), haft.ones(2))):
            with self.assertRaises(NotImplementedError):
                call(haft.distributions.transforms)

    def test_transforms_of_matrices(self):
        t = haft.distributions.transforms
        lower = torch.distributions.transforms.LowerCholeskyTransform()

        class Definite:  # PyTorch's, which its older releases lack
            def __call__(self, x):
                return lower(x) @ lower(x).mT

            def inv(self, y):
                return lower.inv(torch.linalg.cholesky(y))
        for own, ref in ((t.LowerCholeskyTransform(), lower), (t.PositiveDefiniteTransform(), Definite())):
            data = real(2, 3, 3)
            x, x0 = haft.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
            y, y0 = own(x), ref(x0)
            parity.check(y, y0, limit=1e-4)
            parity.check(own.inv(y), ref.inv(y0), limit=1e-3)
            self.assertEqual((own.domain.event_dim, own.codomain.event_dim, own.bijective), (2, 2, False))
            self.assertTrue(bool(own.codomain.check(y.detach()).all()))
            y.square().sum().backward()
            y0.square().sum().backward()
            parity.check(x.grad, x0.grad, limit=5e-4)
            with self.assertRaises(NotImplementedError):
                own.log_abs_det_jacobian(x, y)
        kept = t.ExpTransform().with_cache()
        x = haft.tensor([200.0])
        self.assertEqual((kept.inv(kept(x)).item(), kept.with_cache(1) is kept, kept.with_cache(0).inv(kept(x)).item()), (200, True, float("inf")))
        corr, far = t.CorrCholeskyTransform(), haft.tensor([40.0, -40.0, 3.0], requires_grad=True)
        self.assertTrue(bool(haft.distributions.constraints.corr_cholesky.check(corr(far).detach())))
        corr(far).sum().backward()
        self.assertTrue(bool(far.grad.isfinite().all()))
        x = haft.tensor(real(6).astype("d"), requires_grad=True)
        # The determinant is that of the elements below the diagonal.
        places = haft.tril_indices(4, 4, -1)
        slopes = haft.autograd.functional.jacobian(lambda v: corr(v)[places[0], places[1]], x)
        self.assertTrue(haft.allclose(slopes.slogdet()[1], corr.log_abs_det_jacobian(x, corr(x)).detach()))
        for call in (lambda: corr(haft.ones(4)), lambda: corr.forward_shape((4,)), lambda: corr.inverse_shape((2, 3)), lambda: t.ReshapeTransform((2,), (3,)),
                     lambda: t.ReshapeTransform((2,), (2, 1))(haft.ones(3)), lambda: t.CatTransform([t.ExpTransform()], 0, [1, 2]), lambda: t.CatTransform([t.ExpTransform()])(haft.ones(2)),
                     lambda: t.StackTransform([t.ExpTransform()])(haft.ones(2)), lambda: t.StackTransform([])):
            with self.assertRaises(ValueError):
                call()
        # The engine's, which the other languages have, agree with those of parts.
        x = haft.tensor([[0.3, -0.2, 0.7], [0.1, 0.5, -0.4]])
        own, core = t.CatTransform([t.ExpTransform(), t.TanhTransform()], 1, [1, 2]), haft._haft.cat_transforms(t.ExpTransform()._core, t.TanhTransform()._core, 1, 2, 1)
        for a, b in ((own(x), core.forward(x)), (own.inv(own(x)), core.inverse(own(x))), (own.log_abs_det_jacobian(x, own(x)), core.log_abs_det_jacobian(x, own(x)))):
            self.assertEqual(a.tolist(), b.tolist())
        normal = haft.distributions.Normal(0.5, 2.0)
        self.assertEqual(haft._haft.cumulative_transform(normal._core).forward(x).tolist(), normal.cdf(x).tolist())

    def test_transforms_again(self):
        d, t = haft.distributions, haft.distributions.transforms
        exp = t.ExpTransform()
        twice, x = t.ComposeTransform([exp, exp]), haft.tensor(0.5)
        self.assertAlmostEqual(twice.log_abs_det_jacobian(x, twice(x)).item(), 0.5 + 2.718281828 ** 0.5, places=5)
        # Numbers are as exact as what they meet, and do not change its type.
        for dtype, place in ((haft.float64, 15), (haft.float32, 6), (haft.float16, 2)):
            for size in ((), (1,)):
                x, affine = haft.ones(size, dtype=dtype), t.AffineTransform(0.3, 0.1)
                for y, wanted in ((affine(x), 0.4), (affine.inv(x), 7.0), (affine.log_abs_det_jacobian(x, x), -2.302585092994045728)):
                    self.assertEqual((y.dtype, tuple(y.shape)), (dtype, size))
                    self.assertAlmostEqual(y.item(), wanted, places=place - 2)
        self.assertTrue(t.AffineTransform(0.0, 0.1) == t.AffineTransform(haft.tensor(0.0), 0.1) and t.AffineTransform(0.0, 0.1) != t.AffineTransform(0.0, 0.2))
        self.assertTrue(bool((d.transform_to(d.constraints.greater_than(0.7))(haft.tensor([-60.0], dtype=haft.float64)) >= 0.7).all()))
        # Copies, and what was pickled, are the same.
        base = d.TransformedDistribution(d.Normal(haft.zeros(3), 1.0), [t.AffineTransform(1.0, haft.tensor(2.0)), t.ExpTransform(cache_size=1), t.PowerTransform(2.0)])
        reshaped = t.ComposeTransform([t.ReshapeTransform((4,), (2, 2)), t.LowerCholeskyTransform(), t.IndependentTransform(t.TanhTransform().inv, 2).inv])
        base.rsample()
        for again in (copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))):
            self.assertEqual(again(base).log_prob(haft.ones(3) * 3).tolist(), base.log_prob(haft.ones(3) * 3).tolist())
            self.assertEqual(again(reshaped)(haft.ones(4)).tolist(), reshaped(haft.ones(4)).tolist())
        # What has no order has no cdf.
        for base, one in ((d.Normal(0.0, 1.0), t.AbsTransform()), (d.Normal(haft.zeros(2), 1.0), t.SoftmaxTransform())):
            with self.assertRaises(NotImplementedError):
                one.sign
            with self.assertRaises(NotImplementedError):
                d.TransformedDistribution(base, [one]).cdf(haft.tensor([0.25, 0.75])[:base.batch_shape.numel()])
        # A vector of none is the whole in one part.
        sticks, none = t.StickBreakingTransform(), haft.zeros(2, 0)
        self.assertEqual((sticks(none).tolist(), tuple(sticks.inv(sticks(none)).shape), sticks.log_abs_det_jacobian(none, sticks(none)).tolist()), ([[1], [1]], (2, 0), [0, 0]))
        self.assertEqual(d.LogisticNormal(none, 1.0).sample().tolist(), [[1], [1]])
        for call in (lambda: t.IndependentTransform(exp, 1)(x.sum()), lambda: t.SoftmaxTransform().forward_shape(()), lambda: sticks.inv(haft.ones(2, 0))):
            with self.assertRaises(ValueError):
                call()

    def test_copulas(self):
        d, t = haft.distributions, haft.distributions.transforms
        haft.manual_seed(8)
        whole = d.TransformedDistribution(d.MultivariateNormal(haft.zeros(2), scale_tril=d.LKJCholesky(2).sample()), [t.CumulativeDistributionTransform(d.Normal(0.0, 1.0))])
        u = whole.sample((20000,))
        self.assertTrue(bool(whole.support.check(u).all()) and haft.allclose(u.mean(0), haft.full((2,), 0.5), atol=0.02))
        self.assertEqual(tuple(whole.log_prob(u).shape), (20000,))

    def test_constraints(self):
        def all_of(lib):
            c, t = lib.distributions.constraints, lib.tensor
            return [c.boolean, c.nonnegative_integer, c.positive_integer, c.integer_interval(-1, 2), c.real, c.positive, c.nonnegative, c.greater_than(0.5), c.greater_than_eq(0.5),
                    c.less_than(0.5), c.unit_interval, c.interval(t(-0.5), 1.5), c.half_open_interval(-1.0, 1.0), c.independent(c.positive, 1), c.simplex, c.one_hot,
                    c.multinomial(3), c.lower_triangular, c.lower_cholesky, c.square, c.symmetric, c.positive_semidefinite, c.positive_definite,
                    c.cat([c.positive, c.unit_interval], -1, [1, 1]), c.stack([c.real, c.positive], 0)]
        values = [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.5], [0.5, 2.0]], [[0.3, 0.7], [-1.0, 2.0]], [[2.0, 0.0], [-1.0, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]
        for own, ref in zip(all_of(haft), all_of(torch)):
            for value in values:
                with self.subTest(f"{ref} {value}"):
                    self.assertEqual(own.check(haft.tensor(value)).tolist(), ref.check(torch.tensor(value)).tolist())
            self.assertEqual((own.event_dim, own.is_discrete), (ref.event_dim, ref.is_discrete))
        c = haft.distributions.constraints
        self.assertEqual(c.corr_cholesky.check(haft.tensor([[1.0, 0.0], [0.6, 0.8]])).item(), True)
        self.assertEqual(c.corr_cholesky.check(haft.tensor([[1.0, 0.0], [0.6, 0.7]])).item(), False)
        self.assertIs(pickle.loads(pickle.dumps(c.simplex)), c.simplex)
        self.assertEqual([str(v) for v in (c.square, c.symmetric, c.lower_triangular, c.positive_semidefinite)], ["Square()", "Symmetric()", "LowerTriangular()", "PositiveSemidefinite()"])
        self.assertEqual(c.positive_definite.check(haft.ones(4, 2, 3)).tolist(), [False] * 4)

        class Known(haft.distributions.Distribution):
            @c.dependent_property(is_discrete=False, event_dim=0)
            def support(self):
                return c.interval(0.0, 2.0)
        for case in SHARED:
            kinds = [getattr(lib.distributions, case.split()[0]) for lib in (haft, torch)]
            own, ref = (lib.distributions.constraints.is_dependent(kind.support) for lib, kind in zip((haft, torch), kinds))
            self.assertEqual(own, ref, case)
            if not own:
                self.assertEqual((str(kinds[0].support), kinds[0].support.event_dim), (str(made(haft, case)[0].support), kinds[1].support.event_dim), case)
        # Each goes to other processes, bounds and all.
        for case in SHARED:
            with self.subTest(case):
                with haft.no_grad():  # what operators made of leaves is no leaf
                    one = made(haft, case)[0]
                again, value = pickle.loads(pickle.dumps(one.support)), one.sample((3,))
                self.assertEqual((str(again), again.event_dim, again.check(value).tolist()), (str(one.support), one.support.event_dim, one.support.check(value).tolist()))
        self.assertTrue(c.is_dependent(Known.support) and not c.is_dependent(Known().support) and not c.is_dependent(c.real))
        self.assertEqual((Known.support.event_dim, Known().support.upper_bound), (0, 2.0))
        self.assertEqual(str(haft.distributions.Uniform.support), "DependentProperty()")
        with self.assertRaisesRegex(ValueError, "dependent"):
            c.dependent.check(haft.ones(1))
        with self.assertRaisesRegex(NotImplementedError, "event_dim"):
            c.dependent.event_dim

    def test_transforms_of_constraints(self):
        def all_of(lib):
            c = lib.distributions.constraints
            return [c.real, c.positive, c.nonnegative, c.greater_than(2.0), c.greater_than_eq(-1.0), c.less_than(1.0), c.unit_interval, c.interval(-1.0, lib.tensor(2.0)),
                    c.half_open_interval(0.0, 3.0), c.real_vector, c.independent(c.positive, 1), c.simplex, c.corr_cholesky, c.lower_cholesky, c.positive_definite, c.positive_semidefinite,
                    c.cat([c.positive, c.unit_interval], -1, [1, 2]), c.stack([c.real, c.positive, c.unit_interval], -2)]
        data = real(3, 3)
        for name in ("transform_to", "biject_to"):
            for own, ref in zip(all_of(haft), all_of(torch)):
                with self.subTest(f"{name} {ref}"):
                    try:
                        wanted = getattr(torch.distributions, name)(ref)
                    except NotImplementedError:
                        if name == "transform_to":  # older releases lack positive definite matrices
                            self.assertIsInstance(haft.distributions.transform_to(own), haft.distributions.PositiveDefiniteTransform)
                            continue
                        with self.assertRaisesRegex(NotImplementedError, "Cannot transform"):
                            getattr(haft.distributions, name)(own)
                        continue
                    found = getattr(haft.distributions, name)(own)
                    y, y0 = found(haft.tensor(data)), wanted(torch.tensor(data))
                    parity.check(y, y0, limit=1e-4)
                    parity.check(found.inv(y), wanted.inv(y0), limit=1e-3)
                    self.assertTrue(bool(own.check(y).all()))
        for case in SHARED:
            own, ref = made(haft, case)[0], made(torch, case)[0]
            with self.subTest(case):
                try:
                    torch.distributions.biject_to(ref.support)
                except NotImplementedError:
                    continue
                x = haft.zeros(2, *haft.distributions.biject_to(own.support).inverse_shape((*own.batch_shape, *own.event_shape)))
                self.assertTrue(bool(own.support.check(haft.distributions.biject_to(own.support)(x)).all()))
        registry, c = haft.distributions.constraint_registry.ConstraintRegistry(), haft.distributions.constraints

        @registry.register(c.greater_than)
        def rule(constraint):
            return haft.distributions.AffineTransform(constraint.lower_bound, 1.0)
        self.assertEqual(registry(c.positive)(haft.ones(1)).item(), 1)
        with self.assertRaisesRegex(TypeError, "Constraint subclass or instance"):
            registry.register(3, rule)

    def test_transformed(self):
        def all_of(lib, ps):
            d = lib.distributions
            t = d.transforms
            normal, vector = d.Normal(ps[0], ps[1]), d.Independent(d.Normal(ps[0], ps[1]), 1)
            return [d.TransformedDistribution(normal, t.ExpTransform()), d.TransformedDistribution(normal, [t.AffineTransform(0.3, -1.5), t.SigmoidTransform()]),
                    d.TransformedDistribution(vector, [t.AffineTransform(0.3, 1.5), t.StickBreakingTransform()]), d.TransformedDistribution(normal, t.StickBreakingTransform()),
                    d.TransformedDistribution(d.Normal(lib.tensor(0.1), 1.0), [t.AffineTransform(ps[0], ps[1])]), d.TransformedDistribution(vector, t.TanhTransform())]
        values = [positive(2, 3), unit(2, 3).astype("f"), np.full((2, 4), 0.25, "f"), np.full((4,), 0.25, "f"), real(2, 3), (unit(2, 3) - 0.5).astype("f")]
        ps, qs = [parity.as_haft(a, True) for a in (real(3), positive(3))], None
        qs = [torch.tensor(p.detach().numpy(), requires_grad=True) for p in ps]
        for i, (own, ref, value) in enumerate(zip(all_of(haft, ps), all_of(torch, qs), values)):
            with self.subTest(str(ref)):
                self.assertEqual((tuple(own.batch_shape), tuple(own.event_shape), own.has_rsample), (tuple(ref.batch_shape), tuple(ref.event_shape), ref.has_rsample))
                a, b = own.log_prob(haft.tensor(value)), ref.log_prob(torch.tensor(value))
                parity.check(a, b, limit=1e-4)
                for p, q, grads in zip(ps, qs, zip(haft.autograd.grad(a.sum(), ps), torch.autograd.grad(b.sum(), qs))):
                    parity.check(*grads, limit=5e-4)
                if not ref.event_shape:
                    parity.check(own.cdf(haft.tensor(value)), ref.cdf(torch.tensor(value)), limit=1e-4)
                    u = unit(2, 3).astype("f")
                    parity.check(own.icdf(haft.tensor(u)), ref.icdf(torch.tensor(u)), limit=1e-4)
                self.assertEqual(tuple(own.rsample((5,)).shape), tuple(ref.rsample((5,)).shape))
                self.assertTrue(bool(own.support.check(own.sample((5,))).all()))
                self.assertEqual(tuple(own.expand((7, *own.batch_shape)).batch_shape), (7, *ref.batch_shape))
        d = haft.distributions
        exp = [d.TransformedDistribution(d.Normal(haft.tensor(m), 1.0), d.ExpTransform()) for m in (0.0, 1.0)]
        self.assertEqual(d.kl_divergence(*exp).item(), 0.5)
        with self.assertRaises(NotImplementedError):
            d.kl_divergence(exp[0], d.TransformedDistribution(d.Normal(0.0, 1.0), d.TanhTransform()))

        class Squash(d.Transform):  # of a program's own, that keeps what it made
            domain, codomain, bijective, sign = d.constraints.real, d.constraints.interval(-1.0, 1.0), True, 1

            def _call(self, x):
                return x.tanh()

            def _inverse(self, y):
                return y.atanh()

            def log_abs_det_jacobian(self, x, y):
                return 2 * (np.log(2) - x - haft.nn.functional.softplus(-2 * x))
        own, plain = (d.TransformedDistribution(d.Normal(haft.zeros(3), 5.0), [t]) for t in (Squash(cache_size=1), d.TanhTransform()))
        y = haft.tensor([0.1, -0.5, 0.9])
        self.assertTrue(haft.allclose(own.log_prob(y), plain.log_prob(y)))
        drawn = d.TransformedDistribution(d.Normal(haft.full((3,), 30.0), 1.0), [Squash(cache_size=1)])
        self.assertTrue(bool(drawn.log_prob(drawn.rsample()).isfinite().all()))  # its atanh would be infinite

    def test_independent(self):
        def f(lib, d):
            i = lib.distributions.Independent(d, 1)
            return i.log_prob(lib.tensor(CASES["Normal"][1])) * i.entropy().sum() + lib.distributions.kl_divergence(i, lib.distributions.Independent(
                lib.distributions.Normal(lib.zeros(3, 2), lib.ones(3, 2)), 1))
        self.same("Normal", f)
        i = haft.distributions.Independent(made(haft, "Normal")[0], 2)
        self.assertEqual((tuple(i.batch_shape), tuple(i.event_shape), i.rsample((4,)).shape), ((), (3, 2), (4, 3, 2)))
        self.assertEqual(tuple(haft.distributions.Independent(made(haft, "Normal")[0], 1).expand((7, 3)).batch_shape), (7, 3))


    def test_mode_of_all_trials(self):  # floor(5 * 0.9) is as large as may be: half of the slope is the bound's
        n = haft.tensor(4.0, requires_grad=True)
        haft.distributions.Binomial(n, 0.9).mode.backward()
        self.assertEqual(n.grad.item(), 0.5)

    def test_modes_of_parts(self):  # where all are below 1 PyTorch takes the largest of NaN
        modes = haft.distributions.Dirichlet(haft.tensor([[3.0, 2.0, 2.0], [0.2, 0.5, 0.1]])).mode
        self.assertEqual(modes.tolist(), [[0.5, 0.25, 0.25], [0, 1, 0]])

    def test_mixtures(self):
        def mixture(lib):
            d, as_ = lib.distributions, parity.as_haft if lib is haft else parity.as_torch
            ps = [as_(a, True) for a in (np.array([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]], "f"), CASES["Normal"][0]["loc"].T.copy(), CASES["Normal"][0]["scale"].T.copy())]
            return d.MixtureSameFamily(d.Categorical(ps[0]), d.Normal(ps[1], ps[2])), ps
        x = real(4, 2)
        for f in (lambda lib, m: m.log_prob(lib.tensor(x)), lambda lib, m: m.mean, lambda lib, m: m.variance, lambda lib, m: m.cdf(lib.tensor(x))):
            (a, ps), (b, qs) = mixture(haft), mixture(torch)
            parity.check(f(haft, a), f(torch, b), limit=1e-4)
            f(haft, a).square().sum().backward()
            f(torch, b).square().sum().backward()
            for p, q in zip(ps, qs):
                if q.grad is not None:
                    parity.check(p.grad, q.grad, limit=5e-4)
        haft.manual_seed(3)
        m = mixture(haft)[0]
        drawn = m.sample((20000,))
        self.assertEqual(drawn.shape, (20000, 2))
        self.assertTrue(haft.allclose(drawn.mean(0), m.mean, atol=0.1))
        vectors = haft.distributions.MixtureSameFamily(haft.distributions.Categorical(haft.ones(5)), haft.distributions.Dirichlet(haft.ones(5, 3)))
        self.assertEqual((vectors.sample((4,)).shape, vectors.log_prob(vectors.sample((4,))).shape), ((4, 3), (4,)))

    def test_gradients_by_differences(self):
        d = haft.distributions

        def doubles(ps):
            return tuple(haft.tensor(np.asarray(p, "d"), requires_grad=True) for p in ps)

        def density(name, x):
            at = haft.tensor(np.asarray(x, "d"))
            return lambda *ps: getattr(d, name)(*ps, validate_args=False).log_prob(at)

        def drawn(name):
            def f(*ps):
                haft.manual_seed(5)  # the same numbers each time
                return getattr(d, name)(*ps, validate_args=False).rsample((3,))
            return f
        matrix = np.eye(3) + 0.2
        for name, ps, x in (("Normal", (0.3, 1.2), 0.7), ("Gamma", (1.7, 0.8), 1.1), ("Beta", (1.5, 2.5), 0.4), ("StudentT", (4.0, 0.1, 1.3), 0.7), ("Weibull", (1.2, 1.7), 0.9),
                            ("Poisson", (2.5,), 3.0), ("FisherSnedecor", (5.0, 7.0), 0.8), ("Dirichlet", ([1.5, 2.0, 0.7],), [0.2, 0.5, 0.3]),
                            ("MultivariateNormal", ([0.1, -0.2, 0.3], matrix), [0.3, 0.1, -0.4])):
            self.assertTrue(haft.autograd.gradcheck(density(name, x), doubles(ps)), name)
        for name, ps in (("Normal", (0.3, 1.2)), ("LogNormal", (0.1, 0.5)), ("Laplace", (0.3, 1.2)), ("Cauchy", (0.3, 1.2)), ("HalfCauchy", (1.2,)), ("Gumbel", (0.3, 1.2)),
                         ("Weibull", (1.2, 1.7)), ("Pareto", (1.2, 1.7)), ("Uniform", (-1.0, 2.0)), ("Exponential", (1.5,)), ("HalfNormal", (1.5,)),
                         ("MultivariateNormal", ([0.1, -0.2, 0.3], matrix)), ("RelaxedBernoulli", (0.7, 0.3)), ("RelaxedOneHotCategorical", (0.7, [0.2, 0.5, 0.3]))):
            self.assertTrue(haft.autograd.gradcheck(drawn(name), doubles(ps)), name)

    def test_classes_of_ones_own(self):
        d = haft.distributions

        class Fixed(d.Distribution):
            arg_constraints = {"at": d.constraints.positive}

            def __init__(self, at):
                self.at = at
                super().__init__(at.shape)

            def rsample(self, sample_shape=()):
                return self.at.expand(self._extended_shape(sample_shape))

            def log_prob(self, value):
                self._validate_sample(value)
                return (value == self.at).float().log()
        f = Fixed(haft.ones(3))
        self.assertEqual((f.sample((2,)).shape, d.Independent(f, 1).log_prob(haft.ones(3)).item()), ((2, 3), 0.0))
        with self.assertRaisesRegex(ValueError, "parameter at.*GreaterThan"):
            Fixed(haft.zeros(3))
        d.register_kl(Fixed, Fixed)(lambda p, q: (p.at - q.at).abs())
        self.assertEqual(d.kl_divergence(f, f).tolist(), [0, 0, 0])

        class Shifted(d.Normal):
            def __init__(self, loc):
                super().__init__(loc, 1.0)
                self.by = 2.0

            def log_prob(self, value):
                return super().log_prob(value - self.by)
        s = Shifted(haft.zeros(3))
        self.assertEqual(s.log_prob(haft.full((3,), 2.0)).tolist(), d.Normal(haft.zeros(3), 1.0).log_prob(haft.zeros(3)).tolist())
        self.assertEqual((type(s.expand((2, 3))), s.expand((2, 3)).by), (Shifted, 2.0))
        self.assertEqual(d.kl_divergence(s, d.Normal(0.0, 1.0)).tolist(), [0, 0, 0])
        self.assertTrue(isinstance(d.Chi2(3.0), d.Gamma) and isinstance(d.OneHotCategoricalStraightThrough(haft.ones(3)), d.OneHotCategorical))
        for again in (copy.deepcopy(s), pickle.loads(pickle.dumps(d.Bernoulli(logits=haft.zeros(2))))):
            self.assertEqual(again.sample().shape, again.batch_shape)
        self.assertEqual((repr(d.Normal(0.0, 1.0)), repr(d.Bernoulli(haft.ones(3)))), ("Normal(loc: 0.0, scale: 1.0)", "Bernoulli(probs: haft.Size([3]))"))


class Samples(unittest.TestCase):
    def test_counts(self):
        haft.manual_seed(4)
        d, most = haft.distributions, 160
        for c in (d.Poisson(0.3), d.Poisson(9.0), d.Poisson(14.0), d.Poisson(70.0), d.Binomial(12, 0.3), d.Binomial(12, 0.9), d.Binomial(150, 0.2), d.Binomial(150, 0.85),
                  d.NegativeBinomial(3.0, 0.6), d.Geometric(0.3)):
            with self.subTest(str(c)):
                x, last = c.sample((40000,)), int(c.total_count.item()) if isinstance(c, d.Binomial) else most
                self.assertEqual(x.tolist(), x.floor().tolist())
                found = haft.bincount(x.long().clamp(max=last), minlength=last + 1).float() / 40000
                # Each frequency is off by some 0.4 root(p / 40000).
                wanted = c.log_prob(haft.arange(float(last + 1))).exp()
                self.assertLess((found - wanted).abs().sum().item(), 3 * (wanted / 40000).sqrt().sum().item())
        self.assertEqual(d.Poisson(haft.zeros(3)).sample().tolist(), [0, 0, 0])
        self.assertEqual(d.Binomial(haft.tensor([0.0, 3.0, 50.0]), haft.tensor([0.5, 0.0, 1.0])).sample().tolist(), [0, 0, 50])
        self.assertEqual(d.Multinomial(7, haft.ones(2, 4)).sample((5,)).sum(-1).tolist(), [[7, 7]] * 5)

    def test_moments(self):
        haft.manual_seed(1)
        for case in CASES:
            if case.split()[0] in (*NO_MOMENTS, "Cauchy", "HalfCauchy", "VonMises"):  # moments of a circle
                continue
            with self.subTest(case):
                d = made(haft, case)[0]
                x = d.sample((20000,))
                self.assertEqual(x.shape, (20000, *d.batch_shape, *d.event_shape))
                self.assertFalse(x.requires_grad)
                spread = d.stddev.detach()
                self.assertTrue(((x.mean(0) - d.mean.detach()).abs() < 6 * spread / 20000 ** 0.5 + 1e-3).all())
                if case.split()[0] not in ("GeneralizedPareto", "LogNormal", "StudentT", "Wishart", "Pareto", "FisherSnedecor", "NegativeBinomial"):
                    self.assertTrue(haft.allclose(x.std(0), spread, rtol=0.1, atol=0.01))
        angles = haft.distributions.VonMises(haft.tensor([0.5, 3.0]), haft.tensor([0.7, 8.0]))
        turned = angles.sample((20000,))
        self.assertTrue(bool(angles.support.check(turned).all()) and turned.abs().max().item() <= 3.1416)
        self.assertTrue(haft.allclose((turned - angles.loc).cos().mean(0), 1 - angles.variance, atol=0.03))
        self.assertTrue(haft.allclose((turned - angles.loc).sin().mean(0), haft.zeros(2), atol=0.03))
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
