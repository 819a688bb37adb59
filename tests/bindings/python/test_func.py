"""haft.func: transforms of functions against closed forms and autograd, nested ones, and modules as functions of their parameters."""
import copy
import unittest

import haft
import leaks
from haft import func, nn

setUpModule, tearDownModule = leaks.guard()


def close(test, a, b, tolerance=1e-9):
    haft.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)
    flat = a if isinstance(a, (tuple, list)) else a.values() if isinstance(a, dict) else [a]
    test.assertFalse(any(isinstance(t, haft.Tensor) and t.requires_grad for t in flat))


class Gradients(unittest.TestCase):
    def setUp(self):
        haft.manual_seed(3)
        self.x, self.y = haft.randn(4, dtype=haft.float64), haft.randn(4, dtype=haft.float64)

    def test_grad(self):
        x, y = self.x, self.y
        close(self, func.grad(lambda x: x.sin().sum())(x), x.cos())
        f = lambda x, y, scale=1.0: (x * x * y).sum() * scale  # noqa: E731
        close(self, func.grad(f)(x, y), 2 * x * y)
        close(self, func.grad(f, argnums=1)(x, y, scale=3.0), 3 * x * x)
        close(self, func.grad(f, argnums=-1)(x, y), x * x)
        both = func.grad(f, argnums=(1, 0))(x, y)
        self.assertIsInstance(both, tuple)
        close(self, both, (x * x, 2 * x * y))
        close(self, func.grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": [y]}), {"a": y, "b": [x]})
        close(self, func.grad(lambda x, y: x.sum(), argnums=(0, 1))(x, y), (haft.ones_like(x), haft.zeros_like(y)))

    def test_values_and_what_stands_beside(self):
        x = self.x
        gradient, value = func.grad_and_value(lambda x: x.pow(3).sum())(x)
        close(self, (gradient, value), (3 * x * x, x.pow(3).sum()))
        gradient, aux = func.grad(lambda x: (x.sum(), {"twice": x * 2}), has_aux=True)(x)
        close(self, gradient, haft.ones_like(x))
        close(self, aux["twice"], x * 2)
        gradient, (value, aux) = func.grad_and_value(lambda x: (x.sum(), [x * 2]), has_aux=True)(x)
        close(self, (gradient, value, aux[0]), (haft.ones_like(x), x.sum(), x * 2))

    def test_nested(self):
        x = haft.tensor(0.7, dtype=haft.float64)
        f = lambda x: x.sin()  # noqa: E731
        close(self, func.grad(func.grad(f))(x), -x.sin())
        close(self, func.grad(func.grad(func.grad(f)))(x), -x.cos())
        # The inner one is of another variable, and depends on the outer one.
        close(self, func.grad(lambda a: a * func.grad(lambda b: a * b * b)(a))(x), 6 * x * x)

    def test_what_is_recorded(self):
        x = self.x.clone().requires_grad_()
        w = self.y.clone().requires_grad_()
        g = func.grad(lambda x: x.pow(3).sum())(x)
        self.assertTrue(g.requires_grad)
        close(self, haft.autograd.grad(g.sum(), x)[0], 6 * self.x)
        g = func.grad(lambda x: (x * x * w).sum())(self.x)  # of a tensor that the function holds
        self.assertTrue(g.requires_grad)
        close(self, haft.autograd.grad(g.sum(), w)[0], 2 * self.x)
        self.assertIsNone(x.grad)
        with haft.no_grad():
            close(self, func.grad(lambda x: (x * x * w).sum())(self.x), 2 * self.x * self.y)
        self.assertTrue(func.vjp(lambda x: x * w, self.x)[0].requires_grad)
        self.assertTrue(func.jacrev(lambda x: x * w)(self.x).requires_grad)
        self.assertFalse(func.vjp(lambda x: x * 2, self.x)[0].requires_grad)

    def test_refusals(self):
        x = self.x
        for error, text, call in (
                (RuntimeError, "scalar Tensor, got tensor with 1 dims", lambda: func.grad(lambda x: x)(x)),
                (RuntimeError, "to return a Tensor, got <class .tuple.>", lambda: func.grad(lambda x: (x.sum(),))(x)),
                (RuntimeError, "has_aux", lambda: func.grad(lambda x: x.sum(), has_aux=True)(x)),
                (RuntimeError, "Got argnum=1, but only 1", lambda: func.grad(lambda x: x.sum(), argnums=1)(x)),
                (ValueError, "must be Tensor, got <class .float.>", lambda: func.grad(lambda x: x)(1.0)),
                (RuntimeError, "only tensors, got Tensor, int", lambda: func.jacrev(lambda x: [x, 3])(x)),
                (ValueError, "chunk_size", lambda: func.jacrev(lambda x: x, chunk_size=0)),
                (RuntimeError, "to be tuples", lambda: func.jvp(lambda x: x, x, x)),
                (RuntimeError, "same python structure", lambda: func.jvp(lambda x: x, (x,), (x, x))),
                (RuntimeError, "structure of cotangents", lambda: func.vjp(lambda x: (x, x), x)[1]((x, x, x))),
                (ValueError, "chunk_size should be", lambda: func.vmap(lambda a: a, chunk_size=0)),
                (ValueError, "non-Tensor arguments", lambda: func.vmap(lambda a, b: a)(x, 1)),
                (ValueError, "got no inputs", lambda: func.vmap(lambda: x)()),
                (ValueError, "only return Tensors", lambda: func.vmap(lambda a: 3)(x)),
                (ValueError, "when out_dim is None", lambda: func.vmap(lambda a: a, out_dims=None)(x)),
                (RuntimeError, "under vmap", lambda: func.vmap(lambda a: a if a > 0 else -a)(x)),
                (RuntimeError, "inplace arithmetic", lambda: func.vmap(self.y.sum().add_)(x)),
                (ValueError, "same size", lambda: func.vmap(lambda a, b: a)(haft.ones(2), haft.ones(3))),
                (ValueError, "all None", lambda: func.vmap(lambda a: a, in_dims=None)(x)),
                (ValueError, "do not fit", lambda: func.vmap(lambda a: a, in_dims=(0, 0))(x)),
                (RuntimeError, "randomness", lambda: func.vmap(lambda a: a, randomness="some")),
                (RuntimeError, "random operation", lambda: func.vmap(lambda a: a + haft.rand(()))(x))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        self.assertEqual(func._open.transforms, 0)


class Products(unittest.TestCase):
    def setUp(self):
        haft.manual_seed(4)
        self.a, self.x = haft.randn(3, 4, dtype=haft.float64), haft.randn(4, dtype=haft.float64)

    def test_vjp(self):
        out, product = func.vjp(lambda x: (self.a @ x).tanh(), self.x)
        close(self, out, (self.a @ self.x).tanh())
        v = haft.randn(3, dtype=haft.float64)
        (found,) = product(v)
        close(self, found, ((1 - out * out) * v) @ self.a)
        close(self, product(v)[0], found)
        out, product, aux = func.vjp(lambda x, y: ({"s": x + y, "p": x * y}, x.sum()), self.x, self.x * 2, has_aux=True)
        close(self, product({"s": haft.ones(4, dtype=haft.float64), "p": self.x}), (1 + 2 * self.x * self.x, 1 + self.x * self.x))
        close(self, aux, self.x.sum())
        close(self, func.vjp(lambda x: haft.ones(2), self.x)[1](haft.ones(2))[0], haft.zeros_like(self.x))
        close(self, func.grad(lambda x: func.vjp(lambda y: y * y * x, x)[1](haft.ones_like(x))[0].sum())(self.x), 4 * self.x)

    def test_jvp(self):
        t = haft.randn(4, dtype=haft.float64)
        out, product = func.jvp(lambda x: x.exp(), (self.x,), (t,))
        close(self, (out, product), (self.x.exp(), self.x.exp() * t))
        out, product, aux = func.jvp(lambda x, y: ([x * y], 3), (self.x, t), (t, self.x), has_aux=True)
        close(self, (out[0], product[0]), (self.x * t, t * t + self.x * self.x))
        self.assertEqual(aux, 3)
        second = func.jvp(lambda x: func.jvp(lambda y: y.pow(3), (x,), (t,))[1], (self.x,), (t,))[1]
        close(self, second, 6 * self.x * t * t)

    def test_jacobians(self):
        for jacobian in (func.jacrev, func.jacfwd):
            close(self, jacobian(lambda x: self.a @ x)(self.x), self.a)
            found = jacobian(lambda x, s: {"y": x * s}, argnums=(0, 1))(self.x, haft.tensor(2.0, dtype=haft.float64))
            close(self, found["y"], (2 * haft.eye(4, dtype=haft.float64), self.x))
            found, aux = jacobian(lambda x: (x.sum(), "beside"), has_aux=True)(self.x)
            close(self, found, haft.ones_like(self.x))
            self.assertEqual(aux, "beside")
        x = haft.randn(2, 3, dtype=haft.float64)
        self.assertEqual(func.jacrev(lambda x: x.t() @ x)(x).shape, (3, 3, 2, 3))

    def test_hessian(self):
        h = haft.randn(4, 4, dtype=haft.float64)
        close(self, func.hessian(lambda x: x @ h @ x)(self.x), h + h.t())
        (xx, xy), (yx, yy) = func.hessian(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(self.x, self.x * 3)
        close(self, (xx, xy, yx), ((6 * self.x).diag(), (2 * self.x).diag(), (2 * self.x).diag()))
        close(self, yy, haft.zeros_like(yy))
        f = lambda x: x.sin() * x.sum()  # noqa: E731
        wanted = haft.stack([haft.autograd.functional.hessian(lambda x, i=i: f(x)[i], self.x) for i in range(4)])
        close(self, func.hessian(f)(self.x), wanted)  # of several outputs


class Slices(unittest.TestCase):
    def test_dimensions(self):
        x, y = haft.arange(12.0).reshape(3, 4), haft.arange(4.0)
        close(self, func.vmap(lambda a: a * 2)(x), x * 2)
        close(self, func.vmap(lambda a, b: a @ b, in_dims=(0, None))(x, y), x @ y)
        close(self, func.vmap(lambda a, b: a * b, in_dims=(1, 0), out_dims=1)(x, y), x * y)
        close(self, func.vmap(lambda a: a, in_dims=-1)(x), x.t())
        both = func.vmap(lambda d, s: (d["a"] + s, {"sum": d["a"].sum()}), in_dims=({"a": 0}, None), out_dims=(0, {"sum": 0}))({"a": x}, 1.0)
        close(self, (both[0], both[1]["sum"]), (x + 1, x.sum(1)))
        close(self, func.vmap(lambda a: (a, haft.tensor(5.0)), out_dims=(0, None))(x)[1], haft.tensor(5.0))
        close(self, func.vmap(func.vmap(lambda a, b: a + b, in_dims=(None, 0)), in_dims=(0, None))(y, y), y.unsqueeze(1) + y)

    def test_gradients_of_samples(self):
        haft.manual_seed(0)
        net = nn.Linear(3, 2).double()
        x, target = haft.randn(5, 3, dtype=haft.float64), haft.randn(5, 2, dtype=haft.float64)
        parameters = {name: p.detach() for name, p in net.named_parameters()}

        def loss(p, x, target):
            return (func.functional_call(net, p, x) - target).square().mean()
        found = func.vmap(func.grad(loss), in_dims=(None, 0, 0))(parameters, x, target)
        for i in range(5):
            net.zero_grad()
            (net(x[i]) - target[i]).square().mean().backward()
            for name, p in net.named_parameters():
                close(self, found[name][i], p.grad)

    def test_calls_once(self):
        haft.manual_seed(2)
        calls, x = [], haft.randn(6, 3, dtype=haft.float64)

        def f(a):
            calls.append(a.shape)
            return a.softmax(0) @ a, a[1:].cumsum(0)
        for chunk, count in ((None, 1), (4, 2), (1, 6)):
            calls.clear()
            found = func.vmap(f, chunk_size=chunk)(x)
            self.assertEqual(calls, [(3,)] * count)
            close(self, found, tuple(haft.stack(rows) for rows in zip(*map(f, x))))
        w = haft.randn(3, dtype=haft.float64, requires_grad=True)  # which the function holds
        haft.vmap(lambda a: (a * w).sin().sum())(x).sum().backward()
        close(self, w.grad, ((x * w).cos() * x).sum(0).detach())
        g = func.vmap(func.grad(lambda a: (a * w).exp().sum()))(x)
        close(self, haft.autograd.grad(g.sum(), w)[0], ((1 + x * w) * (x * w).exp()).sum(0).detach())
        y = x.clone().requires_grad_()
        g = func.vmap(func.grad(lambda a: (a * a * a).sum()))(y)
        close(self, haft.autograd.grad(g.sum(), y)[0], (6 * y).detach())
        close(self, func.vmap(lambda a: func.vjp(lambda b: b * b, a)[1](haft.ones(3, dtype=haft.float64))[0])(x), 2 * x)
        close(self, func.vmap(func.vjp(lambda b: b * b, x[0])[1])(x)[0], 2 * x[0] * x)
        close(self, func.vmap(func.hessian(lambda a: (a ** 3).sum()))(x), haft.stack([(6 * a).diag() for a in x]))
        close(self, func.vmap(lambda a, t: func.jvp(haft.sin, (a,), (t,))[1])(x, x + 1), x.cos() * (x + 1))

    def test_as_a_loop(self):
        haft.manual_seed(6)
        F = nn.functional
        x, y, image = (haft.randn(*size, dtype=haft.float64) for size in ((3, 4, 5), (3, 5, 2), (3, 2, 4, 6, 6)))
        rows, columns, kernels = haft.randint(0, 4, (3, 2)), haft.randint(0, 5, (3, 2)), haft.randn(3, 8, 2, 3, 3, dtype=haft.float64)

        def written(a):
            z = haft.zeros_like(a)
            z[0] = a[1]
            z[:, 1:3].add_(a[:, :2])
            return z.mul_(2)
        for name, f, args in (
                ("einsum", lambda a, b: haft.einsum("ij,jk->ik", a, b), (x, y)),
                ("rows", lambda a, i: a[i], (x, rows)),
                ("columns", lambda a, i: a[:, i], (x, columns)),
                ("one row", lambda a, i: a[i[0]], (x, rows)),
                ("one place", lambda a, i, j: a[i[0], j[1]] + a[1:, j[0]].sum(), (x, rows, columns)),
                ("places", lambda a, i, j: a[i, j], (x, rows, columns)),
                ("apart", lambda a, i, j: a[i, :, j], (image[:, :, :, :, 0], haft.randint(0, 2, (3, 2)), columns)),
                ("plain indices", lambda a: a[haft.tensor([0, 2]), 1:3], (x,)),
                ("put", lambda a, i, v: a.index_put((i,), v, accumulate=True), (x, rows, haft.randn(3, 2, 5, dtype=haft.float64))),
                ("kernels", lambda a, k: F.conv2d(a, k, groups=2), (image, kernels)),
                ("kernels of one image", lambda k: F.conv2d(image[0], k, groups=2), (kernels,)),
                ("tables", lambda t, i: F.embedding(i, t), (x, rows)),
                ("classes", lambda a, t: F.cross_entropy(a, t), (x, haft.randint(0, 5, (3, 4)))),
                ("written", written, (x,)),
                ("split", lambda a: a.split(2)[1].sum(0) + haft.func.grad(lambda b: (b.unbind(0)[1] * b[0]).sum())(a)[0], (x,)),
                ("nested", lambda a: haft.vmap(lambda b, c: b.dot(c), (0, None))(a, a[0]), (x,)),
                ("kernels of nested images", lambda a: haft.vmap(lambda k: F.conv2d(a, k, padding=1))(kernels[:, :, :1].expand(3, 8, 4, 3, 3)), (image,))):
            with self.subTest(name):
                close(self, haft.vmap(f)(*args), haft.stack([f(*slices) for slices in zip(*args)]))

    def test_whole_networks(self):
        haft.manual_seed(3)
        net = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.GELU(), nn.AvgPool2d(2), nn.Flatten(), nn.LayerNorm(16), nn.Linear(16, 3))
        attend = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        lookup = nn.Sequential(nn.Embedding(7, 8), nn.LSTM(8, 4, batch_first=True))
        for model, x in ((net, haft.randn(5, 2, 4, 4)), (attend, haft.randn(5, 3, 8)), (lookup, haft.randint(0, 7, (5, 3)))):
            parameters = {name: p.detach() for name, p in model.named_parameters()}

            def loss(p, a, model=model):
                y = func.functional_call(model, p, (a.unsqueeze(0),))
                return (y[0] if isinstance(y, tuple) else y).square().sum()
            found, values = func.vmap(func.grad_and_value(loss), in_dims=(None, 0))(parameters, x)
            for i in range(5):
                wanted, value = func.grad_and_value(loss)(parameters, x[i])
                self.assertLess(abs(values[i] - value).item(), 1e-4 * abs(value).item())
                for name, g in wanted.items():
                    haft.testing.assert_close(found[name][i], g, rtol=1e-3, atol=1e-4)

    def test_random_numbers(self):
        x = haft.zeros(4)
        self.assertEqual(len(set(func.vmap(lambda a: a + haft.rand(()), randomness="different")(x).tolist())), 4)
        self.assertEqual(len(set(func.vmap(lambda a: a + haft.rand(()), randomness="same")(x).tolist())), 1)


class Modules(unittest.TestCase):
    def setUp(self):
        haft.manual_seed(1)
        self.net = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.PReLU(), nn.LSTM(5, 2), nn.Identity())
        self.net[3].flatten_parameters()
        self.x = haft.randn(6, 4)

    def test_other_tensors(self):
        net, x = self.net, self.x
        other = copy.deepcopy(net)
        for p in other.parameters():
            p.data = p.data + 0.5
        before, kept = list(net.state_dict()), {name: t.clone() for name, t in net.state_dict().items()}
        state = {**dict(other.named_parameters()), **{name: b.clone() for name, b in other.named_buffers()}}
        wanted = other(x)[0]
        haft.testing.assert_close(func.functional_call(net, state, (x,))[0], wanted)
        self.assertEqual(list(net.state_dict()), before)
        for name, t in net.state_dict().items():
            haft.testing.assert_close(t, kept[name])  # running statistics, too: the call wrote into those that it was given
        self.assertEqual(state["1.num_batches_tracked"].item(), 1)
        self.assertEqual([type(p) for p in net.parameters()], [nn.Parameter] * len(list(net.parameters())))

    def test_running_statistics_of_examples(self):
        def moved(x, mean, var):
            mean, var = mean + 0, var + 0
            haft.nn.functional.batch_norm(x, mean, var, training=True)
            return mean, var

        given = haft.randn(3, 6, 4), haft.randn(3, 4), haft.rand(3, 4)
        for found, wanted in zip(func.vmap(moved)(*given), zip(*(moved(*each) for each in zip(*given)))):
            haft.testing.assert_close(found, haft.stack(wanted))

    def test_gradients_reach_them(self):
        net, x = self.net.eval(), self.x
        parameters = {name: p.detach().clone() for name, p in net.named_parameters()}
        found = func.grad(lambda p: func.functional_call(net, p, x)[0].square().sum())(parameters)
        net(x)[0].square().sum().backward()
        self.assertEqual(len(found), 9)
        for name, p in net.named_parameters():
            haft.testing.assert_close(found[name], p.grad)
        net.zero_grad()
        self.assertFalse(any(g.requires_grad for g in found.values()))

    def test_after_an_error(self):
        kept = dict(self.net.named_parameters())
        with self.assertRaises(haft.Error):
            func.functional_call(self.net, {"0.weight": haft.ones(3, 3), "2.weight": haft.ones(1)}, self.x)
        for name, p in self.net.named_parameters():
            self.assertIs(p, kept[name])

    def test_tied(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = nn.Parameter(haft.ones(2))
                self.b = self.a

            def forward(self, scale=1):
                return (self.a + self.b) * scale
        net, three = Tied(), haft.full((2,), 3.0)
        self.assertEqual(func.functional_call(net, {"a": three}).tolist(), [6, 6])
        self.assertEqual(func.functional_call(net, {"a": three}, tie_weights=False, kwargs={"scale": 2}).tolist(), [8, 8])
        with self.assertRaisesRegex(ValueError, "tied"):
            func.functional_call(net, {"a": three, "b": haft.ones(2)})
        with self.assertRaisesRegex(ValueError, r"\['a'\] appeared in multiple"):
            func.functional_call(net, [{"a": three}, {"a": three}])
        self.assertEqual(func.functional_call(net, [{"a": three}, {"b": three}]).tolist(), [6, 6])
        with self.assertRaisesRegex(RuntimeError, "Missing key.s.: 'b'."):
            func.functional_call(net, {"a": three}, strict=True)


if __name__ == "__main__":
    unittest.main()
