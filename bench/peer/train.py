"""One training step (zero_grad, forward, loss, backward, optimizer) or one batch-1 inference.

usage: train.py train|infer MODEL THREADS VARIANT [WINDOWS]

Variants: eager, channels_last, compiled (torch.compile); for infer also frozen (traced, frozen and optimised TorchScript). WINDOWS: take so many, quiet or not."""
import sys
import warnings

import torch
import torch.nn.functional as F

from common import emit_time, measure, start
from models import MODELS

what, name, threads, variant = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
warnings.filterwarnings("ignore")
start(threads)
make, shape, batch = MODELS[name]
model = make()
x = torch.randn(1 if what == "infer" else batch, *shape)
if variant == "channels_last":
    model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)

if variant == "compiled":
    model = torch.compile(model)

if what != "infer":
    target = torch.randint(0, 10, (batch,))
    # A tiny rate: thousands of timed steps on one batch must not converge into denormal gradients.
    if name == "resnet18":
        optimizer = torch.optim.SGD(model.parameters(), 1e-6, momentum=0.9, weight_decay=5e-4)
    else:
        optimizer = torch.optim.Adam(model.parameters(), 1e-6)

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(x), target).backward()
        optimizer.step()
    emit_time(name, threads, "ms", measure(name, step, 0.5, int(sys.argv[5]) if len(sys.argv) > 5 else 5, quiet_only=len(sys.argv) <= 5))
else:
    model.eval()
    with torch.no_grad() if variant == "frozen" else torch.inference_mode():
        if variant == "frozen":
            model = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(model, x)))
            for _ in range(5):
                model(x)
        emit_time(name, threads, "us", measure(name, lambda: model(x), 0.2, 7))
