"""Tests of the Python package with its shim under the address sanitizer, in a Python without: the sanitizer's runtime comes in by LD_PRELOAD.

usage: sanitized.py SHIM
"""
import os
import subprocess
import sys
import tempfile

import haft
from haft import _haft

TESTS = ["test_runtime.Threads", "test_autograd.Hooks", "test_autograd.Functions", "test_tensor_memory.Shared", "test_tensor_indexing"]

shim, package = sys.argv[1], os.path.dirname(haft.__file__)
runtime = subprocess.run(["/usr/bin/g++", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True).stdout.strip()
with tempfile.TemporaryDirectory() as folder:
    copy = os.path.join(folder, "haft")
    os.mkdir(copy)
    for entry in os.listdir(package):
        os.symlink(os.path.realpath(shim if entry == "_haft.so" else os.path.join(package, entry)), os.path.join(copy, entry))
    environment = {**os.environ, "LD_PRELOAD": os.path.realpath(runtime) + " libstdc++.so.6", "PYTHONMALLOC": "malloc",
                   "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:detect_stack_use_after_return=1",
                   "LD_LIBRARY_PATH": os.path.dirname(_haft.library_path()), "PYTHONPATH": folder + ":" + os.path.dirname(os.path.abspath(__file__))}
    sys.exit(subprocess.run([sys.executable, "-m", "unittest", *TESTS], env=environment).returncode)
