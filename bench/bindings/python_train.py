#!/usr/bin/python3
"""Training from Python, haft beside PyTorch: images a second and their ratio.

usage: python_train.py [--models mlp,cnn] [--threads 1,2] [--rounds N] [--build DIR]
       python_train.py --side haft|torch MODEL THREADS VARIANT    one measurement, as a JSON line

Each measurement is a process of its own; a round runs both sides in turn, PyTorch in each of its settings (eager and
channels_last, so that its better one counts). One thread is judged by processor time, more by wall time. The models and
the step (zero_grad, forward, loss, backward, Adam) are the text of bench/peer for both sides."""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PEER = os.path.join(ROOT, "bench", "peer")
OPENBLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
PYTHON = "/usr/bin/python3"  # Debian's: python3-torch lives there
GOALS = {"mlp": 2.2, "cnn": 1.9}


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


def run(side, model, threads, variant, build):
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads), LD_LIBRARY_PATH=OPENBLAS,
               PYTHONPATH=os.path.join(build, "python"))
    out = subprocess.run([PYTHON, __file__, "--side", side, model, str(threads), variant], env=env, check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out.splitlines()[-1])["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="mlp,cnn")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--side", nargs=4, metavar=("SIDE", "MODEL", "THREADS", "VARIANT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        side, model, threads, variant = options.side
        return one_side(side, model, int(threads), variant)
    missed = 0
    print(f"{'model':6} {'threads':>7} {'haft':>12} {'PyTorch':>12}  ratio  goal")
    for model in options.models.split(","):
        variants = ["eager"] if model == "mlp" else ["eager", "channels_last"]
        for threads in map(int, options.threads.split(",")):
            ours, ratios, peers = [], [], []
            for _ in range(options.rounds):
                ours.append(run("haft", model, threads, "eager", options.build))
                peers.append(max(run("torch", model, threads, v, options.build) for v in variants))
                ratios.append(ours[-1] / peers[-1])
            ratio, goal = statistics.median(ratios), GOALS.get(model, 0)
            missed += ratio < goal
            print(f"{model:6} {threads:7} {statistics.median(ours):8.0f} im/s {statistics.median(peers):7.0f} im/s "
                  f"{ratio:6.2f}  >= {goal} {'met' if ratio >= goal else 'missed'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
