#!/usr/bin/env python3
"""A small GPT over a mesh of processes: its blocks are the stages of a pipeline, each block is spread over tensor-parallel ranks, and
what is left of the ranks has a share of the batch each.

usage: haft-run --nproc-per-node 8 gpt_parallel.py --pipeline 2 --tensor 2 [--steps N] [--device cpu]

It learns to write the sentences of a small grammar, letter by letter; docs/sharding.md and docs/pipelines.md tell how the parts work.
"""
import argparse
import os
import random

import haft
import haft.distributed as dist
from haft import nn, optim
from haft.distributed.pipelining import PipelineStage, Schedule1F1B
from haft.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel, clip_grad_norm_, join_gradients, parallelize_module,
                                              parameter_copies, vocab_parallel_cross_entropy)
from haft.nn import functional as F

from devices import own_device

LETTERS, TOKENS, WIDTH, HEAD, BLOCKS, ROWS, MICRO_BATCHES = 28, 32, 32, 8, 4, 16, 4


def text():
    """Sentences of a grammar, the same in every process."""
    draw = random.Random(7)
    who, does = ("the cat", "a bird", "my friend", "the old man"), ("sees", "likes", "hears", "follows")
    what = ("the sea", "a red house", "the moon", "his dog")
    lines = "".join(f"{draw.choice(who)} {draw.choice(does)} {draw.choice(what)}. " for _ in range(700))
    return haft.tensor(["abcdefghijklmnopqrstuvwxyz .".index(c) for c in lines])


def batch(letters, step, share):
    """Rows of text and, for each letter, the one that follows it: this rank's share of the step's batch."""
    draw = random.Random(1000 * step + share)
    begins = [draw.randrange(len(letters) - TOKENS - 1) for _ in range(ROWS)]
    return tuple(haft.stack([letters[b + ahead:b + ahead + TOKENS] for b in begins]) for ahead in (0, 1))


class Block(nn.Module):
    """Attention, and two layers for each letter. After it is spread each rank has some of the heads."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (-1, HEAD)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Stage(nn.Module):
    """This rank's blocks, and on the first and the last stage what comes before and after all."""

    def __init__(self, stage, stages):
        super().__init__()
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS // stages)))
        self.table = self.positions = self.norm = self.head = None
        if stage == 0:
            self.table, self.positions = nn.Embedding(LETTERS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        if stage == stages - 1:
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS, bias=False)

    def forward(self, x):
        if self.table is not None:
            x = self.table(x) + self.positions(haft.arange(TOKENS, device=x.device))
        x = self.blocks(x)
        return x if self.head is None else self.head(self.norm(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pipeline", type=int, default=2)
    parser.add_argument("--tensor", type=int, default=2)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, cuda:0, or cuda for one of each process (cpu)")
    o = parser.parse_args()
    steps = max(o.steps, 20)

    dist.init_process_group()
    haft.set_num_threads(max(1, haft.get_num_threads() // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))))
    mesh = dist.init_device_mesh("cpu", (dist.get_world_size() // (o.pipeline * o.tensor), o.pipeline, o.tensor), mesh_dim_names=("data", "pipeline", "tensor"))
    share, place, _ = mesh.get_coordinate()
    spread, data = mesh["tensor"], mesh.get_group("data")

    haft.manual_seed(100 + place)  # all ranks of a stage begin alike
    device = own_device(o.device)
    stage = Stage(place, o.pipeline).to(device)
    plan = {} if stage.table is None else {"table": RowwiseParallel()}
    if stage.head is not None:
        plan["head"] = ColwiseParallel()
    for i in range(len(stage.blocks)):
        plan |= {f"blocks.{i}.qkv": ColwiseParallel(blocks=3), f"blocks.{i}.out": RowwiseParallel(),
                 f"blocks.{i}.up": ColwiseParallel(), f"blocks.{i}.down": RowwiseParallel()}
    parallelize_module(stage, spread, plan)
    copies = [n * mesh.size("data") for n in parameter_copies(stage, o.tensor)]  # how many ranks have a parameter's gradient
    schedule = Schedule1F1B(PipelineStage(stage, place, o.pipeline, device, group=mesh.get_group("pipeline")), MICRO_BATCHES,
                            loss_fn=lambda y, target: vocab_parallel_cross_entropy(y, target, LETTERS, spread.get_group()))
    optimizer = optim.AdamW(stage.parameters(), lr=3e-3)

    letters, means = text(), []
    for step in range(steps):
        x, y = (t.to(device) for t in batch(letters, step, share))
        losses = []
        optimizer.zero_grad()
        if place == 0:
            schedule.step(x, target=y if o.pipeline == 1 else None, losses=losses, return_outputs=False)
        elif place == o.pipeline - 1:
            schedule.step(target=y, losses=losses, return_outputs=False)
        else:
            schedule.step()
        join_gradients(stage.parameters(), data)
        clip_grad_norm_(stage.parameters(), 1.0, copies=copies)
        optimizer.step()
        means.append(haft.stack(losses).mean().item() if losses else 0.0)

    has_last = mesh.size("data") * mesh.size("tensor")  # ranks that know losses
    first, last = (s / has_last for s in dist.sum_values([sum(means[:10]) / 10, sum(means[-10:]) / 10]))
    if dist.get_rank() == 0:
        print(f"{' x '.join(str(n) for n in mesh.shape)} ranks, {steps} steps: loss {first:.4f} to {last:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
