#!/usr/bin/env python3
"""Several processes train one network on Fashion-MNIST: each on its share of the pictures, gradients are the mean of all.

usage: haft-run --nproc-per-node 2 fashion_mnist_ddp.py [--data FOLDER] [--steps N] [--device cpu]

Where the folder has no pictures, drawn ones take their place.
"""
import argparse
import os

import haft
import haft.distributed as dist
from haft import nn, optim
from haft.nn import functional as F
from haft.nn.parallel import DistributedDataParallel
from haft.utils.data import DataLoader, TensorDataset
from haft.utils.data.distributed import DistributedSampler
from haft.vision import datasets, transforms

from devices import own_device

BATCH = 32


def drawn():
    """Pictures with a bright stripe whose height tells the class, in noise; the same in every process."""
    g = haft.Generator().manual_seed(1)
    labels = haft.arange(2000) % 10
    stripes = (haft.arange(28) // 2 - 2).unsqueeze(0) == labels.unsqueeze(1)  # (2000, 28): which rows are bright
    images = haft.rand(2000, 1, 28, 28, generator=g) / 4 + stripes.reshape(2000, 1, 28, 1) / 2
    return TensorDataset((images - 0.2860) / 0.3530, labels)


def pictures(folder):
    if not os.path.exists(os.path.join(folder, "train-images-idx3-ubyte.gz")):
        return drawn()
    change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
    return datasets.FashionMNIST(folder, train=True, transform=change)


def batches(loader, sampler):
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


def agree(net):
    """Whether every rank's weights are this one's, bit by bit."""
    mine = haft.cat([p.detach().flatten() for p in net.parameters()])
    every = [haft.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(every, mine)
    return all(haft.equal(mine, one) for one in every)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, cuda:0, or cuda for one of each process (cpu)")
    o = parser.parse_args()
    steps = max(o.steps, 20)

    dist.init_process_group()
    rank = dist.get_rank()
    haft.set_num_threads(max(1, haft.get_num_threads() // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))))
    haft.manual_seed(rank)  # every rank begins with other weights, and gets those of rank 0
    device = own_device(o.device)
    data = pictures(o.data)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 13 * 13, 10)).to(device)
    ddp = DistributedDataParallel(net)
    optimizer = optim.SGD(ddp.parameters(), lr=0.02, momentum=0.9)

    losses = []
    for _, (images, labels) in zip(range(steps), batches(loader, sampler)):
        loss = F.cross_entropy(ddp(images.to(device)), labels.to(device))
        optimizer.zero_grad(set_to_none=False)  # gradients lie in the buckets: they are kept, and nothing is copied
        loss.backward()  # all ranks' gradients are joined when it returns
        optimizer.step()
        losses.append(loss.item())

    ends = haft.tensor([sum(losses[:10]) / 10, sum(losses[-10:]) / 10], device=device)
    dist.all_reduce(ends, op=dist.ReduceOp.AVG)
    same = agree(net)
    if rank == 0:
        first, last = ends.tolist()
        print(f"{dist.get_world_size()} ranks, {steps} steps: loss {first:.4f} to {last:.4f}, weights {'agree' if same else 'DIFFER'}")
    dist.destroy_process_group()
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
