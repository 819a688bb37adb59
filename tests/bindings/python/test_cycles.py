"""Cycles through the engine: objects that hooks and attributes of tensors hold are collected like any others."""
import gc
import threading
import unittest
import weakref

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()


class Recorder(haft.nn.Module):
    """module -> parameter -> hook -> module."""

    def __init__(self, register="register_hook"):
        super().__init__()
        self.w = haft.nn.Parameter(haft.ones(3))
        self.seen = []
        self.handle = getattr(self.w, register)(lambda g: self.seen.append(g.tolist()))

    def forward(self, x):
        return (self.w * x).sum()


def gone(make):
    """Whether what make() answers is collected."""
    gc.collect()
    died = weakref.ref(make())
    before = died() is not None
    gc.collect()
    return before, died() is None


class Cycles(unittest.TestCase):
    def test_modules_with_hooks(self):
        for register in ("register_hook", "register_post_accumulate_grad_hook"):
            with self.subTest(register):
                self.assertEqual(gone(lambda: Recorder(register)), (True, True))

                def trained():
                    m = Recorder(register)
                    m(haft.arange(3.0)).backward()
                    self.assertEqual(len(m.seen), 1)
                    return m
                self.assertEqual(gone(trained), (True, True))

                def frozen():
                    m = trained()
                    m.w.requires_grad_(False)
                    return m
                self.assertEqual(gone(frozen), (True, True))

    def test_results_with_hooks(self):
        class Holder:
            pass

        def made():
            holder = Holder()
            holder.x = haft.ones(2, requires_grad=True)
            holder.y = holder.x * 2
            holder.y.register_hook(lambda g: holder)
            return holder
        self.assertEqual(gone(made), (True, True))

    def test_attributes(self):
        for base in (lambda: haft.ones(2), lambda: haft.nn.Parameter(haft.ones(2))):
            class Owner:
                pass

            def made():
                owner = Owner()
                owner.t = base()
                owner.t.owner = owner
                return owner
            self.assertEqual(gone(made), (True, True))

            def by_dict():
                owner = Owner()
                owner.t = base()
                owner.t.__dict__["owner"] = owner
                return owner
            self.assertEqual(gone(by_dict), (True, True))
            t = base()
            t.me = t
            died = weakref.ref(t)
            del t
            gc.collect()
            self.assertIsNone(died())

    def test_a_graph_keeps_the_hook(self):
        """Nobody in Python holds the module any more, but the loss does."""
        def loss():
            m = Recorder()
            seen.append(m.seen)
            return m(haft.arange(3.0)), weakref.ref(m)

        seen = []
        value, module = loss()
        for _ in range(3):
            gc.collect()
        self.assertIsNotNone(module())
        value.backward()
        self.assertEqual(seen[0], [[0.0, 1.0, 2.0]])
        del value
        gc.collect()
        self.assertIsNone(module())

    def test_others_keep_the_hook(self):
        for keep in (lambda m: m.w.detach().as_subclass(haft.Tensor) if False else m.w.as_subclass(haft.Tensor), lambda m: (m.w * 2), lambda m: m.w.view(3)):
            m = Recorder()
            kept, died = keep(m), weakref.ref(m)
            del m
            gc.collect()
            self.assertIsNotNone(died())
            (kept * 3).sum().backward()
            self.assertEqual(len(died().seen), 1)
            del kept
            gc.collect()
            self.assertIsNone(died())

    def test_removed_hooks_are_let_go_at_once(self):
        class Called:
            def __call__(self, g):
                pass
        x, hook = haft.ones(2, requires_grad=True), Called()
        died = weakref.ref(hook)
        handle = x.register_hook(hook)
        del hook
        gc.collect()
        self.assertIsNotNone(died())
        handle.remove()
        handle.remove()
        self.assertIsNone(died())
        (x * 2).sum().backward()

    def test_a_hook_without_its_object(self):
        """The object that the hook was registered with goes; the tensor in the graph keeps it."""
        class Called:
            times = 0

            def __call__(self, g):
                Called.times += 1
        x = haft.ones(2, requires_grad=True)
        y = x * 2
        y.register_hook(Called())
        z = y.sum()
        del y
        gc.collect()
        z.backward()
        self.assertEqual(Called.times, 1)

    def test_plain_tensors_cost_the_collector_nothing(self):
        x = haft.ones(3)
        self.assertFalse(gc.is_tracked(x))
        self.assertFalse(gc.is_tracked(x * 2))
        x.note = 1
        self.assertTrue(gc.is_tracked(x))

    def test_many_threads(self):
        stop, errors = threading.Event(), []

        def work():
            try:
                while not stop.is_set():
                    m = Recorder()
                    for _ in range(3):
                        m(haft.rand(3)).backward()
                    if len(m.seen) != 3:
                        errors.append(len(m.seen))
                    m.w.note = m
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for _ in range(60):
            gc.collect()
        stop.set()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])
        gc.collect()
        self.assertEqual([o for o in gc.get_objects() if isinstance(o, Recorder)], [])

    def test_a_finalizer_may_look_at_the_tensor(self):
        class Finalized(Recorder):
            looked = []

            def __del__(self):
                Finalized.looked.append(self.w.tolist())
        self.assertEqual(gone(Finalized), (True, True))
        self.assertEqual(Finalized.looked, [[1.0] * 3])


if __name__ == "__main__":
    unittest.main()
