#!/usr/bin/env python3
"""Several processes train together: one line tells of it, and the loss has fallen.

usage: falls.py HAFT_RUN PROCESSES COMMAND...
"""
import re
import subprocess
import sys


def main(haft_run, processes, *command):
    done = subprocess.run([haft_run, "--nproc-per-node", processes, *command], stdout=subprocess.PIPE, text=True)
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, done.returncode
    told = re.findall(r"ranks, \d+ steps: loss ([0-9.]+) to ([0-9.]+)", done.stdout)
    assert len(told) == 1, "wanted one line of results"
    first, last = (float(n) for n in told[0])
    assert last < 0.7 * first, told


if __name__ == "__main__":
    main(*sys.argv[1:])
