"""What is made of core/schema/modules.def: every entry has a class of PyTorch's name, written by the generator or by hand."""
import copy
import inspect
import os
import pickle
import sys
import unittest
import warnings

import numpy as np
import torch

import haft
import haft.nn.utils.parametrizations
import leaks
import parity
from haft import _haft, nn, optim
from haft.nn.modules import _engine, _functions, _losses
from haft.optim import _optimizers, lr_scheduler, swa_utils

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.insert(0, os.path.join(TREE, "tests/bindings"))
import entries  # noqa: E402

setUpModule, tearDownModule = leaks.guard()
ALL = entries.read(os.path.join(TREE, "core/schema/modules.def"))


BUILDS = ("conv", "norm", "embedding", "bilinear")  # their parameters have a dtype, a device and mostly a generator


TABLE = (-1.0, 2.0, False, None, False)  # what embeddings take behind `sparse`


def made(name, *arguments):
    """The engine's module."""
    where = (None, None) if any(word in name for word in BUILDS) and "upsampling" not in name else ()
    draws = (None,) if "norm" not in name and where or "dropout" in name or name == "rrelu" else ()
    return getattr(_haft.Make, name)(*arguments, *where, *draws)


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
                if name in ("WeightNorm", "SpectralNorm", "Orthogonal"):  # private classes, as PyTorch's
                    module = nn.utils.parametrizations
                    name = "_" + name
                module = swa_utils if name == "SWALR" else module
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
                                          "capturable", "differentiable", "fused", "decoupled_weight_decay"])
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
                         track_running_stats=track_running_stats, bias=True)
        super().__init__(arguments, device=device, dtype=dtype)


class Dropout(_engine.EngineModule):
    _make = staticmethod(_haft.Make.dropout)

    def __init__(self, p=0.5, generator=None):
        super().__init__(dict(p=p), generator=generator)


class Embedding(_engine.EngineModule):
    _make = staticmethod(_haft.Make.embedding)

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, sparse=False, device=None, dtype=None, generator=None):
        arguments = dict(num_embeddings=num_embeddings, embedding_dim=embedding_dim, padding_idx=padding_idx, sparse=sparse,
                         **dict(zip(("max_norm", "norm_type", "scale_grad_by_freq", "weight", "freeze"), TABLE)))
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


def filled(shape):
    return parity.real(*shape)


# The engine's layers whose classes in Python are written by hand: arguments of the engine's, PyTorch's module, its input's shape.
MODE = {"zeros": 0, "reflect": 1, "replicate": 2, "circular": 3}
BESIDE = {}


def beside(name, arguments, peer, *shapes, **more):
    BESIDE[f"{name} {len(BESIDE)}"] = (name, arguments, peer, shapes, more)


