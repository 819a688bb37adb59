"""One Adam step over 10 million parameters in 100 tensors, the fastest of PyTorch's implementations. usage: adam.py THREADS"""
import sys

import torch

from common import emit_time, judged, measure, start

NAME = "Adam 10M in 100 tensors"
threads = int(sys.argv[1])
start(threads)
parameters = [torch.nn.Parameter(torch.randn(100000)) for _ in range(100)]
for parameter in parameters:
    parameter.grad = torch.randn_like(parameter)
ways = [dict(foreach=False), dict(foreach=True)] + [dict(fused=True)] * (torch.__version__ >= "2")
results = [measure(NAME, torch.optim.Adam(parameters, 1e-3, **way).step, 0.2, 5) for way in ways]
emit_time(NAME, threads, "us", min(results, key=lambda m: judged(m, threads)))
