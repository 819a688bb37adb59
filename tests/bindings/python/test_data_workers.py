"""The DataLoader's worker processes: what they send, how they fail, and that nothing of them stays."""
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import unittest
import unittest.mock

import haft
import leaks
from haft.utils.data import DataLoader, Dataset, IterableDataset, _worker, get_worker_info

setUpModule, tearDownModule = leaks.guard()


class Numbers(Dataset):
    def __init__(self, size, width=3):
        self.size, self.width = size, width

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        return haft.full((self.width,), float(i)), i


class Own(Exception):
    def __init__(self, number):
        super().__init__(f"number {number}")
        self.number = number

    def __reduce__(self):
        return Own, (self.number,)


class Stubborn(Exception):
    """Cannot be pickled back."""

    def __init__(self, a, b):
        super().__init__("stubborn")


class Failing(Numbers):
    def __init__(self, size, at, how):
        super().__init__(size)
        self.at, self.how = at, how

    def __getitem__(self, i):
        if i == self.at:
            if self.how == "own":
                raise Own(i)
            if self.how == "stubborn":
                raise Stubborn(1, 2)
            if self.how == "haft":
                haft.ones(2) @ haft.ones(3)
            if self.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.how == "exit":
                os._exit(3)
            if self.how == "stop":
                raise StopIteration
            if self.how == "sleep":
                time.sleep(3600)
        return i


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, 13, info.num_workers))


