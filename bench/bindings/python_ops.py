"""Cost of single calls from Python beside PyTorch, and of the import; one process a side, in turns, the best of several.

    PYTHONPATH=build/python /usr/bin/python3 bench/bindings/python_ops.py
    PYTHONPATH=build/python /usr/bin/python3 bench/bindings/python_ops.py --side haft|torch [all]     a JSON line each: the import and
                                                                                                  a + b, or all calls"""
import json
import os
import statistics
import subprocess
import sys

CALLS = ["a + b", "a * 2.0", "a.exp()", "m.exp(a)", "a.add(b)", "m.add(a, b)", "a.sum()", "x.sum(1)", "x.mean(dim=0, keepdim=True)", "x.max(1)", "x[0]", "x[1, 2]", "x[:, 1:3]", "x[x > 0]", "x.view(6, 2)",
         "x.reshape(-1)", "x.t()", "x.shape", "x.size(0)", "a.item()", "a.requires_grad", "x @ w", "m.cat([x, x])", "m.zeros(3)", "m.tensor([1.0, 2.0])", "x.detach()", "m.relu(x)", "m.no_grad().__enter__()",
         "(g * g).sum().backward()"]


def measure(name, calls):
    import timeit
    from time import perf_counter
    start = perf_counter()
    m = __import__(name)
    print(json.dumps({"case": "import", "threads": 1, "unit": "ms", "value": (perf_counter() - start) * 1e3}))
    m.set_num_threads(1)
    names = dict(m=m, a=m.tensor([1.0]), b=m.tensor([2.0]), x=m.randn(3, 4), w=m.randn(4, 3), g=m.ones(3, requires_grad=True))
    for call in calls:
        if "no_grad" in call:
            call = "h = m.no_grad(); h.__enter__(); h.__exit__(None, None, None)"
        timer = timeit.Timer(call, globals=names)
        count = timer.autorange()[0] // 4 + 1
        ns = statistics.median(timer.repeat(7, count)) / count * 1e9
        print(json.dumps({"case": call, "threads": 1, "unit": "ns", "value": ns}))


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--side":
        return measure(sys.argv[2], CALLS if sys.argv[3:] == ["all"] else ["a + b"])
    best = {}
    for _ in range(3):
        for name in ("haft", "torch"):
            env = {**os.environ, "OMP_NUM_THREADS": "1"}
            done = subprocess.run([sys.executable, __file__, "--side", name, "all"], env=env, capture_output=True, text=True, check=True)
            for row in map(json.loads, done.stdout.splitlines()):
                best[name, row["case"]] = min(row["value"], best.get((name, row["case"]), row["value"]))
    print(f"{'call, ns (import: ms)':64}{'haft':>14}{'PyTorch':>14}{'ratio':>8}")
    for name, call in [k for k in best if k[0] == "haft"]:
        ours, theirs = best["haft", call], best["torch", call]
        print(f"{call:64}{ours:11.0f}   {theirs:11.0f}   {theirs / ours:8.1f}")


if __name__ == "__main__":
    main()
