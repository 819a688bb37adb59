"""Sequences of different lengths beside PyTorch's: packing, padding, and recurrent layers over them."""
import unittest

import torch

import haft
import leaks
import parity
from parity import real

setUpModule, tearDownModule = leaks.guard()

rnn, ref_rnn = haft.nn.utils.rnn, torch.nn.utils.rnn


class Packing(unittest.TestCase):
    def same(self, own, ref):
        parity.check(own.data, ref.data)
        self.assertEqual(own.batch_sizes.tolist(), ref.batch_sizes.tolist())
        for a, b in ((own.sorted_indices, ref.sorted_indices), (own.unsorted_indices, ref.unsorted_indices)):
            self.assertEqual(None if a is None else a.tolist(), None if b is None else b.tolist())

    def test_pack_and_pad(self):
        for lengths in ([5, 3, 3, 1], [4], [1, 1], [2, 6, 1, 4, 6]):
            for batch_first in (False, True):
                for shape in ((3,), (), (2, 2)):
                    with self.subTest(lengths=lengths, batch_first=batch_first, shape=shape):
                        n = (len(lengths), 6) if batch_first else (6, len(lengths))
                        data = real(*n, *shape)
                        x, y = haft.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
                        in_order = lengths == sorted(lengths, reverse=True)
                        own = rnn.pack_padded_sequence(x, haft.tensor(lengths), batch_first, in_order)
                        ref = ref_rnn.pack_padded_sequence(y, torch.tensor(lengths), batch_first, in_order)
                        if len(set(lengths)) == len(lengths) or in_order:  # of equal ones PyTorch's order is anyone's
                            self.same(own, ref)
                        for total in (None, 8):
                            a, n_a = rnn.pad_packed_sequence(own, batch_first, -1.5, total)
                            b, n_b = ref_rnn.pad_packed_sequence(ref, batch_first, -1.5, total)
                            self.assertEqual((n_a.tolist(), n_b.tolist()), (lengths, lengths))
                            parity.check(a, b)
                            (a * a).sum().backward(retain_graph=True)
                            (b * b).sum().backward(retain_graph=True)
                        parity.check(x.grad, y.grad)

    def test_sequences(self):
        data = [real(n, 2) for n in (2, 5, 3)]
        own = rnn.pack_sequence([haft.tensor(d) for d in data], enforce_sorted=False)
        self.same(own, ref_rnn.pack_sequence([torch.tensor(d) for d in data], enforce_sorted=False))
        for a, d in zip(rnn.unpack_sequence(own), data):
            parity.check(a, torch.tensor(d))
        self.assertEqual(own.double().data.dtype, haft.float64)
        self.assertIs(own.cpu(), own)
        self.assertIs(own.to(haft.float32), own)
        self.assertFalse(own.is_cuda or own.is_pinned())
        data, sizes, order, back = own
        self.assertTrue(haft.equal(order[back], haft.arange(3)))

    def test_errors(self):
        for f in (lambda r, t: r.pack_padded_sequence(t.ones(3, 2), [1, 2]), lambda r, t: r.pack_padded_sequence(t.ones(3, 2), [1]),
                  lambda r, t: r.pack_padded_sequence(t.ones(3, 2), [2, 0]),
                  lambda r, t: r.pad_packed_sequence(r.pack_padded_sequence(t.ones(3, 1), [3]), total_length=2),
                  lambda r, t: t.nn.LSTM(3, 4)(r.pack_padded_sequence(t.ones(3, 2, 5), [3, 1])),
                  lambda r, t: t.nn.GRU(5, 4)(r.pack_padded_sequence(t.ones(3, 2, 5), [3, 1]), t.ones(1, 3, 4))):
            parity.same_error(self, lambda: f(rnn, haft), lambda: f(ref_rnn, torch))


