#!/usr/bin/env python3
"""Times the cases of tests/gpu/speed.cpp in PyTorch, too, in turns: medians of three and their ratio, as a table.

usage: speed.py SPEED [DEVICE] [--rounds 3] [--only WORD]    SPEED: the program built of speed.cpp"""
import argparse
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F


def cases(d):
    bf16, e4m3 = torch.bfloat16, torch.float8_e4m3fn

    def normal(*size, t=torch.float32, grad=False):
        return torch.randn(size, device=d).to(t).requires_grad_(grad)

    def over(f, *ts):
        return lambda: f(*ts)

    def chain():
        a, b = normal(64), normal(64)

        def run():
            t = a
            for _ in range(100):
                t = torch.add(t, b)
        return run

    def attention(*size, drop=0.0, grad=False, queries=None, mask=None, causal=False):
        q, k, v = (normal(*(s if i or not queries else size[:2] + (queries,) + size[3:]), t=bf16, grad=grad) for i, s in enumerate((size,) * 3))

        def run():
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=drop, is_causal=causal)
            if grad:
                y.backward(g)
                for t in (q, k, v):
                    t.grad = None
        g = normal(*size, t=bf16) if grad else None
        return run

    def trained(f, g, *ts):
        """f of ts with gradients, which are dropped."""
        def run():
            f(*ts).backward(g)
            for t in ts:
                t.grad = None
        return run

    def lstm():
        net = torch.nn.LSTM(512, 512).to(d)
        x, g = normal(128, 64, 512), normal(128, 64, 512)

        def run():
            net(x)[0].backward(g)
            net.zero_grad()
        return run

    def adamw():
        p = normal(n, grad=True)
        p.grad = normal(n)
        return torch.optim.AdamW([p], fused=True).step

    def embedding():
        i = torch.randint(0, 50304, (65536,), device=d)
        return trained(lambda w: F.embedding(i, w), normal(65536, 768), normal(50304, 768, grad=True))

    def replay():
        graph, a, b = torch.cuda.CUDAGraph(), normal(64), normal(64)
        with torch.cuda.graph(graph):
            for _ in range(100):
                a.add_(b)
        return lambda: graph.replay() if a is not None else None
    n = 64 << 20
    return {
        "add 64 Mi f32": lambda: over(torch.add, normal(n), normal(n)),
        "gelu 64 Mi bf16": lambda: over(F.gelu, normal(n, t=bf16)),
        "fused silu(a) * b + c 64 Mi bf16": lambda: over(torch.compile(lambda a, b, c: F.silu(a) * b + c), normal(n, t=bf16), normal(n, t=bf16), normal(n, t=bf16)),
        "sum 64 Mi f32": lambda: over(torch.sum, normal(n)),
        "sum columns 8192x8192 f32": lambda: over(lambda a: torch.sum(a, 0), normal(8192, 8192)),
        "softmax 8192x4096 bf16": lambda: over(lambda a: torch.softmax(a, -1), normal(8192, 4096, t=bf16)),
        "layer_norm 8192x4096 bf16": lambda: over(lambda a, w, b: F.layer_norm(a, (4096,), w, b), normal(8192, 4096, t=bf16), normal(4096, t=bf16), normal(4096, t=bf16)),
        "cross_entropy 8192x50257 f32": lambda: over(F.cross_entropy, normal(8192, 50257), torch.randint(0, 50257, (8192,), device=d)),
        "sort 4096x4096 f32": lambda: over(torch.sort, normal(4096, 4096)),
        "matmul 8192 bf16": lambda: over(torch.matmul, normal(8192, 8192, t=bf16), normal(8192, 8192, t=bf16)),
        "scaled_mm 8192 float8": lambda: over(lambda a, b, s: torch._scaled_mm(a, b, s, s, out_dtype=bf16), normal(8192, 8192, t=e4m3), normal(8192, 8192, t=e4m3).t(), torch.ones((), device=d)),
        "scaled_mm 8192 float8 by rows": lambda: over(lambda a, b, s, t: torch._scaled_mm(a, b, s, t, out_dtype=bf16), normal(8192, 8192, t=e4m3), normal(8192, 8192, t=e4m3).t(),
                                                      torch.ones(8192, 1, device=d), torch.ones(1, 8192, device=d)),
        "cast 64 Mi f32 to float8": lambda: over(lambda a: a.to(e4m3), normal(n)),
        "matmul 4096 f32": lambda: over(torch.matmul, normal(4096, 4096), normal(4096, 4096)),
        "conv2d 64x256x56x56 3x3 bf16": lambda: over(lambda x, w: F.conv2d(x, w, padding=1), normal(64, 256, 56, 56, t=bf16), normal(256, 256, 3, 3, t=bf16)),
        "attention 8x16x2048x64 bf16 causal": lambda: over(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *(normal(8, 16, 2048, 64, t=bf16) for _ in range(3))),
        "attention with gradients": lambda: attention(8, 16, 2048, 64, grad=True, causal=True),
        "attention 8x16x2048x64 bf16 with a mask": lambda: attention(8, 16, 2048, 64, mask=torch.randn(8, 1, 2048, 2048, device=d) >= -1),
        "attention 8x16x2048x64 bf16 with dropout and gradients": lambda: attention(8, 16, 2048, 64, drop=0.1, grad=True, causal=True),
        "attention of one query, 64x16x4096x64 bf16": lambda: attention(64, 16, 4096, 64, queries=1),
        "lstm 512 in and out, 64 rows of 128 steps, f32, with gradients": lstm,
        "copy 64 Mi f32": lambda: over(lambda a, b: a.copy_(b), normal(n), normal(n)),
        "layer_norm 8192x4096 bf16 with gradients": lambda: trained(lambda a, w, b: F.layer_norm(a, (4096,), w, b), normal(8192, 4096, t=bf16), *(normal(*s, t=bf16, grad=True) for s in ((8192, 4096), (4096,), (4096,)))),
        "AdamW 64 Mi f32": adamw,
        "linear 65536x768 to 3072 bf16 with gradients": lambda: trained(F.linear, normal(65536, 3072, t=bf16), *(normal(*s, t=bf16, grad=True) for s in ((65536, 768), (3072, 768), (3072,)))),
        "embedding 50304x768 of 65536 f32 with gradients": embedding,
        "small adds, 100 in a row": chain,
        "host: add of 64": lambda: over(torch.add, normal(64), normal(64)),
        "host: linear 64x64 bf16": lambda: over(F.linear, normal(64, 64, t=bf16), normal(64, 64, t=bf16), normal(64, t=bf16)),
        "host: replay of 100 additions": replay,
    }


