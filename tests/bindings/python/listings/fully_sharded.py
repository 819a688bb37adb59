"""Two processes train a transformer's blocks with fully_shard, as in the tutorial on it."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Shard


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Block(dim) for _ in range(layers))
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, tokens):
        h = self.embed(tokens)
        for layer in self.layers:
            h = layer(h)
        return self.head(h)


def train(rank, world_size, port):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", str(port)
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    torch.set_num_threads(1)
    mesh = init_device_mesh("cpu", (world_size,), mesh_dim_names=("dp",))
    model = Model(16, 8, 2)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.linspace(-0.3, 0.4, p.numel()).reshape(p.shape))
    fsdp_kwargs = {"mesh": mesh, "mp_policy": MixedPrecisionPolicy(param_dtype=torch.float32, reduce_dtype=torch.float32)}
    for layer in model.layers:
        fully_shard(layer, **fsdp_kwargs)
    fully_shard(model, **fsdp_kwargs)
    assert isinstance(model, Model) and isinstance(model, FSDPModule)
    for param in model.parameters():
        assert isinstance(param, DTensor) and param.placements == (Shard(0),)
    optim = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(3):
        tokens = (torch.arange(24).reshape(4, 6) * (step + 2)) % 16
        mine = tokens[rank * 2:rank * 2 + 2]
        loss = F.cross_entropy(model(mine).flatten(0, 1), (mine.flatten() + 1) % 16)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        if isinstance(norm, DTensor):
            norm = norm.full_tensor()
        optim.step()
        optim.zero_grad()
        total = loss.detach().clone()
        dist.all_reduce(total)
        if rank == 0:
            print(f"step {step}: loss {total.item() / world_size:.4f}, norm {norm.item():.3f}")
    weight = model.layers[0].up.weight
    whole = weight.full_tensor()
    if rank == 0:
        print("rows here:", tuple(weight.to_local().shape), "of", tuple(weight.shape), round(whole.sum().item(), 3))
        print(list(model.state_dict())[:3])
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(train, args=(2, 10000 + os.getpid() % 20000), nprocs=2)
