"""DistributedDataParallel, its hooks and averagers under PyTorch's names: processes as test_distributed starts them, and haft-run."""
import os
import subprocess
import sys
import unittest

import haft
import haft.distributed as dist
from haft import nn
from haft.distributed.algorithms import join
from haft.distributed.algorithms.ddp_comm_hooks import default_hooks, post_localSGD_hook, powerSGD_hook
from haft.distributed.algorithms.model_averaging import averagers
from haft.distributed.fsdp import FullyShardedDataParallel
from haft.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from haft.nn.parallel import DistributedDataParallel as DDP
from test_distributed import run


def model(seed):
    haft.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 2))


def data(step, rank=None, n=1):
    g = haft.Generator().manual_seed(100 + step)
    x = haft.randn(12, 6, generator=g)
    y = x[:, :2] * 0.5
    return (x, y) if rank is None else (x[rank * 12 // n:(rank + 1) * 12 // n], y[rank * 12 // n:(rank + 1) * 12 // n])


def plain(seed):
    haft.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))


def trained(module, steps, rank=None, n=1, zero=True):
    optimizer = haft.optim.Adam(module.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.zero_grad(set_to_none=zero)
        x, y = data(step, rank, n)
        nn.functional.mse_loss(module(x), y).backward()
        optimizer.step()
    return [p.tolist() for p in module.parameters()]


def trains(rank):
    n, out = dist.get_world_size(), {}
    ddp = DDP(plain(rank))
    out["first"] = trained(ddp, 20, rank, n)
    out["names"] = list(ddp.state_dict())
    info = ddp.communication_info()
    out["steps"], out["bytes"] = info["steps"], info["sent_bytes"]
    return out


def no_sync(rank):
    ddp = DDP(plain(1))
    with ddp.no_sync():
        x, y = data(0, rank, 2)
        nn.functional.mse_loss(ddp(x), y).backward()
    own = ddp.module[0].weight.grad.clone()
    x, y = data(1, rank, 2)
    nn.functional.mse_loss(ddp(x), y).backward()
    return own.tolist(), ddp.module[0].weight.grad.tolist(), ddp.require_backward_grad_sync


def buffers(rank):
    ddp = DDP(model(rank))
    x, y = data(0, rank, 2)
    ddp(x)
    mean = ddp.module[1].running_mean
    own = mean.tolist()
    ddp(x)
    ddp.eval()
    if rank == 1:
        ddp(x)  # alone
    return own != [0.0] * 16, len(ddp.state_dict())


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.never = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(6, 2)

    def forward(self, x, second):
        return self.b(x) if second else self.a(x)


def unused(rank):
    haft.manual_seed(3)
    ddp = DDP(Branches(), find_unused_parameters=True)
    x, y = data(0, rank, 2)
    nn.functional.mse_loss(ddp(x, second=rank == 1), y).backward()
    out = [ddp.module.never.weight.grad is None, ddp.module.a.weight.grad.tolist(), ddp.module.b.weight.grad.tolist()]
    strict = DDP(Branches())
    nn.functional.mse_loss(strict(x, False), y).backward()
    try:
        strict(x, False)
    except RuntimeError as e:
        out.append(str(e))
    return out


def joined(rank, by_name=False):
    ddp = DDP(plain(2))
    optimizer = haft.optim.SGD(ddp.parameters(), lr=0.1)
    with join.Join([ddp]) if by_name else ddp.join():
        for step in range(2 + 2 * rank):
            optimizer.zero_grad()
            x, y = data(step, rank, 2)
            nn.functional.mse_loss(ddp(x), y).backward()
            optimizer.step()
    return [p.tolist() for p in ddp.parameters()]


def hooks(rank):
    out = {}
    for name, state, hook in (("fp16", None, default_hooks.fp16_compress_hook), ("bf16", None, default_hooks.bf16_compress_hook),
                              ("plain", None, default_hooks.allreduce_hook),
                              ("power", powerSGD_hook.PowerSGDState(matrix_approximation_rank=2, start_powerSGD_iter=2), powerSGD_hook.powerSGD_hook)):
        ddp = DDP(plain(1))
        ddp.register_comm_hook(state, hook)
        out[name] = trained(ddp, 6, rank, 2)
    seen = []

    def own(state, bucket):
        seen.append((state, bucket.index(), bucket.is_last(), len(bucket.parameters()), [list(g.shape) for g in bucket.gradients()]))
        half = bucket.buffer().to(haft.float16) / dist.get_world_size()
        return dist.all_reduce(half, async_op=True).get_future().then(lambda f: f.value()[0].to(haft.float32))

    ddp = DDP(plain(1))
    ddp.register_comm_hook("mine", own)
    out["own"] = trained(ddp, 6, rank, 2)
    out["seen"] = seen[0]
    try:
        ddp.register_comm_hook("again", own)
    except RuntimeError as e:
        out["twice"] = str(e)

    ddp = DDP(plain(1))
    ddp.register_comm_hook("mine", default_hooks.bf16_compress_wrapper(own))
    out["wrapped"] = trained(ddp, 6, rank, 2)
    ddp = DDP(plain(1))
    ddp.register_comm_hook(None, default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook))
    out["wrapped_plain"] = trained(ddp, 6, rank, 2)

    def broken(state, bucket):
        raise KeyError("mine")

    ddp = DDP(plain(1))
    ddp.register_comm_hook(None, broken)
    try:
        trained(ddp, 1, rank, 2)
    except KeyError as e:
        out["raised"] = str(e)
    ddp = DDP(plain(1))
    ddp.set_compression("top_k", ratio=0.2)
    out["top_k"] = trained(ddp, 6, rank, 2)
    state = ddp.communication_state_dict()
    out["state"] = sorted(state)
    ddp.load_communication_state_dict(state)
    return out


