#!/usr/bin/env python3
"""Writes the jars for distribution: the classes, and of each platform the libraries that run anywhere.

usage: jar.py VERSION BUILT_JAR NATIVES OUT_FOLDER      NATIVES: a folder that natives.py wrote
"""
import os
import sys
import zipfile

from archive import carried, write_zip
from notices import notices

PLATFORM = "linux-x64"
FOLDER = "io/haft/native/%s/" % PLATFORM
MANIFEST = """Manifest-Version: 1.0
Automatic-Module-Name: io.haft.natives.linux.x64
Implementation-Title: haft natives for linux-x64
Implementation-Version: %s

"""


def main(version, jar, natives, out):
    with zipfile.ZipFile(jar) as built:
        entries = [(info.filename, built.read(info)) for info in built.infolist() if not info.is_dir()]
    libraries = list(carried(natives, "java"))
    names = [name for name, _ in libraries]
    if not {name[len(FOLDER):] for name, _ in entries if name.startswith(FOLDER)} <= {*names, "files"}:
        raise SystemExit("%s holds natives that %s has not" % (jar, natives))
    platform = [("META-INF/MANIFEST.MF", (MANIFEST % version).encode())]
    platform += [e for e in entries if e[0] == "META-INF/LICENSE"]
    platform += [(FOLDER + name, path) for name, path in libraries]
    platform.append((FOLDER + "files", "\n".join(names).encode()))
    platform += [("META-INF/licenses/" + name, content) for name, content in notices(names)]
    for classifier, content in [("", [e for e in entries if not e[0].startswith(FOLDER)]), ("-" + PLATFORM, platform)]:
        path = os.path.join(out, "haft-%s%s.jar" % (version, classifier))
        write_zip(path, content)
        print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
