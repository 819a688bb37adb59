#!/usr/bin/env python3
"""Writes the jar for distribution: the built one, its natives replaced by those that run anywhere.

usage: jar.py VERSION BUILT_JAR NATIVES OUT_FOLDER      NATIVES: a folder that natives.py wrote
"""
import os
import sys
import zipfile

from archive import carried, write_zip
from notices import notices

FOLDER = "io/haft/native/linux-x64/"


def main(version, jar, natives, out):
    with zipfile.ZipFile(jar) as built:
        entries = [(info.filename, built.read(info)) for info in built.infolist() if not info.is_dir()]
    libraries = list(carried(natives, "java"))
    names = [name for name, _ in libraries]
    if not {name[len(FOLDER):] for name, _ in entries if name.startswith(FOLDER)} <= {*names, "files"}:
        raise SystemExit("%s holds natives that %s has not" % (jar, natives))
    entries = [e for e in entries if not e[0].startswith(FOLDER)]
    entries += [(FOLDER + name, path) for name, path in libraries]
    entries.append((FOLDER + "files", "\n".join(names).encode()))
    entries += [("META-INF/licenses/" + name, content) for name, content in notices(names)]
    path = os.path.join(out, "haft-%s.jar" % version)
    write_zip(path, entries)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
