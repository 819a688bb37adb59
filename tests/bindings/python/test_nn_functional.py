"""Functions of haft.nn.functional that no module shows, against PyTorch's; and what is random in them."""
import unittest
import warnings

import numpy as np
import torch

import haft
import haft.nn.functional as F
import leaks
import parity
from parity import ints, real, spread

setUpModule, tearDownModule = leaks.guard()
T = torch.nn.functional


def both(test, name, inputs, limit=None, torch_name=None, **options):
    """F.<name> and its namesake."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = parity.call_both(lambda *a, **k: getattr(F, name)(*a, **options, **k), lambda *a, **k: getattr(T, torch_name or name)(*a, **options, **k),
                             inputs, f"{name}({options})", limit)
    parity.record("function", name, e)


class Functions(unittest.TestCase):
    def test_in_place(self):
        x = real(4, 5) * 3
        for name, more in (("relu", ()), ("relu6", ()), ("elu", (0.7,)), ("selu", ()), ("celu", (1.2,)), ("leaky_relu", (0.1,)),
                           ("hardtanh", (-0.5, 0.5)), ("silu", ()), ("mish", ()), ("hardswish", ()), ("hardsigmoid", ()), ("threshold", (0.1, 2.0))):
            a, b = haft.tensor(x), torch.tensor(x)
            out = getattr(F, name)(a, *more, inplace=True)
            getattr(T, name)(b, *more, inplace=True)
            parity.check(a, b, name)
            parity.check(out, b, name)
            self.assertEqual(out.data_ptr(), a.data_ptr())
        for name, more in (("relu_", ()), ("elu_", (0.7,)), ("selu_", ()), ("celu_", (1.2,)), ("leaky_relu_", (0.1,)), ("hardtanh_", ()), ("threshold_", (0.1, 2.0))):
            a, b = haft.tensor(x), torch.tensor(x)
            getattr(F, name)(a, *more)
            getattr(T, name)(b, *more)
            parity.check(a, b, name)

    def test_nan_in_activations(self):
        x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype="float32")
        for name in ("relu", "relu6", "elu", "selu", "celu", "leaky_relu", "hardtanh", "silu", "mish", "hardswish", "hardsigmoid", "softplus",
                     "gelu", "logsigmoid", "softsign", "tanhshrink", "hardshrink"):
            if name in ("silu", "mish", "gelu", "tanhshrink", "softsign", "hardswish"):  # inf - inf, 0 * inf: the signs of NaN are PyTorch's
                x = x[[0, 1, 3, 4]] if len(x) == 5 else x
            a, b = F.__dict__[name](haft.tensor(x)), getattr(T, name)(torch.tensor(x))
            with self.subTest(name):
                parity.check(a, b, name)
        self.assertEqual(str(F.softshrink(haft.tensor([float("nan"), float("-inf"), 0.2])).tolist()), "[nan, -inf, 0.0]")  # torch 1.13 loses NaN

    def test_prelu(self):
        both(self, "prelu", [real(2, 3, 4), real(3)])
        both(self, "prelu", [real(4), real(1)])
        with self.assertRaisesRegex(RuntimeError, "Mismatch of parameter numbers"):
            F.prelu(haft.randn(2, 3), haft.randn(2))

    def test_softmax_of_old(self):
        for shape in ((4,), (3, 4), (2, 3, 4), (2, 3, 2, 2)):
            both(self, "softmax", [real(*shape)])
            both(self, "log_softmax", [real(*shape)])
            both(self, "softmin", [real(*shape)])
        with self.assertWarnsRegex(UserWarning, "Implicit dimension choice for softmax"):
            F.softmax(haft.randn(2, 3))
        self.assertEqual(F.softmax(haft.randn(2, 3), 1, dtype=haft.float64).dtype, haft.float64)

    def test_normalize(self):
        both(self, "normalize", [real(3, 4)])
        both(self, "normalize", [real(3, 4, 2)], p=1.0, dim=-1, eps=0.5)
        both(self, "cosine_similarity", [real(3, 4), real(3, 4)], dim=-1, eps=1e-4)
        both(self, "pairwise_distance", [real(3, 4), real(3, 4)], p=1.0)

    def test_pad(self):
        for options in (dict(pad=(1, 2)), dict(pad=(1, 0, 2, 3), value=2.5), dict(pad=(-1, 2, 0, -2)), dict(pad=(0, 0)),
                        dict(pad=(2, 1), mode="reflect"), dict(pad=(3, 1, 1, 2), mode="replicate"), dict(pad=(2, 3, 1, 0), mode="circular")):
            both(self, "pad", [real(2, 3, 4, 5) if len(options["pad"]) == 4 else real(2, 3, 5)], **options)
        both(self, "pad", [ints(2, 3)], pad=(1, 1))
        for wrong in (dict(pad=(1,)), dict(pad=(1, 1, 1, 1, 1, 1, 1, 1))):
            with self.assertRaises(RuntimeError):
                F.pad(haft.randn(2, 3, 4), **wrong)
        with self.assertRaisesRegex(RuntimeError, "less than the corresponding input dimension"):
            F.pad(haft.randn(2, 3, 4), (4, 0), "reflect")
        with self.assertRaisesRegex(NotImplementedError, "Unrecognised padding mode"):
            F.pad(haft.randn(2, 3, 4), (1, 0), "mirror")

    def test_convolutions_refuse(self):
        with self.assertRaisesRegex(RuntimeError, "Expected 3D .unbatched. or 4D .batched. input to conv2d"):
            F.conv2d(haft.randn(2, 3), haft.randn(4, 3, 1, 1))
        with self.assertRaisesRegex(RuntimeError, "Invalid padding string"):
            F.conv2d(haft.randn(1, 3, 4, 4), haft.randn(4, 3, 1, 1), padding="full")
        with self.assertRaisesRegex(RuntimeError, "strided"):
            F.conv1d(haft.randn(1, 3, 4), haft.randn(4, 3, 1), padding="same", stride=2)
        with self.assertRaisesRegex(RuntimeError, "output padding must be smaller"):
            F.conv_transpose2d(haft.randn(1, 3, 4, 4), haft.randn(3, 2, 2, 2), output_padding=1)
        with self.assertRaisesRegex(ValueError, "requested an output size"):
            haft.nn.ConvTranspose1d(2, 2, 3, stride=2)(haft.randn(1, 2, 4), output_size=[20])

    def test_second_derivatives(self):
        for f, shape in ((lambda x: F.conv3d(x, w3, padding=1), (1, 2, 3, 3, 4)), (lambda x: F.conv_transpose2d(x, w2, stride=2), (1, 2, 3, 3)),
                         (lambda x: F.pad(x, (1, 1), "reflect"), (1, 2, 4)), (lambda x: F.group_norm(x, 2), (2, 4, 3)),
                         (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (1, 2, 3, 3)), (F.selu, (5,)), (F.celu, (5,)),
                         (lambda x: F.cosine_similarity(x, x * x + 1), (3, 4)), (lambda x: F.multi_margin_loss(x, haft.tensor([1, 0]), 2), (2, 3))):
            w3, w2 = haft.randn(2, 2, 2, 2, 2, dtype=haft.float64), haft.randn(2, 3, 2, 2, dtype=haft.float64)
            x = haft.randn(*shape, dtype=haft.float64, requires_grad=True)
            haft._haft.gradcheck(lambda xs: f(xs[0]), [x], 2)

    def test_pools_without_stride(self):
        both(self, "max_pool2d", [spread(2, 3, 6, 6)], kernel_size=3)
        both(self, "avg_pool2d", [real(3, 6, 6)], kernel_size=(2, 3))
        both(self, "max_pool1d", [spread(3, 8)], kernel_size=2)
        both(self, "adaptive_avg_pool2d", [real(2, 3, 6, 6)], output_size=1)
        with self.assertRaisesRegex(RuntimeError, "half of kernel size"):
            F.max_pool2d(haft.randn(1, 1, 4, 4), 2, padding=2, return_indices=True)
        with self.assertRaisesRegex(RuntimeError, "divisor must be not zero"):
            F.avg_pool2d(haft.randn(1, 1, 4, 4), 2, divisor_override=0)

    def test_unpooling(self):
        for n, shape in ((1, (2, 3, 8)), (2, (2, 3, 6, 8)), (3, (2, 2, 4, 6, 4))):
            x = spread(*shape)

            def way(lib, x, n=n):
                y, at = getattr(lib, f"max_pool{n}d")(x, 2, return_indices=True)
                return getattr(lib, f"max_unpool{n}d")(y, at, 2)

            parity.record("function", f"max_unpool{n}d", parity.call_both(lambda x: way(F, x), lambda x: way(T, x), [x]))
        m, r = haft.nn.MaxUnpool2d(2), torch.nn.MaxUnpool2d(2)
        self.assertEqual(repr(m), repr(r))
        with self.assertRaisesRegex(ValueError, "invalid output_size"):
            m(haft.randn(1, 1, 2, 2), haft.zeros(1, 1, 2, 2, dtype=haft.int64), output_size=(9, 9))

    def test_embedding(self):
        both(self, "embedding", [ints(3, 4, high=6), real(6, 5)], padding_idx=-1)
        both(self, "one_hot", [ints(3, 4, high=6)], num_classes=7)
        self.assertEqual(F.one_hot(haft.tensor([0, 2])).tolist(), [[1, 0, 0], [0, 0, 1]])
        for wrong, text in ((lambda: F.one_hot(haft.tensor([-1])), "non-negative"), (lambda: F.one_hot(haft.tensor([3]), 2), "smaller than num_classes")):
            with self.assertRaisesRegex(RuntimeError, text):
                wrong()
        with self.assertRaisesRegex(AssertionError, "Padding_idx must be within"):
            haft.nn.Embedding(3, 2, padding_idx=3)

    def test_max_norm_changes_the_weight(self):
        w, at = real(6, 5) * 3, ints(4, high=6)
        a, b = haft.tensor(w), torch.tensor(w)
        F.embedding(haft.tensor(at), a, max_norm=0.7)
        T.embedding(torch.tensor(at), b, max_norm=0.7)
        parity.check(a, b)

    def test_frequencies(self):
        at, w = haft.tensor([[1, 2, 1], [1, 0, 2]]), haft.ones(4, 2, requires_grad=True)
        for sparse in (False, True):
            w.grad = None
            F.embedding(at, w, scale_grad_by_freq=True, sparse=sparse).sum().backward()
            self.assertEqual((w.grad.to_dense() if sparse else w.grad).tolist(), [[1, 1], [1, 1], [1, 1], [0, 0]])
        w.grad = None
        F.embedding_bag(at, w, mode="sum", scale_grad_by_freq=True).sum().backward()
        self.assertEqual(w.grad.tolist(), [[1, 1], [1, 1], [1, 1], [0, 0]])
        with self.assertRaisesRegex(ValueError, "by the frequency"):
            F.embedding_bag(at, w, mode="max", scale_grad_by_freq=True)
        x = haft.randn(3, 2, dtype=haft.float64, requires_grad=True)
        haft._haft.gradcheck(lambda xs: F.embedding(haft.tensor([1, 1, 2]), xs[0] * 2, scale_grad_by_freq=False).square(), [x], 2)

    def test_offsets_of_bags(self):
        at, w = haft.tensor([1, 2, 0, 1]), haft.randn(3, 2)
        for offsets, text in (([0, 5], "offset 1 is 5"), ([0, -1], "offset 1 is -1"), ([0, 3, 2], "offset 2 is 2, behind 3")):
            for mode in ("sum", "mean", "max"):
                with self.assertRaisesRegex(RuntimeError, text):
                    F.embedding_bag(at, w, haft.tensor(offsets), mode=mode)
        with self.assertRaisesRegex(RuntimeError, "offsets must be int64 or int32"):
            F.embedding_bag(at, w, haft.tensor([0., 1.]))

    def test_triplets_want_a_margin(self):
        x = haft.randn(2, 3)
        for margin in (0, -1.0):
            with self.assertRaisesRegex(ValueError, "margin to be greater than 0"):
                F.triplet_margin_loss(x, x, x, margin=margin)
            with self.assertRaisesRegex(ValueError, "margin to be greater than 0"):
                haft.nn.TripletMarginLoss(margin)

    def test_linear_cross_entropy(self):
        x, target = haft.randn(4, 3), haft.tensor([1, 0, 4, 2])
        layer = haft.nn.LinearCrossEntropyLoss(3, 5, bias=True)
        self.assertEqual([*layer.state_dict()], ["linear.weight", "linear.bias"])
        self.assertTrue(haft.allclose(layer(x, target), F.cross_entropy(layer.linear(x), target)))
        wide = haft.nn.LinearCrossEntropyLoss(3, 5, out_features=(2,), reduction="none")
        many = haft.tensor([[1, 0], [4, 4], [2, 1], [0, 3]])
        self.assertTrue(haft.allclose(wide(x, many), F.cross_entropy(wide.linear(x).reshape(4, 5, 2), many, reduction="none")))
        self.assertEqual(list(wide(x[0], many[0]).shape), [2])
        with self.assertRaisesRegex(RuntimeError, "weight shape"):
            haft.nn.LinearCrossEntropyLoss(3, 5, weight=haft.ones(4))

    def test_interpolate(self):
        for options in (dict(size=7), dict(scale_factor=0.6), dict(scale_factor=1.7, recompute_scale_factor=True), dict(size=5, mode="linear", align_corners=True),
                        dict(scale_factor=0.5, mode="area"), dict(scale_factor=1.3, mode="nearest-exact")):
            both(self, "interpolate", [real(2, 3, 8)], **options)
        for options in (dict(size=(7, 3), mode="nearest"), dict(scale_factor=(0.5, 2.5), mode="bilinear"), dict(size=(3, 9), mode="area"),
                        dict(scale_factor=2.3, mode="bicubic", align_corners=True), dict(scale_factor=1.6, mode="bicubic")):
            both(self, "interpolate", [real(2, 3, 6, 5)], limit=1e-4, **options)
        for wrong, kind in ((dict(), ValueError), (dict(size=3, scale_factor=2), ValueError), (dict(size=(3, 3)), ValueError),
                            (dict(size=3, align_corners=True), ValueError), (dict(size=3, mode="bilinear"), NotImplementedError)):
            with self.assertRaises(kind):
                F.interpolate(haft.randn(1, 2, 4), **wrong)

    def test_grids(self):
        theta = real(2, 2, 3)
        for align in (True, False):
            e = parity.call_both(lambda t: F.affine_grid(t, [2, 3, 4, 5], align), lambda t: T.affine_grid(t, [2, 3, 4, 5], align), [theta])
            parity.record("function", "affine_grid", e)
            for mode in ("bilinear", "nearest"):
                for edge in ("zeros", "border", "reflection"):
                    options, grid = dict(mode=mode, padding_mode=edge, align_corners=align), real(2, 4, 3, 2) * 0.8
                    if mode == "bilinear":
                        both(self, "grid_sample", [real(2, 3, 5, 6), grid], limit=2e-4, **options)
                        both(self, "grid_sample", [real(2, 3, 5, 6), np.sign(grid)], limit=2e-4, **options)  # at the very edges
                    else:  # steps have no slope, so the grid's gradient is 0
                        both(self, "grid_sample", [real(2, 3, 5, 6), grid], **options)

    def test_points_beyond(self):
        image = haft.full((1, 1, 4, 4), 2.0)
        image[0, 0, 0, 0] = float("inf")
        away = haft.full((1, 1, 1, 2), -3.0)
        self.assertEqual(F.grid_sample(image, away, align_corners=True).item(), 0)  # what is not read cannot be infinite
        x = real(1, 1, 4, 4)
        for edge in ("border", "reflection"):
            for point in ((float("nan"), 0.2), (float("inf"), 0.2), (-float("inf"), -0.3)):
                g = np.array(point, dtype="float32").reshape(1, 1, 1, 2)
                y = F.grid_sample(haft.tensor(x), haft.tensor(g), padding_mode=edge, align_corners=False)
                self.assertTrue(bool(y.isfinite().all()), (edge, point))

    def test_antialiased_ends(self):
        x = haft.zeros(1, 1, 8, 8)
        x[..., 0, 0] = float("inf")
        for y in (F.interpolate(x, (8, 3), mode="bilinear", antialias=True), F.interpolate(x, (3, 8), mode="bilinear", antialias=True)):
            self.assertEqual(int(y.isinf().sum()), 1)
            self.assertFalse(bool(y.isnan().any()))
        y = F.interpolate(haft.arange(16.0).reshape(1, 1, 4, 4), (2, 3), mode="bilinear", antialias=True, align_corners=True)
        want = [5.375, 6.7778, 7.8333]  # PyTorch 2.15's first row
        np.testing.assert_allclose(y.numpy().reshape(2, 3)[0], want, rtol=1e-4)

    def test_attention_of_no_values(self):
        q, k, v = haft.randn(1, 2, 2, 8), haft.randn(1, 2, 30000, 8), haft.randn(1, 2, 30000, 0)
        self.assertEqual(tuple(F.scaled_dot_product_attention(q, k, v).shape), (1, 2, 2, 0))

    def test_masks_of_another_type(self):
        m = haft.nn.MultiheadAttention(8, 2).to(haft.bfloat16)
        x = haft.randn(3, 2, 8).to(haft.bfloat16)
        mask = haft.zeros(3, 3)
        a, b = m(x, x, x, attn_mask=mask)[0], m(x, x, x, attn_mask=mask, need_weights=False)[0]
        self.assertLess((a - b).abs().max().item(), 0.03)

    def test_shuffles(self):
        both(self, "pixel_shuffle", [real(8, 3, 4)], upscale_factor=2)
        both(self, "pixel_unshuffle", [real(2, 4, 6)], downscale_factor=2)
        x = real(2, 6, 3)
        parity.check(F.channel_shuffle(haft.tensor(x), 3), torch.tensor(x).reshape(2, 3, 2, 3).transpose(1, 2).reshape(2, 6, 3))

    def test_attention(self):
        q, k, v = real(2, 3, 4, 8), real(2, 3, 5, 8), real(2, 3, 5, 6)
        mask = parity.rng().random((4, 5)) < 0.7
        mask[:, 0] = True

        def plain(q, k, v, add):
            return ((q @ k.transpose(-2, -1)) / 8 ** 0.5 + torch.tensor(add)).softmax(-1) @ v

        add = np.where(mask, 0.0, -np.inf).astype("float32")
        for m in (mask, add):
            e = parity.call_both(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, haft.tensor(m)), lambda q, k, v: plain(q, k, v, add), [q, k, v])
            parity.record("function", "scaled_dot_product_attention", e)
        causal = np.triu(np.full((4, 5), -np.inf, dtype="float32"), 1)
        parity.call_both(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), lambda q, k, v: plain(q, k, v, causal), [q, k, v])

    def test_attention_masks(self):
        torch.manual_seed(3)
        ref = torch.nn.MultiheadAttention(8, 2)
        own = haft.nn.MultiheadAttention(8, 2)
        parity.copy_state(ref, own)
        x = real(5, 3, 8)
        padding = np.zeros((3, 5), dtype=bool)
        padding[1, 3:] = True
        later = np.triu(np.ones((5, 5), dtype=bool), 1)
        for options in (dict(key_padding_mask=padding), dict(attn_mask=later), dict(attn_mask=real(6, 5, 5), average_attn_weights=False),
                        dict(need_weights=False, attn_mask=later, key_padding_mask=padding)):
            arrays = {k: v for k, v in options.items() if isinstance(v, np.ndarray)}
            plain = {k: v for k, v in options.items() if k not in arrays}
            parity.call_both(lambda x, **k: own(x, x, x, **k, **plain), lambda x, **k: ref(x, x, x, **k, **plain), [x], str(list(options)), kwargs=arrays)
        with self.assertRaisesRegex(RuntimeError, "attn_mask must have shape"):
            own(*[haft.tensor(x)] * 3, attn_mask=haft.zeros(4, 4))
        parity.check(haft.nn.Transformer.generate_square_subsequent_mask(4), torch.nn.Transformer.generate_square_subsequent_mask(4))

    def test_rms_norm(self):
        x, w = real(3, 4, 6), real(6)
        own = haft.nn.RMSNorm(6, eps=1e-5)
        with haft.no_grad():
            own.weight.copy_(haft.tensor(w))
        e = parity.call_both(own, lambda x: x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * torch.tensor(w), [x])
        parity.record("module", "RMSNorm", e)
        self.assertEqual(repr(own), "RMSNorm((6,), eps=1e-05, elementwise_affine=True)")

    def test_circular_modules(self):
        for n, shape in ((1, (2, 3, 6)), (2, (2, 3, 6, 5)), (3, (2, 3, 4, 5, 4))):
            own = getattr(haft.nn, f"CircularPad{n}d")(2)
            e = parity.call_both(own, lambda x: T.pad(x, (2,) * (2 * n), "circular"), [real(*shape)])
            parity.record("module", f"CircularPad{n}d", e)


class Random(unittest.TestCase):
    """Where the generators differ only the distribution can be compared."""

    def test_dropout(self):
        haft.manual_seed(1)
        x = haft.ones(200, 200)
        y = F.dropout(x, 0.3)
        kept = (y != 0).to(haft.float32).mean().item()
        self.assertAlmostEqual(kept, 0.7, delta=0.02)
        self.assertEqual(set(np.unique(y.numpy()).round(5)), {0.0, np.float32(1 / 0.7).round(5)})
        self.assertTrue(bool((F.dropout(x, 0.3, training=False) == x).all()))
        m = haft.nn.Dropout(0.5)
        haft.manual_seed(7)
        first = m(x)
        haft.manual_seed(7)
        self.assertTrue(bool((first == m(x)).all()))
        self.assertTrue(bool((m.eval()(x) == x).all()))

    def test_rare_in_sixteen_bits(self):
        haft.manual_seed(6)
        for dtype in (haft.bfloat16, haft.float16):
            for f in (F.dropout2d, F.alpha_dropout):
                y = f(haft.full((400, 500), 3.0).to(dtype).reshape(400, 500, 1, 1), 0.003, True)
                gone = (y.float() < 1).float().mean().item()
                self.assertTrue(0.002 < gone < 0.004, (dtype, f, gone))

    def test_channels(self):
        haft.manual_seed(2)
        for f, shape in ((F.dropout1d, (40, 50, 4)), (F.dropout2d, (40, 50, 2, 3)), (F.dropout3d, (40, 50, 2, 1, 2)), (F.dropout1d, (500, 4)), (F.dropout3d, (500, 2, 2, 2))):
            y = f(haft.ones(*shape), 0.4)
            flat = y.reshape(-1, int(np.prod(shape[2:] if len(shape) > 2 and shape[0] == 40 else shape[1:]))).numpy()
            self.assertTrue((flat == flat[:, :1]).all(), "a channel is kept or dropped as a whole")
            self.assertAlmostEqual((flat[:, 0] != 0).mean(), 0.6, delta=0.08)

    def test_alpha_dropout(self):
        haft.manual_seed(3)
        y = F.alpha_dropout(haft.randn(400, 400), 0.3, training=True)
        self.assertAlmostEqual(y.mean().item(), 0, delta=0.02)
        self.assertAlmostEqual(y.std().item(), 1, delta=0.02)
        y = F.feature_alpha_dropout(haft.randn(300, 100, 5), 0.2, training=True)
        self.assertAlmostEqual(y.std().item(), 1, delta=0.05)

    def test_probabilities(self):
        for f in (F.dropout, F.dropout2d, F.dropout3d, F.alpha_dropout):
            with self.assertRaisesRegex(ValueError, "between 0 and 1, but got 1.5"):
                f(haft.ones(2, 2, 2, 2), 1.5, True)
        parity.same_error(self, lambda: haft.nn.Dropout(-0.1), lambda: torch.nn.Dropout(-0.1))

    def test_what_drops_nothing_writes_nothing(self):
        # In place, too: the operator before it has saved what it answered.
        for name, shape in (("dropout", (3,)), ("dropout1d", (2, 3, 4)), ("dropout1d", (3, 4)), ("dropout2d", (2, 3, 2, 2)), ("dropout3d", (2, 3, 2, 2, 2)),
                            ("dropout3d", (3, 2, 2, 2)), ("alpha_dropout", (3, 4)), ("feature_alpha_dropout", (2, 3, 4))):
            for p, training in ((0.5, False), (0.0, True)):
                for inplace in (False, True):
                    with self.subTest(name, shape=shape, p=p, inplace=inplace):
                        leaf = haft.tensor(real(*shape), requires_grad=True)
                        y = haft.sigmoid(leaf)
                        self.assertIs(getattr(F, name)(y, p, training, inplace), y)
                        self.assertIs(getattr(F, name)(leaf, p, training, inplace), leaf)
                        y.sum().backward()
                        np.testing.assert_allclose(leaf.grad.numpy(), (y * (1 - y)).detach().numpy(), rtol=1e-6)
        net = haft.nn.Sequential(haft.nn.Conv2d(2, 3, 1), haft.nn.Sigmoid(), haft.nn.Dropout2d(0.2, inplace=True), haft.nn.Conv2d(3, 1, 1)).eval()
        net(haft.randn(1, 2, 4, 4)).sum().backward()
        self.assertGreater(net[0].weight.grad.abs().sum().item(), 0)

    def test_gumbel_softmax(self):
        haft.manual_seed(4)
        x = haft.tensor([[1.0, 2.0, 0.5]]).expand(4000, 3).clone().requires_grad_()
        hard = F.gumbel_softmax(x, hard=True)
        self.assertEqual(set(hard.detach().round().unique().tolist()) if hasattr(hard, "unique") else {0.0, 1.0}, {0.0, 1.0})
        expected = torch.tensor([1.0, 2.0, 0.5]).softmax(0).numpy()
        np.testing.assert_allclose(hard.detach().mean(0).numpy(), expected, atol=0.04)
        (hard * haft.randn(4000, 3)).sum().backward()
        self.assertGreater(x.grad.abs().sum().item(), 0)

    def test_rrelu(self):
        haft.manual_seed(5)
        x = haft.full((3000,), -1.0, requires_grad=True)
        y = F.rrelu(x, 0.1, 0.5, training=True)
        slopes = -y.detach().numpy()
        self.assertTrue(0.1 <= slopes.min() and slopes.max() <= 0.5)
        self.assertAlmostEqual(slopes.mean(), 0.3, delta=0.02)
        y.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-6)

    def test_rrelu_in_place(self):
        x = real(3, 4)
        for training in (False, True):
            leaf = haft.tensor(x, requires_grad=True)
            y = leaf * 1
            out = haft.nn.RReLU(0.2, 0.4, inplace=True).train(training)(y)
            self.assertEqual(out.data_ptr(), y.data_ptr())
            out.sum().backward()
            np.testing.assert_allclose(leaf.grad.numpy(), (out.detach().numpy() / x), rtol=1e-5)
        np.testing.assert_allclose(F.rrelu(haft.tensor(x), 0.2, 0.4).numpy(), np.where(x < 0, np.float32(0.3) * x, x), rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