def averaged(rank):
    out = []
    module = plain(1)
    periodic = averagers.PeriodicModelAverager(period=2, warmup_steps=1)
    for step in range(5):
        with haft.no_grad():
            module[0].bias.fill_(10.0 * step + rank)
        periodic.average_parameters(module.parameters())
        out.append(module[0].bias[0].item())
    outer = averagers.OuterModelAverager(period=2, lr=1.0, momentum=0.0)
    with haft.no_grad():
        module[0].bias.fill_(1.0)
    turns = []
    for step in range(4):
        turns.append(outer.average_parameters([{"params": [module[0].bias]}]))
        with haft.no_grad():
            module[0].bias.add_(1.0 + rank)
    part = dist.split_group(split_ranks=[[0], [1]])
    ddp = DDP(plain(1))
    ddp.register_comm_hook(post_localSGD_hook.PostLocalSGDState(None, part, 1), post_localSGD_hook.post_localSGD_hook)
    grads = []
    for step in range(2):
        ddp.zero_grad()
        x, y = data(step, rank, 2)
        nn.functional.mse_loss(ddp(x), y).backward()
        grads.append(ddp.module[0].bias.grad.tolist())
    return out, turns, grads


def local_sgd(rank):
    """Steps of each rank's own, and models averaged behind every second one; then the same from a state."""
    def made():
        module = plain(1)
        sgd = haft.optim.SGD(module.parameters(), lr=0.1)
        return module, PostLocalSGDOptimizer(sgd, averagers.PeriodicModelAverager(period=2))

    module, optimizer = made()
    same = []

    def steps(module, optimizer, first, last):
        for step in range(first, last):
            optimizer.zero_grad()
            x, y = data(step, rank, 2)
            nn.functional.mse_loss(module(x), y).backward()
            optimizer.step()
            every = [None] * 2
            dist.all_gather_object(every, module[0].bias.tolist())
            same.append(every[0] == every[1])

    steps(module, optimizer, 0, 3)
    state, weights = optimizer.state_dict(), {k: v.clone() for k, v in module.state_dict().items()}
    steps(module, optimizer, 3, 6)
    again, other = made()
    again.load_state_dict(weights)
    other.load_state_dict(state)
    steps(again, other, 3, 6)
    return same, state["step"], all(a.tolist() == b.tolist() for a, b in zip(module.parameters(), again.parameters())), repr(optimizer)[:25]


def on_a_device(rank, path):
    """On the CPU and on a device: gradients in fewer bits, a spread optimizer, models that are averaged."""
    haft.runtime.load_backend(path)
    n, ends = dist.get_world_size(), {}
    for kind in ("fp16", "int8", "power_sgd"):
        ends[kind] = []
        for device in ("cpu", f"cuda:{rank}"):
            ddp = DDP(plain(1).to(device), device_ids=[device])
            ddp.set_compression(kind, rank=2)
            optimizer = ZeroRedundancyOptimizer(ddp.parameters(), haft.optim.SGD, lr=0.1, momentum=0.9)
            averager = averagers.PeriodicModelAverager(period=2)
            for step in range(4):
                optimizer.zero_grad()
                x, y = data(step, rank, n)
                nn.functional.mse_loss(ddp(x), y.to(device)).backward()
                optimizer.step()
                averager.average_parameters(ddp.parameters())
            optimizer.consolidate_state_dict(to=-1)
            state = optimizer.state_dict()["state"][0]["momentum_buffer"]
            ends[kind].append(([p.cpu().tolist() for p in ddp.parameters()], state.cpu().tolist(), ddp.communication_info()["sent_bytes"],
                               {str(p.device) for p in ddp.parameters()} | {str(p.grad.device) for p in ddp.parameters()}))
    try:
        DDP(plain(1), device_ids=[f"cuda:{rank}"])
    except ValueError as e:
        ends["elsewhere"] = str(e)
    whole, (x, y) = FullyShardedDataParallel(plain(1), device_id=rank), data(0, rank, n)
    nn.functional.mse_loss(whole(x.to(f"cuda:{rank}")), y.to(f"cuda:{rank}")).backward()
    ends["sharded"] = {str(p.device) for p in whole.parameters()}
    return ends


def close(a, b, by=2e-5):
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y, by) for x, y in zip(a, b))
    return abs(a - b) <= by


