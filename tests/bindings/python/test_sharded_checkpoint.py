"""haft.distributed.checkpoint under PyTorch's names, in processes as test_distributed starts them."""
import concurrent.futures
import os
import tempfile
import unittest

import haft
import haft.distributed as dist
import haft.distributed.checkpoint as dcp
from haft import nn
from haft.distributed.checkpoint import _saving
from haft.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict, get_optimizer_state_dict, get_state_dict,
                                                    set_model_state_dict, set_state_dict)
from haft.distributed.optim import ZeroRedundancyOptimizer
from haft.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from haft.nn.parallel import DistributedDataParallel as DDP
from test_data_parallel import data, plain
from test_distributed import run

X = [[float(10 * i + j) for j in range(6)] for i in range(5)]


def spread(fill=None):
    mesh = dist.init_device_mesh("cpu", (dist.get_world_size(),))
    x = haft.tensor(X) if fill is None else haft.full((5, 6), fill)
    return {"rows": distribute_tensor(x, mesh, [Shard(0)]), "columns": distribute_tensor(x, mesh, [Shard(1)]),
            "same": distribute_tensor(x, mesh, [Replicate()]), "plain": x.clone(), "nested": {"list": [x[0].clone(), 3], "name": "x", "none": None}}


def saves(rank, folder, later):
    state = spread()
    state["epoch"] = 7 + rank  # the lowest rank's counts
    if later:
        future = dcp.async_save(state, checkpoint_id=folder)
        for name in ("rows", "columns", "same"):
            state[name].to_local().zero_()
        state["plain"].zero_()
        return future.result(timeout=600) is not None
    dcp.save(state, storage_writer=dcp.FileSystemWriter(folder))
    return True


def loads(rank, folder):
    state = spread(-1.0)
    state["rows"], state["columns"] = state["columns"], state["rows"]  # cut in the other way
    state["nested"] = {"list": [haft.zeros(6), None], "name": None, "none": 1}
    state["epoch"] = 0
    dcp.load(state, checkpoint_id=folder)
    whole = [state[name].full_tensor().tolist() == X for name in ("rows", "columns", "same")]
    return whole + [state["plain"].tolist() == X, state["nested"]["list"][0].tolist() == X[0], state["nested"]["list"][1], state["nested"]["name"],
                    state["nested"]["none"], state["epoch"]]


def trained(rank, folder, resumed):
    n = dist.get_world_size()
    model = DDP(plain(rank))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), haft.optim.Adam, lr=0.01)

    def steps(first):
        for step in range(first, first + 3):
            optimizer.zero_grad()
            x, y = data(step)
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()

    if resumed:
        model_state, optimizer_state = get_state_dict(model, optimizer)
        dcp.load({"model": model_state, "optim": optimizer_state}, checkpoint_id=folder)
        set_state_dict(model, optimizer, model_state_dict=model_state, optim_state_dict=optimizer_state)
        steps(3)
        return [p.tolist() for p in model.module.parameters()]
    steps(0)
    model_state, optimizer_state = get_state_dict(model, optimizer)
    dcp.save({"model": model_state, "optim": optimizer_state}, checkpoint_id=folder)
    steps(3)
    return [p.tolist() for p in model.module.parameters()], sorted(model_state), sorted(optimizer_state["state"]), n


def broadcast(rank):
    model = plain(rank)
    state = plain(9).state_dict() if rank == 0 else {}
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
    full = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    return [p.tolist() for p in model.parameters()] == [p.tolist() for p in plain(9).parameters()], len(full)


class Broken:
    """A state that one rank fails to make."""

    def __init__(self, fails):
        self.fails = fails

    def state_dict(self):
        if self.fails:
            raise ValueError("no state today")
        return {"x": haft.ones(2)}

    def load_state_dict(self, state):
        pass


