"""One training step (zero_grad, forward, loss, backward, Adam) from Python, in images a second. bench/run has the sides take turns.

usage: python_train.py --side haft|torch MODEL THREADS VARIANT     VARIANT: eager or channels_last

The models and the step are the text of bench/peer for both sides. One thread is judged by processor time, more by wall time."""
import os
import sys

PEER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peer")


def one_side(side, model_name, threads, variant):
    sys.path.insert(0, PEER)
    from common import emit, judged, measure
    if side == "haft":
        import haft as torch
        import haft.nn.functional as functional
        sys.modules.update({"torch": torch, "torch.nn": torch.nn, "torch.nn.functional": functional})
    else:
        import torch
    F = torch.nn.functional
    from models import MODELS
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    make, shape, batch = MODELS[model_name]
    model = make()
    x = torch.randn(batch, *shape)
    if variant == "channels_last":
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    target = torch.randint(0, 10, (batch,))
    # A tiny rate: thousands of timed steps on one batch must not converge into denormal gradients.
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6)

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(x), target).backward()
        optimizer.step()

    m = measure(model_name, step, 0.5, 5)
    emit(model_name, threads, "images/s", batch / judged(m, threads), m)


if __name__ == "__main__":
    if len(sys.argv) != 6 or sys.argv[1] != "--side":
        sys.exit(__doc__)
    one_side(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
