"""autocast and GradScaler: types of results, regions, the cache of casts, training beside PyTorch's, gradients with infinities."""
import pickle
import threading
import unittest
import unittest.mock
import warnings

import torch

import haft
import haft.nn.functional as F
import leaks
from haft import amp, nn
from seeds import SEED

setUpModule, tearDownModule = leaks.guard()

LOW, WIDE = haft.bfloat16, haft.float32
CLASSES = haft.zeros(2, dtype=haft.int64)


def sized(function, *shapes):
    return lambda d: function(*[haft.rand(*s).to(d) for s in shapes])


# What PyTorch 2.15's lists for the CPU name, as called under torch.autocast("cpu"): result for float32 and for bfloat16.
LISTS = {
    LOW: {
        "linear": sized(F.linear, (2, 3), (4, 3), (4,)), "matmul": sized(haft.matmul, (2, 3), (3, 4)), "matmul_vectors": sized(haft.matmul, (3,), (3,)),
        "mm": sized(haft.mm, (2, 3), (3, 4)), "bmm": sized(haft.bmm, (2, 2, 3), (2, 3, 4)), "addmm": sized(haft.addmm, (2, 4), (2, 3), (3, 4)),
        "addbmm": sized(haft.addbmm, (2, 4), (5, 2, 3), (5, 3, 4)), "baddbmm": sized(haft.baddbmm, (5, 2, 4), (5, 2, 3), (5, 3, 4)),
        "vecdot": sized(haft.linalg.vecdot, (2, 3), (2, 3)), "einsum": sized(lambda a, b: haft.einsum("ij,jk->ik", a, b), (2, 3), (3, 4)),
        "tensordot": sized(lambda a, b: haft.tensordot(a, b, 1), (2, 3), (3, 4)), "inner": sized(haft.inner, (2, 3), (2, 3)),
        "chain_matmul": sized(haft.chain_matmul, (2, 3), (3, 4)), "matrix_power": sized(lambda a: haft.matrix_power(a, 2), (3, 3)),
        "conv1d": sized(F.conv1d, (1, 2, 5), (3, 2, 3)), "conv2d": sized(F.conv2d, (1, 2, 5, 5), (3, 2, 3, 3)),
        "conv3d": sized(F.conv3d, (1, 2, 5, 5, 5), (3, 2, 3, 3, 3)), "conv_transpose1d": sized(F.conv_transpose1d, (1, 2, 5), (2, 3, 3)),
        "conv_transpose2d": sized(F.conv_transpose2d, (1, 2, 5, 5), (2, 3, 3, 3)),
        "conv_transpose3d": sized(F.conv_transpose3d, (1, 2, 5, 5, 5), (2, 3, 3, 3, 3)),
        "scaled_dot_product_attention": sized(F.scaled_dot_product_attention, (1, 1, 4, 8), (1, 1, 4, 8), (1, 1, 4, 8)),
        "prelu": sized(F.prelu, (2, 3), (1,)),
        "MultiheadAttention": lambda d: nn.MultiheadAttention(8, 2).to(d)(*[haft.rand(3, 2, 8).to(d)] * 3)[0],
        "LSTM": lambda d: nn.LSTM(3, 4).to(d)(haft.rand(2, 1, 3).to(d))[0], "RNN": lambda d: nn.RNN(3, 4).to(d)(haft.rand(2, 1, 3).to(d))[0],
    },
    WIDE: {
        "avg_pool3d": sized(lambda x: F.avg_pool3d(x, 2), (1, 2, 4, 4, 4)), "adaptive_avg_pool3d": sized(lambda x: F.adaptive_avg_pool3d(x, 2), (1, 2, 4, 4, 4)),
        "adaptive_max_pool3d": sized(lambda x: F.adaptive_max_pool3d(x, 2), (1, 2, 4, 4, 4)), "grid_sample": sized(F.grid_sample, (1, 1, 3, 3), (1, 2, 2, 2)),
        "prod": sized(haft.prod, (3,)), "prod_dim": sized(lambda x: haft.prod(x, 0), (3,)), "quantile": sized(lambda x: haft.quantile(x, 0.5), (3,)),
        "trace": sized(haft.trace, (3, 3)), "cdist": sized(haft.cdist, (2, 3), (2, 3)), "mse_loss": sized(F.mse_loss, (3,), (3,)),
        "l1_loss": sized(F.l1_loss, (3,), (3,)), "smooth_l1_loss": sized(F.smooth_l1_loss, (3,), (3,)), "huber_loss": sized(F.huber_loss, (3,), (3,)),
        "binary_cross_entropy": sized(F.binary_cross_entropy, (3,), (3,)), "kl_div": sized(F.kl_div, (3,), (3,)),
        "binary_cross_entropy_with_logits": sized(F.binary_cross_entropy_with_logits, (3,), (3,)), "nll_loss": sized(lambda x: F.nll_loss(x, CLASSES), (2, 3)),
        "cross_entropy": sized(lambda x: F.cross_entropy(x, CLASSES), (2, 3)), "cross_entropy_soft": sized(F.cross_entropy, (2, 3), (2, 3)),
        "poisson_nll_loss": sized(F.poisson_nll_loss, (3,), (3,)), "hinge_embedding_loss": sized(lambda x: F.hinge_embedding_loss(x, haft.ones(3)), (3,)),
        "soft_margin_loss": sized(F.soft_margin_loss, (3,), (3,)), "margin_ranking_loss": sized(F.margin_ranking_loss, (3,), (3,), (3,)),
        "cosine_embedding_loss": sized(lambda a, b: F.cosine_embedding_loss(a, b, haft.ones(2)), (2, 3), (2, 3)),
        "triplet_margin_loss": sized(F.triplet_margin_loss, (2, 3), (2, 3), (2, 3)), "multi_margin_loss": sized(lambda x: F.multi_margin_loss(x, CLASSES), (2, 3)),
        "multilabel_margin_loss": sized(lambda x: F.multilabel_margin_loss(x, haft.zeros(2, 3, dtype=haft.int64)), (2, 3)),
        "ctc_loss": sized(lambda x: F.ctc_loss(x.log_softmax(2), haft.ones(1, 2, dtype=haft.int64), haft.tensor([5]), haft.tensor([2])), (5, 1, 3)),
        "pad_reflect": sized(lambda x: F.pad(x, (1, 1), mode="reflect"), (1, 2, 3)), "pad_replicate": sized(lambda x: F.pad(x, (1, 1), mode="replicate"), (1, 2, 3)),
    },
    None: {  # as it comes
        "softmax": sized(lambda x: F.softmax(x, 0), (3,)), "layer_norm": sized(lambda x: F.layer_norm(x, (3,), haft.ones(3), haft.zeros(3)), (2, 3)),
        "group_norm": sized(lambda x: F.group_norm(x, 1, haft.ones(3), haft.zeros(3)), (2, 3, 2)), "rms_norm": sized(lambda x: F.rms_norm(x, (3,), haft.ones(3)), (2, 3)),
        "batch_norm": sized(lambda x: F.batch_norm(x, haft.zeros(3), haft.ones(3), haft.ones(3), haft.zeros(3), True), (2, 3)),
        "sum": sized(haft.sum, (3,)), "mean": sized(haft.mean, (3,)), "exp": sized(haft.exp, (3,)), "pow": sized(lambda x: x ** 1.5, (3,)),
        "gelu": sized(F.gelu, (3,)), "cumsum": sized(lambda x: haft.cumsum(x, 0), (3,)), "max_pool2d": sized(lambda x: F.max_pool2d(x, 2), (1, 2, 4, 4)),
        "pad": sized(lambda x: F.pad(x, (1, 1)), (1, 2, 3)), "cat": sized(lambda a: haft.cat([a, a]), (3,)),
    },
}


