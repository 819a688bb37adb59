#!/usr/bin/env python3
"""Images a second of haft.utils.data.DataLoader beside PyTorch's: normalised, shuffled Fashion-MNIST in batches of 64.

usage: python_data.py [--build DIR] [--threads N] [--rounds N]

Ours in four ways: the engine's threads (0, 1 and 2 of them) with haft.vision's transforms, and two worker processes over a
dataset in Python. PyTorch's (Debian's, bench/peer/data.py) is a dataset in Python, with 0 and 2 workers, the better of the two.
Every program runs in a process of its own, ours and the peer's in turn; the table has the medians."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PYTHON = "/usr/bin/python3"
WAYS = ["threads 0", "threads 1", "threads 2", "processes 2"]


def rate(loader, most):
    count, begin = 0, time.perf_counter()
    for x, _ in loader:
        count += x.size(0)
        if count >= most:
            break
    return count / (time.perf_counter() - begin)


def ours(way, threads):
    import haft
    from haft.utils.data import DataLoader, Dataset
    from haft.vision import datasets, transforms
    haft.set_num_threads(threads)
    change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
    data = datasets.FashionMNIST("/usr/share/datasets/fashion-mnist", transform=change)
    kind, workers = way.split()
    if kind == "threads":
        loader, most = DataLoader(data, batch_size=64, shuffle=True, num_workers=int(workers), drop_last=True), 60000
        rate(loader, most)  # the first epoch touches the memory
    else:
        class Images(Dataset):  # as bench/peer/data.py's
            def __len__(self):
                return len(data)

            def __getitem__(self, i):
                return data.data[i].unsqueeze(0).float().div_(255).sub_(0.2860).div_(0.3530), data.targets[i]

        loader, most = DataLoader(Images(), batch_size=64, shuffle=True, num_workers=int(workers), drop_last=True), 30000
    print(json.dumps({"value": rate(loader, most)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.way:
        return ours(o.way, o.threads)

    def run(command, **environment):
        out = subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ, **environment)).stdout
        return json.loads(out.splitlines()[-1])["value"]

    results = {name: [] for name in [*WAYS, "PyTorch"]}
    for _ in range(o.rounds):
        for way in WAYS:
            results[way].append(run([PYTHON, os.path.abspath(__file__), "--way", way, "--threads", str(o.threads)],
                                    PYTHONPATH=os.path.join(o.build, "python")))
        results["PyTorch"].append(run([PYTHON, os.path.join(ROOT, "bench", "peer", "data.py"), str(o.threads)]))
    peer = statistics.median(results["PyTorch"])
    print(f"{'way':12s} {'images/s':>12s} {'ratio':>8s}")
    for name, values in results.items():
        print(f"{name:12s} {statistics.median(values):12,.0f} {statistics.median(values) / peer:8.2f}")
    return 0


sys.exit(main())