for n, size in ((1, (9,)), (2, (9, 8)), (3, (5, 6, 4))):
    conv = getattr(torch.nn, f"Conv{n}d")
    pairs = (lambda v: (v, v)) if n == 2 else (lambda v: ([v],))
    for mode, code in MODE.items():
        beside(f"conv{n}d", (4, 6, *pairs(3), *pairs(2), *pairs(1), *pairs(1), 2, True, code),
               lambda conv=conv, mode=mode: conv(4, 6, 3, 2, 1, 1, 2, True, mode), (2, 4, *size))
    beside(f"conv{n}d", (3, 2, *pairs(2), *pairs(1), *pairs(-1), *pairs(1 + (n < 3)), 1, False, 0),
           lambda conv=conv, n=n: conv(3, 2, 2, padding="same", dilation=1 + (n < 3), bias=False), (3, *size))
    beside(f"conv{n}d", (3, 2, *pairs(3), *pairs(1), *pairs(-1), *pairs(1), 1, True, 3),
           lambda conv=conv: conv(3, 2, 3, padding="same", padding_mode="circular"), (2, 3, *size))
    transposed = getattr(torch.nn, f"ConvTranspose{n}d")
    beside(f"conv_transpose{n}d", (4, 6, [3], [2], [1], [1], 2, True, [1]), lambda t=transposed: t(4, 6, 3, 2, 1, 1, 2), (2, 4, *size))
    beside(f"conv_transpose{n}d", (4, 2, [2], [], [], [], 1, False, [2]), lambda t=transposed: t(4, 2, 2, bias=False, dilation=2), (4, *size))
    norm, instance = getattr(torch.nn, f"BatchNorm{n}d"), getattr(torch.nn, f"InstanceNorm{n}d")
    beside(f"batch_norm{n}d", (3, 1e-3, 0.2, True, True, True), lambda f=norm: f(3, 1e-3, 0.2), (4, 3, *size))
    beside(f"instance_norm{n}d", (3, 1e-5, 0.1, False, False, True), lambda f=instance: f(3), (4, 3, *size))
    beside(f"instance_norm{n}d", (3, 1e-3, 0.3, True, True, True), lambda f=instance: f(3, 1e-3, 0.3, True, True), (4, 3, *size))
    beside(f"instance_norm{n}d", (3, 1e-3, 0.3, True, True, True), lambda f=instance: f(3, 1e-3, 0.3, True, True), (3, *size))
    pads = (1, 2, 0, 1, 1, 0)[:2 * n]
    for name, peer in (("reflection", "Reflection"), ("replication", "Replication"), ("zero", "Zero")):
        cls = getattr(torch.nn, f"{peer}Pad{n}d", None)
        if cls is not None:
            beside(f"{name}_pad{n}d", (list(pads),), lambda cls=cls, pads=pads: cls(pads), (2, 3, *size))
            beside(f"{name}_pad{n}d", ([1],), lambda cls=cls: cls(1), (2, 3, *size))
    beside(f"constant_pad{n}d", (list(pads), 2.5), lambda n=n, pads=pads: getattr(torch.nn, f"ConstantPad{n}d")(pads, 2.5), (2, 3, *size))
    beside(f"upsample", ([], 1.7, 0, False, 0.0, 0.0, False), lambda: torch.nn.Upsample(scale_factor=1.7), (2, 3, *size))
    beside(f"upsample", ([], 1.7, 1, False, 0.0, 0.0, True),
           lambda n=n: torch.nn.Upsample(scale_factor=1.7, mode=("linear", "bilinear", "trilinear")[n - 1], recompute_scale_factor=True), (2, 3, *size))
    for noise in (f"dropout{n}d",):
        beside(noise, (0.4,), lambda n=n: getattr(torch.nn, f"Dropout{n}d")(0.4), (2, 3, *size), training=(False,))
beside("group_norm", (2, 6, 1e-4, True, True), lambda: torch.nn.GroupNorm(2, 6, 1e-4), (3, 6, 5))
beside("group_norm", (3, 6, 1e-5, False, True), lambda: torch.nn.GroupNorm(3, 6, affine=False), (3, 6, 2, 5))
beside("bilinear", (3, 4, 5, True), lambda: torch.nn.Bilinear(3, 4, 5), (2, 7, 3), (2, 7, 4))
beside("bilinear", (3, 4, 5, False), lambda: torch.nn.Bilinear(3, 4, 5, False), (3,), (4,))
beside("cosine_similarity", (-1, 1e-6), lambda: torch.nn.CosineSimilarity(-1, 1e-6), (5, 4), (5, 4))
beside("pairwise_distance", (3.0, 1e-4, True), lambda: torch.nn.PairwiseDistance(3.0, 1e-4, True), (5, 4), (5, 4))
beside("upsample", ([5, 7], 1.0, 2, True, 0.0, 0.0, False), lambda: torch.nn.Upsample((5, 7), mode="bicubic", align_corners=True), (2, 3, 6, 4))
beside("upsample", ([], 2.0, 3, False, 1.5, 0.0, False), lambda: torch.nn.Upsample(scale_factor=(1.5, 2.0), mode="area"), (2, 3, 6, 4))
beside("upsampling_nearest2d", ([5, 7], 1.0), lambda: torch.nn.UpsamplingNearest2d((5, 7)), (2, 3, 6, 4))
beside("upsampling_bilinear2d", ([], 2.0), lambda: torch.nn.UpsamplingBilinear2d(scale_factor=2), (2, 3, 6, 4))
beside("unfold", ([2, 3], [1], [1], [2]), lambda: torch.nn.Unfold((2, 3), 1, 1, 2), (2, 3, 6, 7))
beside("fold", ([5, 6], [2, 3], [], [1], []), lambda: torch.nn.Fold((5, 6), (2, 3), padding=1), (2, 12, 36))
beside("relu6", (), torch.nn.ReLU6, (40,))
beside("softmin", (1,), lambda: torch.nn.Softmin(1), (3, 4))
beside("softmax2d", (), torch.nn.Softmax2d, (2, 3, 4, 5))
beside("unflatten", (1, [2, -1]), lambda: torch.nn.Unflatten(1, (2, 3)), (4, 6))
beside("rrelu", (0.1, 0.4), lambda: torch.nn.RReLU(0.1, 0.4), (3, 4), training=(False,))
beside("alpha_dropout", (0.3,), lambda: torch.nn.AlphaDropout(0.3), (3, 4), training=(False,))
beside("feature_alpha_dropout", (0.3,), lambda: torch.nn.FeatureAlphaDropout(0.3), (3, 4), training=(False,))