class Types(unittest.TestCase):
    def test_lists(self):
        for result, calls in LISTS.items():
            for name, call in calls.items():
                for given in (haft.float32, haft.bfloat16, haft.float64):
                    with self.subTest(name, given=given), haft.autocast("cpu"):
                        # float64 takes no part: the norms' float32 weights would not go with it.
                        if given is haft.float64 and name.endswith("_norm"):
                            continue
                        self.assertEqual(call(given).dtype, given if given is haft.float64 or result is None else result)

    def test_widest(self):
        a, b, at = haft.rand(3, 3).to(LOW), haft.rand(3, 3), haft.tensor([2, 0, 1])
        with haft.autocast("cpu"):
            for made in (haft.cat([a, b]), haft.stack([b, a]), haft.index_copy(a, 0, at, b), haft.index_copy(b, 0, at, a), haft.dot(a[0], b[0]),
                         haft.linalg.cross(a, b), haft.scatter_add(b, 0, haft.zeros(3, 3, dtype=haft.int64), a), a + b):
                self.assertEqual(made.dtype, WIDE)

    def test_left_alone(self):
        with haft.autocast("cpu"):
            self.assertEqual(haft.mm(haft.ones(2, 2, dtype=haft.int64), haft.ones(2, 2, dtype=haft.int64)).dtype, haft.int64)
            out = haft.zeros(2, 2)
            haft.mm(haft.ones(2, 2), haft.ones(2, 2), out=out)  # into a given tensor nothing is cast
            self.assertEqual((out.dtype, out.tolist()), (WIDE, [[2, 2], [2, 2]]))
            with self.assertRaisesRegex((RuntimeError, TypeError), "float64"):
                haft.mm(haft.ones(2, 2), haft.ones(2, 2).double())

    def test_attention_of_one_tensor_is_one_product(self):
        layer, x = nn.MultiheadAttention(8, 2, batch_first=True), haft.randn(2, 5, 8)
        with haft.autocast("cpu"), haft.profiler.profile() as seen:
            layer(x, x, x, need_weights=False)
        names = [e.key for e in seen.key_averages() for _ in range(e.count)]
        self.assertEqual(names.count("linear"), 2)


