"""Training steps of distributed data parallel, in ms as rank 0 sees them. bench/run says with each turn which.

usage: python_ddp.py --side haft|torch MODEL RANKS THREADS BATCH FOLDER

The text is the same for both sides. A turn is "CASE STEPS": `alone` is a step without the others, `plain` joins gradients, and the names of
compressions join them so. Answers the median step of the turn, and the bytes that a rank has sent in a step (haft)."""
import contextlib
import os
import sys

PEER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peer")
sys.path.insert(0, PEER)
from common import import_torch
from together import Together, median_of_turn


def main(side, name, ranks, threads, batch, folder):
    group = Together(folder, ranks)
    torch = import_torch(side)
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from models import MODELS

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    make, shape, _ = MODELS[name]
    classes = 256 if name == "gpt_mini" else 10
    x = torch.randint(0, classes, (batch, *shape)) if name == "gpt_mini" else torch.randn(batch, *shape)
    target = torch.randint(0, classes, (batch * shape[0],) if name == "gpt_mini" else (batch,))
    if ranks > 1:
        dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=group.rank, world_size=ranks)
    nets = {}

    def prepare(case):
        """The model of a case and what updates it; `alone` is plain's."""
        if case not in nets:
            net = make()
            # A tiny rate: thousands of timed steps on one batch must not converge into denormal gradients.
            optimizer = torch.optim.Adam(net.parameters(), lr=1e-6)
            if ranks > 1:
                net = DistributedDataParallel(net, gradient_as_bucket_view=True)
                if case != "plain":
                    net.set_compression(case)
            nets[case] = net, optimizer
        return nets[case]

    def turn(case, steps):
        net, optimizer = prepare("plain" if case == "alone" else case)
        counts = side == "haft" and ranks > 1
        before = net.communication_info()["sent_bytes"] if counts else 0

        def step():
            optimizer.zero_grad(set_to_none=False)
            y = net(x)
            torch.nn.functional.cross_entropy(y.reshape(-1, y.shape[-1]), target).backward()
            optimizer.step()

        with net.no_sync() if case == "alone" and ranks > 1 else contextlib.nullcontext():
            wall = median_of_turn(steps, step)
        return wall, (net.communication_info()["sent_bytes"] - before) / steps if counts else 0

    wall = sent = 0
    while True:
        case, steps = group.next_turn(wall, sent)
        if not case:
            break
        wall, sent = turn(case, steps)
    if ranks > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    if len(sys.argv) != 8 or sys.argv[1] != "--side":
        sys.exit(__doc__)
    main(sys.argv[2], sys.argv[3], *(int(a) for a in sys.argv[4:7]), sys.argv[7])
