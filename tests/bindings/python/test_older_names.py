"""Names that PyTorch has had for long, beside PyTorch's own: forms in place, copies of views, pools with places, layers of Lua's Torch."""
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from haft import nn
from parity import real

setUpModule, tearDownModule = leaks.guard()


class Methods(unittest.TestCase):
    def test_in_place(self):
        unit = (1 / (1 + np.exp(-real(3, 4)))).astype("f")
        for name, data, given in (("deg2rad", real(3, 4), ()), ("rad2deg", real(3, 4), ()), ("sinc", real(3, 4), ()), ("logit", unit, ()), ("logit", unit, (0.1,)),
                                  ("heaviside", np.array([-1, 0, 2], "f"), (np.array(0.5, "f"),)), ("ldexp", real(3, 4), (np.array([1, 2, -1, 0], "i4"),)),
                                  ("renorm", real(3, 4), (2, 0, 0.5)), ("addmv", real(3), (real(3, 4), real(4))), ("addr", real(3, 4), (real(3), real(4))),
                                  ("addbmm", real(3, 5), (real(2, 3, 4), real(2, 4, 5))), ("baddbmm", real(2, 3, 5), (real(2, 3, 4), real(2, 4, 5)))):
            with self.subTest(name):
                def done(lib):
                    t = lib.tensor(data.copy())
                    answer = getattr(t, name + "_")(*(lib.tensor(g) if isinstance(g, np.ndarray) else g for g in given))
                    self.assertIs(answer, t)
                    return t
                parity.check(done(haft), done(torch), name, limit=1e-5)
        t = haft.zeros(2, 2)
        t.addr_(haft.ones(2), haft.ones(2), beta=0, alpha=3)
        self.assertEqual(t.tolist(), [[3, 3], [3, 3]])
        for name in ("deg2rad_", "rad2deg_", "sinc_", "logit_", "ldexp_", "addmv_"):
            self.assertTrue(callable(getattr(haft, name)) and hasattr(torch, name))
        # Integers take no floats: they would be cut off.
        for write in (lambda t: t.logit_(), lambda t: t.sinc_(), lambda t: t.ldexp_(t), lambda t: t.atan2_(t), lambda t: t.float_power_(2), lambda t: t.mvlgamma_(1)):
            t = haft.tensor([1, 2])
            with self.assertRaisesRegex(RuntimeError, "can't be cast to the desired output type int64"):
                write(t)
            self.assertEqual(t.tolist(), [1, 2])
        # What backward needs of the tensor is kept.
        x = haft.tensor([0.3, 0.6], requires_grad=True)
        (x * 1).logit_().sum().backward()
        self.assertTrue(haft.allclose(x.grad, (1 / (x * (1 - x))).detach()))

    def test_views_and_copies(self):
        for lib in (haft, torch):
            x = lib.arange(12.0).reshape(3, 4)
            y = x.narrow_copy(1, 1, 2)
            y.zero_()
            self.assertEqual(x.sum().item(), 66)
            self.assertEqual(lib.narrow_copy(x, 0, 1, 1).tolist(), [[4, 5, 6, 7]])
            for parts in (x.unsafe_chunk(2, 1), x.unsafe_split(2, 1), x.unsafe_split_with_sizes([2, 2], 1), lib.unsafe_chunk(x, 2, dim=1), lib.unsafe_split(x, 2, 1),
                          lib.unsafe_split_with_sizes(x, [2, 2], 1)):
                self.assertEqual([p.tolist() for p in parts], [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]])
            self.assertEqual((x.mH.tolist(), x.adjoint().tolist()), (x.mT.tolist(), lib.adjoint(x).tolist()))
            with self.assertRaisesRegex(RuntimeError, "matrices"):
                x[0].adjoint()
            s = x.new_empty_strided((2, 3), (1, 2), dtype=lib.float64)
            self.assertEqual((tuple(s.stride()), s.dtype), ((1, 2), lib.float64))
            t = lib.arange(6.0)
            self.assertIs(t.resize_as_(lib.zeros(2, 2)), t)
            self.assertEqual(t.tolist(), [[0, 1], [2, 3]])
            u = lib.arange(6.0)
            self.assertIs(u.as_strided_((2, 2), (2, 1), 1), u)
            self.assertEqual(u.tolist(), [[1, 2], [3, 4]])
            self.assertEqual((x.is_set_to(x), x.is_set_to(x.view(3, 4)), x.is_set_to(x.clone()), x.is_set_to(x.view(4, 3)), x.is_set_to(x[1:])), (True, True, False, False, False))
            # Of memories without elements, too, each is another one.
            none = lib.empty(0)
            self.assertEqual((none.is_set_to(none.view(0)), none.is_set_to(lib.empty(0)), x[1:1].is_set_to(x[1:1]), x[1:1].is_set_to(x.clone()[1:1])), (True, False, True, False))

    def test_set(self):
        for lib in (haft, torch) if hasattr(torch.Tensor, "untyped_storage") else (haft,):
            x = lib.arange(12.0)
            t = lib.zeros(1)
            self.assertIs(t.set_(x), t)
            self.assertTrue(t.is_set_to(x))
            t.set_(x, 1, (2, 2), (3, 1))
            self.assertEqual(t.tolist(), [[1, 2], [4, 5]])
            t.set_(x.untyped_storage(), 4, (2, 3))
            self.assertEqual(t.tolist(), [[4, 5, 6], [7, 8, 9]])
            t.set_(x.storage())
            t[3] = -1
            self.assertEqual((t.numel(), x[3].item()), (12, -1))
            self.assertEqual((t.set_().shape, x.numel()), ((0,), 12))
            with self.assertRaisesRegex(RuntimeError, "Could not set tensor of type"):
                t.set_(lib.arange(3))
            with self.assertRaisesRegex(RuntimeError, "leaf"):
                lib.ones(1, requires_grad=True).set_(x)