class Layers(unittest.TestCase):
    def test_parity(self):
        for kind in ("RNN", "LSTM", "GRU"):
            for options in ({}, {"bidirectional": True, "num_layers": 2}, {"batch_first": True, "bias": False, "num_layers": 2},
                            *([{"proj_size": 2, "bidirectional": True}] if kind == "LSTM" else [])):
                for lengths, given in (([5, 4, 4, 1], False), ([2, 6, 3], True), ([3], False)):
                    with self.subTest(kind=kind, options=options, lengths=lengths):
                        ref = getattr(torch.nn, kind)(3, 4, **options)
                        own = getattr(haft.nn, kind)(3, 4, **options)
                        parity.copy_state(ref, own)
                        first = options.get("batch_first", False)
                        data = real(len(lengths), 6, 3) if first else real(6, len(lengths), 3)
                        x, y = haft.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
                        rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
                        states = [real(rows, len(lengths), options.get("proj_size") or 4), real(rows, len(lengths), 4)][:2 if kind == "LSTM" else 1]

                        def run(lib, r, net, input):
                            hx = [lib.tensor(s) for s in states]
                            hx = (tuple(hx) if kind == "LSTM" else hx[0],) if given else ()
                            packed = r.pack_padded_sequence(input, lengths, first, False)
                            out, h = net(packed, *hx)
                            padded, _ = r.pad_packed_sequence(out, first)
                            h = list(h) if kind == "LSTM" else [h]
                            ((padded * padded).sum() + sum((s * s * s).sum() for s in h)).backward()
                            return padded, *h
                        for a, b in zip(run(haft, rnn, own, x), run(torch, ref_rnn, ref, y)):
                            parity.check(a, b, limit=2e-5)
                        parity.check(x.grad, y.grad, limit=1e-4)
                        for (name, p), q in zip(own.named_parameters(), ref.parameters()):
                            parity.check(p.grad, q.grad, name, limit=1e-4)

    def test_functions_by_name(self):
        x, h, c, weights = real(5, 2, 3), real(1, 2, 4), real(1, 2, 4), [real(16, 3), real(16, 4), real(16), real(16)]
        rows, sizes = real(7, 3), [2, 2, 2, 1]
        options = dict(has_biases=True, num_layers=1, dropout=0.0, train=False, bidirectional=False)

        def run(lib, name):
            f, t = getattr(lib, name), lib.tensor
            w = [t(v[:{"gru": 12, "lstm": 16}.get(name, 4)]) for v in weights]
            hx = (t(h), t(c)) if name == "lstm" else t(h)
            return [f(t(x), hx, w, **options, batch_first=False), f(input=t(x), hx=hx, params=w, batch_first=False, **options),
                    f(t(rows), t(sizes), hx, w, **options), f(data=t(rows), batch_sizes=t(sizes), hx=hx, params=w, **options),
                    f(t(rows), t(sizes), hx, w[:2], has_biases=False, **{k: v for k, v in options.items() if k != "has_biases"})]
        for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
            for got, wanted in zip(run(haft, name), run(torch, name)):
                self.assertEqual(len(got), len(wanted))
                for a, b in zip(got, wanted):
                    parity.check(a, b, name, limit=2e-5)
        t, w = haft.tensor(h), [haft.tensor(v) for v in weights]
        for call, said in ((lambda: haft.gru(t, t), "gru.input, hx, params.*: params, has_biases, .*batch_first missing"),
                           (lambda: haft.gru(t, haft.tensor([2, 1]), t), "gru.data, batch_sizes, .*: params, has_biases"),
                           (lambda: haft.gru(t, t, w, has_bias=True), "there is no 'has_bias'"), (lambda: haft.gru(t, t, w, hx=t), "two values of 'hx'"),
                           (lambda: haft.gru(*range(10)), "takes 9 arguments, got 10"), (lambda: haft.lstm(t, t, w, **options, batch_first=False), "a pair .h, c., got Tensor"),
                           (lambda: haft.gru(t, [t], w, **options, batch_first=False), "hx is a tensor, got list"),
                           (lambda: haft.gru(t, t, t, **options, batch_first=False), "params is a list of tensors, got Tensor")):
            with self.assertRaisesRegex(TypeError, said):
                call()


if __name__ == "__main__":
    unittest.main()
