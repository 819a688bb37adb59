"""haft.utils.checkpoint beside the same without it: gradients, random numbers, memory."""
import collections
import contextlib
import unittest

import haft
import leaks
from haft import nn
from haft.utils.checkpoint import checkpoint, checkpoint_sequential

setUpModule, tearDownModule = leaks.guard()


def grads(net):
    found = [None if p.grad is None else p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    return found


class Checkpoint(unittest.TestCase):
    def same(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertEqual(x is None, y is None)
            if x is not None:
                self.assertTrue(haft.allclose(x, y, atol=1e-6), (x - y).abs().max())

    def test_gradients(self):
        net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.4), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
        for wanted in (True, False):
            for reentrant in (True, False):
                x = haft.randn(5, 4, requires_grad=wanted)
                haft.manual_seed(4)
                y = net(x)
                y.square().sum().backward()
                want, want_x, after = grads(net), x.grad, haft.get_rng_state()
                if wanted:
                    x.grad = None
                haft.manual_seed(4)
                z = checkpoint(net, x, use_reentrant=reentrant)
                self.assertTrue(haft.equal(z, y))
                haft.rand(10)
                here = haft.get_rng_state()
                z.square().sum().backward()
                self.assertTrue(haft.equal(haft.get_rng_state(), here))
                self.same(grads(net) + [x.grad], want + [want_x])
                haft.manual_seed(4)
                found = haft.autograd.grad(checkpoint(net, x).square().sum(), list(net.parameters()))
                self.same(found, want)
                del after

    def test_nested_arguments_and_results(self):
        w = haft.randn(3, requires_grad=True)

        def f(pair, scale=1.0, *, more):
            a, (b, n) = pair
            return {"y": a * w * scale + b, "n": n, "z": (a.detach() * 2, more["k"] * w.sum())}

        def run(call):
            a, b, k = (haft.ones(3, requires_grad=True) for _ in range(3))
            out = call(f, (a * 2, (b, 7)), 3.0, more={"k": k})
            self.assertEqual((out["n"], out["z"][0].requires_grad), (7, False))
            (out["y"].sum() + out["z"][1].sum() * 2).backward()
            found = [t.grad for t in (a, b, k, w)]
            w.grad = None
            return found
        self.same(run(checkpoint), run(lambda f, *a, **k: f(*a, **k)))

    def test_an_argument_that_the_function_uses_itself(self):
        w = haft.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = checkpoint(lambda a: a * w + w[:1] * 2, w)
        y.sum().backward()
        self.assertEqual((y.tolist(), w.grad.tolist()), ([3.0, 6.0, 11.0], [8.0, 4.0, 6.0]))

    def test_one_in_another(self):
        net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
        x = haft.randn(2, 3, requires_grad=True)
        net(net(net(x))).sum().backward()
        want = grads(net) + [x.grad]
        x.grad = None
        checkpoint(lambda x: net(checkpoint(lambda y: net(net(y)), x)), x).sum().backward()
        self.same(grads(net) + [x.grad], want)

    def test_sequential(self):
        net = nn.Sequential(*[m for _ in range(5) for m in (nn.Linear(4, 4), nn.Tanh())])
        x = haft.randn(3, 4, requires_grad=True)
        net(x).sum().backward()
        want = grads(net) + [x.grad]
        for functions, segments in ((net, 3), (list(net), 1), (net, 10)):
            x.grad = None
            checkpoint_sequential(functions, segments, x).sum().backward()
            self.same(grads(net) + [x.grad], want)
        with self.assertRaisesRegex(ValueError, "Unexpected keyword arguments: other"):
            checkpoint_sequential(net, 2, x, other=1)

    def test_memory_and_calls(self):
        calls = []

        def block(x):
            calls.append(1)
            for _ in range(10):
                x = (x + 1).tanh()
            return x
        x = haft.randn(1 << 16, requires_grad=True)
        live = haft._haft.memory_stats().live
        y = block(x)
        plain = haft._haft.memory_stats().live - live
        del y
        y = checkpoint(block, x)
        kept = haft._haft.memory_stats().live - live
        self.assertLess(kept, plain / 3)
        y.sum().backward()
        self.assertEqual(len(calls), 3)
        with haft.no_grad():
            self.assertFalse(checkpoint(block, x).requires_grad)
        self.assertFalse(checkpoint(block, x.detach()).requires_grad)

    def test_higher_orders_and_gradients_inside(self):
        def f(x):
            y = (x.exp() * x).sum()
            inner, = haft.autograd.grad(y, x, create_graph=True)
            return inner.square().sum() + y
        a, b = (haft.tensor([0.3, -0.2], dtype=haft.float64, requires_grad=True) for _ in range(2))
        for x, call in ((a, checkpoint), (b, lambda f, x: f(x))):
            first, = haft.autograd.grad(call(f, x), x, create_graph=True)
            first.sum().backward()
        self.assertTrue(haft.allclose(a.grad, b.grad, rtol=1e-12, atol=0))

    def test_containers_of_other_classes(self):
        class Batch(dict):
            name = "none"

        class Several(list):
            pass
        x = haft.randn(3, requires_grad=True)
        batch, counted = Batch(a=x * 2), collections.defaultdict(list, b=[x * 3])
        batch.name = "first"
        seen = []

        def f(batch, counted, several):
            seen.append((type(batch), batch.name, counted["missing"], type(several)))
            return batch["a"].exp() + counted["b"][0].sin() + several[0]
        checkpoint(f, batch, counted, Several([x])).sum().backward()
        self.assertEqual(seen, [(Batch, "first", [], Several)] * 2)
        self.assertTrue(haft.allclose(x.grad, 2 * (2 * x).exp() + 3 * (3 * x).cos() + 1))

    def test_keywords(self):
        x, events = haft.randn(3, requires_grad=True), []

        @contextlib.contextmanager
        def noted(name):
            events.append(name)
            yield

        @checkpoint(context_fn=lambda: (noted("first"), noted("again")), use_reentrant=False, debug=True, early_stop=False)
        def f(x, power=2):
            """Of x."""
            return (x ** power).sum()
        self.assertEqual((f.__name__, f.__doc__), ("f", "Of x."))
        y = f(x, power=3)
        self.assertEqual(events, ["first"])
        y.backward()
        self.assertEqual(events, ["first", "again"])
        self.assertTrue(haft.allclose(x.grad, 3 * x * x))
        with self.assertRaisesRegex(ValueError, "determinism_check"):
            checkpoint(f, x, determinism_check="some")
        with self.assertRaisesRegex(ValueError, "powr"):
            checkpoint(powr=2)

    def test_errors(self):
        x = haft.ones(2, requires_grad=True)
        for fails in (False, True):
            state = []

            def f(x):
                state.append(1)
                if len(state) == 2 and fails:
                    raise KeyError("again")
                return (x.exp(),) if len(state) == 1 else (x.exp(), x.sin())
            y, = checkpoint(f, x, early_stop=False)
            with self.assertRaisesRegex(KeyError if fails else RuntimeError, "again"):
                y.sum().backward()

    def test_early_stop(self):
        from haft.utils.checkpoint import set_checkpoint_early_stop
        for said, argument, ends in ((None, True, 1), (None, False, 2), (False, True, 2), (True, False, 1)):
            ends_seen, x = [], haft.tensor([0.3, -0.7], requires_grad=True)

            def f(x):
                h = x.exp()  # its result is all that is kept
                ends_seen.append(1)
                return h + 1
            if said is None:
                y = checkpoint(f, x, early_stop=argument)
            else:
                with set_checkpoint_early_stop(said):
                    y = checkpoint(f, x, early_stop=argument)
            y.sum().backward()
            self.assertEqual(len(ends_seen), ends)
            self.assertTrue(haft.allclose(x.grad, x.detach().exp()))

    def test_debug(self):
        from haft.utils.checkpoint import set_checkpoint_debug_enabled
        for by_argument in (True, False):
            runs = []

            def f(x):
                runs.append(1)
                return x.exp() if len(runs) == 1 else x.sin().exp()
            x = haft.ones(2, requires_grad=True)
            if by_argument:
                y = checkpoint(f, x, debug=True, early_stop=False)
            else:
                with set_checkpoint_debug_enabled(True):
                    y = checkpoint(f, x)
            with self.assertRaisesRegex(RuntimeError, "operators of the first run: exp\\noperators of the second run: sin"):
                y.sum().backward()


if __name__ == "__main__":
    unittest.main()
