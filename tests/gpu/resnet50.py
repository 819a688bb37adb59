#!/usr/bin/env python3
"""A residual network of 50 layers trains on images that lie channels last, ours (haft.vision.models) beside PyTorch's compiled and eager, in turns,
with bfloat16 autocast and SGD with momentum on one GPU.

usage: tests/gpu/resnet50.py [--batch 256] [--size 224] [--steps 30] [--rounds 2] [--sides haft,eager,compiled] [--mode reduce-overhead]
                             [--layers 3,4,6,3] [--width 64] [--expansion 4] [--classes 1000]
                             [--device cuda:0] [--their-device cuda:0]
       tests/gpu/resnet50.py --run haft|eager|compiled --profile    where the time of one step goes

haft is the package on PYTHONPATH; ours is one recorded step, replayed. Prints images a second of each, medians over the rounds, and the ratio to PyTorch's
best; exits with 1 when the losses of the first steps are not alike, or one does not fall: all begin with random weights of the same kind, and see
one batch of random images again and again. The network is the same text for both: haft's is written over `nn`, which is here PyTorch's."""
import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time


def network(nn, args):
    """haft/vision/models/resnet.py over another library's nn: needs no torchvision."""
    path = os.path.join(os.path.dirname(importlib.util.find_spec("haft").origin), "vision", "models", "resnet.py")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    assert text.count("from ... import nn\n") == 1, path
    names = {"nn": nn, "__name__": "resnet"}
    exec(compile(text.replace("from ... import nn\n", "\n"), path, "exec"), names)
    names["Bottleneck"].expansion = args.expansion
    return names["ResNet"](names["Bottleneck"], args.layers, num_classes=args.classes, width_per_group=args.width)


def run(h, args, device, compiled=False):
    """Trains in this process, by haft or by PyTorch, which h is; prints images a second, the first loss, the last."""
    ours = h.__name__ == "haft"
    h.manual_seed(0)
    net = network(h.nn, args)
    if ours:  # weights stay row-major, as optimizers step them: the convolution turns those of more than 1 x 1 on its way
        net = net.to(device)
    else:
        h.backends.cudnn.benchmark = True
        h.set_float32_matmul_precision("high")
        net = net.to(device).to(memory_format=h.channels_last)
    forward = h.compile(net, mode=args.mode) if compiled else net
    images = h.randn(args.batch, 3, args.size, args.size).contiguous(memory_format=h.channels_last).to(device)
    labels = (h.arange(args.batch) * 7 % args.classes).to(device)
    optimizer = h.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    kind = device.partition(":")[0]

    def step():
        optimizer.zero_grad()
        with h.autocast(kind, dtype=h.bfloat16):
            loss = h.nn.functional.cross_entropy(forward(images), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    wait = h.cuda.synchronize if kind == "cuda" else lambda: None
    first = step().item()
    for _ in range(2):
        loss = step()
    if ours:
        graph = h.cuda.CUDAGraph()
        with h.cuda.graph(graph):
            loss = step()
        graph.replay()
    elif compiled:
        for _ in range(2):
            step()
    wait()
    begin = time.perf_counter()
    for _ in range(args.steps):
        if ours:
            graph.replay()
        else:
            loss = step()
    wait()
    seconds = time.perf_counter() - begin
    print(args.steps * args.batch / seconds, first, loss.item())
    if args.profile:
        with h.profiler.profile() as profile:
            step()
            wait()
        print(profile.key_averages().table(sort_by="self_device_time_total", row_limit=60))


def side(args, name):
    """(images a second, first loss, last), in a process of its own."""
    command = [sys.executable, __file__, *sys.argv[1:], "--run", name]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"{name}: {out.stderr[-2000:]}")
    return tuple(map(float, out.stdout.split()[-3:]))


def main():
    parser = argparse.ArgumentParser()
    for name, usual in (("batch", 256), ("size", 224), ("steps", 30), ("rounds", 2), ("width", 64), ("expansion", 4), ("classes", 1000)):
        parser.add_argument("--" + name, type=int, default=usual)
    parser.add_argument("--layers", type=lambda s: [int(n) for n in s.split(",")], default=[3, 4, 6, 3])
    parser.add_argument("--sides", type=lambda s: s.split(","), default=["haft", "eager", "compiled"])
    parser.add_argument("--mode", default="reduce-overhead", help="torch.compile's; max-autotune takes minutes to compile")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--their-device", default="cuda:0")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--profile", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run == "haft":
        import haft
        return run(haft, args, args.device)
    if args.run:
        import torch
        return run(torch, args, args.their_device, args.run == "compiled")
    seen = {name: [] for name in args.sides}
    for _ in range(args.rounds):
        for name in args.sides:
            seen[name].append(side(args, name))
    speed = {name: statistics.median(r[0] for r in runs) for name, runs in seen.items()}
    for name, runs in seen.items():
        print("%-17s %8.1f images/s  loss %.3f to %.3f" % (name if name == "haft" else "PyTorch " + name, speed[name], runs[0][1], runs[0][2]))
    for name in args.sides[1:]:
        print("haft / PyTorch %s: %.2f" % (name, speed[args.sides[0]] / speed[name]))
    first = [runs[0][1] for runs in seen.values()]
    return 0 if max(first) - min(first) < 0.5 and all(r[2] < r[1] for runs in seen.values() for r in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
