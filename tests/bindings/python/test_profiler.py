"""haft.profiler: what was recorded, when, and how it is told."""
import json
import os
import tempfile
import unittest

import haft
import leaks
from haft.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule, tensorboard_trace_handler

setUpModule, tearDownModule = leaks.guard()


def work():
    x = haft.randn(20, 30, requires_grad=True)
    (x @ x.t()).relu().sum().backward()


class Recording(unittest.TestCase):
    def test_calls_and_shapes(self):
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
            with record_function("all of it"):
                for _ in range(3):
                    work()
        averages = {a.key: a for a in prof.key_averages()}
        self.assertEqual((averages["relu"].count, averages["all of it"].count), (3, 1))
        whole = averages["all of it"]
        inside = sum(a.self_cpu_time_total for a in averages.values() if a is not whole)
        self.assertAlmostEqual(whole.self_cpu_time_total + inside, whole.cpu_time_total, delta=1)
        self.assertTrue(0 <= whole.self_cpu_time_total < whole.cpu_time_total)
        relu = [e for e in prof.events() if e.name == "relu"]
        self.assertEqual([e.input_shapes for e in relu], ["[20, 20]"] * 3)
        starts = [e.start for e in prof.events()]
        self.assertEqual(starts, sorted(starts))
        table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1)
        self.assertIn("all of it", table)
        self.assertNotIn("relu", table)
        self.assertIn("[20, 20]", prof.key_averages(group_by_input_shape=True).table())
        with self.assertRaisesRegex(ValueError, "cannot sort"):
            prof.key_averages().table(sort_by="colour")

    def test_nothing_outside(self):
        prof = profile()
        with self.assertRaisesRegex(RuntimeError, "nothing is recorded"):
            prof.key_averages()
        work()
        prof.start()
        haft.ones(2).exp()
        prof.stop()
        work()
        self.assertNotIn("relu", [e.name for e in prof.events()])
        self.assertIn("exp", [e.name for e in prof.events()])
        with record_function("without a profile"):
            pass

    def test_a_function_as_a_range(self):
        @record_function("named")
        def f(x):
            return x.exp()

        with profile() as prof:
            self.assertEqual(f(haft.zeros(1)).item(), 1)
        self.assertEqual([e.name for e in prof.events() if e.name in ("named", "exp")], ["named", "exp"])

    def test_schedules(self):
        plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
        names = "".join(plan(k).name[0] + ("S" if plan(k) is ProfilerAction.RECORD_AND_SAVE else "") for k in range(11))
        self.assertEqual(names, "N" + "NWRRS" * 2 + "NN")
        seen = []

        def ready(prof):
            seen.append([a.count for a in prof.key_averages() if a.key == "exp"])

        with profile(schedule=plan, on_trace_ready=ready) as prof:
            for k in range(11):
                haft.ones(1).exp()
                prof.step()
        self.assertEqual(seen, [[2], [2]])
        with self.assertRaises(ValueError):
            schedule(wait=0, warmup=0, active=0)

    def test_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            with profile(on_trace_ready=tensorboard_trace_handler(os.path.join(folder, "run"))) as prof:
                work()
            path = os.path.join(folder, "trace.json")
            prof.export_chrome_trace(path)
            file, = os.listdir(os.path.join(folder, "run"))
            self.assertTrue(file.endswith(".pt.trace.json"))
            for name in (path, os.path.join(folder, "run", file)):
                with open(name) as text:
                    self.assertIn("relu", [e["name"] for e in json.load(text)["traceEvents"]])

    def test_modules(self):
        net = haft.nn.Sequential(haft.nn.Linear(2, 3), haft.nn.Tanh())
        x = haft.ones(1, 2)
        with profile(with_modules=True) as prof:
            net(x)
        names = [e.name for e in prof.events()]
        self.assertEqual((names[0], names.count("Sequential")), ("Sequential", 1))
        self.assertIn("Linear", names)
        with profile() as prof:
            net(x)
        self.assertNotIn("Sequential", [e.name for e in prof.events()])

    @unittest.skipUnless(os.path.exists(os.path.join(os.environ.get("HAFT_BINARY_DIR", "/nowhere"), "tests/libhaft_sim.so")), "no device")
    def test_devices(self):
        path = os.environ.get("HAFT_BACKEND_PATH")
        os.environ["HAFT_BACKEND_PATH"] = os.path.join(os.environ["HAFT_BINARY_DIR"], "tests")
        try:
            x = haft.ones(2, 3).to("sim:0")
        finally:
            os.environ.pop("HAFT_BACKEND_PATH") if path is None else os.environ.update(HAFT_BACKEND_PATH=path)
        with profile(activities=[ProfilerActivity.CPU]) as prof:
            x.exp()
        self.assertEqual({e.device for e in prof.events()}, {""})
        with profile(emit_nvtx=True) as prof:
            x.exp()
            x.exp().sum()
        kernels = [e for e in prof.events() if e.device]
        self.assertEqual({e.device for e in kernels}, {"sim:0"})
        exp = [e for e in kernels if e.launched_by == "exp"]
        self.assertEqual([e.name for e in exp], ["sim_exp"] * 2)
        self.assertEqual(prof.notes(), [])
        averages = {(a.key, a.on_device): a for a in prof.key_averages()}
        op, kernel = averages["exp", False], averages["sim_exp", True]
        self.assertAlmostEqual(op.self_device_time_total, kernel.self_device_time_total, places=6)
        self.assertGreater(kernel.self_device_time_total, 0)
        self.assertEqual((op.count, kernel.count, kernel.cpu_time_total), (2, 2, 0))
        table = prof.key_averages().table(sort_by="self_cuda_time_total", row_limit=-1)
        self.assertIn("Self device time total", table)
        os.environ["HAFT_SIM_UNPROFILED"] = "1"
        try:
            with profile() as prof:
                x.exp()
        finally:
            del os.environ["HAFT_SIM_UNPROFILED"]
        self.assertEqual(prof.notes(), ["sim: sim was told to note nothing"])

    def test_an_error_inside(self):
        with self.assertRaises(KeyError):
            with profile(on_trace_ready=lambda p: self.fail("not complete")):
                raise KeyError
        with profile() as prof:  # the one before was ended
            haft.ones(1).exp()
        self.assertIn("exp", [e.name for e in prof.events()])


if __name__ == "__main__":
    unittest.main()
