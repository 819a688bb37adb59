"""A small network learns on a device: its loss falls, a replayed recording goes on with it, and the profile shows kernels.

    train.py [DEVICE]"""
import sys

import haft
from haft.profiler import profile

device = sys.argv[1] if len(sys.argv) > 1 else "cuda:0"
haft.manual_seed(1)
x = haft.randn(256, 16).to(device)
y = (x[:, :4].sum(1, keepdim=True) * 0.5).tanh()
net = haft.nn.Sequential(haft.nn.Linear(16, 64), haft.nn.Tanh(), haft.nn.Linear(64, 1)).to(device)
optimizer = haft.optim.AdamW(net.parameters(), lr=1e-2)


def step():
    optimizer.zero_grad()
    loss = haft.nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    return loss


first = step().item()
with profile() as prof:
    for _ in range(99):
        loss = step()
    eager = loss.item()
assert eager < first / 10, (first, eager)
kernels = [e for e in prof.events() if e.device]
assert kernels or prof.notes(), "neither kernels nor a reason"
graph = haft.cuda.CUDAGraph()
with haft.cuda.graph(graph):
    loss = step()
for _ in range(100):
    graph.replay()
replayed = loss.item()
assert replayed < eager, (eager, replayed)
print(f"Python {sys.version.split()[0]} on {device}: loss {first:.4f}, {eager:.5f} after 100 steps, {replayed:.6f} after 100 replays; "
      f"{len(kernels)} kernels and copies in the profile{''.join('; ' + n for n in prof.notes())}")
