# As PyTorch's tutorial "Getting Started with Distributed Checkpoint" shows it, on the CPU.
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.nn.parallel import DistributedDataParallel as DDP

CHECKPOINT_DIR = os.path.join(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(), "checkpoint")


class AppState(Stateful):
    """This is a useful wrapper for checkpointing the Application State."""

    def __init__(self, model, optimizer=None):
        self.model = model
        self.optimizer = optimizer

    def state_dict(self):
        model_state_dict, optimizer_state_dict = get_state_dict(self.model, self.optimizer)
        return {"model": model_state_dict, "optim": optimizer_state_dict}

    def load_state_dict(self, state_dict):
        set_state_dict(self.model, self.optimizer, model_state_dict=state_dict["model"], optim_state_dict=state_dict["optim"])


class ToyModel(nn.Module):
    def __init__(self):
        super(ToyModel, self).__init__()
        self.net1 = nn.Linear(16, 16)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(16, 8)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def setup(rank, world_size, folder):
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=world_size)


def run_save(rank, world_size, folder):
    setup(rank, world_size, folder)
    torch.manual_seed(0)
    model = DDP(ToyModel())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.ones(8, 16)).sum().backward()
    optimizer.step()
    state_dict = {"app": AppState(model, optimizer)}
    dcp.save(state_dict, checkpoint_id=CHECKPOINT_DIR)
    future = dcp.async_save(state_dict, checkpoint_id=CHECKPOINT_DIR + "_async")
    future.result()
    if rank == 0:
        torch.save(model.module.state_dict(), os.path.join(folder, "wanted.pt"))
    dist.destroy_process_group()


def run_load(folder):
    model = ToyModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    state_dict = {"app": AppState(model, optimizer)}
    dcp.load(state_dict=state_dict, checkpoint_id=CHECKPOINT_DIR)
    wanted = torch.load(os.path.join(folder, "wanted.pt"))
    for name, value in model.state_dict().items():
        print(name, tuple(value.shape), torch.equal(value, wanted[name]))
    print(optimizer.state_dict()["state"][0]["step"].item(), optimizer.param_groups[0]["lr"])


if __name__ == "__main__":
    world_size = 2
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run_save, args=(world_size, folder), nprocs=world_size, join=True)
        run_load(folder)
