"""haft.linalg and haft.special beside PyTorch's."""
import os
import subprocess
import sys
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from parity import real

setUpModule, tearDownModule = leaks.guard()
INF = float("inf")


class Norms(unittest.TestCase):
    def both(self, name, *inputs, **options):
        parity.record("function", f"linalg.{name}", parity.call_both(getattr(haft.linalg, name), getattr(torch.linalg, name), list(inputs),
                                                                     kwargs=options, where=f"{name} {options}", grads=options.get("ord") != 0))

    def test_vectors(self):
        for ord in (2, 1, 0, 3, 0.5, -1, INF, -INF):
            for shape, dim, keep in (((7,), None, False), ((3, 4), 1, True), ((2, 3, 4), (0, 2), False), ((2, 3), None, True), ((), None, False)):
                self.both("vector_norm", real(*shape), ord=ord, dim=dim, keepdim=keep)

    def test_matrices(self):
        for ord in ("fro", "nuc", 1, -1, 2, -2, INF, -INF):
            for shape, dim, keep in (((3, 4), (-2, -1), False), ((2, 3, 4), (0, 2), True), ((2, 3, 4), (2, 1), False)):
                self.both("matrix_norm", real(*shape), ord=ord, dim=dim, keepdim=keep)

    def test_either(self):
        for shape, options in (((5,), {}), ((2, 3), {}), ((2, 3, 4), {}), ((2, 3), {"ord": "fro"}), ((2, 3), {"ord": 1}), ((4,), {"ord": 3}),
                               ((2, 3, 4), {"ord": INF, "dim": 1}), ((2, 3, 4), {"ord": -1, "dim": (0, 1), "keepdim": True}), ((3, 2), {"dim": (1,)})):
            self.both("norm", real(*shape), **options)
        for call in (lambda t: t.linalg.norm(t.ones(2, 2, 2), 2), lambda t: t.linalg.vector_norm(t.ones(2, dtype=t.int64)),
                     lambda t: t.linalg.matrix_norm(t.ones(2, 2), 3), lambda t: t.linalg.matrix_norm(t.tensor(1.0)), lambda t: t.linalg.multi_dot([t.ones(2)])):
            for lib in (haft, torch):
                with self.assertRaises(RuntimeError):
                    call(lib)
        out = haft.empty(())
        self.assertIs(haft.linalg.norm(haft.ones(4), out=out), out)
        self.assertEqual(out.item(), 2)
        self.assertEqual(haft.linalg.vector_norm(haft.ones(4, dtype=haft.int64), dtype=haft.float64).dtype, haft.float64)


class Products(unittest.TestCase):
    def test_products(self):
        own, ref = haft.linalg, torch.linalg
        for name, inputs, options in (("matmul", (real(2, 3, 4), real(4, 5)), {}), ("matrix_power", (real(3, 3),), {"n": 3}), ("vecdot", (real(2, 3), real(2, 3)), {"dim": 0}),
                                      ("cross", (real(2, 3), real(2, 3)), {}), ("diagonal", (real(2, 3, 4),), {"offset": 1})):
            if hasattr(ref, name):
                parity.call_both(getattr(own, name), getattr(ref, name), list(inputs), kwargs=options)
        for shapes in (((2, 7), (7, 3), (3, 9), (9, 1)), ((4,), (4, 5), (5,)), ((2, 3), (3,)), ((4,), (4, 2))):
            parity.call_both(lambda *t: own.multi_dot(t), lambda *t: ref.multi_dot(t), [real(*s) for s in shapes])


