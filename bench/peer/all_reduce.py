"""What bench/dist.c measures, with PyTorch's Gloo: all_reduce.py [ranks]."""
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist

ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
folder = tempfile.mkdtemp()
rank = 0
for r in range(1, ranks):
    if os.fork() == 0:
        rank = r
        break
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=ranks)
for size in (4096, 65536, 1 << 20, 25 << 20, 100 << 20):
    times = 500 if size <= 65536 else 200 if size <= 1 << 20 else 40 if size <= 25 << 20 else 15
    x, took = torch.zeros(size // 4), []
    for i in range(times + 5):
        start = time.perf_counter()
        dist.all_reduce(x)
        took.append(time.perf_counter() - start)
    took = sorted(took[5:])
    if rank == 0:
        print(f"{size:9} bytes: p50 {took[times // 2] * 1e6:10.1f} us, p90 {took[times * 9 // 10] * 1e6:10.1f} us")
