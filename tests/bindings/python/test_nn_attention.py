"""Attention: the engine's transformer layers with PyTorch's weights, what Python's classes say by call, rotary positions, the cache."""
import unittest

import numpy as np
import torch

import haft
import haft.nn.functional as F
import leaks
import parity
from haft import _haft, nn
from parity import real

setUpModule, tearDownModule = leaks.guard()
Make = _haft.Make
LAYER = (0.0, True, 1e-5, True, False, True, False, None, None, None)  # dropout .. is_causal; gelu, batch first


class EngineLayers(unittest.TestCase):
    """The very modules that C, C++, Java and C# make."""

    def same(self, core, theirs, inputs, limit=1e-5):
        """inputs: arrays, None where absent, by the order of the engine's layer."""
        core.load_state_dict([(k, haft.tensor(v.numpy())) for k, v in theirs.state_dict().items()], True)
        self.assertEqual([k for k, _ in core.state_dict()], list(theirs.state_dict()))
        own = [None if x is None else haft.tensor(x) for x in inputs]
        y = core.forward(own)[0]
        masks = [None if x is None else torch.tensor(x) for x in inputs]
        want = theirs(*self.order(theirs, masks))
        want = want[0] if isinstance(want, tuple) else want
        parity.check(y.detach(), want.detach(), type(theirs).__name__, limit)
        y.square().sum().backward()
        want.square().sum().backward()
        grads = dict(theirs.named_parameters())
        for name, p in core.named_parameters():
            parity.check(p.grad, grads[name].grad, name, 1e-4)

    @staticmethod
    def order(theirs, x):
        """PyTorch's attention has need_weights between its masks."""
        return [*x[:4], True, *x[4:]] if isinstance(theirs, torch.nn.MultiheadAttention) else x

    def setUp(self):
        torch.manual_seed(7)

    def test_multihead_attention(self):
        padding = np.zeros((2, 4), dtype=bool)
        padding[1, 2:] = True
        x, y = real(2, 5, 8), real(2, 4, 8)
        core = Make.multihead_attention(8, 2, 0.0, True, False, False, None, None, True, True, True, False, None, None, None)
        self.same(core, torch.nn.MultiheadAttention(8, 2, batch_first=True), [x, y, y, padding, real(5, 4)])
        core = Make.multihead_attention(8, 2, 0.0, True, True, True, 3, 6, False, False, True, False, None, None, None)
        theirs = torch.nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, kdim=3, vdim=6)
        self.same(core, theirs, [real(5, 2, 8), real(4, 2, 3), real(4, 2, 6), padding])

    def test_layers(self):
        later = np.triu(np.ones((5, 5), dtype=bool), 1)
        for first in (False, True):
            options = (0.0, True, 1e-5, True, first, True, False, None, None, None)
            args = dict(dropout=0.0, activation="gelu", batch_first=True, norm_first=first)
            self.same(Make.transformer_encoder_layer(8, 2, 16, *options), torch.nn.TransformerEncoderLayer(8, 2, 16, **args), [real(2, 5, 8), later])
            self.same(Make.transformer_decoder_layer(8, 2, 16, *options), torch.nn.TransformerDecoderLayer(8, 2, 16, **args),
                      [real(2, 5, 8), real(2, 3, 8), later, real(5, 3)])

    def test_stacks(self):
        args = dict(dropout=0.0, activation="gelu", batch_first=True)
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, **args)
        self.same(Make.transformer_encoder(8, 2, 2, True, 16, *LAYER), torch.nn.TransformerEncoder(layer, 2, torch.nn.LayerNorm(8)), [real(2, 5, 8)])
        layer = torch.nn.TransformerDecoderLayer(8, 2, 16, **args)
        self.same(Make.transformer_decoder(8, 2, 2, False, 16, *LAYER), torch.nn.TransformerDecoder(layer, 2), [real(2, 5, 8), real(2, 3, 8)])
        self.same(Make.transformer(8, 2, 1, 2, 16, *LAYER), torch.nn.Transformer(8, 2, 1, 2, 16, **args), [real(2, 5, 8), real(2, 3, 8)])


