"""A run that stops and goes on: weights and optimizer in a file, whole objects, and copies."""
import copy
import os
import pickle
import sys
import tempfile

import torch
from torch import nn


def make():
    net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    with torch.no_grad():
        for k, (name, p) in enumerate(net.named_parameters()):
            if p.dim() > 1:
                p.copy_(torch.sin(torch.arange(p.numel()) * (k + 1.0)).reshape(p.shape) / 2)
            elif name.endswith("bias"):
                p.zero_()
    return net, torch.optim.AdamW(net.parameters(), lr=0.05)


def train(net, optimizer, steps):
    x = torch.sin(torch.arange(30.0)).reshape(10, 3)
    y = torch.arange(10) % 2
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.CrossEntropyLoss()(net(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
path = os.path.join(folder, "run.pt")
net, optimizer = make()
print(f"{train(net, optimizer, 10):.4f}")
torch.save({"epoch": 10, "model_state_dict": net.state_dict(), "optimizer_state_dict": optimizer.state_dict()}, path)
straight = train(net, optimizer, 10)

again, optimizer = make()
checkpoint = torch.load(path)
print(again.load_state_dict(checkpoint["model_state_dict"]), checkpoint["epoch"])
optimizer.load_state_dict(checkpoint["optimizer_state_dict"])
resumed = train(again, optimizer, 10)
print(f"{straight:.4f}", straight == resumed)

for key, value in net.state_dict().items():
    print(key, tuple(value.shape), value.dtype)
try:
    nn.Linear(3, 4).load_state_dict(net.state_dict())
except RuntimeError as error:
    print("Missing key" in str(error) or "missing" in str(error).lower())

# Tensors, their types and their being parameters survive.
things = {"a": torch.arange(6).reshape(2, 3), "b": [torch.tensor(True), torch.ones(2, dtype=torch.float64)], "c": "text"}
torch.save(things, os.path.join(folder, "things.pt"))
back = torch.load(os.path.join(folder, "things.pt"))
print(back["a"], back["b"], back["c"])
print(pickle.loads(pickle.dumps(things["a"])).tolist(), copy.deepcopy(net)[0].weight.equal(net[0].weight))
clone = copy.deepcopy(net)
with torch.no_grad():
    clone[0].weight.zero_()
print(net[0].weight.abs().sum().item() > 0, isinstance(clone[0].weight, nn.Parameter))


# Whole models: of torch.nn's classes, and of a class of the program.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, width), nn.ReLU())
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(self.body(x))


own = Net(5)
for model in (net.eval(), own):
    torch.save(model, os.path.join(folder, "model.pt"))
    loaded = torch.load(os.path.join(folder, "model.pt"))
    x = torch.ones(2, 3)
    print(type(loaded).__name__, torch.equal(loaded(x), model(x)), loaded)
