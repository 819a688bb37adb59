"""Whole trainings beside PyTorch's from the same weights: the curves of 50 steps agree; what training in Python must do."""
import copy
import os
import pickle
import sys
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from parity import ints, real

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from curves import conv3d, lstm, transformer  # noqa: E402

setUpModule, tearDownModule = leaks.guard()


def mlp(nn):
    return nn.Sequential(nn.Flatten(), nn.Linear(144, 40), nn.ReLU(), nn.Linear(40, 10))


def cnn(nn):
    return nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 12, 3, bias=False), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.0),
                         nn.Flatten(), nn.Linear(192, 24), nn.Tanh(), nn.Linear(24, 10))


def residual(nn):
    class Net(nn.Module):
        """Control flow in Python, a shared layer, and a parameter of its own."""

        def __init__(self):
            super().__init__()
            self.start = nn.Conv2d(1, 6, 3, padding=1)
            self.shared = nn.Conv2d(6, 6, 3, padding=1, bias=False)
            self.norm = nn.GroupNorm(2, 6)
            self.scale = nn.Parameter(self.start.weight.detach()[:1, 0, 0, 0].clone() * 0 + 0.5)
            self.head = nn.Linear(6, 10)

        def forward(self, x):
            x = self.start(x)
            for i in range(3):
                y = self.norm(self.shared(x)).relu()
                x = x + y * self.scale if i % 2 else x - y
            return self.head(x.mean(dim=(2, 3)))
    return Net()


