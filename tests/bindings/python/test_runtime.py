"""The package as a guest of its process: what it imports, versions, time to import, the global lock, threads, fork, the end."""
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import haft
import leaks
from haft import _haft, _library

setUpModule, tearDownModule = leaks.guard()


def python(code, env=None, wait=800):
    """Runs a program of its own; answers what it printed. It must end well and complain about nothing."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=wait)
    if done.returncode or done.stderr:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    def test_only_c_crosses(self):
        read = lambda *args: subprocess.run(["nm", "-D", *args], capture_output=True, text=True, check=True).stdout
        engine = {line.split()[-1].split("@")[0] for line in read("--defined-only", _haft.library_path()).splitlines()}
        wanted = {line.split()[-1].split("@")[0] for line in read("--undefined-only", _haft.__file__).splitlines()}
        used = wanted & engine
        self.assertGreater(len(used), 300)
        self.assertEqual([s for s in used if not s.startswith("haft_")], [])
        self.assertEqual([s for s in wanted if "4haft" in s], [])
        exported = {line.split()[-1] for line in read("--defined-only", _haft.__file__).splitlines() if line.split()[1] in "TD"}
        self.assertEqual(exported - {"PyInit__haft"}, set())

    def test_import_is_light(self):
        # bench/bindings has the milliseconds; what they are spent on is held here.
        code = "import sys; before = set(sys.modules); import haft; print(*sorted(set(sys.modules) - before))"
        loaded = python(code).split()
        for heavy in "numpy asyncio ctypes dataclasses inspect json logging multiprocessing pickle re typing unittest".split():
            self.assertNotIn(heavy, loaded)
        self.assertLess(len(loaded), 40, loaded)

    def test_every_function_is_documented(self):
        for name, value in list(vars(haft).items()) + [("Tensor." + n, v) for n, v in vars(haft.Tensor).items()]:
            if callable(value) and not name.rpartition(".")[2].startswith("_"):
                self.assertTrue(value.__doc__, name)

    def test_version_clash_names_both_files(self):
        _library.check_version()
        for found in (2000000, 0, _haft.header_version() - 1):
            with self.assertRaises(ImportError) as caught:
                _library.check_version(found)
            for path in (_haft.__file__, _haft.library_path()):
                self.assertIn(path, str(caught.exception))
        _library.check_version(_haft.header_version() + 1)
        compiler = "/usr/bin/cc"
        if os.path.exists(compiler):  # for real: a library that says that it is another
            with tempfile.TemporaryDirectory() as folder:
                fake = os.path.join(folder, "fake.so")
                subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", fake], input="int haft_get_version_number(void) { return 2000001; }", text=True, check=True)
                done = subprocess.run([sys.executable, "-c", "import haft"], env={**os.environ, "LD_PRELOAD": fake}, capture_output=True, text=True)
                self.assertIn("ImportError", done.stderr)
                self.assertIn("2.0.1", done.stderr)


class Threads(unittest.TestCase):
    def test_the_lock_is_free_while_the_engine_works(self):
        before = haft.get_num_threads()
        haft.set_num_threads(1)
        try:
            a = haft.randn(700, 700)
            steps, stop = [0], threading.Event()

            def spin():
                while not stop.is_set():
                    steps[0] += 1
                    time.sleep(0.0005)
            thread = threading.Thread(target=spin)
            thread.start()
            most = 0  # steps of the thread while one product was computed
            for _ in range(2000):
                first = steps[0]
                a @ a
                most = max(most, steps[0] - first)
                if most > 2:
                    break
            stop.set()
            thread.join()
            self.assertGreater(most, 2)
        finally:
            haft.set_num_threads(before)

    def test_many_threads_on_shared_objects(self):
        x, errors = haft.randn(64, 64), []

        def work(seed):
            try:
                for i in range(150):
                    y = (x @ x + seed).sum(0)[i % 64].item()
                    z = haft.tensor([y, 1.0], requires_grad=True)
                    (z * z).sum().backward()
                    assert z.grad.shape == (2,)
                    view = x[i % 64:]
                    memoryview(view.contiguous())
                    del view
            except Exception as e:
                errors.append(e)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(errors, [])

    def test_callbacks_from_engine_threads(self):
        names, main = set(), threading.get_ident()

        def item(index):
            names.add(threading.get_ident())
            return haft.full((3,), float(index)), haft.tensor(index)
        data = _haft.callback_dataset(64, (haft.zeros(3), haft.tensor(0)), item, False)
        options = _haft.LoaderOptions(4, False, 3)
        loader = _haft.Loader(data, options)
        seen = []
        while (batch := loader.next()) is not None:
            self.assertEqual(batch[0].shape, (4, 3))
            seen += batch[1].tolist()
        self.assertEqual(seen, list(range(64)))
        self.assertNotIn(main, names)
        del loader, data, batch

        class Mine(Exception):
            pass

        def failing(index):
            if index == 9:
                raise Mine("item 9")
            return haft.zeros(2)
        loader = _haft.Loader(_haft.callback_dataset(64, (haft.zeros(2),), failing, False), options)
        with self.assertRaises(Mine):
            while loader.next() is not None:
                pass
        del loader
        wrong = _haft.Loader(_haft.callback_dataset(8, (haft.zeros(2),), lambda i: haft.zeros(3), False), options)
        with self.assertRaises(RuntimeError):
            wrong.next()
        del wrong, options

    def test_log_sink(self):
        lines = []
        _haft.set_log_sink(_haft.HAFT_LOG_DEBUG, lambda level, text: lines.append((level, text)))
        try:
            with self.assertRaises(RuntimeError):
                haft.device("nowhere:0") and haft.zeros(1, device="nowhere:0")
        finally:
            _haft.set_log_sink(0, None)
        self.assertTrue(all(isinstance(text, str) for _, text in lines))

    def test_memory_pressure_calls_python(self):
        calls = []
        _haft.set_memory_pressure_callback(_haft.memory_stats().live + (1 << 20), lambda live: calls.append(live))
        try:
            t = haft.empty(1 << 20)
        finally:
            _haft.set_memory_pressure_callback(0, None)
        self.assertTrue(calls)
        del t


class Processes(unittest.TestCase):
    def test_fork(self):
        a = haft.randn(300, 300)
        want = (a @ a).sum().item()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                x = haft.ones(3, requires_grad=True)
                (x * 2).sum().backward()
                code = 0 if abs((a @ a).sum().item() - want) < 1e-2 * abs(want) + 1 and x.grad.tolist() == [2, 2, 2] else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_shared_memory(self):
        t = haft.zeros(4, dtype=haft.int32).share_memory_()
        self.assertTrue(t.is_shared())
        pid = os.fork()
        if pid == 0:
            t[2] = 7
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(t.tolist(), [0, 0, 7, 0])

    def test_clean_ends(self):
        programs = {
            "live tensors": "import haft; x = haft.randn(100, requires_grad=True); y = (x * 2).sum(); keep = [x, y, y.detach().numpy]",
            "hooks and functions": """
                import haft
                x = haft.ones(3, requires_grad=True)
                x.register_hook(lambda g: g * 2)
                class F(haft.autograd.Function):
                    @staticmethod
                    def forward(ctx, x): ctx.save_for_backward(x); return x * 2
                    @staticmethod
                    def backward(ctx, g): return g
                y = F.apply(x)
                z = y.sum()""",
            "a thread that computes": """
                import haft, threading, time
                def work():
                    while True: (haft.randn(200, 200) @ haft.randn(200, 200)).sum().item()
                [threading.Thread(target=work, daemon=True).start() for _ in range(2)]
                time.sleep(0.1)""",
            "a loader in the middle": """
                import haft
                from haft import _haft
                loader = _haft.Loader(_haft.callback_dataset(1000, (haft.zeros(2),), lambda i: haft.ones(2) * i, False), _haft.LoaderOptions(4, True, 2))
                loader.next()""",
            "memory of others": "import haft, numpy as np; a = np.ones(5); t = haft.from_numpy(a); m = memoryview(haft.ones(3)); d = haft.to_dlpack(haft.ones(2)); n = haft.ones(4).numpy()",
            "a log sink": "import haft; haft._haft.set_log_sink(4, lambda level, text: print(text)); haft.zeros(3)",
            "os._exit in a fork": """
                import haft, os
                a = haft.randn(300, 300); (a @ a).sum()
                pid = os.fork()
                if pid == 0:
                    (a @ a).sum().item()
                    raise SystemExit(0)
                assert os.waitpid(pid, 0)[1] == 0""",
            "threads and exceptions": """
                import haft, threading
                x = haft.ones(2, requires_grad=True)
                def bad(g): raise KeyError("x")
                x.register_hook(bad)
                def work():
                    for _ in range(50):
                        try: x.sum().backward()
                        except KeyError: pass
                ts = [threading.Thread(target=work) for _ in range(4)]
                [t.start() for t in ts]; [t.join() for t in ts]""",
        }
        for name, code in programs.items():
            with self.subTest(name):
                for _ in range(3):
                    python(code)


if __name__ == "__main__":
    unittest.main()
