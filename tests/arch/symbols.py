#!/usr/bin/env python3
"""Reads the engine's objects and fails where a folder of core/ needs a symbol that only folders above it define: an
#include shows what a file declares, the symbol table what it cannot be linked without.

usage: symbols.py LIST NM (LIST names the engine's objects, one a line)
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import BELOW  # noqa: E402


def folder_of(path):
    """core/<folder> of an object, None for others."""
    several = re.search(r"/haft_(\w+)\.dir/Unity/", path)  # files of a folder compiled together
    if several:
        return several.group(1)
    parts = path.replace(os.sep, "/").split("/")
    at = [i for i, part in enumerate(parts) if part == "core" and i + 2 < len(parts)]
    return parts[at[-1] + 1] if at else None


def objects(list_file):
    with open(list_file) as f:
        return [line.strip() for line in f if line.strip() and folder_of(line.strip()) in BELOW]


def read(paths, nm):
    """({symbol: folders that define it}, {(folder, symbol): an object that needs it})"""
    defined, needed = {}, {}
    out = subprocess.run([nm, "-A", "-P", *paths], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        path, _, rest = line.partition(": ")
        words = rest.split()
        if len(words) < 2 or len(words[1]) != 1:
            continue
        symbol, kind = words[0], words[1]
        folder = folder_of(path.split("[")[0])
        if kind == "U":
            needed.setdefault((folder, symbol), path)
        elif kind.isupper() or kind in "vw":
            defined.setdefault(symbol, set()).add(folder)
    return defined, needed


def upward(defined, needed):
    """(folder, symbol, folders that define it, object) for each symbol that the arrows do not allow."""
    return sorted((folder, symbol, sorted(defined[symbol]), path) for (folder, symbol), path in needed.items()
                  if symbol in defined and not defined[symbol] & (BELOW[folder] | {folder}))


def main():
    list_file, nm = sys.argv[1:]
    # What the arrows allow is allowed, and what they do not is found.
    made_up = {"low": {"base"}, "high": {"dispatch"}}, {("tensor", "low"): "a.o", ("tensor", "high"): "b.o"}
    assert upward(*made_up) == [("tensor", "high", ["dispatch"], "b.o")], upward(*made_up)

    paths = objects(list_file)
    defined, needed = read(paths, nm)
    folders = {f for where in defined.values() for f in where}
    assert {"base", "tensor", "cpu", "dispatch", "ops"} <= folders, sorted(folders)
    found = upward(defined, needed)
    if found:
        names = subprocess.run(["c++filt"], input="\n".join(row[1] for row in found), capture_output=True, text=True).stdout
        for (folder, symbol, where, path), name in zip(found, names.split("\n")):
            print("core/%s needs %s, which only core/%s defines (%s)" % (folder, name or symbol, ", core/".join(where), path))
        sys.exit("%d symbols against the arrows of core/README.md: turn the call around, or let the upper folder fill a hook" % len(found))
    print("%d objects, %d symbols" % (len(paths), len(needed)))


if __name__ == "__main__":
    main()
