"""haft.serving and haft.runtime: Python modules behind sessions, cancelling, limits, memory and the log."""
import asyncio
import threading
import unittest

import haft
import leaks
from haft import nn, runtime, serving

setUpModule, tearDownModule = leaks.guard()


class Slow(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = threading.Event()
        self.entered = threading.Event()

    def forward(self, x):
        self.entered.set()
        self.gate.wait(600)
        return x + 1


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, y):
        if x.sum().item() > 1e6:
            raise KeyError("too large")
        return self.fc(x) + y, (x * 2).sum(1)


class Sessions(unittest.TestCase):
    def test_a_module_of_python(self):
        net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.9), nn.ReLU(), nn.Linear(8, 2))
        with serving.InferenceSession(net) as session:
            self.assertFalse(net.training)
            self.assertIs(session.module, net)
            x = haft.randn(5, 4)
            y = session(x)
            self.assertTrue(haft.equal(y, net(x).detach()))
            self.assertFalse(y.requires_grad)
            self.assertEqual(session.run(haft.ones(0, 4)).shape, (0, 2))
            metrics = session.metrics()
            self.assertEqual((metrics.completed, metrics.failed, metrics.queue_length), (2, 0, 0))
            self.assertGreater(metrics.latency_max, 0)
            session.reset_metrics()
            self.assertEqual(session.metrics().completed, 0)
        with self.assertRaises(serving.CancelledError):
            session.run(x)

    def test_several_inputs_and_outputs_and_errors(self):
        net = Two()
        with serving.InferenceSession(net, max_batch=8, max_delay=0.001) as session:
            x, y = haft.randn(3, 4), haft.randn(3, 3)
            a, b = session(x, y)
            want = net(x, y)
            self.assertTrue(haft.allclose(a, want[0], atol=1e-6) and haft.allclose(b, want[1], atol=1e-6))
            with self.assertRaises(KeyError) as caught:
                session(x + 1e7, y)
            self.assertEqual(caught.exception.args, ("too large",))
            with self.assertRaises(KeyError):
                session.submit(x + 1e7, y).result()
            with self.assertRaisesRegex(TypeError, "positional argument"):
                session(x)
        with serving.InferenceSession(lambda x: {"y": x}) as session:
            with self.assertRaises(TypeError):
                session(haft.ones(1))
        with self.assertRaisesRegex(TypeError, "got int"):
            serving.InferenceSession(3)

    def test_many_threads_share_batches(self):
        net = nn.Linear(4, 2)
        session, wrong = serving.InferenceSession(net, max_batch=16, max_delay=0.005), []

        def client(seed):
            g = haft.Generator().manual_seed(seed)
            for _ in range(20):
                x = haft.randn(1 + seed % 3, 4, generator=g)
                if not haft.allclose(session(x), net(x), atol=1e-5):
                    wrong.append(seed)
        threads = [threading.Thread(target=client, args=(i,)) for i in range(16)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        metrics = session.metrics()
        self.assertEqual((wrong, metrics.completed), ([], 320))
        self.assertGreater(metrics.mean_batch, 1)
        self.assertTrue(session.drain(timeout=600))
        with self.assertRaises(serving.CancelledError):
            session(haft.ones(1, 4))
        session.close()

    def test_requests(self):
        net, seen = Slow(), []
        session = serving.InferenceSession(net, workers=1, max_queue=2)
        first = session.submit(haft.ones(2), callback=lambda r: seen.append(r.result().tolist()))
        self.assertTrue(net.entered.wait(600))
        second, third = session.submit(haft.ones(1)), session.submit(haft.ones(1))
        with self.assertRaises(serving.QueueFullError):
            session.submit(haft.ones(1))
        with self.assertRaises(serving.QueueFullError):
            session(haft.ones(1))
        self.assertFalse(first.done() or first.wait(0.01))
        with self.assertRaisesRegex(serving.TimedOutError, "0.01 s"):
            first.result(timeout=0.01)
        second.cancel()
        with self.assertRaises(serving.CancelledError):
            second.result()
        late = session.submit(haft.ones(1), timeout=0.05)
        with self.assertRaises(serving.TimedOutError):
            late.result()
        net.gate.set()
        self.assertEqual((first.result(600).tolist(), third.result(600).tolist()), ([2, 2], [2]))
        self.assertTrue(session.drain(600) and first.done())
        first.add_done_callback(lambda r: seen.append("late"))
        self.assertEqual(seen, [[2, 2], "late"])
        m = session.metrics()
        self.assertEqual((m.refused, m.cancelled, m.timed_out), (2, 1, 1))
        session.close()

    def test_await(self):
        async def several(session):
            return await asyncio.gather(*(session.submit(haft.full((1, 2), i)) for i in range(10)))

        async def given_up(session, net):
            task = asyncio.ensure_future(one(session))
            while not net.entered.is_set():
                await asyncio.sleep(0.001)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        async def one(session):
            return await session.submit(haft.ones(1))

        with serving.InferenceSession(lambda x: x * 3, max_batch=4) as session:
            self.assertEqual([y.tolist() for y in asyncio.run(several(session))], [[[3 * i] * 2] for i in range(10)])
        net = Slow()
        with serving.InferenceSession(net) as session:
            asyncio.run(given_up(session, net))
            net.gate.set()

    def test_update(self):
        a, b = nn.Linear(2, 2), nn.Linear(2, 2)
        x = haft.ones(1, 2)
        with serving.InferenceSession(a) as session:
            self.assertTrue(haft.equal(session(x), a(x)))
            session.update(b)
            self.assertFalse(b.training)
            self.assertTrue(haft.equal(session(x), b(x)))
            self.assertIs(session.module, b)

    def test_limits(self):
        with serving.InferenceSession(lambda x: x.expand(1000, 1000) + 1, memory_limit=1 << 20) as session:
            with self.assertRaises(serving.OutOfMemoryError):
                session(haft.ones(1))
        for bad in (-1, float("nan")):
            with self.assertRaisesRegex(ValueError, "at least 0 seconds"):
                serving.InferenceSession(nn.Linear(1, 1), max_delay=bad)

    def test_a_token_cancels_a_thread(self):
        token, ended, works = serving.CancelToken(), [], threading.Event()

        def work():
            try:
                with token:
                    x = haft.ones(100)
                    while True:
                        x = x * 1.0
                        works.set()
            except serving.CancelledError:
                ended.append(haft.ones(2).sum().item())  # outside the token, work goes on
        thread = threading.Thread(target=work)
        thread.start()
        self.assertTrue(works.wait(600))
        self.assertFalse(token.is_cancelled())
        token.cancel()
        thread.join(600)
        self.assertEqual((ended, token.is_cancelled()), ([2], True))


class Runtime(unittest.TestCase):
    def test_memory(self):
        before = runtime.memory_stats()
        kept = haft.ones(1 << 18)
        self.assertEqual(runtime.memory_stats().live - before.live, 4 << 18)
        runtime.reset_peak_memory()
        self.assertEqual(runtime.memory_stats().peak, runtime.memory_stats().live)
        self.assertEqual(runtime.get_memory_limit(), 0)
        runtime.set_memory_limit(runtime.memory_stats().live + (1 << 20))
        try:
            self.assertEqual(runtime.get_memory_limit(), runtime.memory_stats().limit)
            with self.assertRaises(haft.OutOfMemoryError):
                haft.ones(1 << 20)
        finally:
            runtime.set_memory_limit(0)
        del kept
        haft.ones(1 << 20)
        self.assertGreater(runtime.trim_memory(), 0)
        marks = []
        runtime.set_memory_pressure_callback(runtime.memory_stats().live + (1 << 20), marks.append)
        haft.ones(1 << 20)
        runtime.set_memory_pressure_callback(0, None)
        self.assertTrue(marks and marks[0] > 1 << 20)

    def test_switches(self):
        self.assertEqual(runtime.get_math_precision(), "fast")
        x, w = haft.randn(2, 8, 16, 16), haft.randn(8, 8, 3, 3)
        fast = nn.functional.conv2d(x, w)
        runtime.set_math_precision("exact")
        try:
            self.assertEqual(runtime.get_math_precision(), "exact")
            self.assertTrue(haft.allclose(nn.functional.conv2d(x, w), fast, atol=1e-4))
        finally:
            runtime.set_math_precision("fast")
        self.assertRaises(ValueError, runtime.set_math_precision, "highest")
        threads = runtime.get_num_threads()
        runtime.set_num_threads(1)
        self.assertEqual(haft.get_num_threads(), 1)
        runtime.set_num_threads(threads)
        self.assertEqual(runtime.version(), haft.__version__)
        self.assertIn("libhaft", runtime.library_path())
        self.assertTrue(runtime.describe())
        self.assertTrue(runtime.describe_device("cpu").startswith("device: cpu\nname: " + runtime.device_properties().name))
        with haft.serving.InferenceSession(haft.nn.Linear(4, 3), name="here") as session:
            session(haft.ones(1, 4))
            self.assertIn('haft_session_requests_total{session="here",outcome="completed"} 1\n', runtime.metrics_text())
        self.assertIn('haft_memory_live_bytes{device="cpu"} ', runtime.metrics_text())
        self.assertGreaterEqual(runtime.live_handles(), 0)
        runtime.synchronize()

    def test_log(self):
        lines = []
        runtime.set_log_sink(lambda level, text: lines.append((level, text)), "debug")
        try:
            with self.assertRaises(RuntimeError):
                runtime.load_backend("/nowhere/libnone.so")
        finally:
            runtime.set_log_sink(None)
        self.assertTrue(all(level in ("error", "warning", "info", "debug") for level, _ in lines))
        with self.assertRaisesRegex(ValueError, "'loud'"):
            runtime.set_log_sink(print, "loud")


if __name__ == "__main__":
    unittest.main()