def fails_to_put_together(rank, folder):
    told = []
    for save in (dcp.save, lambda *a, **k: dcp.async_save(*a, **k).result(timeout=600)):
        try:
            save({"part": Broken(rank == 1)}, checkpoint_id=folder)
        except Exception as e:
            told.append(f"{type(e).__name__}: {e}")
    there = os.path.exists(folder)
    dist.barrier()
    dcp.save({"part": Broken(False)}, checkpoint_id=folder)  # the group goes on
    return told, there


def without_a_place(rank, folder):
    # The sum is made by both ranks before one of them misses its folder.
    term = DTensor.from_local(haft.ones(3), dist.init_device_mesh("cpu", (2,)), [Partial()])
    told = []
    for save in (dcp.save, lambda *a, **k: dcp.async_save(*a, **k).result(timeout=600)):
        try:
            save({"x": term}, checkpoint_id=folder if rank == 0 else None)
        except Exception as e:
            told.append(f"{type(e).__name__}: {e}")
    dist.barrier()
    return told


def fails(rank, folder):
    try:
        dcp.save({"x": haft.zeros(2 + rank)}, checkpoint_id=folder)
    except Exception as e:
        return "tensor 'x'" in str(e)
    return False


class ShardedCheckpoint(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.temporary.name, "checkpoint")

    def tearDown(self):
        self.temporary.cleanup()

    def test_other_ranks_and_layouts(self):
        for later in (False, True):
            self.assertEqual(run(4, saves, self.folder, later), [True] * 4)
            for n in (3, 1):
                self.assertEqual(run(n, loads, self.folder), [[True] * 5 + [3, "x", None, 7]] * n)

    def test_goes_on(self):
        first = run(3, trained, self.folder, False)
        wanted, names, states, _ = first[0]
        self.assertEqual(names, states)
        self.assertIn("0.weight", names)
        for n in (3, 2, 1):
            for got in run(n, trained, self.folder, True):
                for a, b in zip(got, wanted):
                    haft.testing.assert_close(haft.tensor(a), haft.tensor(b), rtol=1e-5, atol=1e-6)

    def test_rank0(self):
        self.assertEqual(run(2, broadcast), [(True, 4), (True, 0)])

    def test_all_are_told(self):
        self.assertEqual(run(2, fails, self.folder), [True, True])

    def test_what_one_rank_cannot_put_together_all_are_told(self):
        own, theirs = "ValueError: no state today", "RuntimeError: rank 1 could not put its checkpoint together: ValueError: no state today"
        self.assertEqual(run(2, fails_to_put_together, self.folder), [([theirs] * 2, False), ([own] * 2, False)])
        self.assertEqual(dcp.FileSystemReader(self.folder).read_metadata().state_dict_metadata["part.x"].size, (2,))

    def test_a_rank_without_a_place_tells_the_others(self):
        own = "RuntimeError: no place: give checkpoint_id, or a storage_writer or storage_reader"
        theirs = "RuntimeError: rank 1 could not put its checkpoint together: " + own
        self.assertEqual(run(2, without_a_place, self.folder), [[theirs] * 2, [own] * 2])
        self.assertFalse(os.path.exists(self.folder))

    def test_a_load_is_of_one_checkpoint(self):
        dcp.save({"x": haft.zeros(2), "epoch": 1}, checkpoint_id=self.folder)

        class Meanwhile:
            """Another save comes when the names have been read."""
            @property
            def allow_partial_load(planner):
                dcp.save({"x": haft.ones(2), "epoch": 2}, checkpoint_id=self.folder)
                return True

        state = {"x": haft.full((2,), 7.0), "epoch": 0, "missing": 0}
        self.assertRaisesRegex(Exception, "haft-[0-9a-f]{16}-0", dcp.load, state, checkpoint_id=self.folder, planner=Meanwhile())
        self.assertEqual((state["x"].tolist(), state["epoch"]), ([7, 7], 0))

    def test_alone(self):
        state = {"a": {"b": haft.arange(4.0), "c": haft.tensor(True)}, "values": [1, "haft-json:", {"x": None}], "t": (1, 2), "big": 2 ** 70, "f": 0.1,
                 "flag": True, "dtype": haft.float16, "1": {"2": "\0"}}
        dcp.save(state, checkpoint_id=self.folder)
        metadata = dcp.FileSystemReader(self.folder).read_metadata().state_dict_metadata
        self.assertEqual(metadata["a.b"].size, (4,))
        self.assertIs(metadata["a.b"].properties.dtype, haft.float32)
        self.assertIsInstance(metadata["f"], dcp.BytesStorageMetadata)
        into = {"a": {"b": haft.zeros(4, dtype=haft.float64), "c": haft.tensor(False)}, **{key: 0 for key in ("values", "t", "big", "f", "flag", "dtype")},
                "1": {"2": ""}}
        held = into["a"]["b"]
        dcp.load(into, checkpoint_id=self.folder)
        self.assertEqual((held.tolist(), into["a"]["c"].item()), ([0, 1, 2, 3], True))
        for key in ("values", "t", "big", "f", "flag", "1"):
            self.assertEqual(into[key], state[key])
        self.assertIs(into["dtype"], haft.float16)
        self.assertRaisesRegex(RuntimeError, "Missing key in checkpoint state_dict: more", dcp.load, {"more": haft.zeros(1)}, checkpoint_id=self.folder)
        dcp.load({"more": haft.zeros(1), "f": 1}, checkpoint_id=self.folder, planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
        self.assertRaisesRegex(ValueError, "Size mismatch", dcp.load, {"a": {"b": haft.zeros(5)}}, checkpoint_id=self.folder)
        self.assertRaises(RuntimeError, dcp.save, {"x": haft.zeros(1)})

    def test_files(self):
        path, back = os.path.join(self.temporary.name, "one.pt"), os.path.join(self.temporary.name, "back.pt")
        state = {"model": plain(1).state_dict(), "list": [haft.ones(2), {"x": haft.zeros(1)}], "epoch": 3}
        haft.save(state, path)
        dcp.format_utils.torch_save_to_dcp(path, self.folder)
        dcp.format_utils.dcp_to_torch_save(self.folder, back)
        got = haft.load(back)
        self.assertEqual(list(got["model"]), sorted(state["model"]))
        for name, value in state["model"].items():
            self.assertTrue(haft.equal(got["model"][name], value))
        self.assertEqual((got["list"][0].tolist(), got["list"][1]["x"].tolist(), got["epoch"]), ([1, 1], [0], 3))

    def test_states_are_made(self):
        model = plain(1)
        optimizer = haft.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.5)
        before = [p.tolist() for p in model.parameters()]
        state = get_optimizer_state_dict(model, optimizer)
        self.assertEqual(sorted(state["state"]), sorted(model.state_dict()))
        self.assertEqual([p.tolist() for p in model.parameters()], before)
        self.assertEqual(optimizer.param_groups[0]["lr"], 0.1)

    def test_gradients_that_wait_for_a_step_stay(self):
        model = plain(1)
        optimizer = haft.optim.Adam(model.parameters())
        for p in model.parameters():
            p.grad = haft.ones_like(p)
        self.assertEqual(get_optimizer_state_dict(model, optimizer)["state"], {})
        self.assertTrue(all(p.grad is not None and haft.equal(p.grad, haft.ones_like(p)) for p in model.parameters()))

    def test_a_forked_process_does_not_wait_for_its_parents_saves(self):
        held = concurrent.futures.Future()  # that nobody ends
        _saving._pending.add(held)
        try:
            child = os.fork()
            if not child:
                os._exit(len(_saving._pending))
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            self.assertIn(held, _saving._pending)
        finally:
            _saving._pending.discard(held)


if __name__ == "__main__":
    unittest.main()