CURVES = {
    "MLP, SGD": (mlp, "SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
    "MLP, Adam": (mlp, "Adam", dict(lr=1e-3)),
    "CNN, SGD": (cnn, "SGD", dict(lr=0.05, momentum=0.9, weight_decay=1e-4)),
    "CNN, AdamW": (cnn, "AdamW", dict(lr=1e-3)),
    "residual, RMSprop": (residual, "RMSprop", dict(lr=1e-3)),
    "LSTM, Adam": (lstm, "Adam", dict(lr=5e-3)),
    "Transformer, AdamW": (transformer, "AdamW", dict(lr=2e-3, weight_decay=0.05)),
    "Conv3d, RMSprop": (conv3d, "RMSprop", dict(lr=2e-3)),
}


class Curves(unittest.TestCase):
    """In float64 the curves agree to rounding; in float32 as far as 50 steps let rounding grow."""


def _test(name):
    make, kind, options = CURVES[name]

    def test(self):
        for dtype, limit in (("float64", 1e-9), ("float32", 1e-2)):
            ref, own = make(torch.nn), make(haft.nn)
            if dtype == "float64":
                ref.double(), own.double()
            parity.copy_state(ref, own)
            images, labels = real(200, 1, 12, 12, dtype=dtype), ints(200, high=10)
            curves = []
            for lib, model in ((haft, own), (torch, ref)):
                optimizer = getattr(lib.optim, kind)(model.parameters(), **options)
                schedule = lib.optim.lr_scheduler.StepLR(optimizer, 20, 0.5)
                x, y, losses = lib.tensor(images), lib.tensor(labels), []
                for step in range(50):
                    at = step * 32 % 168
                    optimizer.zero_grad()
                    loss = lib.nn.functional.cross_entropy(model(x[at : at + 32]), y[at : at + 32])
                    loss.backward()
                    optimizer.step()
                    schedule.step()
                    losses.append(loss.item())
                curves.append(losses)
            error = np.max(np.abs(np.subtract(*curves)))
            self.assertLess(error, limit, f"{name}, {dtype}")
            self.assertLess(np.mean(curves[0][-8:]), np.mean(curves[0][:8]))
            if dtype == "float64":
                for (key, a), b in zip(own.state_dict().items(), ref.state_dict().values()):
                    parity.check(a, b, f"{name}, {key} after 50 steps", 10 * limit)
            parity.record("curve", f"{name}, 50 steps, {dtype}", error)
    return test


for _name in CURVES:
    setattr(Curves, "test_" + "".join(c if c.isalnum() else "_" for c in _name), _test(_name))


class Training(unittest.TestCase):
    def test_weights_go_to_pytorch_and_back(self):
        own, ref = cnn(haft.nn), cnn(torch.nn)
        own(haft.randn(4, 1, 12, 12))
        keys = ref.load_state_dict({k: torch.tensor(v.detach().numpy()) for k, v in own.state_dict().items()})
        self.assertEqual(str(keys), "<All keys matched successfully>")
        x = real(3, 1, 12, 12)
        parity.check(own.eval()(haft.tensor(x)), ref.eval()(torch.tensor(x)))

    def test_a_seed_is_a_run(self):
        def run():
            haft.manual_seed(11)
            model = haft.nn.Sequential(haft.nn.Linear(5, 8), haft.nn.Dropout(0.4), haft.nn.Linear(8, 1))
            optimizer = haft.optim.Adam(model.parameters(), lr=0.05)
            x = haft.randn(16, 5)
            for _ in range(10):
                optimizer.zero_grad()
                model(x).square().mean().backward()
                optimizer.step()
            return haft.nn.utils.parameters_to_vector(model.parameters()).detach()

        self.assertTrue(bool((run() == run()).all()))

    def test_going_on_from_a_checkpoint(self):
        def state():
            model = mlp(haft.nn)
            return model, haft.optim.Adam(model.parameters(), lr=0.01)

        def train(model, optimizer, x, y):
            for _ in range(4):
                optimizer.zero_grad()
                haft.nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()

        x, y = haft.randn(16, 1, 12, 12), haft.randint(0, 10, (16,))
        model, optimizer = state()
        train(model, optimizer, x, y)
        kept = pickle.dumps({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
        train(model, optimizer, x, y)
        other, other_optimizer = state()
        kept = pickle.loads(kept)
        other.load_state_dict(kept["model"])
        other_optimizer.load_state_dict(kept["optimizer"])
        train(other, other_optimizer, x, y)
        for a, b in zip(model.parameters(), other.parameters()):
            self.assertTrue(bool((a == b).all()))

    def test_accumulation_clipping_and_frozen_layers(self):
        results = []
        ref = mlp(torch.nn)
        x, y = real(24, 1, 12, 12), ints(24, high=10)
        for lib in (haft, torch):
            model = mlp(lib.nn)
            if lib is haft:
                parity.copy_state(ref, model)
            else:
                model.load_state_dict(ref.state_dict())
            for p in model[1].parameters():
                p.requires_grad = False
            optimizer = lib.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.5)
            for _ in range(5):
                optimizer.zero_grad()
                for part in range(3):
                    rows = slice(8 * part, 8 * part + 8)
                    (lib.nn.functional.cross_entropy(model(lib.tensor(x[rows])), lib.tensor(y[rows])) / 3).backward()
                norm = lib.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
                optimizer.step()
            results.append([float(norm), *(p.detach().numpy() for p in model.parameters())])
        for a, b in zip(*results):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)

    def test_tied_weights(self):
        class Tied(haft.nn.Module):
            def __init__(self):
                super().__init__()
                self.words = haft.nn.Embedding(7, 4)
                self.out = haft.nn.Linear(4, 7, bias=False)
                self.out.weight = self.words.weight

            def forward(self, i):
                return self.out(self.words(i))

        model = Tied()
        self.assertEqual(len(list(model.parameters())), 1)
        self.assertEqual(list(model.state_dict()), ["words.weight", "out.weight"])
        optimizer = haft.optim.SGD(model.parameters(), lr=0.1)
        before = model.words.weight.detach().clone()
        haft.nn.functional.cross_entropy(model(haft.tensor([1, 2])), haft.tensor([3, 4])).backward()
        optimizer.step()
        self.assertIs(model.out.weight, model.words.weight)
        self.assertFalse(bool((before == model.out.weight).all()))
        twin = copy.deepcopy(model)
        self.assertIs(twin.out.weight, twin.words.weight)

    def test_nothing_grows(self):
        model = cnn(haft.nn)
        optimizer = haft.optim.Adam(model.parameters())

        def train(steps):
            for _ in range(steps):
                optimizer.zero_grad()
                haft.nn.functional.cross_entropy(model(haft.randn(8, 1, 12, 12)), haft.randint(0, 10, (8,))).backward()
                optimizer.step()
            return leaks.now()

        self.assertEqual(train(10), train(60))

    def test_double(self):
        model = cnn(haft.nn).double()
        model(haft.randn(2, 1, 12, 12, dtype=haft.float64)).sum().backward()
        self.assertTrue(all(p.grad.dtype == haft.float64 for p in model.parameters()))

    def test_bfloat16(self):
        model = mlp(haft.nn).bfloat16()
        optimizer = haft.optim.SGD(model.parameters(), lr=0.1)
        x, y = haft.randn(32, 1, 12, 12).bfloat16(), haft.randint(0, 10, (32,))
        losses = []
        for _ in range(30):
            optimizer.zero_grad()
            loss = haft.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.7 * losses[0])


if __name__ == "__main__":
    unittest.main()
