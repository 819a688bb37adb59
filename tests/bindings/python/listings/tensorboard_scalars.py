"""Curves of a small regression for TensorBoard."""
import sys

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(sys.argv[1])
x = torch.linspace(-1, 1, 50).reshape(-1, 1)
y = 3 * x - 0.5
model = nn.Linear(1, 1)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
for epoch in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    writer.add_scalar("Loss/train", loss, epoch)
    writer.add_scalars("weights", {"w": model.weight.item(), "b": model.bias.item()}, epoch)
    writer.add_histogram("residuals", (model(x) - y).detach(), epoch)
writer.add_text("about", "a *line*", 0)
writer.add_image("slope", (x @ x.t() + 1) / 2, 0, dataformats="HW")
writer.flush()
writer.close()
print(f"loss {loss.item():.4f}, w {model.weight.item():.3f}, b {model.bias.item():.3f}")
