"""Models over several ranks under PyTorch's names, with real processes, against one process that has everything."""
import copy
import unittest

import haft
import haft.distributed as dist
import haft.distributed.nn.functional as DF
import leaks
from haft import nn
from haft.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from haft.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, PrepareModuleOutput, RowwiseParallel, SequenceParallel,
                                              clip_grad_norm_, join_gradients, loss_parallel, parallelize_module, parameter_copies,
                                              random_of_rank, vocab_parallel_cross_entropy)
from haft.utils.data import DistributedSampler
from test_distributed import run

setUpModule, tearDownModule = leaks.guard()


def close(a, b, tolerance=1e-5):
    return a.shape == b.shape and bool(((a - b).abs() <= tolerance * (1 + b.abs())).all())


def collectives(rank):
    n, done = dist.get_world_size(), {}

    def keep(name, y, x):
        (y * (rank + 1)).sum().backward()
        done[name] = (y.tolist(), x.grad.tolist())

    def leaf(*values):
        return haft.tensor([float(v) for v in values], requires_grad=True)

    x = leaf(rank, 1)
    keep("all_reduce", DF.all_reduce(x), x)
    x = leaf(rank)
    keep("broadcast", DF.broadcast(x, 1), x)
    x = leaf(rank)
    keep("reduce", DF.reduce(x, 0), x)
    x = leaf(rank)
    keep("all_gather", haft.cat(DF.all_gather(x)), x)
    x = leaf(rank, 10 + rank)
    keep("reduce_scatter", DF.reduce_scatter(haft.zeros(1), [x[:1], x[1:]]), x)
    x = leaf(rank)
    keep("gather", haft.cat(DF.gather(x, 1)), x)
    x = leaf(rank, 10 + rank)
    keep("scatter", DF.scatter([x[:1], x[1:]], 0), x)
    x = leaf(rank, 10 + rank)
    out = haft.zeros(2)
    keep("single", DF.all_to_all_single(out, x), x)
    done["written"] = out.tolist()
    x = leaf(*range(3))
    outs = [haft.zeros(1 + rank), haft.zeros(1, 1 + rank)]
    a, b = DF.all_to_all(outs, [x[:1], x[1:].reshape(1, 2)] if rank == 0 else [x[:1].reshape(1, 1), x[1:]])
    done["all_to_all"] = (a.tolist(), list(b.shape), outs[1].tolist())
    done["sums"] = dist.sum_values([1, rank])
    dist.log_rank(0)
    dist.log_rank(None)
    try:
        DF.all_reduce(leaf(1), dist.ReduceOp.MAX)
    except haft.Error as e:
        done["refused"] = type(e).__name__
    done["sampler"] = list(DistributedSampler(range(5), shuffle=False))
    done["world"] = n
    return done


def batch_norm(rank):
    haft.manual_seed(1)
    rows = [3, 2]
    whole = haft.randn(5, 2, 3) * 2 + 10
    dense = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(3, 2), nn.BatchNorm1d(2, affine=False))
    spread = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(dense))
    x, mine = whole.clone().requires_grad_(), whole[sum(rows[:rank]):][:rows[rank]].clone().requires_grad_()
    y, part = dense(x), spread(mine)
    (y ** 3).sum().backward()
    (part ** 3).sum().backward()
    begin = sum(rows[:rank])
    grad = spread[0].weight.grad.clone()
    dist.all_reduce(grad)
    same = [close(part, y[begin:begin + rows[rank]]), close(mine.grad, x.grad[begin:begin + rows[rank]], 1e-4), close(grad, dense[0].weight.grad, 1e-4),
            close(spread[2].running_var, dense[2].running_var), int(spread[0].num_batches_tracked) == 1,
            list(spread.state_dict()) == list(dense.state_dict())]
    spread.eval(), dense.eval()
    same.append(close(spread(whole), dense(whole)))
    return same, repr(spread[0]).split("(")[0]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 4, padding_idx=2)
        self.norm = nn.LayerNorm(4)
        self.up, self.down, self.head = nn.Linear(4, 6), nn.Linear(6, 4), nn.Linear(4, 7, bias=False)

    def forward(self, i):
        x = self.table(i)
        return self.head(x + self.down(haft.nn.functional.gelu(self.up(self.norm(x)))))


