#!/usr/bin/env python3
"""Opening the library and making a first tensor costs so many instructions, page faults and waits at most, and starts no thread: what takes 3 ms on a
machine that does nothing else, counted in what does not depend on who else computes.

usage: startup.py VALGRIND PROGRAM LIBRARY"""
import os
import re
import subprocess
import sys
import tempfile

LIMITS = {"instructions": 14e6, "page faults": 700, "waits": 4, "threads": 1}

valgrind, *command = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run([valgrind, "--tool=callgrind", "--callgrind-out-file=" + folder + "/out.%p", "--separate-threads=yes", *command],
                          check=True, capture_output=True, text=True)
    files = os.listdir(folder)  # one a thread, and one of the whole
counts = {"instructions": int(re.search(r"Collected *: *(\d+)", done.stderr).group(1)), "threads": max(1, sum("-" in f for f in files))}
child = os.posix_spawn(command[0], command, os.environ)
_, status, usage = os.wait4(child, 0)
assert status == 0, status
counts.update({"page faults": usage.ru_minflt, "waits": usage.ru_nvcsw})
for name, limit in LIMITS.items():
    print("%s: %d, limit %d" % (name, counts[name], limit))
sys.exit(any(counts[name] > limit for name, limit in LIMITS.items()))
