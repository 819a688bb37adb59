"""haft.fuse beside the same without it: values, gradients, one kernel a call, what it refuses."""
import os
import unittest

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()


def gate(x, y, scale=1.0):
    """A gated unit."""
    return haft.nn.functional.silu(x) * y * scale


class Fuse(unittest.TestCase):
    def devices(self):
        found = ["cpu"]
        folder = os.path.join(os.environ["HAFT_BINARY_DIR"], "tests")
        if os.path.exists(os.path.join(folder, "libhaft_sim.so")):
            haft.runtime.load_backend(os.path.join(folder, "libhaft_sim.so"))
            found.append("sim:0")
        return found

    def same(self, a, b):
        self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
        self.assertTrue(haft.allclose(a.cpu(), b.cpu(), atol=1e-5), (a, b))

    def test_is_the_function(self):
        for device in self.devices():
            x, y = haft.randn(3, 4).to(device), haft.randn(4).to(device)
            f = haft.fuse(gate)
            self.assertEqual((f.__name__, f.__doc__), ("gate", "A gated unit."))
            for scale in (1.0, 2.0, 2.0):
                self.same(f(x, y, scale=scale), gate(x, y, scale))
            self.assertEqual(f.traces, 2)
            if device == "cpu":
                self.assertEqual((f.kernels, f.unfused), (0, 3))
                self.assertIn("fuses no kernels", f.reason)
            else:
                self.assertEqual((f.kernels, f.unfused, f.reason), (3, 0, ""))

    def test_results_are_as_they_were_returned(self):
        x = haft.randn(3, 4)
        pair = haft.fuse(lambda x, n: (x.exp(), (x * n).sum(-1)))(x, 2)
        self.assertIsInstance(pair, tuple)
        self.same(pair[0], x.exp())
        self.same(pair[1], (x * 2).sum(-1))
        self.assertIsInstance(haft.fuse(lambda x: [x.neg(), x])(x), list)

    def test_gradients_of_every_order(self):
        for device in self.devices():
            found = []
            for f in (haft.fuse(gate), gate):
                haft.manual_seed(3)
                x, y = (haft.randn(3, 4).to(device).detach().requires_grad_(), haft.randn(4).to(device).detach().requires_grad_())
                first = haft.autograd.grad(f(x, y).square().sum(), (x, y), create_graph=True)
                found.append(first + haft.autograd.grad(first[0].mul(first[1]).sum(), (x, y)))
            for a, b in zip(*found):
                self.same(a, b)

    def test_refusals_say_what(self):
        x = haft.randn(3, 4)
        with self.assertRaisesRegex(haft.Error, "softmax does not compute element by element"):
            haft.fuse(lambda x: haft.softmax(x, 1))(x)
        with self.assertRaisesRegex(haft.Error, "not one of the function's inputs"):
            haft.fuse(lambda y: y + x)(x.clone())
        with self.assertRaisesRegex(haft.Error, "reads values on the host"):
            haft.fuse(lambda x: x * x.item())(haft.ones(1))
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            haft.fuse(lambda x: self.fail_mine())(x)

    def fail_mine(self):
        raise ZeroDivisionError("mine")


if __name__ == "__main__":
    unittest.main()
