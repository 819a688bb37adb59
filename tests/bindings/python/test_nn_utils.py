"""haft.nn.utils beside PyTorch's: weight norm, spectral norm, pruning, sequences."""
import unittest

import numpy as np
import torch
import torch.nn.utils.prune

import haft
import leaks
import parity
from haft.nn.utils import prune
from parity import real

setUpModule, tearDownModule = leaks.guard()


def pair(make):
    ref, own = make(torch.nn), make(haft.nn)
    parity.copy_state(ref, own)
    return own, ref


class Norms(unittest.TestCase):
    def test_weight_norm(self):
        for make, shape in ((lambda nn: nn.Linear(4, 3), (5, 4)), (lambda nn: nn.Conv2d(2, 3, 3), (2, 2, 5, 5))):
            for dim in (0, 1, None):
                own, ref = pair(make)
                haft.nn.utils.weight_norm(own, dim=dim)
                torch.nn.utils.weight_norm(ref, dim=dim)
                self.assertEqual(list(own.state_dict()), list(ref.state_dict()))
                parity.check(own.weight_g, ref.weight_g)
                pairs = [(n, a, b) for (n, a), b in zip(own.named_parameters(), ref.parameters())]
                parity.record("function", f"weight_norm, dim {dim}", parity.call_both(own, ref, [real(*shape)], parameters=pairs))
                haft.nn.utils.remove_weight_norm(own)
                self.assertIsInstance(own.weight, haft.nn.Parameter)
                self.assertEqual(sorted(own.state_dict()), ["bias", "weight"])
        with self.assertRaisesRegex(ValueError, "weight_norm of 'weight' not found"):
            haft.nn.utils.remove_weight_norm(own)

    def test_spectral_norm(self):
        for make, shape in ((lambda nn: nn.Linear(4, 3), (5, 4)), (lambda nn: nn.ConvTranspose2d(2, 3, 3), (2, 2, 5, 5))):
            own, ref = pair(make)
            haft.nn.utils.spectral_norm(own, n_power_iterations=2)
            torch.nn.utils.spectral_norm(ref, n_power_iterations=2)
            self.assertEqual(sorted(own.state_dict()), sorted(ref.state_dict()))
            parity.copy_state(ref, own)
            pairs = [(n, a, dict(ref.named_parameters())[n]) for n, a in own.named_parameters()]
            for mode in (True, True, False):
                own.train(mode), ref.train(mode)
                own.zero_grad(), ref.zero_grad()
                parity.record("function", "spectral_norm", parity.call_both(own, ref, [real(*shape)], parameters=pairs, limit=1e-4))
                parity.check(own.weight_u, ref.weight_u, limit=1e-4)
            for _ in range(60):
                own.train()(haft.tensor(real(*shape)))
            haft.nn.utils.remove_spectral_norm(own)
            self.assertIsInstance(own.weight, haft.nn.Parameter)
            rows = own.weight.detach().numpy()
            rows = rows.reshape(len(rows), -1) if rows.ndim == 2 else rows.transpose(1, 0, 2, 3).reshape(rows.shape[1], -1)
            self.assertAlmostEqual(np.linalg.svd(rows)[1][0], 1, delta=0.02)


class Pruning(unittest.TestCase):
    def both(self, f, make=lambda nn: nn.Linear(6, 5)):
        """f prunes a module of each side; masks, weights and outputs agree."""
        own, ref = pair(make)
        f(prune, own)
        f(torch.nn.utils.prune, ref)
        self.assertEqual(sorted(own.state_dict()), sorted(ref.state_dict()))
        for key, value in ref.state_dict().items():
            parity.check(own.state_dict()[key], value, key)
        parity.check(own.weight, ref.weight)
        self.assertEqual(prune.is_pruned(own), torch.nn.utils.prune.is_pruned(ref))
        pairs = [(n, a, dict(ref.named_parameters())[n]) for n, a in own.named_parameters()]
        shape = (3, 6) if isinstance(own, haft.nn.Linear) else (2, 3, 6, 6)
        parity.call_both(own, ref, [real(*shape)], parameters=pairs)
        return own

    def test_methods(self):
        self.both(lambda p, m: p.identity(m, "weight"))
        self.both(lambda p, m: p.l1_unstructured(m, "weight", 0.3))
        self.both(lambda p, m: p.l1_unstructured(m, "weight", 7))
        self.both(lambda p, m: p.ln_structured(m, "weight", 2, 2, 0))
        self.both(lambda p, m: p.ln_structured(m, "weight", 0.5, 1, 1), lambda nn: nn.Conv2d(3, 4, 3))
        mask = (parity.rng().random((5, 6)) < 0.5).astype("float32")
        self.both(lambda p, m: p.custom_from_mask(m, "weight", (haft if p is prune else torch).tensor(mask)))

    def test_one_after_the_other(self):
        def steps(p, m):
            p.l1_unstructured(m, "weight", 0.2)
            p.ln_structured(m, "weight", 1, 2, 0)
            p.l1_unstructured(m, "weight", 0.5)
            p.l1_unstructured(m, "bias", 2)

        own = self.both(steps)
        self.assertEqual(len([h for h in own._forward_pre_hooks.values() if h._tensor_name == "weight"]), 1)
        weight = own.weight.detach().clone()
        prune.remove(own, "weight")
        self.assertTrue(bool((own.weight == weight).all()) and isinstance(own.weight, haft.nn.Parameter))
        self.both(lambda p, m: (steps(p, m), p.remove(m, "weight"), p.remove(m, "bias")))
        with self.assertRaisesRegex(ValueError, "has to be pruned before"):
            prune.remove(own, "weight")

    def test_together(self):
        def make(nn):
            return nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 5))

        own, ref = pair(make)
        for p, m in ((prune, own), (torch.nn.utils.prune, ref)):
            p.global_unstructured([(m[0], "weight"), (m[1], "weight")], p.L1Unstructured, amount=0.4)
            p.global_unstructured([(m[0], "weight"), (m[1], "weight")], p.L1Unstructured, amount=5)
        for key, value in ref.state_dict().items():
            parity.check(own.state_dict()[key], value, key)

    def test_random(self):
        haft.manual_seed(3)
        m = prune.random_unstructured(haft.nn.Linear(10, 10), "weight", 0.3)
        self.assertEqual(int(m.weight_mask.sum()), 70)
        m = prune.random_structured(haft.nn.Linear(10, 10), "weight", 4, 1)
        self.assertEqual(sorted(m.weight_mask.sum(0).tolist()), [0.0] * 4 + [10.0] * 6)

    def test_refusals(self):
        for amount in (1.5, -1, -0.1, 31, "half"):
            parity.same_error(self, lambda: prune.l1_unstructured(haft.nn.Linear(6, 5), "weight", amount),
                              lambda: torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(6, 5), "weight", amount))


class Sequences(unittest.TestCase):
    def test_pad_sequence(self):
        arrays = [real(n, 3) for n in (4, 2, 5)]
        for options in (dict(), dict(batch_first=True, padding_value=-1.5)):
            parity.call_both(lambda *a: haft.nn.utils.rnn.pad_sequence(a, **options), lambda *a: torch.nn.utils.rnn.pad_sequence(a, **options), arrays)
        padded = haft.nn.utils.rnn.pad_sequence([haft.tensor(a) for a in arrays])
        for a, b in zip(arrays, haft.nn.utils.rnn.unpad_sequence(padded, [4, 2, 5])):
            parity.check(b, a)


if __name__ == "__main__":
    unittest.main()
