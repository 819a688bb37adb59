#!/usr/bin/env python3
"""Training that goes on when a process dies: haft-run starts all processes again, and they go on from the last snapshot.

usage: haft-run --nproc-per-node 2 --max-restarts 3 elastic.py --snapshot run.pt [--steps N] [--kill-at STEP] [--device cpu]
       haft-run --nnodes 1:4 --rdzv-endpoint node1:29400 --max-restarts 3 elastic.py --snapshot /shared/run.pt

A step's batch follows from its number, and is shared among as many processes as there are: so the job ends with the loss that it
would have had undisturbed. --kill-at lets the last process of the first start end without a word, as a lost machine would.
"""
import argparse
import os
import signal

import haft
import haft.distributed as dist
from haft import nn, optim
from haft.nn import functional as F
from haft.nn.parallel import DistributedDataParallel

from devices import own_device

ROWS, WIDTH, HIDDEN, EVERY = 48, 8, 32, 10


def batch(step, rank, world_size):
    """The rows of a step's batch that a rank has, and what the network shall answer: the mean of their squares."""
    every = haft.rand(ROWS, WIDTH, generator=haft.Generator().manual_seed(1000 + step))
    x = every[ROWS * rank // world_size:ROWS * (rank + 1) // world_size]
    return x, x.square().mean(1, keepdim=True)


def save(path, **state):
    """Replaces the snapshot as a whole: who dies meanwhile leaves the one before."""
    haft.save(state, path + ".new")
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--snapshot", default="elastic.pt")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--kill-at", type=int)
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, cuda:0, or cuda for one of each process (cpu)")
    o = parser.parse_args()

    dist.init_process_group()
    rank, world_size = dist.get_rank(), dist.get_world_size()
    restarts = int(os.environ.get("HAFT_RESTART_COUNT", "0"))
    haft.set_num_threads(1)
    haft.manual_seed(1)
    device = own_device(o.device)
    net = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1)).to(device)
    optimizer = optim.Adam(net.parameters(), lr=0.01)
    begin = 0
    if os.path.exists(o.snapshot):  # a start before this one has left it
        state = haft.load(o.snapshot, map_location=device)
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        begin = state["step"]
    if rank == 0:
        print(f"start {restarts}: {world_size} processes, from step {begin}", flush=True)

    ddp = DistributedDataParallel(net)
    mean = 0.0
    for step in range(begin, o.steps):
        if step == o.kill_at and restarts == 0 and rank == world_size - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        x, y = batch(step, rank, world_size)
        loss = F.mse_loss(ddp(x.to(device)), y.to(device))
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        mean = loss.item()
        if (step + 1) % EVERY == 0 and rank == 0:  # all ranks have the same
            save(o.snapshot, net=net.state_dict(), optimizer=optimizer.state_dict(), step=step + 1)
    total, = dist.sum_values([mean])
    if rank == 0:
        print(f"{o.steps} steps: loss {total / world_size:.7f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
