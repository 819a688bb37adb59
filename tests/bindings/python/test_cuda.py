"""haft.cuda and haft.backends say what is there."""
import unittest

import haft
from haft import backends, cuda


class Truth(unittest.TestCase):
    def test_without_a_device(self):
        if cuda.is_available():
            self.skipTest("there is a device")
        self.assertEqual((cuda.device_count(), cuda.is_initialized(), cuda.memory_allocated(), backends.cudnn.is_available()),
                         (0, False, 0, False))
        self.assertTrue(cuda.why())
        for call in (cuda.current_device, cuda.get_device_name, cuda.synchronize):
            with self.assertRaisesRegex(RuntimeError, "no CUDA device: .+"):
                call()
        for nothing_to_do in (cuda.empty_cache, cuda.reset_peak_memory_stats):
            nothing_to_do()
        haft.manual_seed(3)
        first = haft.rand(3)
        haft.manual_seed(3)
        cuda.manual_seed_all(99)
        self.assertTrue(haft.equal(haft.rand(3), first))
        with self.assertRaises(RuntimeError):
            haft.ones(2, device="cuda")

    def test_with_a_device(self):
        if not cuda.is_available():
            self.skipTest(cuda.why())
        self.assertGreater(cuda.device_count(), 0)
        before = cuda.memory_allocated()
        x = haft.ones(1000, device="cuda")
        self.assertGreaterEqual(cuda.memory_allocated(), before + 4000)
        cuda.synchronize()
        self.assertEqual(x.sum().item(), 1000)

    def test_streams_and_events(self):
        s, start, end = cuda.Stream("cpu"), cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        self.assertEqual(s.device, haft.device("cpu"))
        self.assertTrue(start.query())
        with cuda.stream(s):
            self.assertEqual((haft.ones(3) * 2).tolist(), [2, 2, 2])
            start.record(s)
        other = cuda.Stream("cpu", priority=-1)
        other.wait_stream(s)
        s.wait_event(start)
        end.record(other)
        end.synchronize()
        other.synchronize()
        self.assertTrue(end.query())
        with self.assertRaisesRegex(RuntimeError, "clock"):  # the CPU's work is done when a call returns
            start.elapsed_time(end)
        with self.assertRaisesRegex(RuntimeError, "recorded"):
            cuda.Event().elapsed_time(end)
        cuda.set_stream(cuda.default_stream("cpu"))
        cuda.current_stream("cpu").synchronize()
        if not cuda.is_available():
            with self.assertRaises(RuntimeError):
                cuda.Stream()

    def test_what_lies_free(self):
        self.assertEqual(haft.runtime.memory_free_blocks("cpu"), [])
        if cuda.is_available():
            haft.ones(1000, device="cuda").sum().item()
            blocks = haft.runtime.memory_free_blocks("cuda")
            self.assertTrue(blocks and blocks == sorted(blocks) and all(count > 0 for _, count in blocks))

    def test_batches_for_a_device(self):
        from haft.utils.data import DataLoader, TensorDataset
        items = haft.arange(10).reshape(10, 1).float()
        where = "cuda" if cuda.is_available() else "cpu"
        for workers in (0, 2):
            for dataset in (TensorDataset(items), list(items)):  # by the engine, and by Python
                got = [b[0] if isinstance(b, list) else b for b in DataLoader(dataset, 4, num_workers=workers, device=where)]
                self.assertEqual([b.device.type for b in got], [where] * 3)
                self.assertEqual(haft.cat(got).flatten().tolist(), list(range(10)))
        if cuda.is_available():
            for batch, in DataLoader(TensorDataset(items), 4, pin_memory=True):
                self.assertTrue(batch.is_pinned() and batch.device.type == "cpu")

    def test_switches(self):
        backends.cudnn.benchmark = True
        self.assertTrue(backends.cudnn.benchmark)
        backends.cudnn.benchmark = False
        self.assertFalse(backends.mps.is_available())
        self.assertTrue(backends.mkldnn.is_available())
        with self.assertRaises(AttributeError):
            backends.nowhere


if __name__ == "__main__":
    unittest.main()
