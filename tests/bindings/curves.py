"""Trains with PyTorch what Java and C# train again: weights before, data, the losses of 50 steps and the weights after.

usage: curves.py FOLDER         writes <net>.<dtype>.{before,data,after}.safetensors
"""
import os
import sys

import torch
from torch import nn

from tensors_file import write


def lstm(nn):
    class Outputs(nn.LSTM):
        """Without the last states, as the engine's Sequential goes on."""

        def forward(self, x):
            return super().forward(x)[0]
    return nn.Sequential(nn.Flatten(1, 2), Outputs(12, 10, num_layers=2, bidirectional=True, batch_first=True), nn.Flatten(), nn.Linear(240, 10))


def transformer(nn):
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    return nn.Sequential(nn.Flatten(1, 2), nn.Linear(12, 16), nn.TransformerEncoder(layer, 2, nn.LayerNorm(16)), nn.Flatten(), nn.Linear(192, 10))


def conv3d(nn):
    return nn.Sequential(nn.Unflatten(3, (4, 3)), nn.Conv3d(1, 8, 3, padding=1), nn.BatchNorm3d(8), nn.ReLU(), nn.MaxPool3d(2), nn.Conv3d(8, 10, (3, 2, 1)),
                         nn.Flatten(), nn.Linear(40, 10))


NETS = {
    "mlp": lambda: nn.Sequential(nn.Flatten(), nn.Linear(144, 40), nn.ReLU(), nn.Linear(40, 10)),
    "cnn": lambda: nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 12, 3, bias=False), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                 nn.Linear(192, 24), nn.Tanh(), nn.Linear(24, 10)),
    "lstm": lambda: lstm(nn),
    "transformer": lambda: transformer(nn),
    "conv3d": lambda: conv3d(nn),
}
OPTIMIZERS = {
    "mlp": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "cnn": lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=0.05),
    "lstm": lambda p: torch.optim.Adam(p, lr=5e-3),
    "transformer": lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=0.05),
    "conv3d": lambda p: torch.optim.RMSprop(p, lr=2e-3),
}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    print("seed", torch.seed())
    for name, make in NETS.items():
        for dtype in (torch.float64, torch.float32):
            net = make().to(dtype)
            path = os.path.join(folder, f"{name}.{str(dtype).split('.')[1]}")
            write(net.state_dict(), path + ".before.safetensors")
            optimizer = OPTIMIZERS[name](net.parameters())
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 20, 0.5)
            images, labels, losses = torch.randn(200, 1, 12, 12, dtype=dtype), torch.randint(10, (200,)), []
            for step in range(50):
                at = step * 32 % 168
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(images[at:at + 32]), labels[at:at + 32])
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            write({"images": images, "labels": labels, "losses": torch.tensor(losses, dtype=torch.float64)}, path + ".data.safetensors")
            write(net.state_dict(), path + ".after.safetensors")


if __name__ == "__main__":
    main(sys.argv[1])
