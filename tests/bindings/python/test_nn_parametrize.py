"""Parametrized tensors beside PyTorch's: names, values, gradients, assignment, removal, copies."""
import copy
import pickle
import unittest

import torch
import torch.nn.utils.parametrizations
import torch.nn.utils.parametrize
import torch.nn.utils.prune

import haft
import leaks
import parity
from haft import nn
from haft.nn.utils import parametrizations, parametrize, prune
from parity import real

setUpModule, tearDownModule = leaks.guard()


def symmetric(lib):
    class Symmetric(lib.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).t()

        def right_inverse(self, a):
            return a.triu()
    return Symmetric()


def scaled(lib):
    class Scaled(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.by = lib.nn.Parameter(lib.ones(()) * 2)
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x * self.by
    return Scaled()


class Parametrize(unittest.TestCase):
    def test_parity(self):
        ref, own = torch.nn.Linear(3, 3), nn.Linear(3, 3)
        parity.copy_state(ref, own)
        held = own.weight
        for lib, p, net in ((haft, parametrize, own), (torch, torch.nn.utils.parametrize, ref)):
            p.register_parametrization(net, "weight", symmetric(lib))
            p.register_parametrization(net, "weight", scaled(lib))
            self.assertTrue(p.is_parametrized(net) and p.is_parametrized(net, "weight") and not p.is_parametrized(net, "bias"))
            self.assertIs(p.type_before_parametrizations(net), lib.nn.Linear)
        self.assertIs(own.parametrizations.weight.original, held)
        self.assertEqual(list(own.state_dict()), list(ref.state_dict()))
        self.assertEqual(type(own).__name__, type(ref).__name__)
        parity.check(own.weight, ref.weight)
        pairs = [(n, a, dict(ref.named_parameters())[n]) for n, a in own.named_parameters()]
        self.assertEqual(sorted(n for n, _ in own.named_parameters()), sorted(n for n, _ in ref.named_parameters()))
        parity.call_both(own, ref, [real(2, 3)], parameters=pairs)
        other = copy.deepcopy(own)
        with haft.no_grad():
            other.parametrizations.weight.original.fill_(1)
        self.assertFalse(haft.equal(own.weight, other.weight))
        with self.assertRaisesRegex(RuntimeError, "state_dict"):
            pickle.dumps(own)
        for net, p in ((own, parametrize), (ref, torch.nn.utils.parametrize)):
            p.remove_parametrizations(net, "weight")
        self.assertIs(type(own), nn.Linear)
        self.assertIs(own.weight, held)
        self.assertEqual(sorted(own.state_dict()), ["bias", "weight"])
        parity.check(own.weight, ref.weight)
        own(haft.ones(1, 3)).sum().backward()
        self.assertIsNotNone(own.weight.grad)

    def test_assignment_and_cache(self):
        net = nn.Linear(3, 3)
        parametrize.register_parametrization(net, "weight", symmetric(haft))
        a = haft.randn(3, 3)
        net.weight = a + a.t()
        self.assertTrue(haft.allclose(net.weight, a + a.t()))
        parametrize.register_parametrization(net, "bias", scaled(haft))
        with self.assertRaisesRegex(RuntimeError, "right_inverse"):
            net.bias = haft.ones(3)
        count = net.parametrizations.bias[0]
        begin = count.calls
        with parametrize.cached():
            self.assertIs(net.bias, net.bias)
            net(haft.ones(1, 3))
        self.assertEqual(count.calls, begin + 1)
        net(haft.ones(1, 3))
        self.assertGreater(count.calls, begin + 1)
        original = net.parametrizations.bias.original.tolist()
        parametrize.remove_parametrizations(net, "bias", leave_parametrized=False)
        self.assertEqual(net.bias.tolist(), original)
        self.assertTrue(parametrize.is_parametrized(net))

    def test_errors(self):
        class Wrong(nn.Module):
            def forward(self, x):
                return x[:1]
        with self.assertRaisesRegex(ValueError, "may not change"):
            parametrize.register_parametrization(nn.Linear(3, 2), "weight", Wrong())
        with self.assertRaisesRegex(ValueError, "does not have a parameter"):
            parametrize.register_parametrization(nn.Linear(3, 2), "nothing", Wrong())
        with self.assertRaisesRegex(ValueError, "does not have a parametrization"):
            parametrize.remove_parametrizations(nn.Linear(3, 2), "weight")
        net = parametrize.register_parametrization(nn.Linear(3, 2), "weight", Wrong(), unsafe=True)
        self.assertEqual(net.weight.shape, (1, 3))

    def test_weight_norm(self):
        for make, shape in ((lambda: nn.Linear(4, 3), (2, 4)), (lambda: nn.Conv2d(2, 3, 3), (1, 2, 5, 5))):
            for dim in (0, None):
                net, plain = make(), make()
                plain.load_state_dict(net.state_dict())
                x = haft.randn(*shape)
                parametrizations.weight_norm(net, dim=dim)
                self.assertEqual(list(net.state_dict()), ["bias", "parametrizations.weight.original0", "parametrizations.weight.original1"])
                self.assertTrue(haft.allclose(net(x), plain(x), atol=1e-5))
                old = nn.utils.weight_norm(plain, dim=dim)
                net(x).square().sum().backward()
                old(x).square().sum().backward()
                self.assertTrue(haft.allclose(net.parametrizations.weight.original1.grad, old.weight_v.grad, atol=1e-4))
                self.assertTrue(haft.allclose(net.parametrizations.weight.original0.grad, old.weight_g.grad, atol=1e-4))
                parametrize.remove_parametrizations(net, "weight")
                self.assertIsInstance(net.weight, nn.Parameter)

    def test_spectral_norm(self):
        for make, shape in ((lambda n: n.Linear(4, 3), (2, 4)), (lambda n: n.ConvTranspose2d(2, 3, 3), (1, 2, 4, 4))):
            ref, own = make(torch.nn), make(nn)
            with torch.no_grad():
                ref.weight.view(-1)[0] += 4  # one singular value far above the others: the power iterations have converged
            parity.copy_state(ref, own)
            torch.nn.utils.parametrizations.spectral_norm(ref, n_power_iterations=2)
            parametrizations.spectral_norm(own, n_power_iterations=2)
            self.assertEqual(list(own.state_dict()), list(ref.state_dict()))
            parity.copy_state(ref, own)
            pairs = [(n, a, dict(ref.named_parameters())[n]) for n, a in own.named_parameters()]
            for training in (True, False):
                own.train(training), ref.train(training)
                own.zero_grad(), ref.zero_grad()
                parity.call_both(own, ref, [real(*shape)], parameters=pairs, limit=1e-4)
            own.eval()
            w = own.weight.detach()
            w = w.permute(1, 0, 2, 3).reshape(w.size(1), -1) if w.dim() == 4 else w
            self.assertAlmostEqual(torch.linalg.matrix_norm(torch.tensor(w.tolist()), 2).item(), 1, delta=1e-3)

    def test_orthogonal(self):
        for shape in ((4, 3), (3, 4), (3, 3)):
            for word in ("matrix_exp", "cayley", "householder"):
                ref, own = torch.nn.Linear(*shape), nn.Linear(*shape)
                torch.nn.init.orthogonal_(ref.weight)
                parity.copy_state(ref, own)
                before = own.weight.detach().clone()
                torch.nn.utils.parametrizations.orthogonal(ref, orthogonal_map=word)
                parametrizations.orthogonal(own, orthogonal_map=word)
                self.assertEqual(list(own.state_dict()), list(ref.state_dict()))
                self.assertTrue(haft.allclose(own.weight, before, atol=1e-5))
                with torch.no_grad():
                    ref.parametrizations.weight.original.add_(torch.randn(ref.weight.shape).tril(-1))
                parity.copy_state(ref, own)
                pairs = [(n, a, dict(ref.named_parameters())[n]) for n, a in own.named_parameters()]
                parity.call_both(own, ref, [real(2, shape[0])], parameters=pairs, limit=1e-4)
                other = copy.deepcopy(own)
                self.assertTrue(haft.equal(other.weight, own.weight))
        with self.assertRaisesRegex(ValueError, "orthogonal_map has to be one of"):
            parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="qr")
        with self.assertRaisesRegex(ValueError, "Got a tensor of 1 dim"):
            parametrizations.orthogonal(nn.Linear(2, 2), "bias")

    def test_modules_of_the_engine(self):
        # PReLU is the engine's module: what is computed here reaches it there.
        ref, own = torch.nn.PReLU(3), nn.PReLU(3)
        x = real(4, 3)
        for lib, p, u, net in ((haft, parametrize, nn.utils, own), (torch, torch.nn.utils.parametrize, torch.nn.utils, ref)):
            p.register_parametrization(net, "weight", scaled(lib))
        parity.call_both(own, ref, [x], parameters=[("original", own.parametrizations.weight.original, ref.parametrizations.weight.original)])
        parity.call_both(copy.deepcopy(own), copy.deepcopy(ref), [x])
        for p, net in ((parametrize, own), (torch.nn.utils.parametrize, ref)):
            p.remove_parametrizations(net, "weight")
        mask = [1.0, 0.0, 1.0]
        prune.custom_from_mask(own, "weight", haft.tensor(mask))
        torch.nn.utils.prune.custom_from_mask(ref, "weight", torch.tensor(mask))
        parity.call_both(own, ref, [x], parameters=[("orig", own.weight_orig, ref.weight_orig)])
        prune.remove(own, "weight")
        torch.nn.utils.prune.remove(ref, "weight")
        parity.call_both(own, ref, [x])


if __name__ == "__main__":
    unittest.main()