class Regions(unittest.TestCase):
    def test_nested(self):
        x, w = haft.randn(2, 3), haft.randn(3, 3)
        seen = []
        with haft.autocast("cpu"):
            seen.append((x @ w).dtype)
            with haft.autocast("cpu", enabled=False):
                seen.append((x @ w).dtype)
                with haft.autocast("cpu", dtype=haft.float16):
                    seen.append((x @ w).dtype)
                    self.assertEqual(haft.get_autocast_dtype("cpu"), haft.float16)
                seen.append((x @ w).dtype)
            seen.append((x @ w).dtype)
        self.assertEqual(seen, [LOW, WIDE, haft.float16, WIDE, LOW])
        self.assertEqual((haft.is_autocast_enabled("cpu"), haft.get_autocast_dtype("cpu"), (x @ w).dtype), (False, LOW, WIDE))

    def test_ends_with_an_error(self):
        with self.assertRaises(ValueError):
            with haft.autocast("cpu"):
                raise ValueError
        self.assertFalse(haft.is_autocast_enabled("cpu"))
        with self.assertRaisesRegex(Exception, "no region"):
            haft._haft.autocast_pop()

    def test_decorator(self):
        @haft.autocast("cpu")
        def twice(a):
            return a @ a

        @haft.autocast("cpu")
        def parts(a):
            yield a @ a
            yield a @ a
        x = haft.randn(3, 3)
        self.assertEqual([twice(x).dtype, twice(x).dtype] + [y.dtype for y in parts(x)], [LOW] * 4)
        self.assertEqual((x @ x).dtype, WIDE)

    def test_is_of_a_thread(self):
        x, seen = haft.randn(3, 3), []
        with haft.autocast("cpu"):
            t = threading.Thread(target=lambda: seen.append((x @ x).dtype))
            t.start()
            t.join()
            self.assertEqual((seen, (x @ x).dtype), ([WIDE], LOW))

    def test_settings(self):
        x = haft.randn(2, 2)
        haft.set_autocast_enabled("cpu", True)
        try:
            self.assertEqual((x @ x).dtype, LOW)
            haft.set_autocast_dtype("cpu", haft.float16)
            self.assertEqual((x @ x).dtype, haft.float16)
        finally:
            haft.set_autocast_dtype("cpu", LOW)
            haft.set_autocast_enabled("cpu", False)
        self.assertEqual((x @ x).dtype, WIDE)
        self.assertTrue(haft.is_autocast_cache_enabled())
        with haft.autocast("cpu", cache_enabled=False):
            self.assertFalse(haft.is_autocast_cache_enabled())
        self.assertTrue(haft.amp.is_autocast_available("cpu"))

    def test_off(self):
        x = haft.randn(2, 3)
        for region in (haft.autocast("cpu", enabled=False), haft.autocast("cuda", haft.float16, enabled=False), haft.cuda.amp.autocast(enabled=False),
                       haft.cpu.amp.autocast(enabled=False), haft.amp.autocast(device_type="cpu", dtype=haft.bfloat16, enabled=False)):
            with region:
                self.assertEqual((x @ x.t()).dtype, haft.float32)
            self.assertEqual(region(lambda a: a * 2)(x).dtype, haft.float32)

    def test_refusals(self):
        with self.assertRaisesRegex(RuntimeError, "'tpu'"):
            haft.autocast("tpu")
        with self.assertWarnsRegex(UserWarning, "target dtype is not supported"), haft.autocast("cpu", dtype=haft.float32):
            self.assertFalse(haft.is_autocast_enabled("cpu"))
        # Without a device PyTorch warns and goes on; so does haft.
        for lib in (haft, torch):
            with self.assertWarnsRegex(UserWarning, "CUDA is not available"):
                with lib.cuda.amp.autocast():
                    pass

    def test_functions(self):
        kinds = []

        class Double(haft.autograd.Function):
            @staticmethod
            @amp.custom_fwd(device_type="cpu")
            def forward(ctx, x):
                kinds.append((x @ x).dtype)
                return x * 2

            @staticmethod
            @amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                kinds.append((g @ g).dtype)
                return g * 2

        class Exact(haft.autograd.Function):
            @staticmethod
            @amp.custom_fwd(device_type="cpu", cast_inputs=haft.float32)
            def forward(ctx, x):
                kinds.append((x.dtype, (x @ x).dtype))
                return x * 2

            @staticmethod
            @amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                kinds.append((g @ g).dtype)
                return g * 2
        x = haft.ones(2, 2, requires_grad=True)
        with haft.autocast("cpu"):
            y = Double.apply(x)
            z = Exact.apply(x.to(LOW))
        (y.sum() + z.sum()).backward()
        self.assertEqual(x.grad.tolist(), [[4, 4], [4, 4]])
        self.assertEqual((kinds[:2], sorted(map(str, kinds[2:]))), ([LOW, (WIDE, WIDE)], sorted(map(str, [WIDE, LOW]))))


