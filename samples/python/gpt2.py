#!/usr/bin/env python3
"""GPT-2 (Radford et al., 2019) of 124 million parameters, trained under autocast with a step that is recorded once and replayed.

usage: gpt2.py [FILE...] [--device cuda:0] [--batch 8] [--steps 1000] [--save 1]

FILE: text, of which each byte is a token (the licences in /usr/share/common-licenses unless given); .bin, tokens as llm.c or nanoGPT write
them (uint16, with or without llm.c's header of 1024 bytes); .safetensors, weights under Hugging Face's names to begin with. --save writes
such a file, gpt2.safetensors, at the end.
"""
import argparse
import array
import contextlib
import math
import re
import sys
import time

import haft
from haft import nn, optim
from haft.nn import functional as F

VOCABULARY, ROWS, HEAD = 50257, 50304, 64  # the table has a multiple of 128 rows, for the products
LLM_C = 20240520  # how llm.c's header begins


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):  # (rows, tokens, width)
        q, k, v = (t.unflatten(-1, (-1, HEAD)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        return self.c_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = nn.LayerNorm(width), Attention(width), nn.LayerNorm(width), Mlp(width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """Parameters bear Hugging Face's names."""

    def __init__(self, layers, width, context):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(ROWS, width), nn.Embedding(context, width)
        self.h, self.ln_f = nn.Sequential(*(Block(width) for _ in range(layers))), nn.LayerNorm(width)
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif ".ln_" not in "." + name:  # what adds to the stream of the blocks is smaller, the more of them there are
                nn.init.normal_(p, 0, 0.02 / math.sqrt(2 * layers) if name.endswith("c_proj.weight") else 0.02)

    def forward(self, tokens):  # (rows, tokens) to (rows, tokens, ROWS)
        x = self.wte(tokens) + self.wpe(haft.arange(tokens.size(1), device=tokens.device))
        return F.linear(self.ln_f(self.h(x)), self.wte.weight)  # the table serves both ways


def is_turned(name):
    """Whether Hugging Face's file has the transposed matrix (Conv1D)."""
    return ".c_" in name and name.endswith(".weight")


@haft.no_grad()
def load(net, path):
    weights = haft.io.load_safetensors(path)
    for name, p in net.named_parameters():
        w = weights[name].t() if is_turned(name) else weights[name]
        (p[:len(w)] if name == "wte.weight" else p).copy_(w)


def save(net, path):
    weights = {name: p.detach().cpu() for name, p in net.named_parameters()}
    weights["wte.weight"] = weights["wte.weight"][:VOCABULARY]
    haft.io.save_safetensors({name: w.t().contiguous() if is_turned(name) else w for name, w in weights.items()}, path)


def read_tokens(paths):
    tokens = []
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        if not path.endswith(".bin"):
            tokens.extend(data)
            continue
        begin = 1024 if len(data) > 1024 and int.from_bytes(data[:4], "little") == LLM_C else 0
        numbers = array.array("H", data[begin:len(data) // 2 * 2])
        if max(numbers, default=0) >= VOCABULARY:
            raise ValueError(f"{path} has a token {max(numbers)}, GPT-2 knows those below {VOCABULARY}")
        tokens.extend(numbers)
    return haft.tensor(tokens)


def peak_of(name):
    """TFLOP/s of products of bfloat16 (dense) in NVIDIA's data sheets; 0 for a GPU that is not here."""
    known = {"B200": 2250, "H200 NVL": 835, "H200": 989, "H100 NVL": 835, "H100 PCIe": 756, "H100": 989, "A100": 312, "A800": 312, "L40S": 362, "L40": 181,
             "L4": 121, "A40": 150, "A30": 165, "A10": 125}
    return next((peak for part, peak in known.items() if re.search(rf"\b{part}\b", name)), 0)


def run(o):
    device = haft.device(o.device)
    text = read_tokens([f for f in o.files if not f.endswith(".safetensors")]
                       or [f"/usr/share/common-licenses/{name}" for name in ("Apache-2.0", "GFDL-1.3", "GPL-3", "MPL-2.0")])
    if len(text) <= o.tokens + 1:
        raise ValueError(f"the text is too short for rows of {o.tokens}")
    net = Gpt2(o.layers, o.width, o.tokens)
    for path in o.files:
        if path.endswith(".safetensors"):
            load(net, path)
    net.to(device)
    # Matrices and tables decay, what has one dimension does not.
    groups = [{"params": [p for p in net.parameters() if p.ndim > 1]}, {"params": [p for p in net.parameters() if p.ndim < 2], "weight_decay": 0}]
    optimizer = optim.AdamW(groups, lr=o.lr, betas=(0.9, 0.95), weight_decay=0.1)
    warm = min(o.warm, o.steps)
    schedule = optim.lr_scheduler.LambdaLR(optimizer, lambda step: (step + 1) / warm if step < warm else  # up for a while, then down along a cosine
                                           0.55 + 0.45 * math.cos(math.pi * (step - warm) / max(1, o.steps - warm)))
    used = sum(p.numel() for p in net.parameters()) - o.width * o.tokens  # places are looked up, not multiplied
    flops = 6 * used + 12 * o.layers * o.width * o.tokens  # a token, forward and backward (PaLM's count, arXiv:2204.02311)
    print(f"{len(text)} tokens; {(used + o.width * o.tokens) / 1e6:.1f} million parameters, {flops / 1e9:.3f} GFLOP a token")
    rows, loss = haft.zeros(o.batch, o.tokens + 1, dtype=haft.int64, device=device), haft.zeros((), device=device)

    def step():
        optimizer.zero_grad()
        with haft.autocast(device.type, dtype=haft.bfloat16) if o.bf16 else contextlib.nullcontext():
            scores = net(rows[:, :-1])
        # Of each row, and their mean in float32: one of bfloat16 tells three digits.
        mean = F.cross_entropy(scores.flatten(0, 1), rows[:, 1:].flatten(), reduction="none").float().mean()
        mean.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimizer.step()
        loss.copy_(mean.detach())

    recorded = haft.cuda.CUDAGraph(device=device) if device.type != "cpu" and o.record else None
    peak = o.peak or (peak_of(haft.runtime.device_properties(device).name) if device.type != "cpu" and o.bf16 else 0)
    ahead, first, since, began = haft.arange(o.tokens + 1), None, 0, time.monotonic()
    for i in range(1, o.steps + 1):
        batch = text[haft.randint(0, len(text) - o.tokens, (o.batch, 1)) + ahead]
        rows.copy_(batch if device.type == "cpu" else batch.pin_memory(device), non_blocking=True)
        if recorded is None or i <= 2:  # the first steps make what the others only use: states, and plans of libraries
            step()
        else:
            if i == 3:
                with haft.cuda.graph(recorded):
                    step()
            recorded.replay()
        schedule.step()
        since += 1
        if i in (1, 3, o.steps) or i % o.every == 0:  # reading the loss waits for the device
            now = loss.item()
            first = now if first is None else first
            speed = o.batch * o.tokens * since / (time.monotonic() - began)
            share = f", {100 * speed * flops / 1e12 / peak:.1f} % of {peak:g}" if peak else ""
            print(f"step {i:5d}  loss {now:.4f}  {speed:.0f} tokens/s  {speed * flops / 1e12:.2f} TFLOP/s{share}", flush=True)
            since, began = 0, time.monotonic()
    print(f"learnt: {first - loss.item():.4f}")
    if o.save:
        save(net, "gpt2.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="text, tokens or weights (Debian's licences)")
    for name, kind, value, text in (("steps", int, 1000, "steps"), ("batch", int, 8, "rows of a step"), ("tokens", int, 1024, "tokens of a row"),
                                    ("layers", int, 12, "blocks"), ("width", int, 768, f"numbers a token, a multiple of {HEAD}"),
                                    ("lr", float, 6e-4, "highest learning rate of AdamW"), ("warm", int, 100, "steps on which it rises"),
                                    ("bf16", int, 1, "0: all in float32"), ("record", int, 1, "0: on a device, too, each step is enqueued anew"),
                                    ("every", int, 10, "steps from line to line"), ("peak", float, 0, "TFLOP/s of the device, to tell a share of; 0: its maker's in bfloat16, if known"),
                                    ("save", int, 0, "1: writes gpt2.safetensors at the end"), ("seed", int, 0, "of all that is drawn")):
        parser.add_argument("--" + name, type=kind, default=value, help=f"{text} ({value})")
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, or cuda:0 where its plug-in is installed (cpu)")
    parser.add_argument("--threads", type=int, help="of an operator (all processors)")
    o = parser.parse_args()
    if o.width % HEAD:
        parser.error(f"--width wants a multiple of {HEAD}")
    if o.threads:
        haft.set_num_threads(o.threads)
    haft.manual_seed(o.seed)
    try:
        run(o)
    except (OSError, ValueError, RuntimeError) as error:
        sys.exit(f"gpt2.py: {error}")


if __name__ == "__main__":
    main()
