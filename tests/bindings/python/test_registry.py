"""What is made of core/schema/modules.def: every entry has a class of PyTorch's name, written by the generator or by hand."""
import copy
import inspect
import os
import pickle
import sys
import unittest

import haft
import leaks
from haft import _haft, nn, optim
from haft.nn.modules import _engine, _functions, _losses
from haft.optim import _optimizers, lr_scheduler

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(TREE, "tests/bindings"))
import entries  # noqa: E402

setUpModule, tearDownModule = leaks.guard()
ALL = entries.read(os.path.join(TREE, "core/schema/modules.def"))


def named(kind):
    return [name for k, name, _, _ in ALL if k == kind]


def close(a, b):
    return haft.allclose(a, b, rtol=1e-5, atol=1e-6)


class Entries(unittest.TestCase):
    def test_every_entry_is_there(self):
        self.assertGreater(len(named("layer")), 20)
        self.assertGreater(len(named("loss")), 8)
        for module, kind in ((nn, "layer"), (nn, "loss"), (optim, "optimizer"), (lr_scheduler, "schedule")):
            for name in named(kind):
                self.assertTrue(inspect.isclass(getattr(module, name)), name)
                if kind != "layer" and kind != "loss":
                    self.assertIn(name, module.__all__)

    def test_one_definition(self):
        """What the generator writes is what users get."""
        for made, module in ((_functions, nn), (_losses, nn), (_optimizers, optim)):
            self.assertTrue(made.__all__)
            for name in made.__all__:
                self.assertIs(getattr(module, name), getattr(made, name))
        self.assertTrue(set(_losses.__all__) == set(named("loss")))

    def test_signatures(self):
        def of(cls):
            return list(inspect.signature(cls).parameters)

        self.assertEqual(of(nn.CrossEntropyLoss), ["weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing"])
        self.assertEqual(of(nn.BCEWithLogitsLoss), ["weight", "size_average", "reduce", "reduction", "pos_weight"])
        self.assertEqual(of(nn.LeakyReLU), ["negative_slope", "inplace"])
        self.assertEqual(of(optim.Adam), ["params", "lr", "betas", "eps", "weight_decay", "amsgrad", "foreach", "maximize",
                                          "capturable", "differentiable", "fused"])
        self.assertEqual(inspect.signature(optim.Adam).parameters["betas"].default, (0.9, 0.999))
        self.assertEqual(inspect.signature(optim.Adam).parameters["foreach"].kind, inspect.Parameter.KEYWORD_ONLY)

    def test_text(self):
        self.assertEqual(repr(nn.LeakyReLU(0.25, inplace=True)), "LeakyReLU(negative_slope=0.25, inplace=True)")
        self.assertEqual(repr(nn.ReLU(True)), "ReLU(inplace=True)")
        self.assertEqual(repr(nn.Softplus()), "Softplus(beta=1, threshold=20)")
        self.assertEqual(repr(nn.MSELoss()), "MSELoss()")
        self.assertIn("negative_slope: the slope below 0", nn.LeakyReLU.__doc__)


class Linear(_engine.EngineModule):
    """A class as the generator writes those of layers with parameters."""

    _make = staticmethod(_haft.Make.linear)

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, generator=None):
        arguments = dict(in_features=in_features, out_features=out_features, bias=bias)
        super().__init__(arguments, device=device, dtype=dtype, generator=generator)


class Conv2d(_engine.EngineModule):
    _make = staticmethod(_haft.Make.conv2d)
    _pairs = ("kernel_size", "stride", "padding", "dilation")

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 device=None, dtype=None, generator=None):
        arguments = dict(in_channels=in_channels, out_channels=out_channels, kernel_size=kernel_size, stride=stride,
                         padding=padding, dilation=dilation, groups=groups, bias=bias, padding_mode=0)
        super().__init__(arguments, device=device, dtype=dtype, generator=generator)


class BatchNorm2d(_engine.EngineModule):
    _make = staticmethod(_haft.Make.batch_norm2d)

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        arguments = dict(num_features=num_features, eps=eps, momentum=momentum, affine=affine,
                         track_running_stats=track_running_stats)
        super().__init__(arguments, device=device, dtype=dtype)


class Dropout(_engine.EngineModule):
    _make = staticmethod(_haft.Make.dropout)

    def __init__(self, p=0.5, generator=None):
        super().__init__(dict(p=p), generator=generator)


class Embedding(_engine.EngineModule):
    _make = staticmethod(_haft.Make.embedding)

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None, generator=None):
        arguments = dict(num_embeddings=num_embeddings, embedding_dim=embedding_dim, padding_idx=padding_idx)
        super().__init__(arguments, device=device, dtype=dtype, generator=generator)


