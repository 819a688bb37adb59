"""haft.distributed under PyTorch's names, with real processes."""
import datetime
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from multiprocessing import Process, Queue

import haft
import haft.distributed as dist
from haft.distributed.algorithms import join
from haft.distributed.elastic.multiprocessing.errors import record


class _Failure(str):
    """What a process ended with."""


def run(n, body, *arguments):
    """What body(rank, *arguments) answers in n processes, which meet in a file."""
    with tempfile.TemporaryDirectory() as folder:
        answers, ps = Queue(), []
        for rank in range(n):
            ps.append(Process(target=_one, args=(n, rank, folder, answers, body, arguments), daemon=True))
            ps[-1].start()
        got = dict(answers.get(timeout=600) for _ in ps)
        failed = [f"rank {rank}: {a}" for rank, a in got.items() if isinstance(a, _Failure)]
        if failed:
            raise AssertionError("; ".join(failed))
        for p in ps:
            p.join(600)
        return [got[rank] for rank in range(n)]


def _one(n, rank, folder, answers, body, arguments):
    try:
        dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=n, timeout=datetime.timedelta(minutes=10))
        answers.put((rank, body(rank, *arguments)))
        dist.destroy_process_group()
    except Exception as e:  # noqa: B902
        answers.put((rank, _Failure(f"{type(e).__name__}: {e}")))


def collectives(rank):
    n, done = dist.get_world_size(), {}
    x = haft.tensor([1.0, 2.0]) * (rank + 1)
    dist.all_reduce(x)
    done["all_reduce"] = x.tolist()
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    done["avg"] = x.tolist()
    x = haft.full((2,), float(rank))
    dist.broadcast(x, src=2)
    done["broadcast"] = x.tolist()
    x = haft.full((1,), rank + 1)
    dist.reduce(x, dst=1, op=dist.ReduceOp.PRODUCT)
    done["reduce"] = x.tolist()
    outs = [haft.zeros(r + 1) for r in range(n)]
    dist.all_gather(outs, haft.full((rank + 1,), float(rank)))
    done["all_gather"] = [o.tolist() for o in outs]
    out = haft.zeros(n, 2)
    dist.all_gather_into_tensor(out, haft.tensor([rank, 10.0 + rank]))
    done["into"] = out.tolist()
    outs = [haft.zeros(1) for _ in range(n)]
    dist.gather(haft.tensor([float(rank)]), outs if rank == 0 else None, dst=0)
    done["gather"] = [o.item() for o in outs]
    x = haft.zeros(1)
    dist.scatter(x, [haft.tensor([5.0 + r]) for r in range(n)] if rank == 1 else None, src=1)
    done["scatter"] = x.item()
    dist.reduce_scatter(x, [haft.tensor([float(r)]) for r in range(n)])
    done["reduce_scatter"] = x.item()
    dist.reduce_scatter_tensor(x, haft.arange(n, dtype=haft.float32), op=dist.ReduceOp.MAX)
    done["reduce_scatter_tensor"] = x.item()
    outs = [haft.zeros(1) for _ in range(n)]
    dist.all_to_all(outs, [haft.tensor([10.0 * rank + r]) for r in range(n)])
    done["all_to_all"] = [o.item() for o in outs]
    out = haft.zeros(n, 2)
    dist.all_to_all_single(out, haft.full((n, 2), float(rank)), [1] * n, [1] * n)
    done["single"] = out[:, 0].tolist()
    dist.barrier()
    dist.monitored_barrier(timeout=datetime.timedelta(minutes=10))
    return done