def spread(rank):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    tp = mesh["tp"]
    index, target = haft.tensor([[0, 2], [6, 5], [3, 1], [1, 4]]), haft.tensor([[1, 2], [6, 5], [-100, 1], [0, 4]])
    same = []
    for sequence in (False, True):
        haft.manual_seed(5)
        dense = Block()
        haft.manual_seed(5 if rank == 0 else 5 + rank % 2)  # rank 0's of each group count
        model = Block()
        plan = {"table": RowwiseParallel(), "up": ColwiseParallel(), "down": RowwiseParallel(), "head": ColwiseParallel()}
        if sequence:
            plan = {"table": RowwiseParallel(output_layouts=Shard(0)), "norm": SequenceParallel(), "up": ColwiseParallel(input_layouts=Shard(0)),
                    "down": RowwiseParallel(output_layouts=Shard(0)), "head": ColwiseParallel(input_layouts=Shard(0))}
        else:
            model.norm.load_state_dict(dense.norm.state_dict())
        parallelize_module(model, tp, plan)
        logits = dense(index)
        loss = haft.nn.functional.cross_entropy(logits.reshape(8, 7), target.reshape(8))
        got = vocab_parallel_cross_entropy(model(index), target, 7, tp.get_group())
        loss.backward()
        got.backward()
        t = tp.get_local_rank()
        same += [close(got, loss), close(model.up.weight.grad, dense.up.weight.grad[3 * t:3 * t + 3]),
                 close(model.down.weight.grad, dense.down.weight.grad[:, 3 * t:3 * t + 3]), close(model.down.bias.grad, dense.down.bias.grad),
                 close(model.table.weight.grad, dense.table.weight.grad[4 * t:][:4 - t]), close(model.norm.weight.grad, dense.norm.weight.grad),
                 close(model.head.weight.grad, dense.head.weight.grad[4 * t:][:4 - t])]
    try:
        ColwiseParallel(output_layouts=Shard(1))
    except ValueError as e:
        refused = str(e)
    whole = parallelize_module(nn.Linear(3, 2), tp, ColwiseParallel(output_layouts=Replicate()))
    return (same, mesh.get_coordinate(), repr(mesh), mesh.shape, mesh.size("dp"), dist.get_process_group_ranks(tp.get_group()),
            dist.get_process_group_ranks(mesh.get_group("dp")), refused, list(whole(haft.ones(1, 3)).shape), repr(whole))


