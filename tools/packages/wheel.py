#!/usr/bin/env python3
"""Writes the wheel (PEP 427) of the built package.

usage: wheel.py VERSION PACKAGE_FOLDER ENGINE OUT_FOLDER      PACKAGE_FOLDER: build/python/haft
"""
import base64
import hashlib
import os
import sys
import sysconfig
import tempfile

from archive import natives, tree, write_zip

METADATA = """Metadata-Version: 2.1
Name: haft
Version: {version}
Summary: A deep-learning engine with a stable C ABI: PyTorch's model, faster and smaller
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{readme}"""


def main(version, package, engine, out):
    tag = "cp{0}{1}-cp{0}{1}-linux_x86_64".format(*sys.version_info[:2])
    info = "haft-%s.dist-info" % version
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(root, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    with tempfile.TemporaryDirectory() as work:
        entries = [(name, path) for name, path in tree(package, "haft/") if ".so" not in os.path.basename(name)]
        shims = [os.path.join(package, f) for f in os.listdir(package) if f.endswith(suffix) or f == "_haft.so"]
        if not shims:
            raise SystemExit("%s holds no built shim" % package)
        entries += [("haft/" + name, path) for name, path in natives(engine, shims, work)]
        entries.append((info + "/METADATA", METADATA.format(version=version, readme=readme).encode()))
        entries.append((info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: haft %s\nRoot-Is-Purelib: false\nTag: %s\n"
                                          % (version, tag)).encode()))
        entries.append((info + "/LICENSE", os.path.join(root, "LICENSE")))
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
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
