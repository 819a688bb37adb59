"""Initial values: bounds, deviations, structure, the same numbers for the same seed, PyTorch's refusals."""
import math
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from haft.nn import init

setUpModule, tearDownModule = leaks.guard()


class Values(unittest.TestCase):
    def setUp(self):
        haft.manual_seed(3)

    def draw(self, f, *args, shape=(200, 300), **options):
        t = haft.empty(shape)
        self.assertIs(getattr(init, f)(t, *args, **options), t)
        return t.numpy()

    def test_gains(self):
        for name, param in (("linear", None), ("conv2d", None), ("conv_transpose3d", None), ("sigmoid", None), ("tanh", None), ("relu", None),
                            ("leaky_relu", None), ("leaky_relu", 0.3), ("leaky_relu", 2), ("selu", None)):
            self.assertEqual(init.calculate_gain(name, param), torch.nn.init.calculate_gain(name, param))
        for args in (("swish",), ("leaky_relu", True), ("leaky_relu", "0.1")):
            parity.same_error(self, lambda: init.calculate_gain(*args), lambda: torch.nn.init.calculate_gain(*args))

    def test_fans(self):
        for shape in ((3, 4), (5, 2, 3), (6, 3, 2, 5)):
            self.assertEqual(init._calculate_fan_in_and_fan_out(haft.empty(shape)), torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(shape)))

    def test_uniform(self):
        a = self.draw("uniform_", -2.0, 3.0)
        self.assertTrue(-2 <= a.min() < -1.95 and 2.95 < a.max() < 3)
        self.assertAlmostEqual(a.mean(), 0.5, delta=0.03)
        for f, options, bound in (("xavier_uniform_", dict(gain=1.5), 1.5 * math.sqrt(6 / 500)), ("kaiming_uniform_", dict(), math.sqrt(6 / 300)),
                                  ("kaiming_uniform_", dict(a=1.0, mode="fan_out"), math.sqrt(3 / 200)),
                                  ("kaiming_uniform_", dict(nonlinearity="tanh"), 5 / 3 * math.sqrt(3 / 300))):
            a = self.draw(f, **options)
            self.assertLessEqual(np.abs(a).max(), bound * (1 + 1e-6))
            self.assertGreater(np.abs(a).max(), 0.99 * bound)
            self.assertAlmostEqual(a.std() / bound, 1 / math.sqrt(3), delta=0.02)

    def test_normal(self):
        for f, options, std in (("normal_", dict(mean=1.0, std=0.5), 0.5), ("xavier_normal_", dict(gain=2.0), 2 * math.sqrt(2 / 500)),
                                ("kaiming_normal_", dict(mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 200)),
                                ("kaiming_normal_", dict(a=0.5), math.sqrt(2 / 1.25 / 300))):
            a = self.draw(f, **options)
            self.assertAlmostEqual(a.std() / std, 1, delta=0.02)
            self.assertAlmostEqual((a.mean() - options.get("mean", 0)) / std, 0, delta=0.02)

    def test_trunc_normal(self):
        a = self.draw("trunc_normal_", 0.5, 1.0, -0.5, 1.0)
        self.assertTrue(-0.5 <= a.min() and a.max() <= 1.0)
        reference = torch.nn.init.trunc_normal_(torch.empty(200, 300), 0.5, 1.0, -0.5, 1.0)
        self.assertAlmostEqual(a.mean(), reference.mean().item(), delta=0.01)
        self.assertAlmostEqual(a.std(), reference.std().item(), delta=0.01)
        with self.assertWarnsRegex(UserWarning, "more than 2 std"):
            init.trunc_normal_(haft.empty(3), 10.0, 1.0, 7.0, 7.5)

    def test_constants(self):
        self.assertTrue((self.draw("constant_", 0.3) == np.float32(0.3)).all())
        self.assertTrue((self.draw("ones_") == 1).all())
        self.assertTrue((self.draw("zeros_") == 0).all())
        self.assertTrue((self.draw("eye_", shape=(3, 5)) == np.eye(3, 5)).all())
        for shape, groups in (((4, 3, 5), 1), ((3, 4, 3, 4), 1), ((6, 2, 3, 3), 3), ((2, 2, 3, 2, 3), 1)):
            parity.check(init.dirac_(haft.empty(shape), groups), torch.nn.init.dirac_(torch.empty(shape), groups))

    def test_orthogonal(self):
        for shape in ((5, 8), (8, 5), (4, 3, 2, 2)):
            a = self.draw("orthogonal_", 2.0, shape=shape).reshape(shape[0], -1)
            gram = a @ a.T if a.shape[0] <= a.shape[1] else a.T @ a
            np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-5)

    def test_sparse(self):
        a = self.draw("sparse_", 0.3, 2.0, shape=(10, 50))
        self.assertTrue(((a == 0).sum(0) == 3).all())
        self.assertAlmostEqual(a[a != 0].std(), 2, delta=0.4)

    def test_parameters_and_seeds(self):
        p = haft.nn.Parameter(haft.empty(4, 5))
        haft.manual_seed(9)
        init.xavier_normal_(p)
        first = p.detach().clone()
        self.assertTrue(p.requires_grad and p.is_leaf)
        haft.manual_seed(9)
        self.assertTrue(bool((init.xavier_normal_(p) == first).all()))
        g = haft.Generator()
        a, b = (init.uniform_(haft.empty(3), generator=g.manual_seed(4)) for _ in range(2))
        self.assertTrue(bool((a == b).all()))

    def test_refusals(self):
        for f in (lambda lib: lib.nn.init.eye_(lib.empty(2)), lambda lib: lib.nn.init.dirac_(lib.empty(2, 2)), lambda lib: lib.nn.init.dirac_(lib.empty(3, 2, 2), 2),
                  lambda lib: lib.nn.init.xavier_uniform_(lib.empty(2)), lambda lib: lib.nn.init.kaiming_normal_(lib.empty(2, 2), mode="both"),
                  lambda lib: lib.nn.init.orthogonal_(lib.empty(2)), lambda lib: lib.nn.init.sparse_(lib.empty(2), 0.1),
                  lambda lib: lib.nn.init.kaiming_uniform_(lib.empty(2, 3), nonlinearity="swish")):
            parity.same_error(self, lambda: f(haft), lambda: f(torch))
        with self.assertWarnsRegex(UserWarning, "zero-element tensors is a no-op"):
            init.kaiming_uniform_(haft.empty(0, 3))

    def test_old_names(self):
        t = haft.empty(3)
        with self.assertWarnsRegex(UserWarning, "nn.init.constant is now deprecated in favor of nn.init.constant_"):
            init.constant(t, 2.0)
        self.assertEqual(t.tolist(), [2, 2, 2])

    def test_layers_draw_as_pytorch_says(self):
        """The spread of what modules start with, as PyTorch's modules."""
        for make in (lambda nn: nn.Linear(300, 200), lambda nn: nn.Conv2d(20, 60, 5), lambda nn: nn.ConvTranspose1d(60, 20, 9), lambda nn: nn.Bilinear(40, 30, 50),
                     lambda nn: nn.Embedding(300, 50), lambda nn: nn.LSTM(40, 50), lambda nn: nn.MultiheadAttention(80, 4)):
            own, ref = make(haft.nn), make(torch.nn)
            for (name, p), q in zip(own.named_parameters(), ref.parameters()):
                if q.numel() > 900:
                    self.assertAlmostEqual(p.std().item() / q.std().item(), 1, delta=0.1, msg=f"{ref}: {name}")
                    self.assertAlmostEqual(p.abs().max().item() / q.abs().max().item(), 1, delta=0.3, msg=f"{ref}: {name}")
                elif q.numel() > 40:
                    self.assertAlmostEqual(p.abs().max().item(), q.abs().max().item(), delta=0.1, msg=f"{ref}: {name}")


if __name__ == "__main__":
    unittest.main()
