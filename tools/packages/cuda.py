#!/usr/bin/env python3
"""Writes the packages of the plug-in for NVIDIA's GPUs, each beside the one of haft that it belongs to: a wheel for any Python, a jar and a NuGet
package with the library alone, and a tarball. Installed together, libhaft_cuda.so lies beside libhaft.so.

usage: cuda.py VERSION LIBRARY OUT_FOLDER      LIBRARY: the built libhaft_cuda.so, which carries what it needs of C++ and CUDA
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile

from archive import write_zip
from notices import TEXTS, notices
from nupkg import package

NAME = "libhaft_cuda.so"
LICENCE = "Apache-2.0 AND (GPL-3.0-or-later WITH GCC-exception-3.1) AND LicenseRef-NVIDIA-CUDA"
WORDS = "haft on NVIDIA's GPUs: the plug-in libhaft_cuda.so. It needs driver 580 or newer, and takes cuBLASLt, cuDNN, cuSOLVER, NCCL and NVRTC where they are installed."
METADATA = """Metadata-Version: 2.4
Name: haft-cuda
Version: {version}
Summary: haft on NVIDIA's GPUs
License-Expression: {licence}
{files}Requires-Python: >=3.9
Requires-Dist: haft == {version}
Provides-Extra: libraries
Requires-Dist: nvidia-cublas >=13,<14; extra == "libraries"
Requires-Dist: nvidia-cudnn-cu13; extra == "libraries"
Requires-Dist: nvidia-cusolver >=12,<13; extra == "libraries"
Requires-Dist: nvidia-nccl-cu13; extra == "libraries"
Requires-Dist: nvidia-cuda-nvrtc >=13,<14; extra == "libraries"
Description-Content-Type: text/plain

{words}
"""
NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>HaftCuda</id>
    <version>{version}</version>
    <authors>The haft developers</authors>
    <license type="file">licenses/haft.txt</license>
    <description>{words}</description>
    <tags>deep-learning gpu cuda native</tags>
    <dependencies>
      <group targetFramework=".NETStandard2.1"><dependency id="Haft" version="[{version}]" /></group>
    </dependencies>
  </metadata>
</package>
"""
MANIFEST = """Manifest-Version: 1.0
Automatic-Module-Name: io.haft.natives.linux.x64.cuda
Implementation-Title: haft's plug-in for NVIDIA's GPUs, linux-x64
Implementation-Version: %s

"""


def content_of(content):
    if isinstance(content, bytes):
        return content
    with open(content, "rb") as f:
        return f.read()


def wheel(version, library, licences, out):
    tag, info = "py3-none-manylinux_2_34_x86_64", "haft_cuda-%s.dist-info" % version
    files = "".join("License-File: %s\n" % name for name, _ in licences)
    entries = [("haft/" + NAME, library),
               (info + "/METADATA", METADATA.format(version=version, licence=LICENCE, files=files, words=WORDS).encode()),
               (info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: haft %s\nRoot-Is-Purelib: false\nTag: %s\n" % (version, tag)).encode())]
    entries += [(info + "/licenses/" + name, content) for name, content in licences]
    record = []
    for name, content in entries:
        content = content_of(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d\n" % (name, digest, len(content)))
    entries.append((info + "/RECORD", ("".join(record) + info + "/RECORD,,\n").encode()))
    path = os.path.join(out, "haft_cuda-%s-%s.whl" % (version, tag))
    write_zip(path, entries)
    print(path)


def jar(version, library, licences, out):
    folder = "io/haft/native/linux-x64/"
    path = os.path.join(out, "haft-%s-linux-x64-cuda.jar" % version)
    write_zip(path, [("META-INF/MANIFEST.MF", (MANIFEST % version).encode()), ("META-INF/LICENSE", TEXTS["haft"]), (folder + NAME, library),
                     (folder + "files-cuda", NAME.encode())] + [("META-INF/licenses/" + name, content) for name, content in licences])
    print(path)


def tarball(version, library, licences, out):
    top = "haft_cuda-%s-linux-x86_64" % version
    path = os.path.join(out, top + ".tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        def add(name, content):
            info, content = tarfile.TarInfo("%s/%s" % (top, name)), content_of(content)
            info.size, info.mode = len(content), 0o644
            with tempfile.TemporaryFile() as f:
                f.write(content)
                f.seek(0)
                archive.addfile(info, f)
        add("lib/" + NAME, library)
        for name, content in licences:
            add("share/doc/haft_cuda/licenses/" + name, content)
    print(path)


def main(version, built, out):
    with tempfile.TemporaryDirectory() as work:
        library = os.path.join(work, NAME)
        subprocess.run(["strip", "--strip-unneeded", "-o", library, built], check=True)
        licences = list(notices([NAME]))
        wheel(version, library, licences, out)
        jar(version, library, licences, out)
        package(os.path.join(out, "HaftCuda.%s.nupkg" % version), NUSPEC.format(version=version, words=re.sub("&", "&amp;", WORDS)),
                [("runtimes/linux-x64/native/" + NAME, library)] + [("licenses/" + name, content) for name, content in licences])
        tarball(version, library, licences, out)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