class Decompositions(unittest.TestCase):
    def test_errors(self):
        singular = [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 4.0]]]
        for call in (lambda t, a: t.linalg.inv(a), lambda t, a: t.linalg.solve(a, t.ones(2, 2, 1)), lambda t, a: t.linalg.cholesky(-a), lambda t, a: t.inverse(a),
                     lambda t, a: t.linalg.tensorinv(a, 2), lambda t, a: t.linalg.svd(a / 0), lambda t, a: t.linalg.eigh(a, "X"),
                     lambda t, a: t.linalg.qr(a, "some"), lambda t, a: t.linalg.lu_factor(a, pivot=False), lambda t, a: t.linalg.inv(a.int()),
                     lambda t, a: t.linalg.lstsq(a, a, driver="x"), lambda t, a: t.linalg.solve(a, t.ones(3)), lambda t, a: t.linalg.det(t.ones(2, 3))):
            for lib in (haft, torch):
                with self.assertRaises(RuntimeError):
                    call(lib, lib.tensor(singular))
        with self.assertRaisesRegex(haft.linalg.LinAlgError, "matrix 1 of the batch.* number 2"):
            haft.linalg.inv(haft.tensor(singular))
        self.assertEqual(haft.linalg.inv_ex(haft.tensor(singular)).info.tolist(), [0, 2])
        self.assertEqual(*(lib.lu(lib.tensor(singular))[1].tolist() for lib in (haft, torch)))  # factors are there without an inverse
        self.assertTrue(issubclass(haft.linalg.LinAlgError, RuntimeError))
        for other in (lambda: haft.linalg.inv(haft.ones(2, 3)), lambda: haft.linalg.lstsq(haft.eye(2), haft.eye(2), driver="x"), lambda: haft.linalg.matrix_norm(haft.eye(2), 7.0)):
            with self.assertRaises(RuntimeError) as caught:
                other()
            self.assertNotIsInstance(caught.exception, haft.linalg.LinAlgError)
        with self.assertRaises(haft.linalg.LinAlgError):
            haft.linalg.cholesky(-haft.eye(2))

    def test_second_derivatives(self):
        x = haft.tensor(real(3, 3), dtype=haft.float64, requires_grad=True)
        y = haft.tensor(real(3, 2), dtype=haft.float64, requires_grad=True)
        e = haft.diag(haft.tensor([9.0, 14.0, 19.0], dtype=haft.float64))
        l = haft.linalg
        for f in (lambda a, b: l.cholesky(a @ a.mT + e), lambda a, b: l.solve(a + e, b), lambda a, b: l.inv(a + e), lambda a, b: l.det((a + e) / 9), lambda a, b: l.slogdet(a + e)[1],
                  lambda a, b: l.qr(a + e), lambda a, b: l.eigh(a + a.mT + e)[1] ** 2, lambda a, b: l.eigvalsh(a + a.mT + e), lambda a, b: l.svd(a + e)[0] ** 2,
                  lambda a, b: l.svdvals(a + e), lambda a, b: l.pinv(b + e[:, :2]), lambda a, b: l.lstsq(b + e[:, :2], a)[0], lambda a, b: l.lu_factor(b + e[:, :2])[0],
                  lambda a, b: l.matrix_exp(a / 4), lambda a, b: l.matrix_power(a + e, -2) * 81, lambda a, b: l.householder_product(b, a[0, :2]), lambda a, b: l.cond(a + e)):
            self.assertTrue(haft.autograd.gradcheck(f, (x, y)))
            self.assertTrue(haft.autograd.gradgradcheck(f, (x, y)))

    def test_determinant_of_singular_matrices(self):
        for rows in ([[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 3.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]]):
            a = haft.tensor(rows, dtype=haft.float64, requires_grad=True)
            haft.linalg.det(a).backward()
            for i in range(len(rows)):  # cofactors; PyTorch 1.13 has others
                for j in range(len(rows)):
                    minor = np.delete(np.delete(np.array(rows), i, 0), j, 1)
                    self.assertAlmostEqual(a.grad[i, j].item(), (-1) ** (i + j) * np.linalg.det(minor), delta=1e-6)
        with self.assertRaisesRegex(haft.linalg.LinAlgError, "the matrix has a value that is not finite"):
            haft.linalg.eigh(haft.eye(2) * INF)

    def test_condition_of_singular_matrices(self):
        for rows in ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [2.0, 4.0]]):
            for p in ("fro", 1, -INF):
                self.assertEqual(haft.linalg.cond(haft.tensor(rows), p).item(), INF)
        self.assertEqual(haft.linalg.cond(haft.tensor([[1.0, 0.0], [0.0, 0.0]]), "nuc").item(), INF)

    def test_no_derivative(self):
        tall = haft.tensor(real(4, 2), requires_grad=True)
        for mode in ("complete", "r"):
            with self.assertRaisesRegex(RuntimeError, "linalg_qr. with mode"):
                haft.linalg.qr(tall, mode)[1].sum().backward()

    def test_degenerate(self):
        # Equal singular values, none, and matrices without elements.
        a = haft.eye(3, dtype=haft.float64).requires_grad_()
        haft.linalg.pinv(a).sum().backward()
        self.assertEqual(a.grad.tolist(), [[-1.0] * 3] * 3)
        for shape in ((0, 3), (3, 0), (2, 0, 0), (0, 2, 2)):
            for name in ("svd", "qr", "svdvals", "pinv"):
                own, theirs = getattr(haft.linalg, name)(haft.zeros(*shape)), getattr(torch.linalg, name)(torch.zeros(*shape))
                for o, t in zip(*(((r,) if hasattr(r, "shape") else r) for r in (own, theirs))):
                    self.assertEqual(tuple(o.shape), tuple(t.shape), (name, shape))
        u, s, vh = haft.linalg.svd(haft.zeros(4, 3, dtype=haft.float64))
        self.assertEqual((s.tolist(), (u @ u.mT - haft.eye(4)).abs().max().item() < 1e-12), ([0.0] * 3, True))
        self.assertEqual(haft.linalg.det(haft.zeros(2, 0, 0)).tolist(), [1.0, 1.0])
        self.assertEqual(haft.linalg.solve(haft.zeros(0, 0), haft.zeros(0, 2)).shape, (0, 2))

    def test_sizes(self):
        # Through blocks of every kind, and by LAPACK where it is there.
        for n in (17, 40, 70, 150):
            for dtype, limit in ((haft.float64, 1e-10), (haft.float32, 2e-3)):
                a = haft.tensor(real(n, n), dtype=dtype)
                wide, one = haft.tensor(real(n, n + 9), dtype=dtype), haft.eye(n, dtype=dtype)
                spd = a @ a.mT / n + one
                far = lambda x, y: (x - y).abs().max().item()
                self.assertLess(far((lambda l: l @ l.mT)(haft.linalg.cholesky(spd)), spd), limit)
                self.assertLess(far(haft.linalg.inv(spd) @ spd, one), limit)
                p, l, u = haft.linalg.lu(wide)
                self.assertLess(far(p @ l @ u, wide), limit)
                for m in (a, wide, wide.mT):
                    q, r = haft.linalg.qr(m)
                    self.assertLess(far(q @ r, m), limit)
                    self.assertLess(far(q.mT @ q, haft.eye(q.shape[1], dtype=dtype)), limit)
                    u, s, vh = haft.linalg.svd(m, full_matrices=False)
                    self.assertLess(far((u * s) @ vh, m), limit * 10)
                    u, s, vh = haft.linalg.svd(m)
                    self.assertLess(max(far(u @ u.mT, haft.eye(u.shape[0], dtype=dtype)), far(vh @ vh.mT, haft.eye(vh.shape[0], dtype=dtype))), limit)
                w, v = haft.linalg.eigh(spd)
                self.assertLess(max(far((v * w) @ v.mT, spd), far(v.mT @ v, one)), limit)
                self.assertLess(far(haft.linalg.eigvalsh(spd), w), limit)

    def test_without_lapack(self):
        code = "import unittest, test_linalg as t; t.Decompositions('test_sizes').debug()"
        environment = dict(os.environ, HAFT_LAPACK="none")
        done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class Special(unittest.TestCase):
    def test_functions(self):
        x = real(3, 5)
        self.assertTrue({"digamma", "entr", "erfc", "erfinv", "expit", "expm1", "gammaln", "log1p", "multigammaln", "polygamma", "psi", "xlogy"} <= set(haft.special.__all__))
        for name in haft.special.__all__:
            own, ref = getattr(haft.special, name), getattr(torch.special, name)
            if name in ("softmax", "log_softmax", "logsumexp"):
                parity.call_both(own, ref, [x], kwargs={"dim": 1})
            elif name in ("xlogy", "xlog1py"):
                parity.call_both(own, ref, [x, abs(real(3, 5)) + 0.1])
                for a, b in ((0.0, float("nan")), (0.0, -1.0), (2.0, 0.0)):
                    parity.check(own(haft.tensor([a]), haft.tensor([b])), ref(torch.tensor([a]), torch.tensor([b])))
            elif name == "polygamma":
                for n in range(4):
                    parity.call_both(own, ref, [n, abs(real(3, 5)) + 0.5], limit=1e-4)
            elif name in ("gammainc", "gammaincc"):
                a, b = abs(real(3, 5)) + 0.2, abs(real(3, 5)) * 3
                parity.check(own(haft.tensor(a), haft.tensor(b)), ref(torch.tensor(a), torch.tensor(b)), limit=1e-5)
            elif "bessel_j" in name or "bessel_y" in name or "bessel_k" in name or name.startswith("modified"):  # PyTorch's have no gradients
                y = abs(real(3, 5)) * 9 + 0.1
                parity.check(own(haft.tensor(y)), ref(torch.tensor(y)), limit=1e-4)
            elif name == "multigammaln":
                parity.call_both(own, ref, [abs(x) + 3], kwargs={"p": 3}, limit=1e-4)
            else:
                parity.call_both(own, ref, [1 / (1 + abs(x)) * 0.9 + 0.05], limit=1e-4)
        parity.check(haft.special.entr(haft.tensor([0.0, -1.0, float("nan"), 2.0])), torch.special.entr(torch.tensor([0.0, -1.0, float("nan"), 2.0])))


    def test_far_out(self):
        # By 40 digits of mpmath.
        for name, x, wanted in (("log_ndtr", -40.0, -804.6084420137539), ("log_ndtr", -1.0, -1.8410216450092636), ("log_ndtr", 9.0, -1.1285884059534409e-19),
                                ("erfcx", 50.0, 0.011281536265323772), ("erfcx", -2.0, 108.94090438997797), ("ndtri", 1e-300, -37.0471), ("i0e", 800.0, 0.0141069),
                                ("scaled_modified_bessel_k0", 700.0, 0.0473624), ("bessel_j0", 30.0, -0.08636798358104021), ("bessel_y1", 12.5, -0.153838)):
            found = getattr(haft.special, name)(haft.tensor([x], dtype=haft.float64)).item()
            self.assertLess(abs(found - wanted), abs(wanted) * (1e-12 if len(str(wanted)) > 14 else 2e-4), (name, x, found))

    def test_incomplete_gamma(self):
        doubles = [haft.tensor(v, dtype=haft.float64, requires_grad=True) for v in ([0.3, 2.5, 40.0], [0.7, 1.5, 44.0])]
        for f in (haft.igamma, haft.igammac):
            self.assertTrue(haft.autograd.gradcheck(f, tuple(doubles)))
            self.assertTrue(haft.autograd.gradgradcheck(lambda x: f(doubles[0].detach(), x), (doubles[1],)))
            slope, = haft.autograd.grad(f(*doubles).sum(), doubles[0], create_graph=True)
            with self.assertRaisesRegex(RuntimeError, "no second derivative"):
                haft.autograd.grad(slope.sum(), doubles[0])
        x = haft.tensor([2.5])
        self.assertEqual((x.clone().igamma_(x).tolist(), x.igammac(x).tolist()), (haft.igamma(x, x).tolist(), haft.special.gammaincc(x, x).tolist()))
        # Of a million, where 1 less the other would be all noise.
        big = haft.tensor(1e6, dtype=haft.float64)
        self.assertLess(abs((haft.igamma(big, big * 1.001) + haft.igammac(big, big * 1.001)).item() - 1), 1e-14)
        for dtype in (haft.float32, haft.float64, haft.float16, haft.bfloat16):
            up = haft.nextafter(haft.ones(1, dtype=dtype), haft.full((1,), 2.0, dtype=dtype))
            self.assertEqual((up - 1).item(), haft.finfo(dtype).eps)
        m, e = haft.frexp(haft.tensor([3.0, -0.25, 0.0]))
        self.assertEqual((m.tolist(), e.tolist()), ([0.75, -0.5, 0.0], [2, -1, 0]))


if __name__ == "__main__":
    unittest.main()
