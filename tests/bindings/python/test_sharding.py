"""haft.distributed.optim: ZeroRedundancyOptimizer under PyTorch's names, in processes as test_distributed starts them."""
import os
import tempfile
import unittest

import haft
import haft.distributed as dist
from haft import nn
from haft.distributed.optim import ZeroRedundancyOptimizer
from haft.nn.parallel import DistributedDataParallel as DDP
from test_data_parallel import close, data, plain
from test_distributed import run


def trained(module, optimizer, steps, rank=None, n=1, schedule=None):
    for step in range(steps):
        optimizer.zero_grad()
        x, y = data(step, rank, n)
        nn.functional.mse_loss(module(x), y).backward()
        optimizer.step()
        if schedule is not None:
            schedule.step()
    return [p.tolist() for p in module.parameters()]


def trains(rank):
    n, out = dist.get_world_size(), {}
    twin = DDP(plain(rank))
    whole = trained(twin, haft.optim.Adam(twin.parameters(), lr=0.01), 10, rank, n)
    for name, sharded in (("state", False), ("gradients", True)):
        module = plain(rank) if sharded else DDP(plain(rank))
        optimizer = ZeroRedundancyOptimizer(module.parameters(), haft.optim.Adam, lr=0.01, shard_gradients=sharded, bucket_cap_mb=0.0002)
        out[name] = trained(module, optimizer, 10, rank, n)
        out[name + "_same"] = out[name] == whole
        out[name + "_info"] = optimizer.shard_info()
        out[name + "_none"] = all(p.grad is None for p in module.parameters())
    return out


def resumed(rank, path):
    """Two groups of parameters and a schedule; goes on from path where it is there."""
    n = dist.get_world_size()
    module = plain(1)
    optimizer = ZeroRedundancyOptimizer([{"params": [module[0].weight]}], haft.optim.AdamW, lr=0.02, weight_decay=0.1)
    optimizer.add_param_group({"params": [module[0].bias, *module[2].parameters()], "lr": 0.01})
    schedule = haft.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    ddp = DDP(module)
    if not os.path.exists(path):
        trained(ddp, optimizer, 3, rank, n, schedule)
        try:
            optimizer.state_dict()
            return "no error"
        except RuntimeError as e:
            if "has not been consolidated" not in str(e):
                return str(e)
        optimizer.consolidate_state_dict(to=n - 1)
        if rank == n - 1:
            haft.save({"model": module.state_dict(), "optimizer": optimizer.state_dict()}, path + "~")
            os.rename(path + "~", path)
    else:
        saved = haft.load(path)
        module.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
    dist.barrier()
    trained(ddp, optimizer, 3, rank, n)
    optimizer.consolidate_state_dict(to=-1)
    state = optimizer.state_dict()
    return ([p.tolist() for p in module.parameters()], [g["lr"] for g in state["param_groups"]], state["state"][1]["exp_avg"].tolist(),
            float(state["state"][3]["step"]))


def used(rank):
    module = plain(1)
    params = list(module.parameters())
    seen = []
    optimizer = ZeroRedundancyOptimizer(params[:2], haft.optim.SGD, lr=0.1, momentum=0.9, shard_gradients=True)
    optimizer.register_step_post_hook(lambda o, a, k: seen.append(o is optimizer))
    optimizer.add_param_group({"params": params[2:]})

    def closure():
        optimizer.zero_grad()
        x, y = data(0, rank, 2)
        loss = nn.functional.mse_loss(module(x), y)
        loss.backward()
        return loss

    first = optimizer.step(closure).item()
    norm = optimizer.clip_grad_norm_(1e-3)
    again = optimizer.clip_grad_norm_(1)
    optimizer.param_groups[0]["lr"] = 0.05
    second = optimizer.step(closure).item()
    return seen, second < first, norm > 1e-3 and abs(again - 1e-3) < 1e-5, isinstance(optimizer, haft.optim.Optimizer), repr(optimizer)[:29]


def misused(rank):
    said = []
    module = plain(1)
    for kind, options in ((haft.optim.LBFGS, {}), (haft.optim.SGD, {"lr": 0.1, "overlap_with_ddp": True})):
        try:
            ZeroRedundancyOptimizer(module.parameters(), kind, **options)
        except (TypeError, ValueError) as e:
            said.append(str(e))
    try:
        ZeroRedundancyOptimizer(plain(1).parameters() if rank else module[0].parameters(), haft.optim.SGD, lr=0.1)
    except RuntimeError as e:
        said.append(str(e))
    optimizer = ZeroRedundancyOptimizer(module.parameters(), haft.optim.Adam)
    try:
        optimizer.consolidate_state_dict(to=7)
    except ValueError as e:
        said.append(str(e))
    try:
        optimizer.add_param_group({"params": [module[0].weight]})
    except ValueError as e:
        said.append(str(e))
    return said, len(optimizer.param_groups)


class Sharding(unittest.TestCase):
    def test_trains_as_data_parallel_does(self):
        alone = plain(0)
        wanted = trained(alone, haft.optim.Adam(alone.parameters(), lr=0.01), 10)
        elements = 6 * 16 + 16 + 16 * 2 + 2
        for n in (2, 3):
            for got in run(n, trains):
                for name, stage in (("state", 1), ("gradients", 2)):
                    self.assertTrue(got[name + "_same"], got[name])
                    self.assertTrue(close(got[name], wanted))
                    info = got[name + "_info"]
                    self.assertEqual((info["stage"], info["ranks"], info["elements"]), (stage, n, elements))
                    self.assertLessEqual(info["own_elements"], elements // n + info["buckets"])
                    self.assertEqual(info["state_bytes"], 8 * info["own_elements"])
                self.assertTrue(got["gradients_none"])
                self.assertLessEqual(got["gradients_info"]["gradient_bytes"], 4 * (elements // n + got["gradients_info"]["buckets"]))

    def test_state_goes_on_at_another_number_of_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "saved")
            first = run(3, resumed, path)
            self.assertEqual(first[0], first[2])
            self.assertIsInstance(first[0], tuple, first[0])
            self.assertEqual(first[0][3], 6.0)
            for n in (2, 4):
                for got in run(n, resumed, path):
                    self.assertTrue(close(got[0], first[0][0]), got)
                    self.assertEqual(got[1], first[0][1])
                    self.assertTrue(close(got[2], first[0][2]))
                    self.assertEqual(got[3], 6.0)

    def test_closures_hooks_groups_and_clipping(self):
        for got in run(2, used):
            self.assertEqual(got, ([True, True], True, True, True, "ZeroRedundancyOptimizer(SGD ("))

    def test_misuse(self):
        for said, groups in run(2, misused):
            for text, wanted in zip(said, ("no optimizer of the engine", "shard_gradients=True overlaps", "differ", "rank 7 is not in",
                                           "more than one parameter group")):
                self.assertIn(wanted, text)
            self.assertEqual((len(said), groups), (5, 1))


if __name__ == "__main__":
    unittest.main()
