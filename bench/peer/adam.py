"""One Adam step over 10 million parameters in 100 tensors, the faster of PyTorch's two implementations. usage: adam.py THREADS"""
import sys

import torch

from common import emit_time, judged, measure, start

NAME = "Adam 10M in 100 tensors"
threads = int(sys.argv[1])
start(threads)
parameters = [torch.nn.Parameter(torch.randn(100000)) for _ in range(100)]
for parameter in parameters:
    parameter.grad = torch.randn_like(parameter)
results = [measure(NAME, torch.optim.Adam(parameters, 1e-3, foreach=foreach).step, 0.2, 5) for foreach in (False, True)]
emit_time(NAME, threads, "us", min(results, key=lambda m: judged(m, threads)))
