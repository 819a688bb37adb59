"""Modules that learn their sizes, CTC, DataParallel, averages of weights, states that are assigned: beside PyTorch's."""
import copy
import os
import unittest
import warnings

import numpy as np
import torch
import torch.optim.swa_utils

import haft
import haft.optim.swa_utils
import leaks
import parity
from haft import nn
from parity import real

setUpModule, tearDownModule = leaks.guard()
LAZY = {"LazyLinear": ((5,), {}, (2, 3)), "LazyConv1d": ((4, 3), {"padding": 1}, (2, 3, 8)), "LazyConv2d": ((4, 3), {"groups": 2, "bias": False}, (2, 6, 8, 8)),
        "LazyConv3d": ((2, 2), {}, (1, 3, 4, 4, 4)), "LazyConvTranspose1d": ((4, 3), {}, (2, 3, 5)), "LazyConvTranspose2d": ((4, 3), {"stride": 2}, (2, 2, 4, 4)),
        "LazyConvTranspose3d": ((2, 2), {}, (1, 2, 3, 3, 3)), "LazyBatchNorm1d": ((), {}, (4, 3)), "LazyBatchNorm2d": ((), {"momentum": 0.3}, (4, 3, 2, 2)),
        "LazyBatchNorm3d": ((), {"track_running_stats": False}, (2, 3, 2, 2, 2)), "LazyInstanceNorm1d": ((), {"affine": True}, (2, 3, 4)),
        "LazyInstanceNorm2d": ((), {"affine": True, "track_running_stats": True}, (2, 3, 4, 4)), "LazyInstanceNorm3d": ((), {}, (2, 3, 2, 2, 2))}