class Cache(unittest.TestCase):
    def casts(self, run):
        with haft.profiler.profile() as seen:
            run()
        return sum(e.count for e in seen.key_averages() if e.key == "cast")

    def test_a_weight_is_cast_once_a_region(self):
        w, x = nn.Parameter(haft.randn(8, 8)), haft.randn(3, 8).to(LOW)
        with haft.autocast("cpu"):
            self.assertEqual(self.casts(lambda: [x @ w for _ in range(3)]), 1)
            with haft.autocast("cpu"):
                self.assertEqual(self.casts(lambda: x @ w), 0)
            self.assertEqual(self.casts(lambda: x @ w), 0)
            haft.clear_autocast_cache()
            self.assertEqual(self.casts(lambda: x @ w), 1)
        with haft.autocast("cpu"):
            self.assertEqual(self.casts(lambda: x @ w), 1)
        with haft.autocast("cpu", cache_enabled=False):
            self.assertEqual(self.casts(lambda: [x @ w for _ in range(3)]), 3)

    def test_written_weights(self):
        w, x = nn.Parameter(haft.ones(8, 8)), haft.ones(1, 8)
        with haft.autocast("cpu"):
            self.assertEqual((x @ w)[0, 0].item(), 8)
            with haft.no_grad():
                w.mul_(2)
            self.assertEqual((x @ w)[0, 0].item(), 16)
            w.data = haft.full((8, 8), 3.0)
            self.assertEqual((x @ w)[0, 0].item(), 24)

    def test_no_grad_between(self):
        w, x = nn.Parameter(haft.ones(8, 8)), haft.ones(1, 8)
        with haft.autocast("cpu"):
            with haft.no_grad():
                self.assertFalse((x @ w).requires_grad)
            (x @ w).sum().backward()  # a cast made without recording would have no history
            self.assertEqual(w.grad[0, 0].item(), 1)
            with haft.inference_mode():
                x @ w
            (x @ w).sum().backward()
        self.assertEqual((w.grad[0, 0].item(), w.grad.dtype), (2, WIDE))

    def test_two_backwards_share_a_cast(self):
        w, x = nn.Parameter(haft.ones(8, 8)), haft.ones(1, 8)
        with haft.autocast("cpu"):
            for _ in range(2):
                (x @ w).sum().backward()
        self.assertEqual(w.grad[0, 0].item(), 2)

    def test_steps_within_a_region(self):
        net, x = nn.Linear(8, 8), haft.randn(4, 8)
        optimizer = haft.optim.SGD(net.parameters(), 0.5)
        losses = []
        with haft.autocast("cpu"):
            for _ in range(4):
                optimizer.zero_grad()
                loss = net(x).float().square().mean()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertGreater(losses[0], 1.05 * losses[-1])


