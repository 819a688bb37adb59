"""What is generated from core/schema/modules.def: classes over the engine's objects. They do what the classes of haft.nn and
haft.optim do, and a new entry appears beside these."""
import copy
import os
import pickle
import random
import sys
import types
import unittest

import haft
import leaks
from haft import _names, nn, optim
from haft.nn.modules import _engine, _layers
from haft.optim import _optimizers, _schedules, lr_scheduler

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(TREE, "tests/bindings"))
import entries  # noqa: E402

setUpModule, tearDownModule = leaks.guard()
ALL = entries.read(os.path.join(TREE, "core/schema/modules.def"))
REQUIRED = {name: len(required) for _, name, _, required in ALL}


def named(kind):
    return [name for k, name, _, _ in ALL if k == kind]


def fitting(module):
    """A tensor that the module takes; all sizes are 2."""
    dtype = next((p.dtype for p in module.parameters()), haft.float32)
    for x in (haft.randn(2, 2, 2, 2, dtype=dtype), haft.randn(2, 2, 2, dtype=dtype), haft.tensor([0, 1])):
        try:
            module(x)
            return x
        except (ValueError, TypeError, RuntimeError) as e:
            refused = e
    raise refused


def close(a, b):
    return haft.allclose(a, b, rtol=1e-5, atol=1e-6)


class Layers(unittest.TestCase):
    def make(self, name, **more):
        return getattr(_layers, name)(*[2] * REQUIRED[name], **more)

    def test_every_entry_is_there(self):
        self.assertGreater(len(named("layer")), 20)
        self.assertEqual(named("layer"), _layers.__all__)
        self.assertEqual(named("optimizer"), _optimizers.__all__)
        self.assertEqual(named("schedule"), _schedules.__all__)
        for module, names in ((nn, named("layer")), (optim, named("optimizer")), (lr_scheduler, named("schedule"))):
            for name in names:
                self.assertIn(name, module.__all__)
                self.assertTrue(callable(getattr(module, name)))

    def test_as_the_classes_of_nn(self):
        for name in named("layer"):
            with self.subTest(name):
                ours, theirs = self.make(name), getattr(nn, name)(*[2] * REQUIRED[name])
                self.assertIsNot(type(ours), type(theirs))
                self.assertEqual(list(ours.state_dict()), list(theirs.state_dict()))
                theirs.load_state_dict(ours.state_dict())
                x = fitting(ours)
                ours.load_state_dict(theirs.state_dict())
                for training in (True, False):
                    grads = []
                    for m in (ours, theirs):
                        m.train(training)
                        m.zero_grad()
                        haft.manual_seed(4)
                        y = m(x.detach().requires_grad_() if x.is_floating_point() else x)
                        grads.append((y, [p.grad for p in m.parameters()]))
                        if y.requires_grad:
                            (y * y).sum().backward()
                            grads[-1] = (y, [p.grad for p in m.parameters()])
                    self.assertTrue(close(grads[0][0], grads[1][0]))
                    for a, b in zip(grads[0][1], grads[1][1]):
                        self.assertTrue(close(a, b))
                for (key, a), b in zip(ours.state_dict().items(), theirs.state_dict().values()):
                    self.assertTrue(close(a, b), key)

    def test_copies(self):
        for name in named("layer"):
            with self.subTest(name):
                m = self.make(name).eval()
                x = fitting(m)
                for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
                    before = haft.get_rng_state() if hasattr(haft, "get_rng_state") else None
                    self.assertTrue(close(m(x), other(x)))
                    if before is not None:
                        self.assertTrue(bool((before == haft.get_rng_state()).all()), "a copy draws no numbers")
                    self.assertEqual(repr(m), repr(other))
                    self.assertFalse(other.training)
                    for p, q in zip(m.parameters(), other.parameters()):
                        self.assertIsNot(p, q)
                        with haft.no_grad():
                            q.zero_()
                        self.assertTrue(bool((p != 0).any()) or not p.numel() or name in ("BatchNorm1d", "BatchNorm2d", "LayerNorm"))

    def test_changes_reach_the_engine(self):
        m = _layers.Linear(3, 2)
        x = haft.randn(4, 3)
        m.weight = nn.Parameter(haft.ones(2, 3))
        m.bias = nn.Parameter(haft.zeros(2))
        self.assertTrue(close(m(x), x.sum(1, keepdim=True).expand(4, 2)))
        m.double()
        self.assertEqual(m(x.double()).dtype, haft.float64)
        m.requires_grad_(False)
        self.assertFalse(m(x.double()).requires_grad)
        m.requires_grad_(True)
        o = optim.SGD(m.parameters(), 0.5)
        m(x.double()).sum().backward()
        o.step()
        self.assertFalse(bool((m.weight == 1).any()))
        self.assertTrue(close(m(x.double()), x.double() @ m.weight.t() + m.bias))
        self.assertIsNone(_layers.Conv2d(2, 2, 1, bias=False).bias)
        n = _layers.BatchNorm2d(3, momentum=1.0)
        y = haft.randn(2, 3, 4, 4) + 5
        n(y)
        self.assertTrue(close(n.running_mean, y.mean((0, 2, 3))))
        n.running_mean = haft.zeros(3)
        n.running_var = haft.ones(3)
        self.assertTrue(haft.allclose(n.eval()(y), y, atol=1e-3))

    def test_arguments(self):
        m = _layers.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, groups=2, bias=False, dtype=haft.float64)
        peer = nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, groups=2, bias=False, dtype=haft.float64)
        peer.load_state_dict(m.state_dict())
        x = haft.randn(2, 4, 7, 5, dtype=haft.float64)
        self.assertTrue(close(m(x), peer(x)))
        self.assertEqual((m.stride, m.groups), ((2, 1), 2))
        self.assertIn("kernel_size=(3, 2)", repr(m))
        with self.assertRaises(ValueError):
            _layers.Conv2d(4, 6, (3, 2, 1))
        with self.assertRaises(ValueError):
            _layers.Dropout(2.0)
        with self.assertRaises(IndexError):
            _layers.Embedding(3, 2, padding_idx=3)
        a, b = (_layers.Linear(3, 2, generator=haft.Generator().manual_seed(7)).weight for _ in range(2))
        self.assertTrue(bool((a == b).all()))
        self.assertIn("in_features: size of the last dimension", _layers.Linear.__doc__)
        copy.deepcopy(_layers.Linear(3, 2, generator=haft.Generator()))  # which has no copy itself

    def test_in_a_network(self):
        net = nn.Sequential(_layers.Linear(5, 8), _layers.Tanh(), _layers.Linear(8, 1))
        self.assertEqual(list(net.state_dict()), ["0.weight", "0.bias", "2.weight", "2.bias"])
        haft.manual_seed(3)
        x = haft.randn(64, 5)
        y = x.sum(1, keepdim=True).sin()
        o = _optimizers.Adam(net.parameters(), 0.01)
        losses = []
        for _ in range(150):
            o.zero_grad()
            loss = (net(x) - y).square().mean()
            loss.backward()
            o.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], losses[0] / 4)


