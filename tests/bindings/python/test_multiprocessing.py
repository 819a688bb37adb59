"""spawn(), and tensors through queues."""
import os
import signal
import time
import unittest

import haft
import haft.multiprocessing as mp
import leaks

setUpModule, tearDownModule = leaks.guard()


def put(index, queue, scale):
    queue.put((index, haft.arange(3) * scale))
    queue.close()
    queue.join_thread()


def double(index, inbox, outbox):
    for _ in range(3):
        outbox.put(inbox.get() * 2)


class Own(Exception):
    pass


def fail(index, how):
    if index == 1:
        if how == "raise":
            raise Own("from below")
        if how == "exit":
            os._exit(7)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(3600)


class Spawn(unittest.TestCase):
    def test_results(self):
        for method in ("spawn", "fork", "forkserver"):
            queue = mp.get_context(method).Queue()
            mp.start_processes(put, args=(queue, 10), nprocs=3, start_method=method)
            got = dict(queue.get() for _ in range(3))
            self.assertEqual({k: v.tolist() for k, v in got.items()}, {i: [0, 10, 20] for i in range(3)})

    def test_both_ways(self):
        inbox, outbox = mp.get_context("spawn").Queue(), mp.get_context("spawn").Queue()
        running = mp.spawn(double, (inbox, outbox), nprocs=1, join=False)
        for t in (haft.tensor(2.5), haft.randn(300, 400), haft.ones(2, 0)):
            inbox.put(t)
            back = outbox.get(timeout=600)
            self.assertEqual((back.shape, back.dtype), (t.shape, t.dtype))
            self.assertTrue(haft.equal(back, t * 2))
        while not running.join():
            pass
        self.assertTrue(running.join())

    def test_a_process_that_raises(self):
        with self.assertRaises(mp.ProcessRaisedException) as caught:
            mp.spawn(fail, ("raise",), nprocs=3)
        self.assertEqual(caught.exception.error_index, 1)
        self.assertIn("-- Process 1 terminated with the following error:", str(caught.exception))
        self.assertIn('raise Own("from below")', str(caught.exception))
        self.assertIsInstance(caught.exception.__cause__, Own)

    def test_a_process_that_ends(self):
        for how, code, name in (("exit", 7, None), ("kill", -9, "SIGKILL")):
            with self.assertRaises(mp.ProcessExitedException) as caught:
                mp.start_processes(fail, (how,), nprocs=2, start_method="fork")
            self.assertEqual((caught.exception.exit_code, caught.exception.signal_name), (code, name))

    def test_join_answers_in_time(self):
        running = mp.start_processes(fail, ("sleep",), nprocs=2, join=False, start_method="fork")
        self.assertFalse(running.join(timeout=0.1))
        os.kill(running.pids()[0], signal.SIGTERM)
        with self.assertRaises(mp.ProcessExitedException):
            while not running.join():
                pass
        self.assertFalse(any(p.is_alive() for p in running.processes))

    def test_other_start_methods_are_refused(self):
        with self.assertRaisesRegex(ValueError, "start_processes"):
            mp.spawn(fail, ("raise",), start_method="fork")


if __name__ == "__main__":
    unittest.main()
