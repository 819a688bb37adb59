"""A model spread over the ranks of a mesh, tensors over a mesh, and a loss over classes that no rank has all of."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, loss_parallel, parallelize_module


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden)
        self.w2 = nn.Linear(hidden, dim)

    def forward(self, x):
        return x + self.w2(F.relu(self.w1(x)))


class Model(nn.Module):
    def __init__(self, vocab=12, dim=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.ff = FeedForward(dim, 16)
        self.output = nn.Linear(dim, vocab, bias=False)

    def forward(self, tokens):
        return self.output(self.ff(self.embed(tokens)))


def filled(model):
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * (0.1 + 0.05 * i)).reshape(p.shape) * 0.3)
    return model


def main(rank, world_size, port):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world_size))
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    tp = mesh["tp"]
    say = print if rank == 0 else lambda *args: None

    # Tensors over a mesh.
    whole = torch.arange(24.0).reshape(6, 4)
    sharded = distribute_tensor(whole, tp, [Shard(0)])
    say(sharded.placements, tuple(sharded.shape), tuple(sharded.to_local().shape))
    say(torch.equal(sharded.full_tensor(), whole), torch.equal((sharded * 2 + sharded).full_tensor(), whole * 3))
    columns = sharded.redistribute(placements=[Shard(1)])
    say(columns.to_local().sum().item(), columns.redistribute(placements=[Replicate()]).to_local().sum().item())
    terms = DTensor.from_local(torch.full((2, 2), float(tp.get_local_rank() + 1)), tp, [Partial()])
    say(terms.full_tensor().tolist(), terms.redistribute(placements=[Shard(0)]).to_local().tolist())
    both = distribute_tensor(whole, mesh, [Shard(0), Shard(1)])
    say(tuple(both.to_local().shape), both.full_tensor().sum().item())
    weight = distribute_tensor(torch.ones(4, 4, requires_grad=True), tp, [Shard(0)])
    (weight.full_tensor() ** 2).sum().backward()
    say(weight.grad.placements, weight.grad.to_local().sum().item())

    # A model, with the loss over parts of the classes.
    tokens, targets = torch.tensor([[1, 5, 7], [2, 3, 11]]), torch.tensor([[5, 7, 0], [3, 11, 4]])
    plain, model = filled(Model()), filled(Model())
    model = parallelize_module(model, tp, {
        "embed": RowwiseParallel(input_layouts=Replicate()),
        "ff": PrepareModuleInput(input_layouts=(Replicate(),), desired_input_layouts=(Replicate(),), use_local_output=True),
        "ff.w1": ColwiseParallel(),
        "ff.w2": RowwiseParallel(),
        "output": ColwiseParallel(input_layouts=Replicate(), output_layouts=Shard(-1), use_local_output=False),
    })
    wanted = F.cross_entropy(plain(tokens).flatten(0, 1), targets.flatten())
    wanted.backward()
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.5) for m in (plain, model)]
    with loss_parallel():
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
        loss.backward()
    say(f"loss {loss.item():.5f}", abs(loss.item() - wanted.item()) < 1e-5)
    for optimizer in optimizers:
        optimizer.step()
    with loss_parallel():
        after = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
    say(abs(after.item() - F.cross_entropy(plain(tokens).flatten(0, 1), targets.flatten()).item()) < 1e-5, after.item() < loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    free = 10000 + os.getpid() % 20000  # below those that the system gives to others, who may be many
    mp.spawn(main, args=(4, free), nprocs=4, join=True)
