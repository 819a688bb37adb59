#!/usr/bin/env python3
"""What libhaft.so shows to the world: its symbols, its needs and its size.

usage: library_test.py LIBRARY SYMBOLS"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, SYMBOLS = sys.argv[1:3]
MAX_STRIPPED = 8_388_608
MAX_STATIC_TLS = 512  # bytes: a library that is opened late gets them from a small reserve of the C library


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported():
    """(kind, name@version) of every dynamic symbol that the library defines, without the version nodes themselves."""
    rows = [line.split()[-2:] for line in run("nm", "-D", "--defined-only", LIBRARY).splitlines()]
    return [(kind, name.replace("@@", "@")) for kind, name in rows if kind != "A"]


class Symbols(unittest.TestCase):
    def test_exports_are_the_committed_list(self):
        with open(SYMBOLS) as f:
            committed = [line.replace("@@", "@") for line in f.read().split("\n") if line and not line.startswith("#")]
        self.assertEqual(committed, sorted(committed), SYMBOLS + " must be sorted")
        now = sorted(name for _, name in exported())
        self.assertEqual(sorted(set(now) - set(committed)), [], "exported, but not in the committed list")
        self.assertEqual(sorted(set(committed) - set(now)), [], "in the committed list, but not exported")

    def test_only_c_functions_of_ours(self):
        for kind, name in exported():
            self.assertRegex(name, r"^haft_[a-z0-9_]+@HAFT_\d+(\.\d+)?$")
            self.assertEqual(kind, "T", name + " is not a function (u would be GNU_UNIQUE)")


class Library(unittest.TestCase):
    def test_needs(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*?)\]", run("readelf", "-dW", LIBRARY))
        for name in needed:
            self.assertRegex(name, r"^(lib(c|m|stdc\+\+|gcc_s|dnnl|hwy|z|dl|pthread|rt)|ld-linux.*)\.so")

    def test_nothing_heavy_is_loaded(self):
        loaded = run("ldd", LIBRARY)
        self.assertNotIn("not found", loaded)
        self.assertNotRegex(loaded, r"libcu|libnv|libtorch|libc10|libpython|libmkl|libtbb")

    def test_dynamic_section(self):
        dynamic = run("readelf", "-dW", LIBRARY)
        self.assertRegex(dynamic, r"\(SONAME\).*\[libhaft\.so\.1\]")
        self.assertIn("NODELETE", dynamic)
        self.assertNotIn("TEXTREL", dynamic)
        self.assertNotRegex(dynamic, r"\((RPATH|RUNPATH)\)")

    def test_static_tls_is_small(self):
        tls = re.search(r"^\s*TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(0x[0-9a-f]+)", run("readelf", "-lW", LIBRARY), re.M)
        if tls:
            self.assertLessEqual(int(tls.group(1), 16), MAX_STATIC_TLS)

    def test_stripped_size(self):
        with tempfile.TemporaryDirectory() as work:
            stripped = os.path.join(work, "libhaft.so")
            run("strip", "-o", stripped, LIBRARY)
            size = os.path.getsize(stripped)
        print("libhaft.so stripped: %.2f MB" % (size / 1e6))
        self.assertLessEqual(size, MAX_STRIPPED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
