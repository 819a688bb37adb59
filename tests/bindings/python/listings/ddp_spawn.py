"""Two processes train a model with DistributedDataParallel, as in the tutorial on it."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.optim as optim
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def setup(rank, world_size, port):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = str(port)
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


def demo_basic(rank, world_size, port):
    setup(rank, world_size, port)
    torch.set_num_threads(1)
    model = ToyModel()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.linspace(-0.5, 0.4, p.numel()).reshape(p.shape) * (1 if rank == 0 else 2))
    ddp_model = DDP(model)  # the first process's weights are everybody's
    data = TensorDataset(torch.linspace(-1, 1, 160).reshape(16, 10), torch.linspace(0, 1, 80).reshape(16, 5))
    sampler = DistributedSampler(data, shuffle=False)
    loader = DataLoader(data, batch_size=4, sampler=sampler)
    loss_fn = nn.MSELoss()
    optimizer = optim.SGD(ddp_model.parameters(), lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = loss_fn(ddp_model(inputs), labels)
            loss.backward()
            optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        if rank == 0:
            print(f"epoch {epoch}: loss {total.item() / world_size:.5f}")
    with ddp_model.no_sync():
        loss_fn(ddp_model(inputs), labels).backward()
    gathered = [torch.zeros(1) for _ in range(world_size)]
    dist.all_gather(gathered, ddp_model.module.net1.weight.grad.sum().reshape(1))
    objects = [None] * world_size
    dist.all_gather_object(objects, {"rank": rank, "weight": round(ddp_model.module.net2.weight.sum().item(), 3)})
    if rank == 0:
        print("gradients of their own:", [round(g.item(), 4) for g in gathered])
        print(objects)
    dist.barrier()
    dist.destroy_process_group()


def run_demo(demo_fn, world_size):
    port = 10000 + os.getpid() % 20000  # below those that the system gives to others, who may be many
    mp.spawn(demo_fn, args=(world_size, port), nprocs=world_size, join=True)


if __name__ == "__main__":
    run_demo(demo_basic, 2)