def messages(rank):
    n = dist.get_world_size()
    x = haft.zeros(3)
    ops = [dist.P2POp(dist.isend, haft.full((3,), float(rank)), (rank + 1) % n), dist.P2POp(dist.irecv, x, (rank - 1) % n)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    first = x[0].item()
    if rank == 0:
        sources = sorted(dist.recv(x, tag=4) for _ in range(n - 1))
    else:
        dist.send(haft.ones(3), dst=0, tag=4)
        sources = None
    y = haft.ones(4)
    work = dist.all_reduce(y, async_op=True)
    work.wait()
    return first, sources, y.tolist(), work.is_completed(), work.is_success()


def objects(rank):
    n = dist.get_world_size()
    every, some, cast, mine = [None] * n, [None] * n if rank == 1 else None, [rank, "x"] if rank == 0 else [None, None], [None]
    dist.all_gather_object(every, {"rank": rank, "pad": "x" * 100 * rank})
    dist.gather_object(rank * 10, some, dst=1)
    dist.broadcast_object_list(cast, src=0)
    dist.scatter_object_list(mine, [("to", r) for r in range(n)] if rank == 0 else None, src=0)
    got = [None, None]
    if rank == 0:
        dist.send_object_list(["hello", 3], dst=1)
    elif rank == 1:
        dist.recv_object_list(got, src=0)
    return [e["rank"] for e in every], some, cast, mine[0], got


def groups(rank):
    pair = dist.new_group([0, 2])
    x = haft.tensor([float(rank)])
    if rank in (0, 2):
        dist.all_reduce(x, group=pair)
        dist.broadcast(x, src=2, group=pair)
        answer = (x.item(), dist.get_rank(pair), dist.get_world_size(pair), dist.get_process_group_ranks(pair), dist.get_global_rank(pair, 1))
    else:
        answer = (pair is dist.GroupMember.NON_GROUP_MEMBER, dist.get_rank(pair), dist.get_world_size(pair))
    part = dist.split_group(split_ranks=[[0, 1], [2]])
    y = haft.ones(1)
    dist.all_reduce(y, group=part)
    return answer, y.item(), dist.get_backend()


def subgroups(rank):
    mine, every = dist.new_subgroups(2)
    x = haft.tensor([float(rank)])
    dist.all_reduce(x, group=mine)
    other, _ = dist.new_subgroups_by_enumeration([[1, 3], [2]])
    told = [x.item(), len(every), other and dist.get_process_group_ranks(other)]
    for wrong in (lambda: dist.new_subgroups(3), lambda: dist.new_subgroups(), lambda: dist.new_subgroups_by_enumeration([]),
                  lambda: dist.new_subgroups_by_enumeration([[0, 1], [0]])):
        try:
            wrong()
        except ValueError as e:
            told.append(str(e)[:21])
    return told


def coalesced(rank):
    xs = [haft.full((2, 3), rank + 1.0), haft.tensor([rank + 1]), haft.full((), rank + 2.0)]
    work = dist.all_reduce_coalesced(xs, async_op=True)
    assert work.wait() and work.is_success()
    outs = [[haft.zeros(2), haft.zeros(1, dtype=haft.int64), haft.zeros(())] for _ in range(2)]
    dist.all_gather_coalesced(outs, [haft.full((2,), float(rank)), haft.tensor([7 + rank]), haft.tensor(9.0 + rank)])
    return [x.tolist() for x in xs], [[o.tolist() for o in of] for of in outs]


class Counter(join.Joinable):
    """Adds up over ranks what they have, for as long as any has something."""

    def __init__(self):
        super().__init__()
        self.total, self.last = 0, None

    def step(self, value):
        join.Join.notify_join_context(self)
        x = haft.tensor([value])
        dist.all_reduce(x)
        self.total += x.item()

    def join_hook(self, **kwargs):
        counter = self

        class Hook(join.JoinHook):
            def main_hook(self):
                x = haft.tensor([0])
                dist.all_reduce(x)
                counter.total += x.item()

            def post_hook(self, is_last_joiner):
                counter.last = is_last_joiner, kwargs

        return Hook()

    join_device = property(lambda self: haft.device("cpu"))
    join_process_group = property(lambda self: dist.group.WORLD)


def joins(rank):
    counter = Counter()
    with join.Join([counter], factor=3):
        for _ in range(2 + rank):
            counter.step(10)
    early = None
    try:
        with join.Join([counter], throw_on_early_termination=True):
            for _ in range(2 + rank):
                counter.step(1)
    except RuntimeError as e:
        early = "run out of data" in str(e)
    return counter.total, counter.last, early


def options(rank):
    """What new_group() and works do with arguments that do not fit, or that the engine has to hear of."""
    told = []
    for arguments in {"backend": "nccl"}, {"use_local_synchronization": True}:
        try:
            dist.new_group(**arguments)
        except (RuntimeError, ValueError) as e:
            told.append(str(e).split(":")[0])
    real, heard = dist._haft.make_subgroup, []
    with unittest.mock.patch.object(dist._haft, "make_subgroup", lambda *a: heard.append(a[2:]) or real(*a)):
        made = dist.new_group(timeout=datetime.timedelta(seconds=77), backend="shm")
        dist.new_group()
    work = dist.barrier(async_op=True, group=made)
    try:
        work.source_rank()
    except RuntimeError as e:
        told.append(str(e))
    work.wait()  # who leaves before gives the others an error of its own
    try:
        dist.all_to_all_single(haft.zeros(2), haft.zeros(2), [1, 1], [2])
    except haft.InvalidArgumentError:
        told.append("sizes")
    return told, heard, dist.get_backend(made), made.timeout.total_seconds(), dist.group.WORLD.timeout.total_seconds()


def mismatch(rank):
    try:
        dist.all_reduce(haft.ones(2 + rank))
    except haft.MismatchError as e:
        first = str(e)
    try:
        dist.barrier()
    except haft.MismatchError:
        return "[2]" in first and "[3]" in first, dist.group.WORLD.failure.__name__, json.loads(dist.recorder())["entries"][0]["call"]


class Distributed(unittest.TestCase):
    def test_options(self):
        told = ["new_group", "new_group", "source_rank: the work is no irecv, or is not done", "sizes"]
        self.assertEqual(run(2, options), [(told, [("shm", 77000000), ("", 600000000)], "shm", 77, 600)] * 2)

    def test_collectives(self):
        self.maxDiff = None
        for rank, done in enumerate(run(3, collectives)):
            self.assertEqual(done, {
                "all_reduce": [6, 12], "avg": [6, 12], "broadcast": [2, 2], "reduce": [6 if rank == 1 else rank + 1],
                "all_gather": [[0], [1, 1], [2, 2, 2]], "into": [[0, 10], [1, 11], [2, 12]], "gather": [0, 1, 2] if rank == 0 else [0, 0, 0],
                "scatter": 5 + rank, "reduce_scatter": 3 * rank, "reduce_scatter_tensor": rank, "all_to_all": [rank, 10 + rank, 20 + rank],
                "single": [0, 1, 2]})

    def test_messages(self):
        for rank, answer in enumerate(run(3, messages)):
            self.assertEqual(answer, ((rank - 1) % 3, [1, 2] if rank == 0 else None, [3] * 4, True, True))

    def test_objects(self):
        for rank, answer in enumerate(run(2, objects)):
            self.assertEqual(answer, ([0, 1], [0, 10] if rank == 1 else None, [0, "x"], ("to", rank), ["hello", 3] if rank else [None, None]))

    def test_groups(self):
        got = run(3, groups)
        self.assertEqual(got[0], ((2, 0, 2, [0, 2], 2), 2, "gloo"))
        self.assertEqual(got[1], ((True, -1, -1), 2, "gloo"))
        self.assertEqual(got[2], ((2, 1, 2, [0, 2], 2), 1, "gloo"))

    def test_subgroups(self):
        for rank, (total, n, other, *wrong) in enumerate(run(4, subgroups)):
            self.assertEqual((total, n, other), (1 if rank < 2 else 5, 2, {1: [1, 3], 2: [2], 3: [1, 3]}.get(rank)))
            self.assertEqual(wrong, ["new_subgroups: 4 proc", "new_subgroups: no lau", "new_subgroups_by_enum", "new_subgroups_by_enum"])

    def test_coalesced(self):
        self.assertEqual(run(2, coalesced), [([[[3] * 3] * 2, [3], 5], [[[0, 0], [7], 9], [[1, 1], [8], 10]])] * 2)

    def test_join(self):
        # Three ranks with 2, 3 and 4 steps: 9 values of 10; of the second Join each rank has the two steps that all had.
        for rank, (total, last, early) in enumerate(run(3, joins)):
            self.assertEqual((total, last, early), (96, (rank == 2, {"factor": 3}), True))

    def test_launched(self):
        """What launchers tell, and errors that they are told."""
        names = {"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "1"}
        with unittest.mock.patch.dict(os.environ, names):
            told = dist.launch_environment()
            self.assertEqual((told.launcher, told[1:6], dist.get_node_local_rank(), dist.is_torchelastic_launched()),
                             ("torchrun", (3, 8, 1, 2, 1), 1, True))
        self.assertRaisesRegex(RuntimeError, "fallback_rank", dist.get_node_local_rank)
        self.assertEqual((dist.get_node_local_rank(4), dist.is_torchelastic_launched()), (4, False))

        @record
        def main():
            raise KeyError("gone")

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "error.json")
            with unittest.mock.patch.dict(os.environ, TORCHELASTIC_ERROR_FILE=path):
                self.assertRaises(KeyError, main)
            with open(path) as file:
                self.assertIn("KeyError: 'gone'", json.load(file)["message"]["message"])

    def test_run(self):
        """python -m haft.distributed.run is haft-run."""
        path = os.environ["HAFT_BINARY_DIR"] + os.pathsep + os.environ["PATH"]
        done = subprocess.run([sys.executable, "-m", "haft.distributed.run", "--nproc-per-node", "2", "-m", "haft.compat", "--help"],
                              capture_output=True, text=True, timeout=600, env=dict(os.environ, PATH=path))
        self.assertIn("[1]", done.stdout + done.stderr)
        self.assertIn("haft.compat", done.stdout + done.stderr)

    def test_mismatch(self):
        self.assertEqual(run(2, mismatch), [(True, "MismatchError", "all_reduce")] * 2)

    def test_environment(self):
        """A listing written for PyTorch, started as torchrun does."""
        program = ("import torch, torch.distributed as dist\ndist.init_process_group(backend='gloo')\nx = torch.ones(2) * dist.get_rank()\n"
                   "dist.all_reduce(x, op=dist.ReduceOp.SUM)\nprint(x.tolist(), dist.get_world_size())\ndist.destroy_process_group()\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "listing.py")
            with open(path, "w") as f:
                f.write(program)
            port = 10000 + os.getpid() % 20000  # below those that the system gives to others, who may be many
            ps = [subprocess.Popen([sys.executable, "-m", "haft.compat", path], stdout=subprocess.PIPE, text=True,
                                   env=dict(os.environ, RANK=str(r), WORLD_SIZE="2", LOCAL_RANK=str(r), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port)))
                  for r in range(2)]
            for p in ps:
                self.assertEqual(p.communicate(timeout=600)[0].strip(), "[1.0, 1.0] 2")

    def test_store(self):
        dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
        try:
            x = haft.ones(2)
            dist.all_reduce(x)
            self.assertEqual((x.tolist(), dist.group.WORLD.engine, dist.get_backend()), ([1, 1], "shm", "shm"))
        finally:
            dist.destroy_process_group()
        self.assertRaisesRegex(ValueError, "world_size and rank", dist.init_process_group, store=dist.HashStore())

    def test_refusals(self):
        self.assertTrue(dist.is_available() and dist.is_gloo_available())
        self.assertFalse(dist.is_initialized())
        self.assertRaisesRegex(ValueError, "has not been initialized", dist.get_rank)
        self.assertRaisesRegex(RuntimeError, "no backend 'nccl'", dist.init_process_group, "nccl")
        if not dist.is_mpi_available():
            self.assertRaisesRegex(RuntimeError, "no backend 'mpi'", dist.init_process_group, "mpi")


if __name__ == "__main__":
    unittest.main()
