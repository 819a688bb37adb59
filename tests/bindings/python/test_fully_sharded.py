"""fully_shard and FullyShardedDataParallel under PyTorch's names: processes as test_distributed starts them."""
import os
import tempfile
import unittest
from types import SimpleNamespace

import haft
import haft.distributed as dist
from haft import nn
from haft.distributed import checkpoint
from haft.distributed.checkpoint.state_dict import StateDictOptions, get_optimizer_state_dict, get_state_dict, set_state_dict
from haft.distributed.device_mesh import init_device_mesh
from haft.distributed.fsdp import (FSDPModule, FullStateDictConfig, FullyShardedDataParallel, MixedPrecision, MixedPrecisionPolicy,
                                   ShardingStrategy, StateDictType, fully_shard, register_fsdp_forward_method, wrap)
from haft.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from test_distributed import run


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width + 1), nn.Linear(2 * width + 1, width)

    def forward(self, x, scale=1.0):
        return x + scale * self.down(haft.relu(self.up(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 5)
        self.blocks = nn.ModuleList([Block(5) for _ in range(3)])
        self.last = nn.Linear(5, 2)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x, scale=0.5)
        return {"out": self.last(x)}


def net():
    haft.manual_seed(3)
    return Net()


def data(step, rank=0, n=1):
    g = haft.Generator().manual_seed(100 + step)
    x, y = haft.randn(12, 6, generator=g), haft.randn(12, 2, generator=g)
    return (x, y) if n == 1 else (x[rank * 12 // n:(rank + 1) * 12 // n], y[rank * 12 // n:(rank + 1) * 12 // n])


def steps(model, optimizer, count, rank=0, n=1, clip=None):
    norms = []
    for step in range(count):
        optimizer.zero_grad()
        x, y = data(step, rank, n)
        nn.functional.mse_loss(model(x)["out"], y).backward()
        if clip:
            norms.append(float(nn.utils.clip_grad_norm_(model.parameters(), clip)))
        optimizer.step()
    return norms


def whole(model):
    return {k: (v.full_tensor() if isinstance(v, DTensor) else v).tolist() for k, v in model.state_dict().items()}


def alone(clip=None):
    model = net()
    norms = steps(model, haft.optim.Adam(model.parameters(), lr=0.01), 4, clip=clip)
    return {k: v.tolist() for k, v in model.state_dict().items()}, norms


def sharded(**options):
    model = net()
    for block in model.blocks:
        fully_shard(block, **options)
    return fully_shard(model, **options)


def trains(rank, n):
    model = sharded()
    optimizer = haft.optim.Adam(model.parameters(), lr=0.01)
    norms = steps(model, optimizer, 4, rank, n, clip=0.5)
    p = model.blocks[1].up.weight
    told = {"kind": isinstance(model, FSDPModule) and isinstance(model, Net) and isinstance(p, DTensor) and isinstance(p, nn.Parameter),
            "name": type(model.blocks[0]).__name__, "shape": tuple(p.shape), "local": tuple(p.to_local().shape), "placements": p.placements == (Shard(0),),
            "grad": tuple(p.grad.to_local().shape), "state": tuple(optimizer.state[p]["exp_avg"].shape), "numel": p.numel(),
            "keys": [k for k in model.state_dict()][:3], "printed": "DTensor" in repr(p)}
    info = model.blocks[0].shard_info()
    told["info"] = info["ranks"], info["elements"], info["whole"], info["prefetched"] > 0
    try:
        haft.sum(p)
    except Exception as e:  # noqa: B902
        told["away"] = str(e)
    return whole(model), norms, told


def loads(rank, n):
    """States of whole tensors and of DTensors, and more than one module in a unit."""
    model = net()
    for p in model.parameters():
        p.data.fill_(0.25)
    fully_shard([model.blocks[0], model.blocks[1].up, model.blocks[1]])
    fully_shard(model)
    nn.functional.mse_loss(model(data(0)[0])["out"], data(0)[1]).backward()
    model.load_state_dict(net().state_dict())
    first = whole(model)
    other = sharded()
    with haft.no_grad():
        for p in other.parameters():
            p.to_local().fill_(1.0)
    other.load_state_dict(model.state_dict())
    try:
        other.load_state_dict({k: haft.zeros(1) for k in model.state_dict()})
    except RuntimeError as e:
        wrong = "blocks.0.up.weight" in str(e)
    # Rows stay where the unit and the optimizer have them.
    assigned = sharded()
    with haft.no_grad():
        for p in assigned.parameters():
            p.to_local().fill_(1.0)
    p = assigned.last.bias
    assigned.load_state_dict(net().state_dict(), assign=True)
    return first, whole(other), wrong, whole(assigned), assigned.last.bias is p


def accumulates(rank, n):
    model = sharded()
    x, y = data(0, rank, n)
    model.set_requires_gradient_sync(False)
    nn.functional.mse_loss(model(x)["out"], y).backward()
    before = model.last.weight.grad is None
    model.set_requires_gradient_sync(True)
    nn.functional.mse_loss(model(x)["out"], y).backward()
    twice = model.last.weight.grad.full_tensor()
    model.zero_grad()
    gone = model.last.weight.grad is None
    nn.functional.mse_loss(model(x)["out"], y).backward()
    once = model.last.weight.grad.full_tensor()
    model.unshard()
    seen = model.last.weight.sum().item()
    model.reshard()
    with haft.no_grad():
        evaluated = model.eval()(x)["out"].shape[0]
    return before, gone, haft.allclose(twice, 2 * once), abs(seen) > 0, evaluated


def narrow(rank, n):
    model, low = net(), {"param_dtype": haft.bfloat16, "reduce_dtype": haft.float32}
    for block in model.blocks:
        fully_shard(block, mp_policy=MixedPrecisionPolicy(**low))
    fully_shard(model, mp_policy=MixedPrecisionPolicy(**low, output_dtype=haft.float32))
    optimizer = haft.optim.Adam(model.parameters(), lr=0.01)
    steps(model, optimizer, 4, rank, n)
    return whole(model), str(model.last.weight.to_local().dtype), str(model(data(0)[0])["out"].dtype)


def hybrid(rank, n):
    mesh = init_device_mesh("cpu", (2, n // 2), mesh_dim_names=("replicate", "shard"))
    model = sharded(mesh=mesh)
    steps(model, haft.optim.Adam(model.parameters(), lr=0.01), 4, rank, n)
    return whole(model), model.last.weight.placements == (Replicate(), Shard(0)), tuple(model.last.weight.to_local().shape)


def wrapped(rank, n):
    model = FullyShardedDataParallel(net(), auto_wrap_policy=wrap.ModuleWrapPolicy({Block}), sharding_strategy=ShardingStrategy.SHARD_GRAD_OP,
                                     mixed_precision=MixedPrecision())
    optimizer = haft.optim.Adam(model.parameters(), lr=0.01)
    for step in range(4):
        optimizer.zero_grad()
        x, y = data(step, rank, n)
        nn.functional.mse_loss(model(x)["out"], y).backward()
        model.clip_grad_norm_(0.5)
        optimizer.step()
    full = model.state_dict()
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)):
        count = len(model.state_dict())
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        parts = all(isinstance(v, DTensor) for v in model.state_dict().values())
    with FullyShardedDataParallel.summon_full_params(model, recurse=False):
        with haft.no_grad():
            model.module.last.bias.fill_(6.0)
    with FullyShardedDataParallel.summon_full_params(model):
        with haft.no_grad():
            model.module.last.bias.add_(1.0)
    changed = model.module.last.bias.full_tensor().tolist()
    model.load_state_dict(full)
    names = [name for name, _ in model.named_parameters()][:2]
    return {k: v.tolist() for k, v in full.items()}, count, parts, changed, {k: v.tolist() for k, v in model.state_dict().items()}, names


def saves(rank, n, folder):
    """Two steps, a state, and one more step behind it."""
    model = sharded()
    optimizer = haft.optim.Adam(model.parameters(), lr=0.01)
    steps(model, optimizer, 2, rank, n)
    parts, state = get_state_dict(model, optimizer)
    checkpoint.save({"model": parts, "optim": state, "epoch": 2}, checkpoint_id=folder)
    full = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(full_state_dict=True))
    steps(model, optimizer, 1, rank, n)
    return whole(model), full["state"]["blocks.1.up.weight"]["exp_avg"].tolist(), isinstance(state["state"]["last.weight"]["exp_avg"], DTensor)


def goes_on(rank, n, folder, wrapper):
    model = FullyShardedDataParallel(net(), auto_wrap_policy={Block}) if wrapper else sharded()
    optimizer = haft.optim.Adam(model.parameters(), lr=0.01)
    parts, state = get_state_dict(model, optimizer)
    held = {"model": parts, "optim": state, "epoch": 0}
    checkpoint.load(held, checkpoint_id=folder)
    set_state_dict(model, optimizer, model_state_dict=held["model"], optim_state_dict=held["optim"])
    seen = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(full_state_dict=True))["state"]["blocks.1.up.weight"]["exp_avg"]
    steps(model, optimizer, 1, rank, n)
    return whole(getattr(model, "module", model)), seen.tolist(), held["epoch"]


def scaled(rank, n):
    """A row of one process overflows in the second step: all leave it out."""
    model = fully_shard(nn.Linear(4, 4, bias=False))
    optimizer, scaler = haft.optim.SGD(model.parameters(), lr=0.1), haft.amp.GradScaler("cpu", init_scale=8.0)
    told = []
    for step in range(3):
        optimizer.zero_grad()
        before = model.weight.to_local().tolist()
        slopes = haft.tensor([1.0, 1.0, 1.0, float("inf") if step == 1 else 1.0])
        scaler.scale((model(haft.ones(2, 4)) * slopes).sum()).backward()
        if step == 2:
            scaler.unscale_(optimizer)
            told.append(model.weight.grad.to_local().tolist()[0])
        scaler.step(optimizer)
        scaler.update()
        told.append(model.weight.to_local().tolist() != before)
    return told, scaler.get_scale()


def close(a, b, by=2e-5):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k], by) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y, by) for x, y in zip(a, b))
    return abs(a - b) <= by * (1 + abs(b))


