"""A module whose forward pass is ordinary Python: loops, branches, shared weights and recursion."""
import torch
from torch import nn


class TreeSum(nn.Module):
    """Folds a nested list of vectors with one shared layer."""

    def __init__(self, size):
        super().__init__()
        self.join = nn.Linear(2 * size, size)
        self.leaf = nn.Parameter(torch.linspace(-0.5, 0.5, size))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, tree):
        self.calls += 1
        if isinstance(tree, torch.Tensor):
            return tree * self.leaf
        left, right = (self(branch) for branch in tree)
        joined = torch.cat([left, right], dim=-1)
        if joined.sum() < 0:
            joined = -joined
        return torch.relu(self.join(joined)) + left - right


class Polynomial(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor(0.1))
        self.b = nn.Parameter(torch.tensor(-0.2))
        self.c = nn.Parameter(torch.tensor(0.3))

    def forward(self, x, orders):
        y = self.a + self.b * x
        for order in range(2, 2 + orders):
            y = y + self.c * x ** order
        return y

    def string(self):
        return f"{self.a.item():.3f} + {self.b.item():.3f} x + {self.c.item():.3f} (x^2 + ...)"


net = TreeSum(3)
with torch.no_grad():
    net.join.weight.copy_(torch.arange(18.0).reshape(3, 6) / 20 - 0.4)
    net.join.bias.fill_(0.05)
leaf = [torch.tensor([1.0, 2.0, 3.0]) * k for k in (1, -1, 0.5)]
out = net([[leaf[0], leaf[1]], leaf[2]])
print(out)
out.sum().backward()
for name, parameter in net.named_parameters():
    print(name, tuple(parameter.shape), f"{parameter.grad.norm().item():.4f}")
print(net.calls)

model = Polynomial()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
x = torch.linspace(-1, 1, 21)
y = 0.5 - x + 0.25 * x ** 2
for step in range(40):
    loss = ((model(x, 1 + step % 2) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"{loss.item():.4f}", model.string())

# Layers by name, chosen at run time.
layers = nn.ModuleDict({"twice": nn.Identity(), "relu": nn.ReLU()})
z = torch.tensor([-1.0, 2.0])
for name in ("relu", "twice", "relu"):
    z = layers[name](z) * (2 if name == "twice" else 1)
print(z, nn.Sequential(nn.Linear(2, 3, bias=False), nn.Tanh()))