class BesidePyTorch(unittest.TestCase):
    """The engine's modules, as Java and C# have them, with PyTorch's weights."""

    def check(self, core, peer, inputs, training, limit=1e-4):
        state = dict(core.state_dict())
        self.assertEqual(list(state), list(peer.state_dict()))
        for key, value in peer.state_dict().items():
            with haft.no_grad():
                state[key].copy_(haft.tensor(value.numpy()))
        core.train(training)
        peer.train(training)
        x = [haft.tensor(a, requires_grad=a.dtype.kind == "f") for a in inputs]
        y = [torch.tensor(a, requires_grad=a.dtype.kind == "f") for a in inputs]
        ours, theirs = core.forward(x)[0], peer(*y)
        parity.check(ours, theirs, "result", limit)
        direction = filled(theirs.shape)
        (ours * haft.tensor(direction)).sum().backward()
        (theirs * torch.tensor(direction)).sum().backward()
        for a, b in zip(x, y):
            if b.grad is not None:
                parity.check(a.grad, b.grad, "gradient of the input", limit)
        peers = dict(peer.named_parameters())
        for name, p in core.named_parameters():
            parity.check(p.grad, peers[name].grad, "gradient of " + name, limit)
            peers[name].grad = p.grad = None
        for key, value in peer.state_dict().items():
            parity.check(state[key], value, key, limit)

    def test_layers(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for case, (name, arguments, peer, shapes, more) in BESIDE.items():
                with self.subTest(case, arguments=arguments):
                    core, module = made(name, *arguments), peer()
                    for training in more.get("training", (True, False)):
                        self.check(core, module, [filled(s) for s in shapes], training)

    def test_bags(self):
        table, rows = np.array([[0, 2, 1], [3, 3, 0]]), np.array([4, 0, 2, 2, 1, 3])
        for mode, word in enumerate(("sum", "mean", "max")):
            for padding in (None, 2):
                def pair():
                    return made("embedding_bag", 5, 3, mode, False, padding, False, *TABLE), torch.nn.EmbeddingBag(5, 3, mode=word, padding_idx=padding)
                self.check(*pair(), [table], True)
                self.check(*pair(), [rows, np.array([0, 2, 5])], True)
        last = made("embedding_bag", 5, 3, 0, True, None, False, *TABLE), torch.nn.EmbeddingBag(5, 3, mode="sum", include_last_offset=True)
        self.check(*last, [rows, np.array([0, 2, 6])], True)
        core, peer = made("embedding_bag", 5, 3, 0, False, None, False, *TABLE), torch.nn.EmbeddingBag(5, 3, mode="sum")
        w = filled((2, 3))
        core_rows = dict(core.state_dict())["weight"]
        with haft.no_grad():
            core_rows.copy_(haft.tensor(peer.weight.detach().numpy()))
        got = core.forward([haft.tensor(table), None, haft.tensor(w)])[0]
        parity.check(got, peer(torch.tensor(table), per_sample_weights=torch.tensor(w)), "weights", 1e-5)

    def test_maxima_and_back(self):
        for n, size in ((1, (9,)), (2, (9, 8)), (3, (5, 6, 4))):
            x = parity.spread(2, 3, *size)
            window = (2, 2, 2, 2, 0, 0, 1, 1) if n == 2 else ([2], [2], [], [])
            values, at = made(f"max_pool{n}d", *window, False, True).forward([haft.tensor(x)])
            peer = getattr(torch.nn, f"MaxPool{n}d")(2, 2, return_indices=True)(torch.tensor(x))
            parity.check(values, peer[0], "values")
            parity.check(at, peer[1], "indices")
            back = made(f"max_unpool{n}d", [2], [2], [], list(size)).forward([values, at])[0]
            parity.check(back, getattr(torch.nn, f"MaxUnpool{n}d")(2, 2)(*peer, output_size=size), "unpooled")
            values, at = made(f"adaptive_max_pool{n}d", [3], True).forward([haft.tensor(x)])
            peer = getattr(torch.nn, f"AdaptiveMaxPool{n}d")(3, return_indices=True)(torch.tensor(x))
            parity.check(values, peer[0], "adaptive values")
            parity.check(at, peer[1], "adaptive indices")

    def test_noise(self):
        x = haft.ones(50, 40, 3)
        for name in ("dropout1d", "dropout2d"):
            y = made(name, 0.25).forward([x])[0]
            self.assertTrue(bool(((y == 0) | (y == 1 / 0.75)).all()))
            self.assertTrue(bool((y.amax(2) == y.amin(2)).all()))
            self.assertLess(abs(float(y.mean()) - 1), 0.1)
        y = made("dropout3d", 0.25).forward([haft.ones(40, 3, 2, 2)])[0]  # (C, D, H, W)
        self.assertTrue(bool((y.flatten(1).amax(1) == y.flatten(1).amin(1)).all()))
        z = haft.randn(400, 300)
        for name in ("alpha_dropout", "feature_alpha_dropout"):
            y = made(name, 0.3).forward([z])[0]
            self.assertLess(abs(float(y.mean())), 0.05)
            self.assertLess(abs(float(y.var()) - 1), 0.1)
        y = made("rrelu", 0.2, 0.5).forward([haft.full((5000,), -2.0)])[0]
        self.assertTrue(bool(((y >= -1.0) & (y <= -0.4)).all()))
        self.assertLess(abs(float(y.mean()) + 0.7), 0.02)

    def test_refusals(self):
        for name, arguments, words in (
                ("conv1d", (3, 4, [2, 2], [], [], [], 1, True, 0), "kernel_size is one number or 1"),
                ("conv3d", (3, 4, [], [], [], [], 1, True, 0), "kernel_size must be at least 1"),
                ("conv1d", (3, 4, [2], [2], [-1], [], 1, True, 0), "wants stride 1"),
                ("conv1d", (3, 4, [2], [], [-2], [], 1, True, 0), "padding must be at least 0"),
                ("conv_transpose2d", (3, 4, [2], [], [-1], [], 1, True, []), "padding must be at least 0"),
                ("conv_transpose2d", (3, 4, [2], [], [], [], 2, True, []), "groups must divide"),
                ("group_norm", (4, 6, 1e-5, True, True), "must divide num_channels"), ("rms_norm", ([], 1e-5, True), "at least one dimension"),
                ("bilinear", (0, 2, 2, True), "in1_features"), ("zero_pad2d", ([1, 2, 3],), "one number or 4"),
                ("upsample", ([], 0.0, 0, False, 0.0, 0.0, False), "scale_factor must be > 0"), ("dropout2d", (1.5,), r"p must be in \[0, 1\]")):
            with self.subTest(name, words=words):
                with self.assertRaisesRegex(ValueError, words):
                    made(name, *arguments)
        with self.assertRaises(IndexError):
            made("embedding_bag", 5, 3, 0, False, 7, False, *TABLE)
        for name, arguments, x, words in (
                ("conv1d", (3, 4, [2], [], [], [], 1, True, 0), haft.ones(3), "wanted x of 2 or 3 dimensions"),
                ("group_norm", (2, 4, 1e-5, True, True), haft.ones(2, 3, 4), "C = 4"), ("instance_norm1d", (3, 1e-5, 0.1, False, False, True), haft.ones(2, 2, 4), "3 channels"),
                ("softmax2d", (), haft.ones(2, 2), "Softmax2d"), ("bilinear", (2, 2, 2, True), haft.ones(2), "takes two tensors")):
            with self.subTest(name, words=words):
                with self.assertRaisesRegex(ValueError, words):
                    made(name, *arguments).forward([x])


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
        p = nn.Parameter(haft.ones(1, 3))
        for name in named("optimizer"):
            o = getattr(optim, name)([p], lr=0.1)

            def closure():
                p.grad = haft.Tensor._from_rows(haft.tensor([0]), haft.ones(1, 3), 1) if name == "SparseAdam" else haft.ones(1, 3)
                return p.detach().sum()
            o.step(closure)
            if name == "LBFGS":  # lists and numbers, as in PyTorch: test_optim
                continue
            self.assertTrue(set(o.state_dict()["state"].get(0, {})) <= set(o._slots), name)


if __name__ == "__main__":
    unittest.main()