class Lazy(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def test_parity(self):
        for name, (args, options, shape) in LAZY.items():
            with self.subTest(name):
                own, ref = getattr(nn, name)(*args, **options), getattr(torch.nn, name)(*args, **options)
                self.assertEqual([k for k, _ in own.named_parameters()], [k for k, _ in ref.named_parameters()])
                if own.weight is not None:
                    self.assertTrue(own.has_uninitialized_params() and nn.parameter.is_lazy(own.weight))
                    held = own.weight
                x = real(*shape)
                own(haft.tensor(x)), ref(torch.tensor(x))
                self.assertEqual((type(own).__name__, repr(own)), (type(ref).__name__, repr(ref)))
                if own.weight is not None:
                    self.assertIs(own.weight, held)
                    self.assertIs(type(held), nn.Parameter)
                parity.copy_state(ref, own)
                pairs = [(n, a, dict(ref.named_parameters())[n]) for n, a in own.named_parameters()]
                parity.record("module", name, parity.call_both(own, ref, [x], parameters=pairs, limit=1e-4))
                for key, value in ref.state_dict().items():
                    parity.check(own.state_dict()[key], value, key, limit=1e-4)

    def test_optimizer_and_state(self):
        net = nn.Sequential(nn.LazyConv2d(3, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
        optimizer = haft.optim.SGD(net.parameters(), 0.1)
        again = copy.deepcopy(net)
        x = haft.randn(2, 1, 5, 5)
        net(x).sum().backward()
        before = [p.tolist() for p in net.parameters()]
        optimizer.step()
        self.assertNotEqual(before, [p.tolist() for p in net.parameters()])
        self.assertTrue(again[0].has_uninitialized_params())
        again.load_state_dict(net.state_dict())
        self.assertFalse(again[0].has_uninitialized_params())
        self.assertTrue(haft.equal(again.eval()(x), net.eval()(x)))
        self.assertIs(type(again[3]), nn.Linear)
        with self.assertRaisesRegex(RuntimeError, "LazyConv2d"):
            nn.LazyConv2d(1, 1)(haft.ones(2))


class CTC(unittest.TestCase):
    def test_parity(self):
        rng, worst = parity.rng(), 0.0
        for dtype, limit in (("float32", 1e-4), ("float64", 1e-10)):
            for reduction in ("mean", "sum", "none"):
                for blank, flat, zero in ((0, False, False), (4, True, True), (2, False, True)):
                    t, n, c, s = 9, 4, 5, 4
                    labels = np.array([k for k in range(c) if k != blank])
                    targets = rng.choice(labels, (n, s))
                    targets[0] = targets[0][0]  # the same label throughout needs blanks between
                    lengths, inputs = [4, 2, 0, 3], [9, 5, 6, 2 if zero else 8]
                    if flat:
                        targets = np.concatenate([row[:k] for row, k in zip(targets, lengths)])
                    x = real(t, n, c, dtype=dtype)

                    def run(lib, x):
                        logits = lib.tensor(x, requires_grad=True)
                        loss = lib.nn.CTCLoss(blank, reduction, zero)(lib.nn.functional.log_softmax(logits, 2), lib.tensor(targets), lib.tensor(inputs), lib.tensor(lengths))
                        (loss * lib.arange(1, 5) if reduction == "none" else loss).sum().backward()
                        return loss, logits.grad
                    with self.subTest(dtype=dtype, reduction=reduction, blank=blank):
                        for a, b, where in zip(run(haft, x), run(torch, x), ("CTCLoss", "CTCLoss, gradient")):
                            worst = max(worst, parity.check(a, b, where, limit))
        parity.record("loss", "CTCLoss", worst)

    def test_edges(self):
        lp = real(5, 3)
        for f in (lambda t: t.nn.functional.ctc_loss(t.tensor(lp).log_softmax(1), t.tensor([1, 2]), t.tensor(5), t.tensor(2)),
                  lambda t: t.nn.functional.ctc_loss(t.tensor(lp).log_softmax(1).unsqueeze(1), t.tensor([[1, 1, 2]]), (2,), (3,), reduction="sum"),
                  lambda t: t.nn.functional.ctc_loss(t.tensor(lp).log_softmax(1).unsqueeze(1), t.tensor([[1, 1, 2]]), (2,), (3,), zero_infinity=True)):
            parity.check(f(haft), f(torch), limit=1e-5)
        for f in (lambda t: t.nn.functional.ctc_loss(t.zeros(2, 1, 3), t.tensor([[1]]), [3], [1]), lambda t: t.nn.functional.ctc_loss(t.zeros(2, 1, 3), t.tensor([[1]]), [2], [1], blank=3),
                  lambda t: t.nn.functional.ctc_loss(t.zeros(2, 1, 3), t.tensor([[1]]), [2, 2], [1])):
            for lib in (haft, torch):
                with self.assertRaises(RuntimeError):
                    f(lib)


class LinearCrossEntropy(unittest.TestCase):
    """Beside PyTorch's two functions."""

    def run_both(self, shape, classes, dtype="float32", limit=None, **options):
        rng = parity.rng()
        x, w, b = real(*shape, dtype=dtype), real(classes, shape[-1], dtype=dtype), real(classes, dtype=dtype)
        target = rng.integers(0, classes, shape[:-1])
        target.reshape(-1)[:1] = options.get("ignore_index", 0)
        weight = np.abs(real(classes, dtype=dtype)) + np.asarray(0.1, dtype) if options.pop("weighted", False) else None
        seen = []
        for lib in (haft, torch):
            leaves = [lib.tensor(a, requires_grad=True) for a in (x, w, b)]
            given = {**options, "weight": None if weight is None else lib.tensor(weight)}
            f = lib.nn.functional
            if lib is haft:
                loss = f.linear_cross_entropy(leaves[0], leaves[1], lib.tensor(target), linear_bias=leaves[2], **given)
            else:
                scores = f.linear(*leaves).reshape(-1, classes)
                loss = f.cross_entropy(scores, lib.tensor(target).reshape(-1), **given)
                loss = loss.reshape(target.shape) if options.get("reduction") == "none" else loss
            (loss * loss).sum().backward()
            seen.append([loss] + [t.grad for t in leaves])
        for a, b, name in zip(*seen, ("loss", "gradient of input", "gradient of linear_weight", "gradient of linear_bias")):
            parity.check(a, b, name, limit)

    def test_parity(self):
        for dtype in ("float32", "float64"):
            for options in ({}, {"reduction": "sum", "label_smoothing": 0.2}, {"reduction": "none", "weighted": True},
                            {"ignore_index": 3, "weighted": True, "label_smoothing": 0.1}):
                with self.subTest(dtype, **options):
                    self.run_both((2, 7, 5), 11, dtype, 1e-4 if dtype == "float32" else 1e-10, **options)
        self.run_both((300, 4), 20000, limit=1e-3)  # in two parts

    def test_memory(self):
        rows, depth, classes = 2048, 16, 16384
        x, w = haft.randn(rows, depth, requires_grad=True), haft.randn(classes, depth, requires_grad=True)
        target = haft.randint(0, classes, (rows,))
        haft.runtime.reset_peak_memory()
        before = haft.runtime.memory_stats().live
        haft.nn.functional.linear_cross_entropy(x, w, target).backward()
        taken = haft.runtime.memory_stats().peak - before
        self.assertLess(taken, 4 * (4 << 20) + (8 << 20))  # the logits alone: 134 MB
        self.assertGreater(taken, 1 << 20)

    def test_second_derivative(self):
        x, w = haft.randn(3, 4, dtype=haft.float64, requires_grad=True), haft.randn(5, 4, dtype=haft.float64, requires_grad=True)
        target = haft.tensor([1, 4, 0])
        self.assertTrue(haft.autograd.gradgradcheck(lambda x, w: haft.nn.functional.linear_cross_entropy(x, w, target), (x, w)))


class States(unittest.TestCase):
    def test_assign(self):
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        given = {k: v.clone().to(haft.float64) if v.dtype is haft.float32 else v.clone() for k, v in net.state_dict().items()}
        given["0.bias"] = nn.Parameter(given["0.bias"], requires_grad=False)
        self.assertEqual(repr(net.load_state_dict(given, assign=True)), "<All keys matched successfully>")
        self.assertIs(net[0].bias, given["0.bias"])
        self.assertIs(net[1].running_mean, given["1.running_mean"])
        self.assertEqual((net[0].weight.dtype, net[0].weight.data_ptr(), net[0].weight.requires_grad), (haft.float64, given["0.weight"].data_ptr(), True))
        with self.assertRaisesRegex(RuntimeError, "size mismatch for 0.bias"):
            net.load_state_dict({**given, "0.bias": haft.ones(2)}, assign=True)

    def test_to_empty(self):
        net = nn.Linear(3, 2)
        held = net.weight
        self.assertIs(net.to_empty(device="cpu"), net)
        self.assertIs(net.weight, held)
        self.assertEqual((net.weight.shape, net.weight.requires_grad), ((2, 3), True))

    def test_data_parallel(self):
        net = nn.Linear(3, 2)
        wrapped = nn.DataParallel(net)
        parity.modules(lambda library: library.DataParallel(library.Linear(3, 2)), [real(4, 3)], "DataParallel")
        x = haft.randn(4, 3)
        self.assertTrue(haft.equal(wrapped(x), net(x)))
        self.assertEqual((list(wrapped.state_dict()), wrapped.module), (["module.weight", "module.bias"], net))
        self.assertEqual(list(torch.nn.DataParallel(torch.nn.Linear(3, 2)).state_dict()), list(wrapped.state_dict()))
        nn.DataParallel(net, device_ids=[0])
        self.assertIs(nn.parallel.DataParallel, nn.DataParallel)

    def test_data_parallel_on_several_devices(self):
        os.environ["HAFT_BACKEND_PATH"] = os.path.join(os.environ["HAFT_BINARY_DIR"], "tests")
        seen = []

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.PReLU(), nn.Linear(8, 2))
                self.scale = nn.Parameter(haft.ones(2))

            def forward(self, x, names, shift=0.0):
                seen.append((str(x.device), len(x), str(self.body[0].weight.device), names))
                if len(x) == 1 and names == "fail":
                    raise KeyError("one row")
                return {"y": self.body(x) * self.scale + shift, "sum": x.sum()}, names

        haft.manual_seed(0)
        one = Net()
        many = Net()
        many.load_state_dict(one.state_dict())
        many.to("sim:0")
        one.eval(), many.eval()
        wrapped = nn.DataParallel(many, device_ids=["sim:0", "sim:1", "sim:2"])
        x, shift = haft.randn(7, 3), haft.tensor(0.5)
        (got, names), (want, _) = wrapped(x.to("sim:0"), "abc", shift=shift), one(x, "abc", shift=shift)
        self.assertEqual((names, sorted(seen[:3])), ("abc", [("sim:0", 3, "sim:0", "abc"), ("sim:1", 3, "sim:1", "abc"), ("sim:2", 1, "sim:2", "abc")]))
        self.assertEqual((str(got["y"].device), got["sum"].shape), ("sim:0", (3,)))
        self.assertTrue(haft.allclose(got["y"].cpu(), want["y"], atol=1e-5))
        got["y"].square().sum().backward()
        want["y"].square().sum().backward()
        for p, q in zip(many.parameters(), one.parameters()):
            self.assertTrue(haft.allclose(p.grad.cpu(), q.grad, atol=1e-4), p.shape)
        one.train(), many.train()
        wrapped(x[:6].to("sim:0"), "abc"), one(x[:2], "abc")  # the first part's statistics stay
        self.assertTrue(haft.allclose(many.body[1].running_mean.cpu(), one.body[1].running_mean, atol=1e-5))
        with self.assertRaises(KeyError) as raised:
            wrapped.eval()(x[:7].to("sim:0"), "fail")
        self.assertEqual(getattr(raised.exception, "__notes__", ["DataParallel: on sim:2"]), ["DataParallel: on sim:2"])
        self.assertEqual(str(nn.parallel.data_parallel(nn.Identity(), x, ["sim:0", "sim:1"], output_device="cpu").device), "cpu")
        with self.assertRaisesRegex(RuntimeError, "its first device is sim:1"):
            nn.DataParallel(many, device_ids=["sim:1", "sim:0"])(x, "abc")


class Averages(unittest.TestCase):
    def test_swa(self):
        for use_buffers in (False, True):
            for avg in (None, lambda a, p, n: 0.9 * a + 0.1 * p):
                ref = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
                own = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
                parity.copy_state(ref, own)
                x = real(6, 8, 3)

                def run(lib, net):
                    o = lib.optim.SGD(net.parameters(), 0.1)
                    average = lib.optim.swa_utils.AveragedModel(net, avg_fn=avg, use_buffers=use_buffers)
                    rates, schedule = [], lib.optim.swa_utils.SWALR(o, 0.02, anneal_epochs=3, anneal_strategy="linear" if avg else "cos")
                    for batch in x:
                        o.zero_grad()
                        net(lib.tensor(batch)).square().mean().backward()
                        o.step()
                        average.update_parameters(net)
                        schedule.step()
                        rates.append(o.param_groups[0]["lr"])
                    state = {k: v.tolist() for k, v in average.state_dict().items() if "tracked" not in k and (use_buffers or "running" not in k)}
                    lib.optim.swa_utils.update_bn([(lib.tensor(b), 0) for b in x], average)
                    return rates, state, {k: v.tolist() for k, v in average.state_dict().items() if "running" in k}
                (r, s, b), (r2, s2, b2) = run(haft, own), run(torch, ref)
                self.assertTrue(np.allclose(r, r2))
                for got, want in ((s, s2), (b, b2)):
                    self.assertEqual(list(got), list(want))
                    for k in got:
                        self.assertTrue(np.allclose(got[k], want[k], rtol=1e-4, atol=1e-5), k)
        for make in (lambda t, o: t.optim.swa_utils.SWALR(o, [0.1, 0.2]), lambda t, o: t.optim.swa_utils.SWALR(o, 0.1, anneal_strategy="x")):
            parity.same_error(self, lambda: make(haft, haft.optim.SGD([haft.ones(1)], 1)), lambda: make(torch, torch.optim.SGD([torch.ones(1)], 1)))


if __name__ == "__main__":
    unittest.main()