class Optimizers(unittest.TestCase):
    def test_as_the_classes_of_optim(self):
        r = random.Random()
        for name in named("optimizer"):
            adam = name != "SGD"
            options = dict(lr=r.uniform(0.01, 0.1), weight_decay=r.uniform(0, 0.1), maximize=r.random() < 0.5)
            same = dict(options)
            if adam:
                options.update(beta1=0.8, beta2=0.95, eps=1e-6, amsgrad=True)
                same.update(betas=(0.8, 0.95), eps=1e-6, amsgrad=True)
            else:
                more = dict(momentum=r.uniform(0.1, 0.9), nesterov=True)
                options.update(more)
                same.update(more)
            with self.subTest(name, **options):
                start = haft.randn(7)
                params = [nn.Parameter(start.clone()) for _ in range(2)]
                made = [getattr(_optimizers, name)([params[0]], **options), getattr(optim, name)([params[1]], **same)]
                for i in range(5):
                    g = haft.randn(7)
                    for p, o in zip(params, made):
                        p.grad = g.clone()
                        o.step()
                    self.assertTrue(close(params[0], params[1]))
                    if i == 2:  # goes on from a saved state
                        state = made[0].state_dict()
                        made[0] = getattr(_optimizers, name)([params[0]])
                        made[0].load_state_dict(state)
                ours, theirs = made[0].state_dict()["state"][0], made[1].state_dict()["state"][0]
                self.assertEqual(set(ours), {k for k, v in theirs.items() if v is not None})

    def test_groups(self):
        a, b = nn.Parameter(haft.ones(2)), nn.Parameter(haft.ones(2))
        o = _optimizers.SGD([{"params": [a]}, {"params": [b], "lr": 0.25}], lr=0.5)
        a.grad, b.grad = haft.ones(2), haft.ones(2)
        o.step()
        self.assertEqual((a.tolist(), b.tolist()), ([0.5, 0.5], [0.75, 0.75]))
        with self.assertRaises(ValueError):
            _optimizers.SGD([a], lr=-1.0)


class Schedules(unittest.TestCase):
    def test_as_the_classes_of_lr_scheduler(self):
        arguments = {"StepLR": (3, 0.5), "MultiStepLR": ([2, 5], 0.3), "ExponentialLR": (0.8,), "CosineAnnealingLR": (6, 0.01),
                     "LinearLR": (0.25, 1.0, 4)}
        for name in named("schedule"):
            with self.subTest(name):
                rates = []
                for module in (_schedules, lr_scheduler):
                    p, q = nn.Parameter(haft.ones(1)), nn.Parameter(haft.ones(1))
                    o = optim.RMSprop([{"params": [p]}, {"params": [q], "lr": 0.2}], lr=0.5)
                    s = getattr(module, name)(o, *arguments[name])
                    other = lr_scheduler.ExponentialLR(o, 0.9)
                    seen = [s.get_last_lr()]
                    for epoch in range(8):
                        o.step()
                        s.step()
                        other.step()
                        seen.append([group["lr"] for group in o.param_groups])
                        if epoch == 3:  # goes on from a saved state
                            state = pickle.loads(pickle.dumps(s.state_dict()))
                            s = getattr(module, name)(optim.RMSprop([{"params": [p]}, {"params": [q], "lr": 0.2}], lr=0.5), *arguments[name])
                            s.optimizer = o
                            s.load_state_dict(state)
                    rates.append(seen)
                for a, b in zip(*rates):
                    for x, y in zip(a, b):
                        self.assertAlmostEqual(x, y, 12)


class New(unittest.TestCase):
    def test_what_has_no_class_appears(self):
        """An entry that haft.nn knows nothing of: SiLU, as if it were not written there."""
        module = types.ModuleType("module")
        module.ReLU, module.__all__ = nn.ReLU, ["ReLU"]
        _names.add_missing(vars(module), _layers)
        self.assertIs(module.ReLU, nn.ReLU)
        self.assertIs(module.SiLU, _layers.SiLU)
        self.assertEqual(sorted(module.__all__), sorted(_layers.__all__))
        x = haft.randn(5)
        self.assertTrue(close(module.SiLU()(x), nn.SiLU()(x)))

    def test_base(self):
        self.assertTrue(issubclass(_layers.Linear, _engine.EngineModule) and issubclass(_layers.Linear, nn.Module))


if __name__ == "__main__":
    unittest.main()
