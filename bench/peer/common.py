"""Timing for PyTorch's side: the same windows and the same JSON lines as bench/timing.h."""
import gc
import json
import os
import statistics
import sys
import time


def start(threads):
    import torch  # here: haft's processes measure with this file, too
    torch.set_num_threads(threads)
    torch.manual_seed(0)


def import_torch(side):
    """PyTorch, or haft under its name, for text that serves both."""
    if side == "haft":
        import haft
        import haft.distributed
        import haft.nn.functional
        import haft.nn.parallel
        sys.modules.update({"torch" + name[4:]: module for name, module in list(sys.modules.items()) if name == "haft" or name.startswith("haft.")})
    import torch
    return torch


def machine_busy():
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, soft, steal = [int(x) for x in f.readline().split()[1:9]]
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def wait_for_turn(name, wall=0):
    if "HAFT_BENCH_TURNS" in os.environ:
        print(json.dumps({"ready": name, "wall": wall}), flush=True)
        if not sys.stdin.readline():
            sys.exit(1)


def measure(name, fn, seconds=0.3, windows=7, quiet_only=True):
    """Seconds a call: dict(wall, cpu, clean, tried), medians over quiet windows (over all, when fewer than three were
    quiet, or when a busy machine is what is measured)."""
    wait_for_turn(name)
    fn()
    n = 1
    while True:
        begin = time.perf_counter()
        for _ in range(n):
            fn()
        spent = time.perf_counter() - begin
        if spent > 0.1 * seconds:
            break
        n *= 4
    n = max(1, int(n * seconds / spent))
    walls, cpus, quiet = [], [], []
    gc.collect()
    gc.disable()
    while len(walls) < (3 if quiet_only else 1) * windows and len(quiet) < windows:
        if walls:
            wait_for_turn(name, walls[-1])
        busy, cpu, wall = machine_busy(), time.process_time(), time.perf_counter()
        for _ in range(n):
            fn()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        foreign = machine_busy() - busy - cpu
        walls.append(wall / n)
        cpus.append(cpu / n)
        if not quiet_only or foreign < 0.016 + 0.03 * wall:
            quiet.append(wall / n)
    gc.enable()
    return dict(wall=statistics.median(quiet if len(quiet) >= 3 else walls), cpu=statistics.median(cpus), clean=len(quiet), tried=len(walls))


def judged(m, threads):
    return m["cpu"] if threads == 1 else m["wall"]


def emit(case, threads, unit, value, m=None):
    row = dict(case=case, threads=threads, unit=unit, value=value)
    if m:
        row.update(clean=m["clean"], tried=m["tried"])
    print(json.dumps(row), flush=True)


def emit_time(case, threads, unit, m):
    emit(case, threads, unit, judged(m, threads) * {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1}[unit], m)
