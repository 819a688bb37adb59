"""The recorded graph, and autograd's functions in PyTorch's older forms."""
import unittest
import warnings

import numpy as np
import torch

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()


class Graph(unittest.TestCase):
    def walked(self, node):
        return node.name().replace("torch::autograd::", ""), [self.walked(n) for n, i in node.next_functions if n is not None]

    def test_beside_pytorch(self):
        def program(h):
            x, w = h.ones(2, 3, requires_grad=True), h.ones(3, 4, requires_grad=True)
            return ((x @ w).relu() * (x + 1).sum(1, keepdim=True).expand(2, 4)).exp().sum()
        ours, theirs = program(haft).grad_fn, program(torch).grad_fn
        rename = lambda tree: (tree[0].replace("Matmul", "Mm").rstrip("01"), [rename(t) for t in tree[1]])
        self.assertEqual(rename(self.walked(ours)), rename(self.walked(theirs)))

    def test_nodes(self):
        x = haft.ones(3, requires_grad=True)
        y = x * 2
        z = y + haft.ones(3)
        node = z.grad_fn
        self.assertIs(node, z.grad_fn)
        (back, which), (none, zero) = node.next_functions
        self.assertEqual((back, which, none, zero), (y.grad_fn, 0, None, 0))
        self.assertEqual(len({back, y.grad_fn, node}), 2)
        self.assertNotEqual(back, node)
        self.assertNotEqual(back, 3)
        leaf = back.next_functions[0][0]
        self.assertRegex(repr(leaf), "<AccumulateGrad object at 0x")
        self.assertRegex(repr(node), "<AddBackward0 object at 0x")
        self.assertEqual(leaf.next_functions, ())
        self.assertTrue(leaf.variable.requires_grad and leaf.variable.data_ptr() == x.data_ptr())
        self.assertFalse(hasattr(node, "variable"))
        p, q = haft.nn.Parameter(x), haft.nn.Parameter(x)  # two leaves on one memory
        ends = [n.variable for n, _ in (p * q).grad_fn.next_functions]
        self.assertTrue(ends[0] is p and ends[1] is q)
        q.data = haft.zeros(3)
        self.assertIs((q + 1).grad_fn.next_functions[0][0].variable, q)
        self.assertIsNone(x.grad_fn)
        self.assertIsNone((x.detach() * 2).grad_fn)
        values, indices = haft.rand(3, 4, requires_grad=True).sort(1)
        self.assertEqual((values * 1).grad_fn.next_functions[0][0], values.grad_fn)
        a, b = haft.rand(4, requires_grad=True).split(2)
        self.assertEqual([(t + 1).grad_fn.next_functions[0][1] for t in (a, b)], [0, 1] if a.grad_fn == b.grad_fn else [0, 0])

        class Twice(haft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 2
        self.assertEqual(Twice.apply(x).grad_fn.name(), "TwiceBackward")
        self.assertRaises(RuntimeError, haft.autograd.graph.Node)
        # A walk by identity, as programs that draw graphs do.
        seen, todo = set(), [(z * z.relu()).grad_fn]
        while todo:
            n = todo.pop()
            if n is not None and n not in seen:
                seen.add(n)
                todo += [m for m, _ in n.next_functions]
        self.assertEqual(sorted(n.name() for n in seen), sorted(["MulBackward0", "ReluBackward0", "AddBackward0", "MulBackward0", "torch::autograd::AccumulateGrad"]))
        del x, y, z
        self.assertIsNone(leaf.variable)  # the leaf is gone


class Autograd(unittest.TestCase):
    def test_setup_context(self):
        for h in (haft,):
            class Product(h.autograd.Function):
                @staticmethod
                def forward(x, y, power):
                    return x * y ** power, x.detach() + 1

                @staticmethod
                def setup_context(ctx, inputs, output):
                    x, y, ctx.power = inputs
                    ctx.save_for_backward(x, y, output[0])
                    ctx.mark_non_differentiable(output[1])
                    ctx.seen = ctx.needs_input_grad

                @staticmethod
                def backward(ctx, g, unused):
                    x, y, z = ctx.saved_tensors
                    assert ctx.seen == ctx.needs_input_grad
                    return (g * y ** ctx.power if ctx.needs_input_grad[0] else None), (g * z * ctx.power / y if ctx.needs_input_grad[1] else None), None

            x, y = h.tensor([2.0, -3.0], requires_grad=True), h.tensor([1.5, 2.0], requires_grad=True)
            z, other = Product.apply(x, y, 3)
            self.assertFalse(other.requires_grad)
            z.sum().backward()
            wx, wy = torch.tensor([2.0, -3.0], requires_grad=True), torch.tensor([1.5, 2.0], requires_grad=True)
            (wx * wy ** 3).sum().backward()
            np.testing.assert_allclose(x.grad.numpy(), wx.grad.numpy(), rtol=1e-6)
            np.testing.assert_allclose(y.grad.numpy(), wy.grad.numpy(), rtol=1e-6)
            a, b = h.rand(3, dtype=h.float64, requires_grad=True), h.rand(3, dtype=h.float64, requires_grad=True)
            self.assertTrue(h.autograd.gradcheck(lambda a, b: Product.apply(a, b + 0.5, 2)[0], (a, b)))
            with h.no_grad():
                self.assertFalse(Product.apply(x, y, 3)[0].requires_grad)
            self.assertEqual(Product.apply(x.detach(), y, 1)[0].requires_grad, True)

    def test_old_names_of_saved_tensors_and_vjp(self):
        class Square(haft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def vjp(ctx, g):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    x, = ctx.saved_variables
                assert [w.category for w in caught] == [DeprecationWarning]
                return 2 * g * x

        x = haft.tensor([3.0], requires_grad=True)
        Square.apply(x).backward()
        self.assertEqual(x.grad.item(), 6.0)

    def test_grad_options(self):
        x, y = haft.ones(2, requires_grad=True), haft.ones(3, dtype=haft.float64, requires_grad=True)
        z = (x * 2).sum()
        g = haft.autograd.grad(z, (x, y), materialize_grads=True)
        self.assertEqual((g[0].tolist(), g[1].tolist(), g[1].dtype), ([2.0, 2.0], [0.0] * 3, haft.float64))
        z = (x * 2).sum()
        self.assertIsNone(haft.autograd.grad(z, (x, y), allow_unused=True)[1])
        for options, error in ((dict(allow_unused=False, materialize_grads=True), ValueError), (dict(is_grads_batched=True), RuntimeError)):
            self.assertRaises(error, haft.autograd.grad, (x * 2).sum(), (x, y), **options)
        self.assertRaises(RuntimeError, haft.autograd.grad, (x * 2).sum(), (x, y))

    def test_variable(self):
        Variable = haft.autograd.Variable
        x = haft.ones(2)
        v = Variable(x, requires_grad=True)
        self.assertEqual((v is x, x.requires_grad, v.requires_grad, v.data_ptr() == x.data_ptr(), type(v)), (False, False, True, True, haft.Tensor))
        self.assertTrue(isinstance(x, Variable) and isinstance(haft.nn.Parameter(x), Variable) and not isinstance(3, Variable))
        p = haft.nn.Parameter(haft.ones(2))
        self.assertFalse(Variable(p).requires_grad)
        self.assertIsNone(Variable(p * 2).grad_fn)
        self.assertRaises(TypeError, Variable, [1.0])
        with self.assertWarns(UserWarning):
            Variable(x, volatile=True)


if __name__ == "__main__":
    unittest.main()
