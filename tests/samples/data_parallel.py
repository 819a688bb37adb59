#!/usr/bin/env python3
"""Two processes train by distributed data parallel: the loss falls, and both have the same weights.

usage: data_parallel.py HAFT_RUN COMMAND...
"""
import re
import subprocess
import sys


def main(haft_run, *command):
    done = subprocess.run([haft_run, "--nproc-per-node", "2", *command, "--steps", "40", "--data", "/nowhere"], stdout=subprocess.PIPE, text=True)
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, done.returncode
    told = re.findall(r"2 ranks, 40 steps: loss ([0-9.]+) to ([0-9.]+), weights (\w+)", done.stdout)
    assert len(told) == 1, "wanted one line of results"
    first, last, weights = told[0]
    assert weights == "agree" and float(last) < 0.7 * float(first), told


if __name__ == "__main__":
    main(*sys.argv[1:])
