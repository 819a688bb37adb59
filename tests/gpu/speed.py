#!/usr/bin/env python3
"""Times the cases of tests/gpu/speed.cpp in PyTorch, too, in turns: medians of three and their ratio, as a table.

usage: speed.py SPEED [DEVICE]    SPEED: the program built of speed.cpp"""
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

    def with_gradients():
        q, k, v = (normal(8, 16, 2048, 64, t=bf16, grad=True) for _ in range(3))
        g = normal(8, 16, 2048, 64, t=bf16)

        def run():
            F.scaled_dot_product_attention(q, k, v, is_causal=True).backward(g)
            for t in (q, k, v):
                t.grad = None
        return run

    def chain():
        a, b = normal(64), normal(64)

        def run():
            t = a
            for _ in range(100):
                t = torch.add(t, b)
        return run
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
        "attention with gradients": with_gradients,
        "small adds, 100 in a row": chain,
    }


def measure(run):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    count = 1
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            run()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        if seconds >= 0.2:
            return seconds / count * 1e3
        count = int(count * (0.25 / seconds if seconds > 0.02 else 8)) + 1


def main():
    program, d = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cuda:0"
    theirs = cases(d)
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    assert sorted(names) == sorted(theirs), set(names) ^ set(theirs)
    print(f"{torch.cuda.get_device_name(d)}; PyTorch {torch.__version__}\n")
    print("| case | haft, ms | PyTorch, ms | PyTorch / haft |\n|---|---|---|---|")
    for name in theirs:
        ours, others = [], []
        for _ in range(3):
            done = subprocess.run([program, d, name], capture_output=True, text=True)
            if done.returncode:
                print(f"| {name} | {done.stderr.strip()} | | |")
                break
            ours.append(float(done.stdout))
            others.append(measure(theirs[name]()))
        else:
            a, b = statistics.median(ours), statistics.median(others)
            print(f"| {name} | {a:.3f} | {b:.3f} | {b / a:.2f} |", flush=True)


if __name__ == "__main__":
    main()
