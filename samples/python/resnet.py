#!/usr/bin/env python3
"""ResNet-18 (He et al., arXiv:1512.03385) learns Fashion-MNIST.

usage: resnet.py [FOLDER] [--steps 9380] [--width 64] [--bf16] [--device cpu]

As for all small pictures its first convolution is 3 wide and nothing is pooled before the blocks. Pictures are shifted by up to two pixels
and mirrored; the rate goes up and down once (Smith, arXiv:1708.07120). 938 steps are all pictures once.
With --bf16 convolutions compute in bfloat16, weights stay float32.
"""
import argparse
import contextlib
import itertools
import sys

import haft
from haft import nn, optim
from haft.nn import functional as F
from haft.utils.data import DataLoader, Subset
from haft.vision import datasets, transforms


def convolution(channels, out, kernel, stride):
    conv = nn.Conv2d(channels, out, kernel, stride, padding=kernel // 2, bias=False)
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
    return conv


class Block(nn.Module):
    """Two convolutions beside a way around them."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1, self.bn1 = convolution(channels, out, 3, stride), nn.BatchNorm2d(out)
        self.conv2, self.bn2 = convolution(out, out, 3, 1), nn.BatchNorm2d(out)
        same = channels == out and stride == 1
        self.downsample = nn.Identity() if same else nn.Sequential(convolution(channels, out, 1, stride), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.downsample(x))


def resnet18(width):
    layers, channels = [convolution(1, width, 3, 1), nn.BatchNorm2d(width), nn.ReLU()], width
    for stage in range(4):
        for i in range(2):
            layers.append(Block(channels, width << stage, 2 if stage > 0 and i == 0 else 1))
            channels = width << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))


def precision(device, bf16):
    return haft.autocast(device.type, dtype=haft.bfloat16) if bf16 else contextlib.nullcontext()


@haft.no_grad()
def accuracy(net, loader, bf16):
    net.eval()
    device = next(net.parameters()).device
    with precision(device, bf16):
        right = sum((net(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in loader)
    net.train()
    return 100 * right / len(loader.dataset)


def run(o):
    change = [transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))]
    more = [transforms.RandomCrop(28, padding=2), transforms.RandomHorizontalFlip()]
    training = DataLoader(datasets.FashionMNIST(o.data, train=True, transform=transforms.Compose(more + change)), batch_size=64, shuffle=True,
                          num_workers=1)
    test = datasets.FashionMNIST(o.data, train=False, transform=transforms.Compose(change))
    testing = DataLoader(Subset(test, range(o.tested)), batch_size=250)
    net, device = resnet18(o.width).to(o.device), haft.device(o.device)
    optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)

    def factor(step):  # up for a fifth of the steps, then down
        at = (step + 1) / (o.steps + 1)
        return at / 0.2 if at < 0.2 else (1 - at) / 0.8

    schedule = optim.lr_scheduler.LambdaLR(optimizer, factor)
    print(f"ResNet-18 of {sum(p.numel() for p in net.parameters())} parameters")
    epochs = itertools.chain.from_iterable(itertools.repeat(training))  # each in another order
    mean = None
    for step, (x, y) in enumerate(itertools.islice(epochs, o.steps), 1):
        with precision(device, o.bf16):
            loss = F.cross_entropy(net(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if step % 50 == 0 or step == o.steps:
            print(f"step {step:5d}  loss {mean:.4f}", flush=True)
        if step % 938 == 0 and step != o.steps:
            print(f"after {step // 938} epochs: {accuracy(net, testing, o.bf16):.2f} % of the test's pictures", flush=True)
    print(f"accuracy: {accuracy(net, testing, o.bf16):.2f} % of the test's pictures")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", default="/usr/share/datasets/fashion-mnist", metavar="FOLDER", help="the four IDX files, plain or .gz")
    parser.add_argument("--steps", type=int, default=9380, help="steps of 64 pictures; 938 are all of them once (9380)")
    parser.add_argument("--width", type=int, default=64, help="channels of the first stage; 64 are ResNet-18's (64)")
    parser.add_argument("--bf16", action="store_true", help="compute in bfloat16 (autocast)")
    parser.add_argument("--tested", type=int, default=10000, help="pictures that it is tested on (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (0)")
    parser.add_argument("--threads", type=int, help="of an operator (all processors)")
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, or cuda:0 where its plug-in is installed (cpu)")
    o = parser.parse_args()
    if o.threads:
        haft.set_num_threads(o.threads)
    haft.manual_seed(o.seed)
    try:
        run(o)
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"resnet.py: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
