"""fork and wait; what is not there says so."""
import threading
import time
import unittest

import haft
import haft.jit as jit
import leaks

setUpModule, tearDownModule = leaks.guard()


def fibonacci(n):
    if n < 2:
        return n
    other = jit.fork(fibonacci, n - 1)
    return fibonacci(n - 2) + jit.wait(other)


class Fork(unittest.TestCase):
    def test_results_and_gradients(self):
        x = haft.randn(50, 50, requires_grad=True)
        parts = [jit.fork(lambda k: (x * k).tanh().sum(), k) for k in range(8)]
        total = sum(jit.wait(p) for p in parts)
        total.backward()
        y = x.detach().requires_grad_()
        sum((y * k).tanh().sum() for k in range(8)).backward()
        self.assertTrue(haft.allclose(x.grad, y.grad))

    def test_recording_is_the_callers(self):
        x = haft.ones(1, requires_grad=True)
        with haft.no_grad():
            self.assertFalse(jit.fork(lambda: x * 2).wait().requires_grad)
        self.assertTrue(jit.fork(lambda: x * 2).wait().requires_grad)

    def test_forks_that_wait_for_forks(self):
        self.assertEqual(fibonacci(9), 34)

    def test_at_the_same_time(self):
        barrier = threading.Barrier(5, timeout=300)
        parts = [jit.fork(barrier.wait) for _ in range(5)]
        self.assertEqual(sorted(p.wait() for p in parts), [0, 1, 2, 3, 4])

    def test_the_exception_arrives_itself(self):
        error = KeyError("mine")

        def bad():
            raise error

        future = jit.fork(bad)
        for _ in range(2):
            with self.assertRaises(KeyError) as caught:
                future.wait()
            self.assertIs(caught.exception, error)

    def test_futures(self):
        future, seen = jit.Future(), []
        future.add_done_callback(seen.append)
        after = future.then(lambda f: f.value() + 1)
        self.assertFalse(future.done() or after.done())
        threading.Timer(0.05, future.set_result, (41,)).start()
        self.assertEqual((after.wait(), future.wait()), (42, 41))
        self.assertEqual(seen, [future])
        with self.assertRaisesRegex(RuntimeError, "already"):
            future.set_result(1)
        bad = jit.Future()
        chained = bad.then(lambda f: f.value())
        bad.set_exception(ValueError("no"))
        with self.assertRaises(ValueError):
            chained.wait()
        with self.assertRaises(TypeError):
            jit.Future().set_exception("text")

    def test_threads_go(self):
        jit.wait(jit.fork(lambda: None))
        deadline = time.monotonic() + 60 * jit._Pool.KEEP
        while any(t.name == "haft.jit.fork" for t in threading.enumerate()) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertFalse(any(t.name == "haft.jit.fork" for t in threading.enumerate()))


class NotThere(unittest.TestCase):
    def test_compiling_is_refused_with_a_way_out(self):
        for name in ("script", "trace", "save", "load"):
            with self.assertRaisesRegex(NotImplementedError, f"jit.{name}.*haft.jit.fork.*haft.save"):
                getattr(jit, name)(lambda x: x)

    def test_marks_change_nothing(self):
        def f():
            return 5

        self.assertIs(jit.ignore(f), f)
        self.assertIs(jit.ignore(drop=True)(f), f)
        self.assertIs(jit.unused(jit.export(f)), f)
        self.assertFalse(jit.is_scripting() or jit.is_tracing())


if __name__ == "__main__":
    unittest.main()
