"""Single operators on large data. usage: kernels.py THREADS [GROUP]     GROUP: matmul, conv or other"""
import sys

import torch
import torch.nn.functional as F

from common import emit_time, judged, measure, start

threads = int(sys.argv[1])
groups = sys.argv[2:] or ["matmul", "conv", "other"]
start(threads)


def case(name, fn, seconds=0.1, windows=5):
    emit_time(name, threads, "us", measure(name, fn, seconds, windows))


MATMUL = [(n, n, n) for n in (32, 64, 128, 256, 512, 1024, 2048)] + [(1024, 1024, 1), (4096, 4096, 1), (64, 784, 128), (64, 128, 10), (64, 9216, 128)] + [
    (m, k, n) for m in (1, 32, 128, 512) for k, n in ((768, 768), (768, 3072), (3072, 768))]
CONV = [("stem", 3, 64, 32, 3, 1, 1), ("l1", 64, 64, 32, 3, 1, 1), ("l2a", 64, 128, 32, 3, 2, 1), ("l2d", 64, 128, 32, 1, 2, 0), ("l2", 128, 128, 16, 3, 1, 1),
        ("l3a", 128, 256, 16, 3, 2, 1), ("l3", 256, 256, 8, 3, 1, 1), ("l4a", 256, 512, 8, 3, 2, 1), ("l4", 512, 512, 4, 3, 1, 1)]

def matmul():
    for m, k, n in MATMUL:
        a, b = torch.randn(m, k), torch.randn(k, n)
        case("matmul %dx%dx%d" % (m, k, n), lambda: a @ b, 0.06)


def conv():
    for name, i, o, h, kernel, stride, pad in CONV:
        results = []
        for layout in (torch.contiguous_format, torch.channels_last):
            x = torch.randn(32, i, h, h).to(memory_format=layout)
            w = torch.randn(o, i, kernel, kernel).to(memory_format=layout)
            results.append(measure("conv " + name, lambda: F.conv2d(x, w, None, stride, pad), 0.1, 5))
        emit_time("conv " + name, threads, "us", min(results, key=lambda r: judged(r, threads)))


def other():
    n = 1 << 24  # 64 MB of float32
    p, q, r = torch.randn(n), torch.randn(n), torch.empty(n)
    case("add 64 MB, fresh output", lambda: p + q)
    case("add 64 MB, out=", lambda: torch.add(p, q, out=r))
    case("relu 64 MB, fresh output", lambda: torch.relu(p))
    case("exp 64 MB, fresh output", lambda: torch.exp(p))
    case("copy 64 MB", lambda: r.copy_(p))
    case("sum 64 MB", lambda: p.sum())
    case("amax 64 MB", lambda: p.amax())
    m = p.view(4096, 4096)
    case("sum 64 MB, rows", lambda: m.sum(1))
    case("sum 64 MB, columns", lambda: m.sum(0))
    del p, q, r, m
    for rows, cols in ((2048, 256), (512, 768), (16384, 1024)):
        x, w, c = torch.randn(rows, cols), torch.ones(cols), torch.zeros(cols)
        case("softmax %dx%d" % (rows, cols), lambda: x.softmax(-1))
        case("layer_norm %dx%d" % (rows, cols), lambda: F.layer_norm(x, (cols,), w, c))
    x = torch.randn(1 << 22)
    case("dropout 4M", lambda: F.dropout(x, 0.5, True))
    case("randn 4M", lambda: torch.randn(1 << 22))


with torch.no_grad():
    for group in groups:
        {"matmul": matmul, "conv": conv, "other": other}[group]()