def children():
    """Living child processes of this one."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return len(file.read().split())


class Batches(unittest.TestCase):
    def test_order_is_that_of_one_process(self):
        for method in ("fork", "spawn"):
            haft.manual_seed(5)
            here = [(x.tolist(), y.tolist()) for x, y in DataLoader(Numbers(23), 4, shuffle=True)]
            haft.manual_seed(5)
            there = [(x.tolist(), y.tolist()) for x, y in
                     DataLoader(Numbers(23), 4, shuffle=True, num_workers=3, multiprocessing_context=method)]
            self.assertEqual(here, there)

    def test_every_kind_of_value_and_size(self):
        values = [haft.randn(3, 0), haft.tensor(2.5), haft.tensor([True, False]), haft.randn(100, 100).to(haft.bfloat16),
                  haft.randn(3).to(haft.bfloat16), haft.randn(40, 40).to(haft.float16), haft.arange(5000),
                  haft.randn(50, 60).t(), haft.randn(2000, requires_grad=True), "text" * 2000, {"a": [1, None, 2.5]}, b"\0" * 9000]

        class Values(Dataset):
            def __len__(self):
                return len(values)

            def __getitem__(self, i):
                return values[i]

        got = list(DataLoader(Values(), batch_size=None, num_workers=2))
        for ours, theirs in zip(values, got):
            if isinstance(ours, haft.Tensor):
                self.assertEqual((ours.dtype, ours.shape, ours.requires_grad), (theirs.dtype, theirs.shape, theirs.requires_grad))
                self.assertEqual(ours.tolist(), theirs.tolist())
            else:
                self.assertEqual(ours, theirs)
        got[6].mul_(2)  # writable, and nobody else's
        self.assertEqual(got[6][3].item(), 6)

    def test_large_batches_and_deep_queues(self):
        sizes = [x.shape for x, _ in DataLoader(Numbers(600, 1000), 300, num_workers=2, prefetch_factor=300)]
        self.assertEqual(sizes, [(300, 1000)] * 2)
        count = sum(1 for _ in DataLoader(Numbers(1200), 1, num_workers=1, prefetch_factor=1000))
        self.assertEqual(count, 1200)

    def test_streams(self):
        got = [b.tolist() for b in DataLoader(Stream(), 3, num_workers=2)]
        self.assertEqual(sorted(i for b in got for i in b), list(range(13)))
        self.assertEqual(got[:2], [[0, 2, 4], [1, 3, 5]])
        self.assertEqual([len(b) for b in DataLoader(Stream(), 3, num_workers=2, drop_last=True)], [3, 3, 3, 3])
        loader = DataLoader(Stream(), 2, num_workers=3, persistent_workers=True)
        self.assertEqual([b.tolist() for b in loader], [b.tolist() for b in loader])
        del loader

    def test_workers_know_who_they_are(self):
        class Who(Dataset):
            def __len__(self):
                return 6

            def __getitem__(self, i):
                info = get_worker_info()
                return info.id, info.num_workers, info.seed, haft.get_num_threads(), self.mark, random.random(), haft.rand(1).item()

        def init(worker_id):
            get_worker_info().dataset.mark = 100 + worker_id

        haft.manual_seed(9)
        got = list(DataLoader(Who(), batch_size=None, num_workers=2, worker_init_fn=init))
        self.assertEqual([(g[0], g[1], g[3], g[4]) for g in got], [(i % 2, 2, 1, 100 + i % 2) for i in range(6)])
        self.assertEqual(got[1][2], got[0][2] + 1)
        self.assertEqual(len({tuple(g[5:]) for g in got}), 6)
        haft.manual_seed(9)
        self.assertEqual(got, list(DataLoader(Who(), batch_size=None, num_workers=2, worker_init_fn=init)))
        self.assertIsNone(get_worker_info())

    def test_persistent_workers_stay_and_go(self):
        class Pid(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return os.getpid()

        before = children()
        loader = DataLoader(Pid(), num_workers=2, persistent_workers=True)
        pids = [set(b.item() for b in loader) for _ in range(3)]
        next(iter(loader))  # an epoch that is left early
        self.assertEqual(sorted(b.item() for b in loader), sorted([*pids[0]] * 2))
        self.assertEqual((pids[0], len(pids[0])), (pids[1], 2))
        self.assertEqual(children(), before + 2)
        del loader
        self.assertEqual(children(), before)

    def test_nothing_is_left_open(self):
        before = len(os.listdir("/proc/self/fd")), children()
        for k in range(3):
            it = iter(DataLoader(Numbers(100, 5000), 10, num_workers=2))
            next(it)
            if k == 1:
                list(it)
            del it
        self.assertEqual((len(os.listdir("/proc/self/fd")), children()), before)


class Failures(unittest.TestCase):
    def failing(self, how, **options):
        return iter(DataLoader(Failing(6, 2, how), num_workers=2, **options))

    def test_an_exception_arrives_as_itself_and_the_rest_goes_on(self):
        it = self.failing("own")
        self.assertEqual([next(it).item(), next(it).item()], [0, 1])
        with self.assertRaises(Own) as caught:
            next(it)
        self.assertEqual(caught.exception.number, 2)
        text = str(caught.exception.__cause__)
        self.assertIn("DataLoader worker process 0", text)
        self.assertIn("raise Own(i)", text)
        self.assertEqual([b.item() for b in it], [3, 4, 5])

    def test_an_exception_that_cannot_travel(self):
        with self.assertRaisesRegex(RuntimeError, "Caught Stubborn(.|\n)*raise Stubborn"):
            list(self.failing("stubborn"))

    def test_an_error_of_the_engine(self):
        try:
            haft.ones(2) @ haft.ones(3)
        except RuntimeError as error:
            here = error
        with self.assertRaises(type(here)) as caught:
            list(self.failing("haft"))
        self.assertEqual(str(caught.exception), str(here))

    def test_stop_iteration_does_not_end_the_loop(self):
        with self.assertRaisesRegex(RuntimeError, "StopIteration"):
            list(self.failing("stop"))

    def test_a_killed_worker(self):
        before = children()
        for how, message in (("kill", r"worker \(pid \d+\) is killed by signal: SIGKILL"), ("exit", "exit code 3")):
            # Its end is an event, which is not found by looking now and then.
            with self.assertRaisesRegex(RuntimeError, message), unittest.mock.patch.object(_worker, "CHECK_INTERVAL", 3600):
                list(self.failing(how))
        self.assertEqual(children(), before)

    def test_a_slow_worker(self):
        before = children()
        with self.assertRaisesRegex(RuntimeError, "timed out after 0.5 seconds"):
            list(self.failing("sleep", timeout=0.5))
        self.assertEqual(children(), before)

    def test_a_failing_start(self):
        def init(worker_id):
            raise Own(worker_id)

        with self.assertRaises(Own):
            list(DataLoader(Numbers(4), num_workers=2, worker_init_fn=init))

    def test_what_cannot_be_sent(self):
        class Bad(Dataset):
            def __len__(self):
                return 1

            def __getitem__(self, i):
                x = haft.ones(2, requires_grad=True)
                return x * 2 if self.recorded else lambda: None

        bad = Bad()
        bad.recorded = True
        with self.assertRaisesRegex(RuntimeError, "detach"):
            list(DataLoader(bad, batch_size=None, num_workers=1))
        bad.recorded = False
        with self.assertRaisesRegex((AttributeError, TypeError, Exception), "pickle|lambda"):
            list(DataLoader(bad, batch_size=None, num_workers=1))


PROGRAM = """
    import os, signal, sys, time
    import haft
    from haft.utils.data import DataLoader, Dataset

    class Slow(Dataset):
        def __len__(self):
            return 1000
        def __getitem__(self, i):
            time.sleep(0.05)
            return i

    it = iter(DataLoader(Slow(), num_workers=2))
    print(*(p.pid for p in it._processes), flush=True)
    try:
        for batch in it:
            %s
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        del it
        sys.exit(5)
"""


def gone(pid):
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


class Endings(unittest.TestCase):
    def start(self, action):
        program = textwrap.dedent(PROGRAM % action)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        return process, [int(pid) for pid in process.stdout.readline().split()]

    def test_ctrl_c(self):
        process, pids = self.start("pass")
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        out, err = process.communicate(timeout=300)
        self.assertEqual((process.returncode, out.strip(), err), (5, "interrupted", ""))
        self.assertTrue(all(map(gone, pids)))

    def test_a_killed_parent_leaves_no_workers(self):
        process, pids = self.start("pass")
        process.kill()
        process.communicate(timeout=300)
        self.assertTrue(all(map(gone, pids)))

    def test_exit_in_the_middle(self):
        process, pids = self.start("sys.exit(0)")
        out, err = process.communicate(timeout=300)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertTrue(all(map(gone, pids)))


if __name__ == "__main__":
    unittest.main()
