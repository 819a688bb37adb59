"""Complex tensors in Python: numbers, NumPy, DLPack, files, text, attributes, and what refuses them."""
import os
import tempfile
import unittest

import numpy as np
import torch

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()


class Complex(unittest.TestCase):
    def test_numbers(self):
        x = haft.tensor([[1 + 2j, 3], [2j, True]])
        self.assertEqual((x.dtype, haft.tensor(1j, dtype=haft.complex128).dtype, haft.tensor([1.0], dtype=haft.cfloat).dtype),
                         (haft.complex64, haft.complex128, haft.complex64))
        self.assertEqual(x.tolist(), [[1 + 2j, 3 + 0j], [2j, 1 + 0j]])
        self.assertEqual((x[0, 0].item(), complex(x[0, 1]), float(x[0, 1]), bool(x[1, 0])), (1 + 2j, 3 + 0j, 3.0, True))
        with self.assertRaisesRegex(RuntimeError, "without overflow"):
            float(x[0, 0])
        with self.assertRaisesRegex(RuntimeError, "without overflow"):
            haft.tensor([1j], dtype=haft.float32)
        self.assertEqual((x + 1j)[0, 0].item(), 1 + 3j)
        self.assertEqual((haft.ones(2, dtype=haft.float64) * 1j).dtype, haft.complex128)
        x *= 1j
        self.assertEqual(x[0, 0].item(), -2 + 1j)
        x.imag = haft.zeros(2, 2)
        self.assertEqual(x[0, 0].item(), -2 + 0j)

    def test_assigned_numbers(self):
        for h in (haft, torch):
            x = h.zeros(2, 3, dtype=h.complex64)
            x[0, 1] = 1 + 2j
            x[h.tensor([[True, False, False], [False, False, True]])] = -1j
            x[[1, 1], [0, 1]] = 3j
            self.assertEqual(x.tolist(), [[-1j, 1 + 2j, 0j], [3j, 3j, -1j]])
            y = h.zeros(2, dtype=h.float64)
            y[0] = 2 + 0j
            self.assertEqual(y.tolist(), [2.0, 0.0])
            with self.assertRaisesRegex(RuntimeError, "without overflow"):
                y[0] = 1j

    def test_sizes_and_outputs(self):
        for h in (haft, torch):
            x = h.tensor([[1 + 2j, 3], [2j, 4]])
            total = x.sum_to_size(1, 2)
            self.assertEqual((total.dtype, total.tolist()), (h.complex64, [[1 + 4j, 7 + 0j]]))
            with self.assertRaisesRegex(RuntimeError, "can't be cast to the desired output type"):
                h.add(x, x, out=h.empty(2, 2))

    def test_memory_of_others(self):
        for dtype in ("complex64", "complex128"):
            a = (np.random.default_rng(1).standard_normal((3, 4)) + 1j).astype(dtype)
            t = haft.from_numpy(a)
            self.assertEqual(t.dtype, getattr(haft, dtype))
            a[0, 0] = 5
            self.assertEqual(t[0, 0].item(), 5 + 0j)
            np.testing.assert_array_equal(t.T.numpy(), a.T)
            np.testing.assert_array_equal(torch.from_dlpack(t).numpy(), a)
            self.assertEqual(haft.from_dlpack(torch.from_numpy(a)).dtype, t.dtype)

    def test_files(self):
        x = haft.tensor([1 + 2j, -3.5j])
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "x.npy")
            for t in (x, x.cdouble()):
                haft.io.save_npy(t, path)
                np.testing.assert_array_equal(np.load(path), t.numpy())
                self.assertEqual(haft.io.load_npy(path).dtype, t.dtype)
                haft.save({"x": t}, path)
                self.assertEqual(torch.load(path)["x"].tolist(), t.tolist())
                torch.save({"x": torch.tensor(t.tolist(), dtype=getattr(torch, t.dtype.name))}, path)
                back = haft.load(path, weights_only=True)["x"]
                self.assertEqual((back.dtype, back.tolist()), (t.dtype, t.tolist()))
            haft.io.save_safetensors({"x": x}, path)
            self.assertEqual(haft.io.load_safetensors(path)["x"].tolist(), x.tolist())

    def test_text(self):
        for values in ([1 + 2j, -3 - 4.5j], [[1 + 2j, 3], [2j, 4]], [1e-7 + 2j, 1], [complex("nan"), 1j], 1.5 + 2j):
            for dtype in ("complex64", "complex128"):
                ours, theirs = (h.tensor(values, dtype=getattr(h, dtype)) for h in (haft, torch))
                self.assertEqual(repr(ours), repr(theirs).replace("torch.", "haft."))
        self.assertEqual(repr(haft.zeros(0, dtype=haft.complex64)), "tensor([], dtype=haft.complex64)")

    def test_types(self):
        for h in (haft, torch):
            self.assertEqual([h.can_cast(a, b) for a, b in ((h.complex64, h.float32), (h.float64, h.complex64), (h.int64, h.complex64))], [False, True, True])
            self.assertEqual(h.finfo(h.complex64).eps, 2.0 ** -23)
            x = h.tensor([[1 + 2j, 3]], dtype=h.complex64)
            self.assertEqual(h.float_power(x, 2).tolist(), [[-3 + 4j, 9 + 0j]])
            self.assertEqual((h.float_power(x, 2).dtype, h.float_power(x.real, 1j).dtype), (h.complex128, h.complex128))
            self.assertAlmostEqual(h.linalg.vector_norm(x).item(), 14 ** 0.5, places=6)
            self.assertEqual(x.mH.resolve_conj().tolist(), [[1 - 2j], [3 + 0j]])
        self.assertEqual((haft.complex64.to_real(), haft.float64.to_real(), haft.float64.to_complex(), haft.complex64.to_complex()),
                         (haft.float32, haft.float64, haft.complex128, haft.complex64))
        with self.assertRaisesRegex(TypeError, "int32"):
            haft.int32.to_complex()

    def test_refusals(self):
        x = haft.tensor([1 + 2j, 3])
        for call in (haft.relu, haft.sort, haft.median, haft.nan_to_num, haft.sign, lambda t: haft.maximum(t, t), lambda t: haft.nn.functional.mse_loss(t, t),
                     lambda t: t < t, lambda t: haft.softmax(t, 0)):
            with self.assertRaisesRegex((haft.DtypeError, RuntimeError), "complex64"):
                call(x)
        for name in ("rfftn", "irfftn", "hfftn", "ihfftn"):  # no dimensions are not all of them
            for none in ((), []):
                with self.assertRaisesRegex(RuntimeError, f"{name} must transform at least one axis"):
                    getattr(haft.fft, name)(haft.ones(2, 2), dim=none)
        for name in ("MSELoss", "L1Loss", "HuberLoss", "SmoothL1Loss", "SoftMarginLoss"):
            with self.assertRaisesRegex((haft.DtypeError, RuntimeError), "complex64"):
                getattr(haft.nn, name)()(x, x)

    def test_eigenvalues(self):
        for n in (1, 2, 5, 40):
            a = np.sin(np.arange(n * n, dtype=np.float64).reshape(n, n) ** 2)
            found = haft.linalg.eig(haft.tensor(a))
            l, v = found.eigenvalues.numpy(), found.eigenvectors.numpy()
            np.testing.assert_allclose(a @ v, v * l, atol=1e-11)
            np.testing.assert_allclose(np.sort_complex(l), np.sort_complex(np.linalg.eigvals(a)), atol=1e-10)
        with self.assertRaisesRegex((haft.DtypeError, RuntimeError), "complex128"):
            haft.linalg.eigvals(haft.tensor([[1j]], dtype=haft.complex128))

    def test_transforms_of_no_dimension(self):
        x, r = haft.tensor([[1 + 2j, 3 - 1j]]), haft.tensor([[1.0, 2.0]])
        for f in (haft.fft.fftn, haft.fft.ifftn, haft.fft.fft2, haft.fft.ifft2):
            self.assertEqual(f(x, dim=()).tolist(), x.tolist())
            self.assertEqual(f(r, dim=()).tolist(), [[1 + 0j, 2 + 0j]])
        self.assertEqual(haft.fft.fftn(x, s=()).tolist(), x.tolist())
        for name in ("rfft", "irfft", "hfft", "ihfft"):
            for f in (getattr(haft.fft, name + "n"), getattr(haft.fft, name + "2")):
                with self.assertRaisesRegex(RuntimeError, f"{name}n must transform at least one axis"):
                    f(r, dim=())

    def test_in_the_place_of_numbers(self):
        x, mask = haft.tensor([1 + 2j, 3 - 1j]), haft.tensor([True, False])
        self.assertEqual(haft.full((2,), 1j).dtype, haft.complex64)
        self.assertEqual(x.masked_fill(mask, 1j).tolist(), [1j, 3 - 1j])
        self.assertEqual(haft.where(mask, haft.ones(2), 1j).tolist(), [1 + 0j, 1j])
        self.assertEqual(haft.where(mask, haft.ones(2, dtype=haft.float64), 1j).dtype, haft.complex128)
        for h in (haft, torch):
            for numbers in ((1j, 2.0), (2, 1j), (1j, True)):
                y = h.where(h.tensor([True, False]), *numbers)
                self.assertEqual((y.dtype, y.tolist()), (h.complex64, [*map(complex, numbers)]))
        self.assertEqual(x.clone().fill_(2 - 1j).tolist(), [2 - 1j, 2 - 1j])
        for call in (lambda: haft.full((2,), 1j, dtype=haft.float32), lambda: haft.ones(2).fill_(1j), lambda: haft.ones(2).masked_fill(mask, 1j),
                     *(lambda f=f: f(*[haft.ones(2)] * 3, value=1j) for f in (haft.addcmul, haft.addcdiv)), lambda: haft.lerp(*[haft.ones(2)] * 2, 1j)):
            with self.assertRaisesRegex(haft.DtypeError, "a complex number does not fit into float32"):
                call()
        with self.assertRaisesRegex(haft.UnsupportedError, "beta is a complex number, which this function does not take"):
            haft.addmm(x[None], x[None, :1], x[None], beta=1j)

    def test_functions_that_pytorch_has_since_2(self):
        x = np.array([1 + 2j, -0.5 + 0.25j])
        for ours, theirs in ((haft.expm1, np.expm1), (haft.log1p, np.log1p), (lambda t: haft.logsumexp(t, 0), lambda a: np.log(np.exp(a).sum()))):
            np.testing.assert_allclose(ours(haft.tensor(x)).numpy(), theirs(x), rtol=1e-12)
        self.assertEqual(haft.func.grad(lambda t: (t.abs() ** 2).sum())(haft.tensor(x)).tolist(), (2 * x).tolist())
        with self.assertRaisesRegex(haft.DtypeError, "jvp: input 0 is complex128, wanted a floating type"):
            haft.func.jvp(lambda t: t * t, (haft.tensor(x),), (haft.tensor(x),))

    def test_gradients(self):
        x = haft.tensor([1 + 2j, 3 - 1j], requires_grad=True)
        (x.abs() ** 2).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * x.detach().numpy(), rtol=1e-6)
        with self.assertRaisesRegex(RuntimeError, "needs a seed"):
            x.sum().backward()

    def test_checked_gradients(self):
        for h in (haft, torch):
            x = h.tensor([1 + 2j, 3 - 1j, 0.5j], dtype=h.complex128, requires_grad=True)
            r = h.tensor([1.0, -2.0, 0.5], dtype=h.float64, requires_grad=True)
            for f, inputs in ((lambda t: t * t.conj() + t.sin(), [x]), (h.fft.irfft, [x]), (h.fft.rfft, [r]), (lambda t, u: (t * u, t.abs()), [x, r])):
                self.assertTrue(h.autograd.gradcheck(f, inputs))
                self.assertTrue(h.autograd.gradgradcheck(f, inputs))
            with self.assertRaisesRegex(RuntimeError, "mismatch"):  # the part of a factor is missing
                h.autograd.gradcheck(lambda t: t * t.detach(), [x])


if __name__ == "__main__":
    unittest.main()