def tensors(rank):
    """DTensors on two dimensions of a mesh, uneven parts, gradients, and what is refused."""
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    tp, t, d = mesh["tp"], mesh["tp"].get_local_rank(), mesh["dp"].get_local_rank()
    whole = haft.arange(30.0).reshape(5, 6)
    x = distribute_tensor(whole + rank, tp, [Shard(0)])  # the first rank's values count
    whole = whole + 2 * d
    good = [list(x.to_local().shape) == [3 - t, 6], haft.equal(x.full_tensor(), whole), haft.equal(x.redistribute(placements=[Shard(1)]).to_local(),
                                                                                                  whole[:, 3 * t:3 * t + 3])]
    y = distribute_tensor(whole - 2 * d, mesh, (Shard(0), Shard(0)))  # 3 and 2 rows, then 2, 1, 1, 1
    good += [list(y.to_local().shape) == [2 - (d or t), 6], haft.equal(y.full_tensor(), whole - 2 * d),
             haft.equal(y.redistribute(placements=[Replicate(), Shard(1)]).full_tensor(), whole - 2 * d)]
    term = DTensor.from_local(haft.full((2, 4), float(t + 1)), tp, [Partial()])
    good += [term.full_tensor().tolist() == [[3.0] * 4] * 2, (term + term).placements == (Replicate(),), list(term.redistribute(
        placements=[Shard(1)]).to_local().shape) == [2, 2]]
    # Operators of one element after the other stay where they lie; others see the whole.
    z = (x * 2 + x).relu()
    good += [z.placements == (Shard(0),), haft.equal(z.full_tensor(), whole * 3), haft.equal((x @ whole.t()).full_tensor(), whole @ whole.t()),
             x.sum().item() == whole.sum().item(), x.flatten(1).placements == (Shard(0),), x.reshape(30).placements == (Replicate(),),
             haft.equal(x[1].to_local(), whole[1]), x.reshape(5, 2, 3).to_local().shape == (3 - t, 2, 3)]
    # Gradients of leaves that are parts, and of what was made of this rank's tensors.
    w = distribute_tensor(haft.ones(5, 2, requires_grad=True), tp, [Shard(0)])
    (w.full_tensor() * haft.arange(10.0).reshape(5, 2)).sum().backward()
    part = haft.arange(10.0).reshape(5, 2)[3 * t:3 * t + 3 - t]
    own = haft.full((2,), float(t), requires_grad=True)
    (DTensor.from_local(own, tp, [Partial()]).full_tensor() * 3).sum().backward()
    good += [haft.equal(w.grad.to_local(), part), w.grad.placements == (Shard(0),), own.grad.tolist() == [3.0, 3.0]]
    # Copies have memory of their own, on the same mesh.
    for twin in (copy.deepcopy({"w": w, "again": w}), {"w": copy.copy(w)}):
        good += [twin.get("again", twin["w"]) is twin["w"], twin["w"].placements == w.placements, twin["w"].device_mesh is tp, twin["w"].requires_grad,
                 twin["w"].is_leaf, haft.equal(twin["w"].full_tensor(), w.full_tensor())]
    deep = copy.deepcopy(w)
    with haft.no_grad():
        deep.to_local().fill_(7.0)
    good += [deep.full_tensor().tolist() == [[7.0] * 2] * 5, w.full_tensor().tolist() == [[1.0] * 2] * 5]
    told = []
    for f in (lambda: x.redistribute(placements=[Partial()]), lambda: distribute_tensor(whole, tp, [Partial()]), lambda: distribute_tensor(whole, mesh, [Shard(0)]),
              lambda: Partial("max"), lambda: x.no_such_thing, lambda: PrepareModuleInput(input_layouts=Shard(0)), lambda: x.copy_(whole), lambda: x.add_(whole)):
        try:
            f()
        except Exception as e:
            told.append(type(e).__name__)
    return good, told, repr(x.placements), dist.tensor.zeros(4, 2, device_mesh=tp, placements=[Shard(0)]).to_local().tolist()


def mesh_gradients(rank):
    """Joined and clipped gradients, random numbers of parts, and layers that pass DTensors on."""
    good = []
    own, same = haft.ones(1, requires_grad=True), haft.ones(2, requires_grad=True)
    own.grad, same.grad = haft.tensor([1.0 + 2 * rank]), haft.tensor([rank, 2.0 - rank])
    join_gradients([same])
    norm = clip_grad_norm_([own, same], 1.0, copies=[1, 2])
    good += [abs(norm - 12.5 ** 0.5) < 1e-6, close(own.grad, haft.tensor([(1.0 + 2 * rank) / norm]))]
    haft.manual_seed(3)
    with random_of_rank():
        inside = haft.rand(4 + rank)
    outside = haft.rand(4)
    all_inside, all_outside = ([haft.zeros(4), haft.zeros(4)] for _ in range(2))
    dist.all_gather(all_inside, inside[:4].clone())
    dist.all_gather(all_outside, outside)
    good += [not haft.equal(*all_inside), haft.equal(*all_outside)]

    mesh = dist.init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
    haft.manual_seed(1)
    dense = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 4))
    haft.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 4))
    parallelize_module(model, mesh, {"0": ColwiseParallel(use_local_output=False), "1": RowwiseParallel(use_local_output=False)})
    seen = []
    parallelize_module(model, mesh, PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(0)))
    model[1].register_forward_pre_hook(lambda m, args: seen.append(args[0].placements))
    x = haft.randn(2, 4)
    y = model(x)
    good += [seen == [(Shard(1),)], close(y, dense(x)[rank:rank + 1]), parameter_copies(model, 2) == [1, 1, 1, 2]]
    scores, target = haft.randn(3, 4), haft.tensor([0, 3, 1])
    parts = distribute_tensor(scores.clone().requires_grad_(), mesh, [Shard(1)])
    want = nn.functional.cross_entropy(scores, target)
    with loss_parallel():
        loss = nn.functional.cross_entropy(parts, target)
        loss.backward()
    scores = scores.clone().requires_grad_()
    nn.functional.cross_entropy(scores, target).backward()
    good += [close(loss.to_local(), want), close(parts.grad.to_local(), scores.grad[:, 2 * rank:2 * rank + 2]),
             close(nn.functional.cross_entropy(parts, target).to_local(), want)]
    return good