class DataParallel(unittest.TestCase):
    def test_trains_as_one_process_does(self):
        alone = trained(plain(0), 20)
        for n in (2, 3):
            got = run(n, trains)
            self.assertTrue(close(got[0]["first"], alone), got)
            for other in got[1:]:
                self.assertEqual(other, got[0])
            self.assertEqual(got[0]["names"][0], "module.0.weight")
            self.assertEqual(got[0]["steps"], 20)
            self.assertEqual(got[0]["bytes"], 20 * 4 * (6 * 16 + 16 + 16 * 2 + 2))

    def test_no_sync_adds_up(self):
        (own0, both0, sync), (own1, both1, _) = run(2, no_sync)
        self.assertTrue(sync)
        self.assertNotEqual(own0, own1)
        self.assertEqual(both0, both1)
        alone = plain(1)
        for step in range(2):
            x, y = data(step)
            nn.functional.mse_loss(alone(x), y).backward()
        self.assertTrue(close(both0, alone[0].weight.grad.tolist(), 1e-6))

    def test_buffers_and_an_evaluation_alone(self):
        self.assertEqual(run(2, buffers), [(True, 9)] * 2)

    def test_unused_parameters(self):
        first, second = run(2, unused)
        self.assertTrue(first[0])
        self.assertEqual(first[:3], second[:3])
        self.assertTrue(any(v for row in first[1] for v in row) and any(v for row in first[2] for v in row))
        self.assertIn('these parameters got none: "b.weight", "b.bias", "never.weight", "never.bias"', first[3])

    def test_join(self):
        first, second = run(2, joined)
        self.assertEqual(first, second)
        self.assertEqual(run(2, joined, True), [first, first])
        self.assertRaisesRegex(ValueError, "at least one object", join.Join, [])

    def test_hooks(self):
        first, second = run(2, hooks)
        self.assertEqual(first, second)
        alone = trained(plain(1), 6)
        self.assertTrue(close(first["plain"], alone))
        self.assertTrue(close(first["fp16"], alone, 0.02) and close(first["bf16"], alone, 0.05) and close(first["own"], alone, 0.02))
        self.assertNotEqual(first["fp16"], first["plain"])
        self.assertTrue(close(first["power"], alone, 0.1))
        self.assertTrue(close(first["wrapped"], alone, 0.05))
        self.assertNotEqual(first["wrapped"], first["own"])
        self.assertEqual(first["wrapped_plain"], first["fp16"])
        self.assertRaisesRegex(TypeError, "takes no wrapper", default_hooks.fp16_compress_wrapper, powerSGD_hook.powerSGD_hook)
        self.assertEqual(first["seen"][:4], ("mine", 0, True, 4))
        self.assertEqual(first["seen"][4], [[2], [2, 16], [16], [16, 6]])
        self.assertIn("only be called once", first["twice"])
        self.assertEqual(first["raised"], "'mine'")
        self.assertEqual(first["state"], ["residual.0.bias", "residual.0.weight", "residual.2.bias", "residual.2.weight", "step"])

    def test_averagers(self):
        for values, turns, grads in run(2, averaged):
            self.assertEqual(values[1::2], [10.5, 30.5])
            self.assertEqual(turns, [False, True, False, True])
        (_, _, zero), (_, _, one) = run(2, averaged)
        self.assertEqual(zero[0], one[0])
        self.assertNotEqual(zero[1], one[1])

    def test_local_sgd(self):
        self.assertEqual(run(2, local_sgd), [([True, False, True, False, True, False, False, True, False], 3, True, "PostLocalSGDOptimizer(SGD")] * 2)

    def test_on_a_device(self):
        path = os.path.join(os.environ["HAFT_BINARY_DIR"], "tests", "cuda", "on_host", "libhaft_cuda.so")  # over simulated GPUs
        for rank, ends in enumerate(run(2, on_a_device, path)):
            self.assertIn(f"module's one device, cpu, got ['cuda:{rank}']", ends.pop("elsewhere"))
            self.assertEqual(ends.pop("sharded"), {f"cuda:{rank}"})
            for kind, (here, there) in ends.items():
                by = 5e-3 if kind == "int8" else 1e-3  # an element half-way goes to either side
                self.assertTrue(close(here[0], there[0], by) and close(here[1], there[1], 10 * by), kind)
                self.assertEqual(here[2], there[2])
                self.assertEqual((here[3], there[3]), ({"cpu"}, {f"cuda:{rank}"}))

    def test_under_haft_run(self):
        launcher = os.path.join(os.environ["HAFT_BINARY_DIR"], "haft-run")
        body = ("import haft, haft.distributed as dist\nfrom haft.nn.parallel import DistributedDataParallel as DDP\n"
                "dist.init_process_group()\nm = DDP(haft.nn.Linear(2, 1))\n"
                "m(haft.ones(1, 2) * (dist.get_rank() + 1)).sum().backward()\nprint('gradient', m.module.weight.grad.tolist())\n")
        done = subprocess.run([launcher, "--nproc-per-node", "3", sys.executable, "-c", body], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("gradient [[2.0, 2.0]]"), 3, done.stdout)


if __name__ == "__main__":
    unittest.main()
