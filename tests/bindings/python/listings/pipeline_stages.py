"""A model whose halves are the stages of a pipeline on two processes."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe


def half(seed):
    layers = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
    with torch.no_grad():
        for p in layers.parameters():
            p.copy_(torch.cos(torch.arange(p.numel()) * 0.1 * seed).reshape(p.shape) * 0.4)
    return layers


def main(rank, world_size, port):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world_size))
    dist.init_process_group()
    device = torch.device("cpu")
    x, y = torch.linspace(-1, 1, 128).reshape(16, 8), torch.linspace(1, 0, 128).reshape(16, 8)
    for make in (ScheduleGPipe, Schedule1F1B):
        part = half(rank + 1)
        stage = PipelineStage(part, rank, world_size, device)
        schedule = make(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
        optimizer = torch.optim.SGD(part.parameters(), lr=0.5)
        for step in range(3):
            optimizer.zero_grad()
            losses = []
            if rank == 0:
                schedule.step(x)
            else:
                output = schedule.step(target=y, losses=losses)
                print(make.__name__, step, len(losses), tuple(output.shape), f"{torch.stack(losses).mean().item():.5f}")
            optimizer.step()
    if rank == 1:  # the same in one process
        whole = nn.Sequential(half(1), half(2))
        optimizer = torch.optim.SGD(whole.parameters(), lr=0.5)
        for step in range(3):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(whole(x), y)
            loss.backward()
            optimizer.step()
            print("one process", step, f"{loss.item():.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    free = 10000 + os.getpid() % 20000  # below those that the system gives to others, who may be many
    mp.spawn(main, args=(2, free), nprocs=2, join=True)