# What these move through memory at least, bytes; PyTorch's copy tells what there is.
BYTES = {"copy 64 Mi f32": 8 << 26, "add 64 Mi f32": 12 << 26, "gelu 64 Mi bf16": 4 << 26, "fused silu(a) * b + c 64 Mi bf16": 8 << 26, "sum 64 Mi f32": 4 << 26,
         "sum columns 8192x8192 f32": 4 << 26, "softmax 8192x4096 bf16": 4 << 25, "layer_norm 8192x4096 bf16": 4 << 25, "cast 64 Mi f32 to float8": 5 << 26,
         "layer_norm 8192x4096 bf16 with gradients": 10 << 25, "AdamW 64 Mi f32": 28 << 26}


def measure(name, run):
    """As speed.cpp does."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    if name.startswith("host"):
        least = 1
        for _ in range(20):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(100):
                run()
            least = min(least, time.perf_counter() - begin)
        return least / 100 * 1e6
    count = 1
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            run()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        if seconds >= 0.1:
            return seconds / count * 1e3
        count = int(count * (0.13 / seconds if seconds > 0.01 else 8)) + 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("device", nargs="?", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    theirs = cases(args.device)
    names = subprocess.run([args.program], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    assert sorted(names) == sorted(theirs), set(names) ^ set(theirs)
    print(f"{torch.cuda.get_device_name(args.device)}; PyTorch {torch.__version__}\n")
    copy = measure("copy", theirs["copy 64 Mi f32"]())
    print("| case | haft, ms (host: us) | PyTorch | PyTorch / haft | of the copy's bandwidth |\n|---|---|---|---|---|")
    program = subprocess.Popen([args.program, args.device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    for name in theirs:
        ours, others = [], []
        for _ in range(args.rounds if args.only in name else 0):
            program.stdin.write(name + "\n")
            answer = program.stdout.readline().strip()
            try:
                ours.append(float(answer))
            except ValueError:
                print(f"| {name} | {answer} | | | |", flush=True)
                break
            others.append(measure(name, theirs[name]()))
        if others:
            a, b = statistics.median(ours), statistics.median(others)
            share = f"{BYTES[name] / a * copy / BYTES['copy 64 Mi f32']:.0%}" if name in BYTES else ""
            print(f"| {name} | {a:.3f} | {b:.3f} | {b / a:.2f} | {share} |", flush=True)


if __name__ == "__main__":
    main()
