"""Batches of 64 normalised, shuffled Fashion-MNIST images. usage: data.py THREADS

PyTorch's DataLoader over a Dataset that normalises a sample; workers 0 and 2, the faster counts."""
import gzip
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

from common import emit, start

threads = int(sys.argv[1])
start(threads)
FOLDER = "/usr/share/datasets/fashion-mnist/"
with gzip.open(FOLDER + "train-images-idx3-ubyte.gz") as f:
    images = torch.frombuffer(bytearray(f.read()[16:]), dtype=torch.uint8).view(-1, 28, 28)
with gzip.open(FOLDER + "train-labels-idx1-ubyte.gz") as f:
    labels = torch.frombuffer(bytearray(f.read()[8:]), dtype=torch.uint8).long()


class Images(Dataset):
    def __len__(self):
        return len(images)

    def __getitem__(self, i):
        return images[i].unsqueeze(0).float().div_(255).sub_(0.2860).div_(0.3530), labels[i]


def rate(workers):
    loader = DataLoader(Images(), batch_size=64, shuffle=True, num_workers=workers, drop_last=True)
    count, begin = 0, time.perf_counter()
    for x, _ in loader:
        count += len(x)
        if count >= 30000:
            break
    return count / (time.perf_counter() - begin)


emit("loader", threads, "images/s", max(rate(0), rate(2)))
