#!/usr/bin/env python3
"""A convolutional network learns Fashion-MNIST: 60,000 grey pictures of ten kinds of clothing.

usage: fashion_mnist.py [--help]"""
import argparse
import os
import sys
import time

import haft
from haft import nn, optim
from haft.nn import functional as F
from haft.optim.lr_scheduler import CosineAnnealingLR
from haft.serialization import save_safetensors
from haft.utils.data import DataLoader
from haft.utils.tensorboard import SummaryWriter
from haft.vision import datasets, transforms

from terminal import Progress

TEST_BATCH, LOG_EVERY = 500, 50


def number(kind, lowest, highest=None):
    def parse(text):
        try:
            value = kind(text)
            if lowest <= value and (highest is None or value <= highest) and value != float("inf"):
                return value
        except ValueError:
            pass
        what = "an integer" if kind is int else "a number"
        raise argparse.ArgumentTypeError(f"wants {what} from {lowest}" + (f" to {highest}" if highest else "") + f", got {text!r}")
    return parse


class Parser(argparse.ArgumentParser):
    def error(self, message):  # one line, as all other errors
        fail(2, message)


def options():
    parser = Parser(prog="fashion_mnist.py", description=__doc__.splitlines()[0], allow_abbrev=False,
                    formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--epochs", type=number(int, 1, 10000), default=3, help="passes over the 60,000 images")
    parser.add_argument("--batch", type=number(int, 1, 60000), default=64, help="images a step")
    parser.add_argument("--lr", type=number(float, 1e-12), default=2e-3, help="highest learning rate of AdamW; it falls to 0 along a cosine")
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist",
                        help="folder of the four IDX files, plain or .gz; the default is that of Debian's package dataset-fashion-mnist")
    parser.add_argument("--threads", type=number(int, 1, 256), help="threads of an operator (default: all processors)")
    parser.add_argument("--seed", type=number(int, 0, 2**31 - 1), default=0, help="of weights, order and dropout")
    parser.add_argument("--device", default="cpu", help="cpu, or a device whose plug-in is installed")
    parser.add_argument("--out", default="fashion_mnist.out", help="folder for weights.safetensors and the TensorBoard events")
    return parser.parse_args()


def fail(code, message):
    print("fashion_mnist.py:", " ".join(str(message).split()), file=sys.stderr)
    sys.exit(code)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)  # (N, 1, 28, 28) to (N, 32, 26, 26)
        self.conv2 = nn.Conv2d(32, 64, 3)  # to (N, 64, 24, 24)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = self.dropout1(F.max_pool2d(x, 2))  # to (N, 64, 12, 12)
        x = self.dropout2(F.relu(self.fc1(haft.flatten(x, 1))))
        return self.fc2(x)


class Sums:
    """Over the images seen. They stay on the device: only reading them waits for it."""

    def __init__(self, device):
        self.loss, self.correct = haft.zeros((), device=device), haft.zeros((), dtype=haft.int64, device=device)
        self.images = 0

    @haft.no_grad()
    def add(self, loss, scores, labels):
        self.loss += loss * labels.size(0)
        self.correct += (scores.argmax(1) == labels).sum()
        self.images += labels.size(0)

    def means(self):
        return self.loss.item() / self.images, self.correct.item() / self.images


def train_epoch(net, loader, optimizer, schedule, writer, progress, device):
    all_of_it, since = Sums(device), Sums(device)
    first = (progress.epoch - 1) * len(loader)
    net.train()
    for step, (images, labels) in enumerate(loader, 1):
        images, labels = images.to(device), labels.to(device)
        scores = net(images)
        loss = F.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        for sums in (all_of_it, since):
            sums.add(loss.detach(), scores.detach(), labels)
        if step % LOG_EVERY == 0 or step == len(loader):
            mean, accuracy = since.means()
            writer.add_scalar("loss/train", mean, first + step)
            writer.add_scalar("accuracy/train", accuracy, first + step)
            writer.add_scalar("learning rate", optimizer.param_groups[0]["lr"], first + step)
            since = Sums(device)
        if progress.due():
            progress.draw(step, len(loader), all_of_it.images, *all_of_it.means())
    return all_of_it.means()


@haft.inference_mode()
def test(net, loader, device):
    """The table of what the pictures show (row) and what the network saw (column)."""
    net.eval()
    table = [[0] * 10 for _ in range(10)]
    for images, labels in loader:
        for truth, found in zip(labels.tolist(), net(images.to(device)).argmax(1).tolist()):
            table[truth][found] += 1
    return table


def accuracy_of(table):
    return sum(row[i] for i, row in enumerate(table)) / max(1, sum(map(sum, table)))


def print_confusion(table, names):
    print("\nConfusion: a row is what the pictures show, a column what the network saw.")
    print(" " * 16 + "".join(f"{column:5d}" for column in range(10)) + "   found")
    for i, row in enumerate(table):
        share = f"{100 * row[i] / sum(row):5.1f} %" if sum(row) else ""
        print(f"{i:3d} {names[i]:12s}" + "".join(f"{count:5d}" for count in row) + "  " + share)


def main():
    o = options()
    try:
        if o.threads:
            haft.set_num_threads(o.threads)
        device = haft.device(o.device)
        haft.zeros(1, device=device)
        change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
        if not os.path.isdir(o.data):
            fail(2, f"{o.data}: no such folder")
        train_data, test_data = (datasets.FashionMNIST(o.data, train=t, transform=change) for t in (True, False))
        for data in train_data, test_data:
            if data.targets.max() >= len(data.classes):
                raise ValueError(f"{o.data}: label {int(data.targets.max())}, wanted 0 to {len(data.classes) - 1}")
        writer = SummaryWriter(o.out)
    except (OSError, RuntimeError, ValueError) as error:
        fail(2, error)
    haft.manual_seed(o.seed)
    threads = haft.get_num_threads()
    print(f"haft {haft.__version__} on {device}, {threads} thread{'s' * (threads != 1)}, seed {o.seed}")
    loader = DataLoader(train_data, batch_size=o.batch, shuffle=True, num_workers=1)
    test_loader = DataLoader(test_data, batch_size=TEST_BATCH, num_workers=1)
    net = Net().to(device)
    optimizer = optim.AdamW(net.parameters(), lr=o.lr)
    schedule = CosineAnnealingLR(optimizer, o.epochs * len(loader))
    print(f"{len(train_data)} images in {o.data}, a network of {sum(p.numel() for p in net.parameters())} parameters, "
          f"steps of {o.batch}")

    progress, training = Progress(o.epochs), 0.0
    for epoch in range(1, o.epochs + 1):
        progress.begin(epoch)
        loss, accuracy = train_epoch(net, loader, optimizer, schedule, writer, progress, device)
        seconds = time.monotonic() - progress.epoch_start
        training += seconds
        table = test(net, test_loader, device)
        writer.add_scalar("accuracy/test", accuracy_of(table), epoch * len(loader))
        progress.clear()
        print(f"epoch {epoch}/{o.epochs}  loss {loss:.4f}  accuracy {100 * accuracy:.2f} %  test accuracy "
              f"{100 * accuracy_of(table):.2f} %  {seconds:.1f} s, {len(train_data) / seconds:.0f} images/s", flush=True)

    print_confusion(table, train_data.classes)
    path = os.path.join(o.out, "weights.safetensors")
    save_safetensors(net.state_dict(), path)
    writer.close()
    print(f"\ntest accuracy {100 * accuracy_of(table):.2f} % after {training:.1f} s of training\nweights: {path}\n"
          f"curves:  tensorboard --logdir {o.out}")


if __name__ == "__main__":
    main()
