"""Two processes write one checkpoint of a model and its optimizer, now and in the background; one process goes on from it."""
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.nn.parallel import DistributedDataParallel

PLACE = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()


class Run(Stateful):
    # What a run needs to go on: dcp asks for it, and gives it back.
    def __init__(self, net, optim, epoch=0):
        self.net, self.optim, self.epoch = net, optim, epoch

    def state_dict(self):
        weights, moments = get_state_dict(self.net, self.optim)
        return {"weights": weights, "moments": moments, "epoch": self.epoch}

    def load_state_dict(self, state):
        self.epoch = state["epoch"]
        set_state_dict(self.net, self.optim, model_state_dict=state["weights"], optim_state_dict=state["moments"])


def regressor():
    torch.manual_seed(4)
    return nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 2))


def fit(net, optim, steps):
    x = torch.linspace(-1, 1, 30).reshape(5, 6)
    for _ in range(steps):
        optim.zero_grad()
        net(x).square().mean().backward()
        optim.step()
    return net(x).square().mean().item()


def work(rank, ranks, meeting):
    dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=ranks)
    net = DistributedDataParallel(regressor())
    optim = torch.optim.Adam(net.parameters(), lr=0.02)
    fit(net, optim, 3)
    run = {"run": Run(net, optim, epoch=3)}
    dcp.save(run, checkpoint_id=os.path.join(PLACE, "now"))
    later = dcp.async_save(run, checkpoint_id=os.path.join(PLACE, "later"))
    size = sum(p.detach().square().sum() for p in net.parameters()).item()  # meanwhile
    later.result()
    loss = fit(net, optim, 2)
    if rank == 0:
        print(f"written at epoch 3 and size {size:.4f}, two steps behind it the loss is {loss:.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, args=(2, os.path.join(PLACE, "meeting")), nprocs=2)
    for name in "now", "later":
        net = regressor()
        run = Run(net, torch.optim.Adam(net.parameters(), lr=0.02))
        dcp.load({"run": run}, checkpoint_id=os.path.join(PLACE, name))
        print(f"{name}: epoch {run.epoch}, loss {fit(net, run.optim, 2):.5f} after two steps")