class Functions(unittest.TestCase):
    def test_trapz(self):
        y, x = real(3, 4), np.sort(real(4))
        for f in (lambda lib: lib.trapz(lib.tensor(y)), lambda lib: lib.trapz(lib.tensor(y), lib.tensor(x)), lambda lib: lib.trapz(lib.tensor(y), dx=0.5, dim=0)):
            parity.check(f(haft), f(torch), limit=1e-5)

    def test_nanmean_in_another_type(self):
        data = np.array([[1, np.nan, 3], [2, 4, np.nan]], "f")
        for f in (lambda lib: lib.nanmean(lib.tensor(data), 1, dtype=lib.float64), lambda lib: lib.tensor(data).nanmean(dtype=lib.float64),
                  lambda lib: lib.nanmean(lib.tensor(data), dim=0, keepdim=True)):
            own, ref = f(haft), f(torch)
            parity.check(own, ref, limit=1e-6)
            self.assertEqual(str(own.dtype).split(".")[1], str(ref.dtype).split(".")[1])

    def test_segments_along_a_dimension(self):
        data, lengths = real(2, 5, 3), [[2, 0, 3], [1, 3, 1]]
        for reduce in ("sum", "mean", "max", "min", "prod"):
            def of(lib, axis=1, **kwargs):
                x = lib.tensor(data, requires_grad=True)
                t = lib.segment_reduce(x, reduce, axis=axis, initial=1.0 if reduce in ("max", "min", "mean") else None, **kwargs)
                t.square().sum().backward()
                return t, x.grad
            for kwargs in (lambda lib: {"lengths": lib.tensor(lengths)}, lambda lib: {"offsets": lib.tensor([[0, 2, 2, 5], [0, 1, 4, 5]])}):
                for own, ref in zip(of(haft, **kwargs(haft)), of(torch, **kwargs(torch))):
                    parity.check(own, ref, reduce, limit=1e-5)
            self.assertEqual(of(haft, -2, lengths=haft.tensor(lengths))[0].tolist(), of(haft, lengths=haft.tensor(lengths))[0].tolist())
        for wrong, said in (([2, 3], "have shape \\(2, 'segments'\\), got \\(2,\\)"), ([[2, 0, 2], [1, 3, 1]], "add up to the size of dimension 1, 5")):
            with self.assertRaisesRegex(RuntimeError, said):
                haft.segment_reduce(haft.tensor(data), "sum", lengths=haft.tensor(wrong), axis=1)

    def test_places_of_a_fixed_number(self):
        x = haft.tensor([[1, 0], [0, 2]])
        self.assertEqual(haft.nonzero_static(x, size=3).tolist(), [[0, 0], [1, 1], [-1, -1]])
        self.assertEqual((x.nonzero_static(size=1, fill_value=7).tolist(), haft.nonzero_static(haft.tensor(3), size=2).shape), ([[0, 0]], (2, 0)))
        with self.assertRaisesRegex(RuntimeError, "non-negative"):
            haft.nonzero_static(x, size=-1)

    def test_conv_tbc(self):
        given = real(5, 2, 3), real(2, 3, 4), real(4)
        both = []
        for lib in (haft, torch):
            ts = [lib.tensor(g, requires_grad=True) for g in given]
            y = lib.nn.functional.conv_tbc(*ts, 1)
            y.square().sum().backward()
            both.append((y, *(t.grad for t in ts)))
        for own, ref in zip(*both):
            parity.check(own, ref, limit=1e-4)
        self.assertIs(haft.conv_tbc, nn.functional.conv_tbc)

    def test_refusals(self):
        for lib in (haft, torch):
            with self.assertRaisesRegex(RuntimeError, "one-dimensional"):
                lib.vander(lib.ones(1, 2))
            with self.assertRaisesRegex(RuntimeError, "square"):
                lib.linalg.cond(lib.ones(2, 3), "nuc")

    def test_pools_with_places(self):
        for n in (1, 2, 3):
            data = real(2, 3, *(6, 7, 5)[:n])
            for name, given in ((f"max_pool{n}d_with_indices", (2,)), (f"max_pool{n}d_with_indices", (3, 2, 1, 1, True)), (f"adaptive_max_pool{n}d_with_indices", (3,))):
                own, ref = (getattr(lib.nn.functional, name)(lib.tensor(data), *given) for lib in (haft, torch))
                parity.check(own[0], ref[0], name)
                self.assertEqual(own[1].tolist(), ref[1].tolist())


