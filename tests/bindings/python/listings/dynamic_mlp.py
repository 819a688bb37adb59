"""Binary classification of two rings with a perceptron whose depth changes from step to step."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class DynamicMLP(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.input = nn.Linear(2, width)
        self.middle = nn.Linear(width, width)
        self.output = nn.Linear(width, 1)

    def forward(self, x, depth):
        h = torch.tanh(self.input(x))
        for _ in range(depth):
            h = torch.tanh(self.middle(h))
        return torch.sigmoid(self.output(h))


def fill(module):
    # The same weights in every run, without random numbers.
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            n = p.numel()
            p.copy_(torch.sin(torch.arange(n, dtype=torch.float32) * (k + 1) * 0.7 + k).reshape(p.shape) * 0.4)


def rings(n):
    angle = torch.arange(n, dtype=torch.float32) * (2 * math.pi / n) * 7
    label = (torch.arange(n) % 2).float()
    radius = 0.5 + label
    x = torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1)
    return x, label.unsqueeze(1)


net = DynamicMLP()
fill(net)
print(net)
print("parameters:", sum(p.numel() for p in net.parameters() if p.requires_grad))
x, y = rings(200)
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for step in range(121):
    optimizer.zero_grad(set_to_none=True)
    probability = net(x, depth=step % 3)
    loss = criterion(probability, y)
    loss.backward()
    optimizer.step()
    if step % 30 == 0:
        print(f"step {step:3d}  loss {loss.item():.3f}")

net.eval()
with torch.no_grad():
    accuracy = ((net(x, 1) > 0.5).float() == y).float().mean()
    logits = torch.logit(net(x, 1).clamp(1e-6, 1 - 1e-6))
    print("agrees with the form on logits:",
          torch.allclose(F.binary_cross_entropy_with_logits(logits, y), criterion(net(x, 1), y), atol=1e-4))
print(f"accuracy above 0.9: {accuracy.item() > 0.9}")
