#!/usr/bin/env python3
"""A large network teaches a small one (Hinton, Vinyals and Dean, arXiv:1503.02531): Fashion-MNIST.

usage: distill.py [FOLDER] [--steps 3000] [--hidden 24] [--temperature 2] [--labels 1000] [--device cpu]

The teacher learns the labels. The student learns what the teacher thinks of each picture, also of the kinds that it is not, and never sees a
label. Beside it the same student learns from the labels alone, of which it has a few.
"""
import argparse
import itertools
import sys

import haft
from haft import nn, optim
from haft.nn import functional as F
from haft.optim.lr_scheduler import CosineAnnealingLR
from haft.utils.data import DataLoader, Subset
from haft.vision import datasets, transforms

PIXELS, CLASSES, TEACHER = 28 * 28, 10, 800


def network(hidden, dropout):
    layers, width = [nn.Flatten()], PIXELS
    for next_width in hidden:
        layers += [nn.Linear(width, next_width), nn.ReLU(), nn.Dropout(dropout)]
        width = next_width
    return nn.Sequential(*layers, nn.Linear(width, CLASSES))


def distance(student, teacher, temperature):
    """How far the student's probabilities are from the teacher's, both softened; times T^2 gradients keep their size."""
    p, q = (F.log_softmax(scores / temperature, 1) for scores in (student, teacher))
    return F.kl_div(p, q, reduction="batchmean", log_target=True) * temperature ** 2


@haft.no_grad()
def accuracy(net, loader):
    net.eval()
    device = next(net.parameters()).device
    return 100 * sum((net(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in loader) / len(loader.dataset)


def learn(who, net, loader, steps, rate, loss_of):
    """Trains it to have a small loss_of(scores, pictures, labels)."""
    adam = optim.Adam(net.parameters(), lr=rate)
    schedule = CosineAnnealingLR(adam, steps)
    net.train()
    epochs = itertools.chain.from_iterable(itertools.repeat(loader))  # each in another order
    device, mean = next(net.parameters()).device, None
    for step, (x, y) in enumerate(itertools.islice(epochs, steps), 1):
        x, y = x.to(device), y.to(device)
        loss = loss_of(net(x), x, y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        schedule.step()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if step % 500 == 0 or step == steps:
            print(f"{who:14s} step {step:5d}  loss {mean:.4f}", flush=True)


def run(o):
    change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
    training = DataLoader(datasets.FashionMNIST(o.data, train=True, transform=change), batch_size=100, shuffle=True, num_workers=1)
    few = DataLoader(Subset(training.dataset, range(o.labels)), batch_size=100, shuffle=True)
    testing = DataLoader(datasets.FashionMNIST(o.data, train=False, transform=change), batch_size=500, num_workers=1)
    teacher, student, alone = (net.to(o.device) for net in (network((TEACHER, TEACHER), 0.3), network((o.hidden,), 0), network((o.hidden,), 0)))
    print(f"a teacher of {sum(p.numel() for p in teacher.parameters())} parameters, a student of {sum(p.numel() for p in student.parameters())}")

    def told(scores, _, labels):
        return F.cross_entropy(scores, labels)

    def taught(scores, x, _):
        with haft.no_grad():
            thoughts = teacher(x)
        return distance(scores, thoughts, o.temperature)

    learn("teacher", teacher, training, o.steps, 1e-3, told)
    teacher.eval()
    learn("student", student, training, o.steps, 4e-3, taught)
    learn("student alone", alone, few, o.steps, 4e-3, told)
    print(f"teacher: {accuracy(teacher, testing):.2f} % of the test's pictures\nstudent: {accuracy(student, testing):.2f} %\n"
          f"student alone: {accuracy(alone, testing):.2f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", default="/usr/share/datasets/fashion-mnist", metavar="FOLDER", help="the four IDX files, plain or .gz")
    parser.add_argument("--steps", type=int, default=3000, help="steps of 100 pictures for each network; 600 are all of them once (3000)")
    parser.add_argument("--hidden", type=int, default=24, help="width of the student; the teacher has 800 twice (24)")
    parser.add_argument("--temperature", type=float, default=2, help="how much the teacher's thoughts are softened (2)")
    parser.add_argument("--labels", type=int, default=1000, help="pictures with labels that the student has when it is alone (1000)")
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
        sys.exit(f"distill.py: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