class Parallel(unittest.TestCase):
    def test_tensors_over_a_mesh(self):
        for rank, got in enumerate(run(4, tensors)):
            self.assertIsInstance(got, tuple, got)
            self.assertEqual(got[0], [True] * len(got[0]))
            self.assertEqual(got[1], ["RuntimeError", "RuntimeError", "ValueError", "ValueError", "AttributeError", "ValueError", "RuntimeError", "RuntimeError"])
            self.assertEqual(got[2:], ("(Shard(dim=0),)", [[0.0, 0.0]] * 2))

    def test_gradients_random_numbers_and_layouts(self):
        for got in run(2, mesh_gradients):
            self.assertEqual(got, [True] * 10)

    def test_collectives(self):
        a, b = run(2, collectives)
        self.assertEqual(a["all_reduce"], ([1, 2], [3, 3]))
        self.assertEqual((a["broadcast"], b["broadcast"]), (([1], [0]), ([1], [3])))
        self.assertEqual((a["reduce"], b["reduce"]), (([1], [1]), ([0], [1])))
        self.assertEqual(b["all_gather"], ([0, 1], [3]))
        self.assertEqual((a["reduce_scatter"], b["reduce_scatter"]), (([1], [1, 2]), ([21], [1, 2])))
        self.assertEqual((a["gather"], b["gather"]), (([0, 0], [2]), ([0, 1], [2])))
        self.assertEqual((a["scatter"], b["scatter"]), (([0], [1, 2]), ([10], [0, 0])))
        self.assertEqual((a["single"], b["written"]), (([0, 1], [1, 2]), [10, 11]))
        self.assertEqual(a["all_to_all"], ([0], [1, 1], [[0]]))
        self.assertEqual(b["all_to_all"], ([1, 2], [1, 2], [[1, 2]]))
        self.assertEqual((a["sums"], a["refused"]), ([2, 1], "AutogradError"))
        self.assertEqual((a["sampler"], b["sampler"]), ([0, 2, 4], [1, 3, 0]))

    def test_sync_batch_norm(self):
        for same, name in run(2, batch_norm):
            self.assertEqual((same, name), ([True] * 7, "SyncBatchNorm"))
        alone = nn.SyncBatchNorm(2)  # without a group it is BatchNorm
        x = haft.randn(4, 2, 3)
        self.assertTrue(close(alone(x), nn.BatchNorm1d(2)(x)))
        with self.assertRaises(ValueError):
            alone(haft.ones(2))

    def test_tensor_parallel_on_a_mesh(self):
        for rank, got in enumerate(run(4, spread)):
            self.assertIsInstance(got, tuple, got)
            self.assertEqual(got[0], [True] * 14)
            self.assertEqual(got[1:5], ([rank // 2, rank % 2], "DeviceMesh(dp=2, tp=2, device: 'cpu')", (2, 2), 2))
            self.assertEqual(got[5:7], ([rank // 2 * 2, rank // 2 * 2 + 1], [rank % 2, rank % 2 + 2]))
            self.assertIn("Shard(-1) or Replicate()", got[7])
            self.assertEqual(got[8:], ([1, 2], "ColumnParallelLinear(in_features=3, out_features=2, bias=True, ranks=2)"))


if __name__ == "__main__":
    unittest.main()
