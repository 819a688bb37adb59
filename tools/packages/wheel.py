#!/usr/bin/env python3
"""Writes the wheel (PEP 427) of the built package for one release of CPython.

usage: wheel.py VERSION PACKAGE_FOLDER NATIVES LAUNCHER PYTHON OUT_FOLDER      PACKAGE_FOLDER: build/python/haft; PYTHON: cp311

NATIVES is a folder that natives.py wrote, with a shim for PYTHON; LAUNCHER the program haft-run.
"""
import base64
import hashlib
import os
import sys

from archive import carried, tree, write_zip
from notices import SPDX, notices

METADATA = """Metadata-Version: 2.4
Name: haft
Version: {version}
Summary: A deep-learning engine with a stable C ABI: PyTorch's model, faster and smaller
License-Expression: {licence}
{files}Requires-Python: >=3.9
Description-Content-Type: text/markdown

{readme}"""


def main(version, package, natives, launcher, python, out):
    # The glibc that tests/packages/portable.py holds the libraries to.
    tag = "%s-%s-manylinux_2_34_x86_64" % (python, python)
    info = "haft-%s.dist-info" % version
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(root, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    libraries = list(carried(natives, python))
    licences = list(notices(["haft-run"] + [name for name, _ in libraries]))
    entries = [(name, path) for name, path in tree(package, "haft/") if ".so" not in os.path.basename(name)]
    entries += [("haft/" + name, path) for name, path in libraries]
    entries.append(("haft-%s.data/scripts/haft-run" % version, launcher))
    files = "".join("License-File: %s\n" % name for name, _ in licences)
    entries.append((info + "/METADATA", METADATA.format(version=version, readme=readme, licence=SPDX, files=files).encode()))
    entries.append((info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: haft %s\nRoot-Is-Purelib: false\nTag: %s\n"
                                      % (version, tag)).encode()))
    entries += [(info + "/licenses/" + name, content) for name, content in licences]
    record = []
    for name, content in entries:
        if isinstance(content, str):
            with open(content, "rb") as f:
                content = f.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d\n" % (name, digest, len(content)))
    record.append("%s/RECORD,,\n" % info)
    entries.append((info + "/RECORD", "".join(record).encode()))
    path = os.path.join(out, "haft-%s-%s.whl" % (version, tag))
    write_zip(path, entries)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
