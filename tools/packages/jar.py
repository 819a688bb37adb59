#!/usr/bin/env python3
"""Writes the jar for distribution: the built one, and beside its natives the libraries that not every system has.

usage: jar.py VERSION BUILT_JAR ENGINE OUT_FOLDER
"""
import os
import sys
import tempfile
import zipfile

from archive import companions, stripped, write_zip

FOLDER = "io/haft/native/linux-x64/"


def main(version, jar, engine, out):
    with tempfile.TemporaryDirectory() as work, zipfile.ZipFile(jar) as built:
        entries = [(info.filename, built.read(info)) for info in built.infolist() if not info.is_dir()]
        names = [name[len(FOLDER):] for name, _ in entries if name.startswith(FOLDER)]
        if "libhaft.so.1" not in names:
            raise SystemExit("%s holds no engine" % jar)
        more = sorted(companions(engine).items())
        entries = [e for e in entries if e[0] != FOLDER + "libhaft.so.1"]
        entries += [(FOLDER + name, stripped(path, work, name)) for name, path in [("libhaft.so.1", engine)] + more]
        entries.append((FOLDER + "files", "\n".join(names + [name for name, _ in more]).encode()))
        path = os.path.join(out, "haft-%s.jar" % version)
        write_zip(path, entries)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