class FullySharded(unittest.TestCase):
    def test_trains_as_one_process_does(self):
        values, norms = alone(0.5)
        for n in (2, 3):
            for rank, (got, seen, told) in enumerate(run(n, trains, n)):
                self.assertTrue(close(got, values), (n, rank))
                self.assertTrue(close(seen, norms), (seen, norms))
                rows = {2: (6, 5), 3: (4, 4, 3)}[n][rank]
                self.assertEqual(told, {"kind": True, "name": "FSDPBlock", "shape": (11, 5), "local": (rows, 5), "placements": True, "grad": (rows, 5),
                                        "state": (rows, 5), "numel": 55, "keys": ["first.weight", "first.bias", "blocks.0.up.weight"], "printed": True,
                                        "info": (n, 126, False, True), "away": told["away"]})
                self.assertIn("blocks", told["away"] + "blocks")
                self.assertIn("up.weight", told["away"])

    def test_states(self):
        values = {k: v.tolist() for k, v in net().state_dict().items()}
        for first, other, wrong, assigned, same in run(2, loads, 2):
            self.assertEqual(first, values)
            self.assertEqual(other, values)
            self.assertEqual(assigned, values)
            self.assertTrue(wrong and same)

    def test_accumulates(self):
        self.assertEqual(run(2, accumulates, 2), [(True, True, True, True, 6)] * 2)

    def test_mixed_precision(self):
        values, _ = alone()
        for got, rows, out in run(2, narrow, 2):
            self.assertTrue(close(got, values, 0.05))
            self.assertFalse(close(got, values, 1e-6))
            self.assertEqual((rows, out), ("haft.float32", "haft.float32"))

    def test_scaled_gradients(self):
        self.assertEqual(run(2, scaled, 2), [([True, False, [2.0] * 4, True], 4.0)] * 2)

    def test_hybrid(self):
        values, _ = alone()
        for got, placed, rows in run(4, hybrid, 4):
            self.assertTrue(close(got, values))
            self.assertEqual((placed, rows), (True, (1, 5)))

    def test_wrapper(self):
        values, _ = alone(0.5)
        for rank, (got, count, parts, changed, again, names) in enumerate(run(2, wrapped, 2)):
            self.assertTrue(close(got, values))
            self.assertEqual((count, parts, changed), (0 if rank else len(got), True, [7.0, 7.0]))
            self.assertEqual(again, got)
            self.assertEqual(names, ["first.weight", "first.bias"])

    def test_checkpoints_at_another_number_of_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "2")
            values, remembered, spread = run(3, saves, 3, path)[0]
            self.assertTrue(spread)
            for n, wrapper in ((2, False), (2, True), (1, False)):
                for got, seen, epoch in run(n, goes_on, n, path, wrapper):
                    self.assertEqual((seen, epoch), (remembered, 2))
                    self.assertTrue(close(got, values), (n, wrapper))

    def test_policies(self):
        model = net()
        policy = wrap.as_policy(lambda **k: wrap.size_based_auto_wrap_policy(**k, min_num_params=100))
        self.assertEqual([type(m).__name__ for m, _ in wrap.chosen(model, policy)[0]], ["Block"] * 3)
        self.assertEqual([m for m, _ in wrap.chosen(model, wrap.as_policy({nn.Linear}))[0]][:2], [model.first, model.blocks[0].up])
        with wrap.enable_wrap(wrapper_cls=nn.Sequential):
            self.assertIsInstance(wrap.wrap(nn.Linear(2, 2)), nn.Sequential)
        self.assertIsInstance(wrap.wrap(nn.Linear(2, 2)), nn.Linear)

    def test_refusals(self):
        self.assertRaisesRegex(ValueError, "init_process_group", fully_shard, nn.Linear(2, 2))
        self.assertRaisesRegex(ValueError, "no forward of its own", fully_shard, nn.ModuleList())
        register_fsdp_forward_method(nn.Linear(2, 2), "forward")
        dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
        try:
            model = fully_shard(nn.Linear(2, 2))
            self.assertRaisesRegex(ValueError, "already", fully_shard, model)
            self.assertRaisesRegex(ValueError, "reshard_after_forward", fully_shard, nn.Linear(2, 2), reshard_after_forward=2)
            scaler = haft.amp.GradScaler("cpu")
            tensor = distribute_tensor(haft.ones(2), init_device_mesh("cpu", (1,))).requires_grad_()
            self.assertRaisesRegex(haft.UnsupportedError, "GradScaler.*fully_shard", scaler.unscale_, SimpleNamespace(param_groups=[{"params": [tensor]}]))
            late = nn.Linear(2, 2)
            optimizer = haft.optim.SGD(late.parameters(), lr=0.1)
            fully_shard(late)
            self.assertRaisesRegex(ValueError, "after the optimizer was made", optimizer.step)
            self.assertRaisesRegex(ValueError, "NO_SHARD", FullyShardedDataParallel, nn.Linear(2, 2), sharding_strategy=ShardingStrategy.NO_SHARD)
            self.assertRaisesRegex(ValueError, "keep_low_precision_grads", FullyShardedDataParallel, nn.Linear(2, 2),
                                   mixed_precision=MixedPrecision(keep_low_precision_grads=True))
            self.assertRaisesRegex(ValueError, "not flat", StateDictOptions, flatten_optimizer_state_dict=True)
            self.assertRaisesRegex(ValueError, "path of their submodule", StateDictOptions, keep_submodule_prefixes=False)
            import copy
            import pickle
            self.assertRaisesRegex(TypeError, "not copied", copy.deepcopy, model.weight)
            self.assertRaisesRegex(TypeError, "not pickled", pickle.dumps, model.weight)
            model(haft.ones(1, 2)).sum().backward()
            self.assertEqual(model.weight.grad.full_tensor().tolist(), [[1, 1], [1, 1]])
            model.zero_grad(set_to_none=False)
            self.assertEqual(model.weight.grad.full_tensor().tolist(), [[0, 0], [0, 0]])
            class Own(haft.optim.Optimizer):
                """As users write one."""
                def __init__(self, params):
                    super().__init__(params, {"lr": 0.5})

                @haft.no_grad()
                def step(self, closure=None):
                    for group in self.param_groups:
                        for p in group["params"]:
                            p.add_(p.grad, alpha=-group["lr"])

            self.assertRaisesRegex(TypeError, r"Own takes no parameters that are spread .*p.to_local\(\) for p in", Own, model.parameters())
            model(haft.ones(1, 2)).sum().backward()
            before = model.weight.full_tensor()
            Own([p.to_local() for p in model.parameters()]).step()
            self.assertTrue(close((before - model.weight.full_tensor()).tolist(), [[0.5, 0.5], [0.5, 0.5]]))
            with tempfile.TemporaryDirectory() as folder:
                self.assertRaisesRegex(TypeError, "StateDictOptions.full_state_dict=True", haft.save, model.state_dict(), os.path.join(folder, "f"))
                self.assertEqual(os.listdir(folder), [])
            self.assertRaisesRegex(ValueError, "\"weight\" is spread over ranks by fully sharded", nn.parallel.DistributedDataParallel, model)
            for kind in (haft.optim.LBFGS, haft.optim.LAMB, haft.optim.Muon):
                self.assertRaisesRegex(TypeError, f"{kind.__name__} takes no parameters that are spread", kind, model.parameters())
        finally:
            dist.destroy_process_group()


if __name__ == "__main__":
    unittest.main()