class Errors(unittest.TestCase):
    def test_of_the_extension_module(self):
        for wrong in (lambda: haft.linalg.cholesky(-haft.eye(2)), lambda: haft.linalg.inv(haft.zeros(2, 2))):
            with self.assertRaises(haft._C._LinAlgError):
                wrong()
        self.assertIs(haft._C.OutOfMemoryError, haft.OutOfMemoryError)


class Layers(unittest.TestCase):
    def test_cross_map(self):
        data = real(2, 7, 4, 3)
        own, ref = nn.CrossMapLRN2d(3, alpha=0.3, beta=0.5, k=2), torch.nn.LocalResponseNorm(3, alpha=0.3, beta=0.5, k=2)
        x, x0 = haft.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
        y, y0 = own(x), ref(x0)
        parity.check(y, y0, limit=1e-5)
        y.square().sum().backward()
        y0.square().sum().backward()
        parity.check(x.grad, x0.grad, limit=1e-5)
        self.assertEqual(repr(nn.CrossMapLRN2d(3)), repr(torch.nn.CrossMapLRN2d(3)))
        # PyTorch's own forward pass is right as long as no window leaves the first channel.
        few = real(1, 2, 3, 3)
        parity.check(nn.CrossMapLRN2d(3, 0.3)(haft.tensor(few)), torch.nn.CrossMapLRN2d(3, 0.3)(torch.tensor(few)), limit=1e-5)


if __name__ == "__main__":
    unittest.main()
