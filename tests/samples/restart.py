#!/usr/bin/env python3
"""A job whose last process is killed goes on from its last snapshot and ends with the loss of one that was left alone.

usage: restart.py HAFT_RUN COMMAND...
"""
import os
import re
import subprocess
import sys
import tempfile


def run(haft_run, command, snapshot, code=0, restarts=3):
    launch = [haft_run, "--nproc-per-node", "2", "--max-restarts", str(restarts), *command, "--snapshot", snapshot, "--steps", "60"]
    done = subprocess.run(launch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    sys.stdout.write(done.stdout)
    assert (done.returncode == 0) == (code == 0), done.returncode
    return re.findall(r"start (\d+): 2 processes, from step (\d+)", done.stdout), re.findall(r"60 steps: loss ([0-9.]+)", done.stdout)


def main(haft_run, *command):
    with tempfile.TemporaryDirectory() as folder:
        starts, (alone,) = run(haft_run, command, os.path.join(folder, "alone"))
        assert starts == [("0", "0")], starts
        starts, (killed,) = run(haft_run, [*command, "--kill-at", "37"], os.path.join(folder, "killed"))
        assert starts[0] == ("0", "0") and starts[1] == ("1", "30") and len(starts) == 2, starts
        assert killed == alone, (killed, alone)
        starts, losses = run(haft_run, [*command, "--kill-at", "37"], os.path.join(folder, "ended"), code=1, restarts=0)
        assert starts == [("0", "0")] and not losses, (starts, losses)
        starts, (later,) = run(haft_run, command, os.path.join(folder, "ended"))  # and a job of its own goes on, too
        assert starts == [("0", "30")] and later == alone, (starts, later)


if __name__ == "__main__":
    main(*sys.argv[1:])
