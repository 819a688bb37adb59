"""haft.autograd: backward and grad, modes, hooks, functions of one's own, exceptions on their way, transforms, checks."""
import gc
import threading
import traceback
import unittest
import weakref

import numpy as np
import torch

import haft
import leaks
import parity

setUpModule, tearDownModule = leaks.guard()


class Square(haft.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor=1.0):
        ctx.factor = factor
        ctx.save_for_backward(x)
        return x * x * factor

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * x * grad * ctx.factor, None


class Exp(haft.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


class Gradients(unittest.TestCase):
    def test_backward_and_grad(self):
        for h in (haft, torch):
            x = h.tensor([1.0, 2.0, 3.0], requires_grad=True)
            y = h.tensor([4.0, 5.0, 6.0], requires_grad=True)
            z = x * y + x ** 3
            facts = [z.requires_grad, z.is_leaf, x.is_leaf, x.grad]
            z.backward(h.tensor([1.0, 0.5, 2.0]), retain_graph=True)
            facts += [x.grad.tolist(), y.grad.tolist()]
            z.sum().backward(retain_graph=True)
            facts += [x.grad.tolist()]
            x.grad = None
            h.autograd.backward([z.sum(), y.sum()], inputs=[x])
            facts += [x.grad.tolist(), y.grad.tolist()]
            (x * 2 * y).sum().backward(inputs=[x])
            facts += [x.grad.tolist(), y.grad.tolist()]
            x.grad.zero_()
            facts += [x.grad.tolist()]
            gx, = h.autograd.grad((x ** 4).sum(), x, create_graph=True)
            gxx, = h.autograd.grad(gx.sum(), x, create_graph=True)
            facts += [gxx.tolist(), h.autograd.grad(gxx.sum(), [x, y], allow_unused=True)[1], gxx.requires_grad]
            del x.grad
            facts += [x.grad]
            if h is haft:
                want = facts
            self.assertEqual(facts, want)

    def test_accumulated_gradient_is_one_object_to_users(self):
        x = haft.ones(3, requires_grad=True)
        (x * 2).sum().backward()
        x.grad[0] = 7
        x.grad.mul_(2)
        self.assertEqual(x.grad.tolist(), [14, 4, 4])

    def test_backward_of_chosen_inputs(self):
        for h in (haft, torch) if torch else (haft,):
            x, y, far = (h.tensor(v, requires_grad=True) for v in (2.0, 3.0, 4.0))
            x.grad = before = h.tensor(1.0)
            seen = []
            x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item())) if h is haft else None
            z = x * y
            z.retain_grad() if h is torch else None
            h.autograd.backward([z * z], inputs=[x, x, z, far], retain_graph=True)
            self.assertEqual((x.grad.item(), z.grad.item(), y.grad, far.grad), (37, 12, None, None))
            self.assertEqual(before.item(), 37)  # added in place
            (z * 2).backward(inputs=[y])
            self.assertEqual((x.grad.item(), y.grad.item()), (37, 4))
            self.assertEqual(seen, [37] if h is haft else [])
            with self.assertRaisesRegex(RuntimeError, "cannot be empty"):
                h.autograd.backward([x * 2], inputs=[])

    def test_retained_gradients_are_their_own(self):
        x = haft.ones(3, requires_grad=True)
        a = x * 2
        b = a + 0.5
        for t in (a, b):
            t.retain_grad()
        b.sum().backward()
        b.grad.mul_(7)
        self.assertEqual((a.grad.tolist(), b.grad.tolist()), ([1] * 3, [7] * 3))

    def test_seeds_and_gradients_of_other_types_and_shapes(self):
        x = haft.ones(3, requires_grad=True)
        (x * 2).backward(haft.full((3,), 2, dtype=haft.float64))
        self.assertEqual((x.grad.dtype, x.grad.tolist()), (haft.float32, [4] * 3))

        class Widened(haft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1

            @staticmethod
            def backward(ctx, grad):
                return haft.ones(4, 3)
        x.grad = None
        Widened.apply(x).sum().backward()
        self.assertEqual(x.grad.tolist(), [4] * 3)

    def test_a_view_that_a_function_answers_is_not_written(self):
        class Same(haft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.detach()

            @staticmethod
            def backward(ctx, grad):
                return grad * 10
        x = haft.ones(3, requires_grad=True)
        for write in (lambda h, y: y.mul_(3), lambda h, y: (h.mul_(3), y.sum().backward())):
            h = x * 1
            with self.assertRaisesRegex(RuntimeError, "in.place"):
                write(h, Same.apply(h))
        Same.apply(x * 1).clone().mul_(3).sum().backward()
        self.assertEqual(x.grad.tolist(), [30] * 3)

    def test_errors(self):
        x = haft.ones(3, requires_grad=True)
        y = (x * x).sum()
        y.backward()
        for call, error in ((y.backward, RuntimeError), ((x * x).backward, RuntimeError), (haft.ones(2).sum().backward, RuntimeError), (lambda: haft.autograd.grad(x.sum(), haft.ones(2, requires_grad=True)), RuntimeError),
                            (lambda: x.add_(1), RuntimeError), (lambda: (x * 2).requires_grad_(False), RuntimeError), (lambda: haft.arange(3).requires_grad_(), RuntimeError),
                            (lambda: setattr(x, "grad", haft.ones(4)), RuntimeError), (lambda: setattr(x, "grad", 3), TypeError), (lambda: haft.ones(2).register_hook(print), RuntimeError), (lambda: x.backward(haft.ones(4)), RuntimeError)):
            with self.assertRaises(error):
                call()
        z = x * x
        w = z * z
        z.add_(1)
        with self.assertRaises(haft.AutogradError) as caught:
            w.sum().backward()
        self.assertIn("in place", str(caught.exception))

    def test_modes(self):
        x = haft.ones(2, requires_grad=True)
        with haft.no_grad():
            self.assertFalse((x * 2).requires_grad or haft.is_grad_enabled())
            with haft.enable_grad():
                self.assertTrue((x * 2).requires_grad)
            self.assertFalse(haft.is_grad_enabled())
        with haft.inference_mode():
            y = x * 2
            self.assertTrue(haft.is_inference_mode_enabled())
        self.assertFalse(y.requires_grad)
        with haft.set_grad_enabled(False):
            self.assertFalse(haft.is_grad_enabled())
        self.assertTrue(haft.is_grad_enabled())

        @haft.no_grad()
        def f(t):
            return t * 2

        @haft.no_grad
        def g(t):
            return t * 2

        @haft.set_grad_enabled(False)
        def s(t):
            return t * 2

        @haft.no_grad()
        def items():
            yield haft.is_grad_enabled()
            yield haft.is_grad_enabled()
        self.assertFalse(f(x).requires_grad or g(x).requires_grad or s(x).requires_grad)
        seen = []
        for v in items():
            seen += [v, haft.is_grad_enabled()]
        self.assertEqual(seen, [False, True, False, True])
        try:
            with haft.no_grad():
                raise KeyError
        except KeyError:
            pass
        self.assertTrue(haft.is_grad_enabled())
        results = []
        with haft.no_grad():
            thread = threading.Thread(target=lambda: results.append(haft.is_grad_enabled()))
            thread.start()
            thread.join()
        self.assertEqual(results, [True])
        with haft.autograd.detect_anomaly():
            z = haft.zeros(1, requires_grad=True)
            with self.assertRaises(RuntimeError) as caught:
                (z.sqrt() * 0).sum().backward()
            self.assertIn("sqrt", str(caught.exception))

    def test_detach_and_data(self):
        x = haft.ones(3, requires_grad=True)
        y = (x * 2)
        self.assertFalse(y.detach().requires_grad)
        y.detach_()
        self.assertTrue(y.is_leaf and not y.requires_grad)
        x.data.fill_(5)
        self.assertEqual(x.tolist(), [5, 5, 5])
        x.data = haft.zeros(3)
        self.assertTrue(x.requires_grad and x.tolist() == [0, 0, 0])
        x.data = haft.zeros(2, 2)
        self.assertTrue(x.requires_grad and x.shape == (2, 2))
        with haft.no_grad():
            x -= 1
        self.assertTrue(x.requires_grad and x.sum().item() == -4)


class Hooks(unittest.TestCase):
    def test_hooks(self):
        x = haft.ones(2, requires_grad=True)
        seen = []
        handle = x.register_hook(lambda g: seen.append(g.tolist()))
        other = x.detach().requires_grad_() if False else x
        scale = other.register_hook(lambda g: g * 10)
        (x * 3).sum().backward()
        self.assertEqual((seen, x.grad.tolist()), ([[3, 3]], [30, 30]))
        handle.remove()
        handle.remove()
        x.grad = None
        (x * 3).sum().backward()
        self.assertEqual((len(seen), x.grad.tolist()), (1, [30, 30]))
        with scale:
            pass
        x.grad = None
        y = x * 2
        y.retain_grad()
        y.register_hook(lambda g: None)
        (y * y).sum().backward()
        self.assertEqual((y.grad.tolist(), y.retains_grad, x.grad.tolist()), ([4, 4], True, [8, 8]))
        after = []
        x.register_post_accumulate_grad_hook(lambda t: after.append(t.grad.tolist()))
        x.sum().backward()
        self.assertEqual(after, [[9, 9]])

    def test_exceptions_arrive_as_themselves(self):
        class Mine(Exception):
            pass
        error = Mine("user bug")

        def hook(g):
            raise error
        x = haft.ones(2, requires_grad=True)
        x.register_hook(hook)
        for _ in range(3):
            try:
                (x * 2).sum().backward()
                self.fail("nothing was raised")
            except Mine as caught:
                self.assertIs(caught, error)
                self.assertIn("hook", [f.name for f in traceback.extract_tb(caught.__traceback__)])
        y = haft.ones(2, requires_grad=True)
        y.register_hook(lambda g: "no tensor")
        with self.assertRaises(TypeError):
            y.sum().backward()
        with self.assertRaises(RuntimeError):
            z = haft.ones(2, requires_grad=True)
            z.register_hook(lambda g: haft.ones(5))
            z.sum().backward()
        with self.assertRaises(TypeError):
            x.register_hook(3)
        error.__traceback__ = None

    def test_a_hook_goes_with_its_tensor(self):
        class Callable:
            def __call__(self, g):
                return None
        c = Callable()
        w = weakref.ref(c)
        x = haft.ones(2, requires_grad=True)
        x.register_hook(c)
        del c
        gc.collect()
        self.assertIsNotNone(w())
        del x
        gc.collect()
        self.assertIsNone(w())


class Functions(unittest.TestCase):
    def test_own_function(self):
        x = haft.randn(4, dtype=haft.float64, requires_grad=True)
        y = Square.apply(x, 3.0)
        self.assertEqual(y.grad_fn.name(), "SquareBackward")
        y.sum().backward()
        self.assertTrue(x.grad.allclose(6 * x.detach()))
        for f in (lambda t: Square.apply(t, 2.0), Exp.apply, lambda t: Exp.apply(Square.apply(t)), lambda t: Square.apply(Exp.apply(t) * t)):
            self.assertTrue(haft.autograd.gradcheck(f, (x,)))
            self.assertTrue(haft.autograd.gradgradcheck(f, (x,)))
        self.assertEqual(Square.apply(haft.ones(2)).tolist(), [1, 1])
        with haft.no_grad():
            self.assertFalse(Square.apply(x).requires_grad)
        with self.assertRaises(RuntimeError):
            Square(x)

    def test_several_outputs_none_and_marks(self):
        seen = []

        class Several(haft.autograd.Function):
            @staticmethod
            def forward(ctx, a, b, name):
                index = (a > b)
                ctx.save_for_backward(a, None, b)
                ctx.mark_non_differentiable(index)
                return a * b, index, a + b, name

            @staticmethod
            def backward(ctx, g, gi, gs, gn):
                a, none, b = ctx.saved_tensors
                seen.append((none, ctx.needs_input_grad, gs.tolist() if gs is not None else None, gn))
                return g * b + gs, None, None
        a, b = haft.tensor([1.0, 2.0], requires_grad=True), haft.tensor([3.0, 1.0])
        product, index, total, name = Several.apply(a, b, "name")
        self.assertEqual((index.tolist(), index.requires_grad, name), ([False, True], False, "name"))
        product.sum().backward()
        self.assertEqual((a.grad.tolist(), seen), ([3, 1], [(None, (True, False, False), [0, 0], None)]))

    def test_an_input_changed_in_place_takes_the_history(self):
        def results(lib):
            class Clip(lib.autograd.Function):
                @staticmethod
                def forward(ctx, x, low):
                    x.clamp_(min=low)
                    ctx.mark_dirty(x)
                    ctx.save_for_backward(x)
                    ctx.low = low
                    return x

                @staticmethod
                def backward(ctx, g):
                    y, = ctx.saved_tensors
                    return 5 * g * y * (y > ctx.low), None

            class Scale(lib.autograd.Function):
                @staticmethod
                def forward(ctx, x, w):
                    ctx.save_for_backward(w)
                    ctx.mark_dirty(x)
                    return x.mul_(w)

                @staticmethod
                def backward(ctx, g):
                    w, = ctx.saved_tensors
                    return g * w, g * 7
            values = [0.5, -2.0, 3.0, 0.25]
            out = []
            x = lib.tensor(values, requires_grad=True)
            y = x * 3
            z = Clip.apply(y, 0.0)
            out += [z is y, y._version > 0, z.tolist(), *lib.autograd.grad((y * y).sum(), x)[0].tolist()]
            y = x * 3  # twice through what was saved
            Clip.apply(y, 0.0)
            g, = lib.autograd.grad(y.square().sum(), x, create_graph=True)
            out += lib.autograd.grad(g.sum(), x)[0].tolist()
            y = x * 3  # a part of what others see
            w = lib.tensor([2.0, -1.0], requires_grad=True)
            Scale.apply(y[1:3], w)
            y.square().sum().backward()
            out += [*x.grad.tolist(), *w.grad.tolist()]
            plain = lib.ones(2)  # comes into the graph by the call
            out += [Scale.apply(plain, w) is plain, *lib.autograd.grad(plain.square().sum(), w)[0].tolist()]
            kept = (x * 3).exp()  # its gradient needs the numbers from before
            loss = kept.square().sum()
            Clip.apply(kept, 1.0)
            for call in (loss.backward, lambda: Clip.apply(x, 0.0)):
                with self.assertRaises(RuntimeError):
                    call()
            return out
        for own, theirs in zip(results(haft), results(torch), strict=True):
            self.assertEqual(own, theirs)

    def test_wrong_answers(self):
        def make(backward, forward=lambda ctx, x: x * 2):
            return type("F", (haft.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
        x = haft.ones(3, requires_grad=True)
        for function, error in ((make(lambda ctx, g: ()), RuntimeError), (make(lambda ctx, g: (g, g)), RuntimeError), (make(lambda ctx, g: "a"), (TypeError, RuntimeError)), (make(lambda ctx, g: haft.ones(7)), RuntimeError), (make(lambda ctx, g: {}["key"]), KeyError)):
            with self.assertRaises(error):
                function.apply(x).sum().backward()
        with self.assertRaisesRegex(TypeError, "F.backward answers tensors or None, got int"):
            make(lambda ctx, g: 3).apply(x).sum().backward()
        with self.assertRaises(ZeroDivisionError):
            make(None, lambda ctx, x: 1 / 0).apply(x)

    def test_once_differentiable(self):
        class Once(haft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            @haft.autograd.function.once_differentiable
            def backward(ctx, g):
                return 2 * ctx.saved_tensors[0] * g
        x = haft.tensor([3.0], requires_grad=True)
        self.assertEqual(haft.autograd.grad(Once.apply(x), x)[0].item(), 6)
        g, = haft.autograd.grad(Once.apply(x), x, create_graph=True)
        with self.assertRaises(RuntimeError):
            g.sum().backward()

    def test_memory_is_freed(self):
        x = haft.ones(4, requires_grad=True)
        before = leaks.now()
        y = Square.apply(x * 1)
        del y
        self.assertEqual(leaks.now(), before)
        y = Exp.apply(Square.apply(x)).sum()
        y.backward()
        x.grad = None
        del y
        self.assertEqual(leaks.now(), before)

    def test_threads(self):
        errors = []

        def work(seed):
            try:
                x = haft.full((50,), float(seed), requires_grad=True)
                for _ in range(100):
                    x.grad = None
                    Square.apply(x, 0.5).sum().backward()
                    if x.grad[0].item() != seed:
                        raise AssertionError(x.grad)
            except Exception as e:
                errors.append(e)
        threads = [threading.Thread(target=work, args=(i + 1,)) for i in range(6)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(errors, [])


class Transforms(unittest.TestCase):
    def test_beside_pytorch(self):
        a, b = parity.real(3, dtype="float64"), parity.real(3, dtype="float64")
        v, s = parity.real(3, dtype="float64"), np.array(1.5)
        functions = {"vector": lambda h: (lambda x: (x ** 3).sin() * x.flip(0)), "number": lambda h: (lambda x: (x.exp() * x.roll(1, 0)).sum())}
        for name, args in (("jacobian", ("vector", ())), ("jacobian", ("number", ())), ("hessian", ("number", ())), ("vjp", ("vector", (v,))), ("vjp", ("number", (s,))), ("jvp", ("vector", (v,))), ("jvp", ("number", (v,))), ("vhp", ("number", (v,))), ("hvp", ("number", (v,)))):
            results = [getattr(h.autograd.functional, name)(functions[args[0]](h), h.tensor(a), *[h.tensor(t) for t in args[1]]) for h in (haft, torch)]
            for x, y in zip(parity.leaves(results[0]), parity.leaves(results[1])):
                parity.check(x, y, name)
        both = [h.autograd.functional.jacobian(lambda x, y: (x * y, (x + y).sum()), (h.tensor(a), h.tensor(b))) for h in (haft, torch)]
        for x, y in zip(parity.leaves(both[0]), parity.leaves(both[1])):
            parity.check(x, y)
        both = [h.autograd.functional.hessian(lambda x, y: (x * y * y).sum(), (h.tensor(a), h.tensor(b))) for h in (haft, torch)]
        for x, y in zip(parity.leaves(both[0]), parity.leaves(both[1])):
            parity.check(x, y)

    def test_saved_tensors_go_through_hooks(self):
        for h in (haft, torch):
            x, packed = h.tensor([1.0, 2.0, 3.0], requires_grad=True), []
            with h.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or len(packed), lambda n: packed[n - 1] * 10):
                y = (x * x).sum()
            x.exp()  # is kept as it is
            y.backward()
            self.assertEqual((len(packed), x.grad.tolist()), (2, [20.0, 40.0, 60.0]))
            x.grad = None
            with h.autograd.graph.save_on_cpu(pin_memory=False):
                y = (x * x).sum()
            y.backward()
            self.assertEqual(x.grad.tolist(), [2.0, 4.0, 6.0])

        class Mine(Exception):
            pass

        def fail(_):
            raise Mine
        x = haft.ones(2, requires_grad=True)
        hooks = haft.autograd.graph.saved_tensors_hooks
        with self.assertRaises(Mine), hooks(fail, lambda t: t):
            x.exp()
        with hooks(lambda t: t, fail):
            y = x.exp().sum()
        self.assertRaises(Mine, y.backward)
        with hooks(lambda t: t, lambda t: None):
            y = x.exp().sum()
        self.assertRaisesRegex((RuntimeError, ValueError), "unpack", y.backward)
        del y
        held = weakref.ref(packed_object := Mine())
        with hooks(lambda t: packed_object, lambda p: haft.ones(2)):
            y = x.exp().sum()
        del packed_object
        y.backward()  # lets go of what was packed
        gc.collect()
        self.assertIsNone(held())

    def test_callbacks_at_the_end_of_backward(self):
        for h in (haft, torch):
            x, seen = h.ones(2, requires_grad=True), []
            y = x * 3
            engine = h.autograd.Variable._execution_engine
            y.register_hook(lambda g: engine.queue_callback(lambda: seen.append(x.grad.tolist())))
            y.sum().backward()
            self.assertEqual(seen, [[3.0, 3.0]])
            with self.assertRaises((RuntimeError, ValueError)):
                engine.queue_callback(lambda: None)

    def test_gradcheck_finds_mistakes(self):
        class Wrong(haft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g):
                return 3 * ctx.saved_tensors[0] * g
        x = haft.ones(2, dtype=haft.float64, requires_grad=True)
        with self.assertRaises(haft.autograd.GradcheckError):
            haft.autograd.gradcheck(Wrong.apply, (x,))
        self.assertFalse(haft.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False))
        with self.assertRaises(ValueError):
            haft.autograd.gradcheck(haft.exp, (haft.ones(2),))


if __name__ == "__main__":
    unittest.main()