class Layers(unittest.TestCase):
    """Layers over the engine's modules do what the classes of haft.nn do."""

    CASES = ((Linear, (2, 3), (4, 2)), (Conv2d, (2, 3, 2), (2, 2, 4, 4)), (BatchNorm2d, (2,), (3, 2, 4, 4)), (Dropout, (), (5,)),
             (Embedding, (4, 3), None))

    def made(self):
        for cls, arguments, size in self.CASES:
            x = haft.tensor([0, 3, 1]) if size is None else haft.randn(size)
            with self.subTest(cls.__name__):
                yield cls(*arguments), getattr(nn, cls.__name__)(*arguments), x

    def test_as_the_classes_of_nn(self):
        for ours, theirs, x in self.made():
            self.assertEqual(list(ours.state_dict()), list(theirs.state_dict()))
            self.assertEqual(repr(ours), repr(theirs))
            theirs.load_state_dict(ours.state_dict())
            ours.load_state_dict(theirs.state_dict())
            for training in (True, False):
                seen = []
                for m in (ours, theirs):
                    m.train(training)
                    m.zero_grad()
                    haft.manual_seed(4)
                    y = m(x.detach().requires_grad_() if x.is_floating_point() else x)
                    (y * y).sum().backward()
                    seen.append([y] + [p.grad for p in m.parameters()])
                for a, b in zip(*seen):
                    self.assertTrue(close(a, b))
            for (key, a), b in zip(ours.state_dict().items(), theirs.state_dict().values()):
                self.assertTrue(close(a, b), key)

    def test_copies(self):
        for m, _, x in self.made():
            m.eval()
            for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
                before = haft.get_rng_state()
                self.assertTrue(close(m(x), other(x)))
                self.assertTrue(bool((before == haft.get_rng_state()).all()), "a copy draws no numbers")
                self.assertEqual(repr(m), repr(other))
                self.assertFalse(other.training)
                for p, q in zip(m.parameters(), other.parameters()):
                    self.assertIsNot(p, q)
                    with haft.no_grad():
                        q.zero_()
                    self.assertTrue(bool((p != 0).any()) or type(m) is BatchNorm2d)

    def test_changes_reach_the_engine(self):
        m = Linear(3, 2)
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
        self.assertIsNone(Conv2d(2, 2, 1, bias=False).bias)
        n = BatchNorm2d(3, momentum=1.0)
        y = haft.randn(2, 3, 4, 4) + 5
        n(y)
        self.assertTrue(close(n.running_mean, y.mean((0, 2, 3))))
        n.running_mean = haft.zeros(3)
        n.running_var = haft.ones(3)
        self.assertTrue(haft.allclose(n.eval()(y), y, atol=1e-3))

    def test_arguments(self):
        m = Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, groups=2, bias=False, dtype=haft.float64)
        peer = nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, groups=2, bias=False, dtype=haft.float64)
        peer.load_state_dict(m.state_dict())
        x = haft.randn(2, 4, 7, 5, dtype=haft.float64)
        self.assertTrue(close(m(x), peer(x)))
        self.assertEqual((m.stride, m.groups), ((2, 1), 2))
        self.assertIn("kernel_size=(3, 2)", repr(m))
        with self.assertRaises(ValueError):
            Conv2d(4, 6, (3, 2, 1))
        with self.assertRaises(ValueError):
            Dropout(2.0)
        with self.assertRaises(IndexError):
            Embedding(3, 2, padding_idx=3)
        a, b = (Linear(3, 2, generator=haft.Generator().manual_seed(7)).weight for _ in range(2))
        self.assertTrue(bool((a == b).all()))
        copy.deepcopy(Linear(3, 2, generator=haft.Generator()))  # which has no copy itself


class Optimizers(unittest.TestCase):
    def test_groups(self):
        a, b = nn.Parameter(haft.ones(2)), nn.Parameter(haft.ones(2))
        o = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.25}], lr=0.5)
        a.grad, b.grad = haft.ones(2), haft.ones(2)
        o.step()
        self.assertEqual((a.tolist(), b.tolist()), ([0.5, 0.5], [0.75, 0.75]))
        for refused in (dict(lr=-1.0), dict(lr=0.1, nesterov=True), dict(lr=0.1, weight_decay=-1.0)):
            with self.assertRaises(ValueError):
                optim.SGD([a], **refused)
        o = optim.Adam([a])
        o.param_groups[0]["betas"] = (0.9, 1.0)  # which nobody checks before the engine
        with self.assertRaisesRegex(ValueError, r"beta2 must be in \[0, 1\), got 1"):
            o.step()

    def test_state_has_the_entrys_names(self):
        p = nn.Parameter(haft.ones(3))
        for name in named("optimizer"):
            o = getattr(optim, name)([p], lr=0.1)
            p.grad = haft.ones(3)
            o.step()
            self.assertTrue(set(o.state_dict()["state"].get(0, {})) <= set(o._slots), name)


if __name__ == "__main__":
    unittest.main()