class Calls(unittest.TestCase):
    def test_hints(self):
        x, later = haft.tensor(real(2, 5, 8)), haft.ones(5, 5).triu(1).bool()
        heads = nn.MultiheadAttention(8, 2, batch_first=True)
        want = heads(x, x, x, attn_mask=later)[0]
        for needed in (False, True):
            parity.check(heads(x, x, x, attn_mask=later, is_causal=True, need_weights=needed)[0].detach(), want.detach())
        with self.assertRaisesRegex(RuntimeError, "Need attn_mask"):
            heads(x, x, x, is_causal=True)
        model = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
        parity.check(model(x, x, tgt_mask=later, tgt_is_causal=True).detach(), model(x, x, tgt_mask=later).detach())
        parity.check(model.encoder(x, later, is_causal=True).detach(), model.encoder(x, later).detach())

    def test_without_biases(self):
        model = nn.Transformer(8, 2, 1, 1, 16, bias=False)
        self.assertFalse([k for k in model.state_dict() if "bias" in k])
        model(haft.tensor(real(3, 2, 8)), haft.tensor(real(4, 2, 8))).sum().backward()

    def test_rows_that_see_nothing(self):
        heads = nn.MultiheadAttention(8, 2, batch_first=True)
        x = haft.tensor(real(2, 3, 8)).requires_grad_()
        padding = haft.tensor([[True] * 3, [False] * 3])
        for needed in (False, True):
            out, weights = heads(x, x, x, key_padding_mask=padding, need_weights=needed)
            self.assertEqual(out[0].tolist(), heads.out_proj.bias.expand(3, 8).tolist())
            if needed:
                self.assertEqual(weights[0].abs().max().item(), 0)
            out.sum().backward()
            self.assertTrue(x.grad.isfinite().all())

    def test_float_and_bool_masks_together(self):
        torch.manual_seed(5)
        theirs, own = torch.nn.MultiheadAttention(8, 2), nn.MultiheadAttention(8, 2)
        parity.copy_state(theirs, own)
        padding = np.array([[False, True, False], [False] * 3])
        arrays = dict(key_padding_mask=padding, attn_mask=real(4, 3))
        parity.call_both(lambda q, k, **m: own(q, k, k, **m), lambda q, k, **m: theirs(q, k, k, **m), [real(4, 2, 8), real(3, 2, 8)], kwargs=arrays)


class Positions(unittest.TestCase):
    def test_conventions(self):
        x = haft.tensor(real(2, 3, 5, 8))
        angle = np.outer(np.arange(5), 10000.0 ** (-np.arange(0, 8, 2) / 8))
        cos, sin = np.cos(angle).astype("float32"), np.sin(angle).astype("float32")
        a, b = np.split(x.numpy(), 2, -1)
        halves = np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)
        parity.check(nn.RotaryEmbedding(8)(x), torch.tensor(halves), limit=1e-5)
        parity.check(x.rotary_embedding(haft.tensor(cos), haft.tensor(sin)), torch.tensor(halves), limit=1e-5)
        pairs = (x.numpy()[..., ::2] + 1j * x.numpy()[..., 1::2]) * np.exp(1j * angle)
        near = np.stack([pairs.real, pairs.imag], -1).reshape(x.shape).astype("float32")
        parity.check(nn.RotaryEmbedding(8, interleaved=True)(x), torch.tensor(near), limit=1e-5)

    def test_cache(self):
        cache = nn.KVCache(2, 3, 6, 8)
        self.assertEqual(list(cache.state_dict()), [])
        q, k, v = (haft.tensor(real(2, 3, 6, 8)) for _ in range(3))
        want = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        for _ in range(2):
            for i in range(6):
                now = slice(i, i + 1)
                keys, values = cache(k[:, :, now], v[:, :, now])
                self.assertEqual(int(cache.length), i + 1)
                parity.check(F.scaled_dot_product_attention(q[:, :, now], keys, values), torch.tensor(want[:, :, now].numpy()), limit=1e-5)
            cache.length.zero_()
        with self.assertRaisesRegex(RuntimeError, "more than its 6"):
            cache(haft.cat([k, k], 2), haft.cat([v, v], 2))


if __name__ == "__main__":
    unittest.main()