class Training(unittest.TestCase):
    def build(self):
        return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 32), nn.GELU(),
                             nn.LayerNorm(32), nn.Linear(32, 10))

    def curve(self, net, cast, steps=30):
        optimizer = haft.optim.AdamW(net.parameters(), 2e-3)
        haft.manual_seed(SEED)
        x, y = haft.randn(32, 1, 8, 8), haft.randint(0, 10, (32,))
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            with haft.autocast("cpu", enabled=cast):
                loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    def test_curve_is_that_of_float32_within_bfloat16(self):
        exact = self.build()
        low = self.build()
        low.load_state_dict(exact.state_dict())
        a, b = self.curve(exact, False), self.curve(low, True)
        for x, y in zip(a, b):
            self.assertLess(abs(x - y), 0.02 * x + 0.03)
        self.assertLess(b[-1], 0.5 * b[0])
        self.assertNotEqual(a, b)
        self.assertEqual({p.dtype for p in low.parameters()} | {p.grad.dtype for p in low.parameters()}, {WIDE})
        self.assertEqual({b.dtype for b in low.buffers() if b.is_floating_point()}, {WIDE})

    def test_beside_pytorch(self):
        theirs = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
        ours = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
        ours.load_state_dict({k: haft.from_numpy(v.numpy().copy()) for k, v in theirs.state_dict().items()})
        x, t = torch.randn(8, 16), torch.randn(8, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = theirs(x)
        torch.nn.functional.mse_loss(out.float(), t).backward()
        with haft.autocast("cpu"):
            mine = ours(haft.from_numpy(x.numpy()))
            loss = F.mse_loss(mine, haft.from_numpy(t.numpy()))
        loss.backward()
        self.assertTrue(haft.allclose(mine.float(), haft.from_numpy(out.detach().float().numpy()), rtol=2e-2, atol=2e-2))
        for p, q in zip(ours.parameters(), theirs.parameters()):
            self.assertTrue(haft.allclose(p.grad, haft.from_numpy(q.grad.numpy()), rtol=3e-2, atol=1e-2))

    def test_checkpoint_computes_again_in_the_same_types(self):
        layer, kinds = nn.Linear(4, 4), []

        def block(a):
            y = layer(a)
            kinds.append(y.dtype)
            return y.float().exp()  # whose result is saved: the second run goes to its end
        x = haft.randn(2, 4, requires_grad=True)
        with haft.autocast("cpu"):
            y = haft.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
        y.sum().backward()
        self.assertEqual(kinds, [LOW, LOW])
        self.assertEqual(layer.weight.grad.dtype, WIDE)

    def test_second_order(self):
        w = nn.Parameter(haft.randn(4, 4))
        x = haft.randn(2, 4)
        with haft.autocast("cpu"):
            y = (x @ w).float().pow(3).sum()
        g, = haft.autograd.grad(y, [w], create_graph=True)
        g.square().sum().backward()
        self.assertEqual((g.dtype, w.grad.dtype), (WIDE, WIDE))


class Scaler(unittest.TestCase):
    def test_off(self):
        net = nn.Linear(2, 1)
        optimizer = haft.optim.SGD(net.parameters(), 0.1)
        with self.assertWarnsRegex(UserWarning, "CUDA is not available"):
            amp.GradScaler()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scaler = haft.cuda.amp.GradScaler(enabled=False)
        loss = net(haft.ones(1, 2)).sum()
        self.assertIs(scaler.scale(loss), loss)
        scaler.scale(loss).backward()
        before = net.weight.detach().clone()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        self.assertTrue(haft.allclose(net.weight, before - 0.1))
        self.assertEqual((scaler.get_scale(), scaler.is_enabled(), scaler.state_dict()), (1.0, False, {}))
        scaler.load_state_dict({})

    def test_on(self):
        scaler = amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        other = amp.GradScaler("cpu")
        for bad in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}):
            with self.assertRaises(AssertionError):
                amp.GradScaler("cpu", **bad)
        w = nn.Parameter(haft.ones(2))
        optimizer = haft.optim.SGD([w], 0.5)
        scales = []
        for step, factor in enumerate([1.0, 1.0, float("inf"), 1.0]):
            optimizer.zero_grad()
            scaler.scale((w * factor).sum()).backward()
            if step == 1:
                scaler.unscale_(optimizer)
                self.assertEqual(w.grad.tolist(), [1, 1])
                with self.assertRaisesRegex(RuntimeError, "already been called"):
                    scaler.unscale_(optimizer)
            scaler.step(optimizer)
            with self.assertRaisesRegex(RuntimeError, r"step\(\) has already been called"):
                scaler.step(optimizer)
            with self.assertRaisesRegex(RuntimeError, r"called after step\(\)"):
                scaler.unscale_(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())
        self.assertEqual((scales, w.tolist()), ([8, 16, 8, 8], [-0.5, -0.5]))
        self.assertEqual([t.item() for t in scaler.scale([haft.tensor(1.0), haft.tensor(2.0)])], [8, 16])
        other.load_state_dict(scaler.state_dict())
        self.assertEqual((other.get_scale(), other.state_dict()), (8, scaler.state_dict()))
        with self.assertRaisesRegex(AssertionError, "No inf checks"):
            other.update()
        again = pickle.loads(pickle.dumps(scaler))
        self.assertEqual(again.state_dict(), scaler.state_dict())
        scaler.set_growth_interval(5)
        scaler.update(4.0)
        self.assertEqual((scaler.get_growth_interval(), scaler.get_scale()), (5, 4))

    def test_each_optimizer_steps_by_its_own_gradients(self):
        a, b = nn.Parameter(haft.ones(3)), nn.Parameter(haft.ones(3))
        first, second = haft.optim.SGD([a], 1.0), haft.optim.SGD([b], 1.0)
        scaler = amp.GradScaler("cpu", init_scale=4.0)
        scaler.scale(a.sum() + (b * float("nan")).sum()).backward()
        scaler.unscale_(first)
        nn.utils.clip_grad_norm_([a], 0.5)  # what is clipped is unscaled
        scaler.step(first)
        scaler.step(second)
        scaler.update()
        self.assertTrue(haft.allclose(a, haft.full((3,), 1 - 0.5 / 3 ** 0.5), atol=1e-5))
        self.assertEqual((b.tolist(), scaler.get_scale()), ([1, 1, 1], 2))
        empty = haft.optim.SGD([nn.Parameter(haft.ones(1))], 1.0)
        with self.assertRaisesRegex(AssertionError, "No inf checks were recorded for this optimizer"):
            scaler.step(empty)

    def test_a_step_that_failed_is_tried_again(self):
        w = nn.Parameter(haft.ones(2))

        class Late(haft.optim.SGD):
            calls = 0

            def step(self):
                self.calls += 1
                if self.calls == 1:
                    raise OSError("not yet")
                super().step()
        optimizer, scaler = Late([w], 0.25), amp.GradScaler("cpu", init_scale=8.0)
        scaler.scale(w.sum()).backward()
        self.assertRaises(OSError, scaler.step, optimizer)
        scaler.step(optimizer)
        scaler.update()
        self.assertEqual(w.tolist(), [0.75, 0.75])

    def test_gradients_of_one_element_and_scales_near_nothing(self):
        w = nn.Parameter(haft.ones(3000))
        w.grad, = haft.autograd.grad(8 * w.sum(), w)  # one number for all
        optimizer = haft.optim.SGD([w], 1.0)
        scaler = amp.GradScaler("cpu", init_scale=8.0)
        try:
            scaler.step(optimizer)
        except RuntimeError as error:
            self.assertIn("share memory", str(error))
        else:
            self.assertEqual(w.unique().tolist(), [0])
        scaler = amp.GradScaler("cpu", init_scale=2.0 ** -120, backoff_factor=2.0 ** -100)
        for _ in range(2):
            w.grad = haft.full((3000,), float("inf"))
            scaler.step(optimizer)
            scaler.update()
        other = amp.GradScaler("cpu")
        other.load_state_dict(scaler.state_dict())
        self.assertEqual(other.get_scale(), 2.0 ** -126)

    def test_types(self):
        scaler = amp.GradScaler("cpu", init_scale=2.0 ** 16)
        for kind in (haft.float32, haft.float64, haft.bfloat16):
            w = nn.Parameter(haft.randn(3, 70).to(kind)[:, ::2])  # strides
            optimizer = haft.optim.SGD([w], 1.0)
            scaler.scale(w.sum()).backward()
            scaler.unscale_(optimizer)
            self.assertEqual((w.grad.dtype, w.grad.unique().tolist()), (kind, [1]))
            scaler.step(optimizer)
            scaler.update()
        half = nn.Parameter(haft.ones(2, dtype=haft.float16))
        self.assertEqual(scaler.scale(half.sum() * 2.0 ** -10).item(), 128)  # the scale itself is no float16
        (half * 1.0).sum().backward()
        with self.assertRaisesRegex(ValueError, "FP16"):
            scaler.unscale_(haft.optim.SGD([half], 1.0))


if __name__ == "__main__":
    unittest.main()
