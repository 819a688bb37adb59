#!/usr/bin/env python3
"""Writes the NuGet package: an OPC zip with the assembly, its documentation and the natives where NuGet wants them.

usage: nupkg.py VERSION ASSEMBLY_FOLDER NATIVES OUT_FOLDER      ASSEMBLY_FOLDER: build/csharp; NATIVES: natives.py wrote it
"""
import glob
import os
import subprocess
import sys
import tempfile

from archive import carried, write_zip
from notices import notices

NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>Haft</id>
    <version>{version}</version>
    <authors>haft</authors>
    <license type="expression">Apache-2.0</license>
    <description>A deep-learning engine for .NET: tensors, autograd, modules, optimizers, loaders; training and serving in process.</description>
    <readme>README.md</readme>
    <dependencies>
      <group targetFramework=".NETStandard2.1" />
    </dependencies>
  </metadata>
</package>
"""
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="dll" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Default Extension="so" ContentType="application/octet" />
  <Default Extension="txt" ContentType="text/plain" />
{overrides}</Types>
"""
RELATIONS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Haft.nuspec" Id="R1" />
</Relationships>
"""


MONO = "/usr/lib/mono"


def rebound(assembly, work):
    """The assembly bound to netstandard 2.1 instead of mono's own libraries; a type that the standard lacks is an error."""
    here = os.path.dirname(os.path.abspath(__file__))
    cecil = sorted(glob.glob(MONO + "/gac/Mono.Cecil/*/Mono.Cecil.dll"))
    if not cecil:
        raise SystemExit("nupkg.py: no Mono.Cecil (libmono-cecil-private-cil)")
    tool, result = os.path.join(work, "rebind.exe"), os.path.join(work, "Haft.dll")
    subprocess.run(["mcs", "-nologo", "-out:" + tool, "-r:" + cecil[-1], os.path.join(here, "rebind.cs")], check=True)
    environment = dict(os.environ, MONO_PATH=os.path.dirname(cecil[-1]))
    subprocess.run(["mono", tool, assembly, result, MONO + "/4.5/Facades/netstandard.dll"], check=True, env=environment)
    return result


def main(version, assembly, natives, out):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    libraries = list(carried(natives, "csharp"))
    with tempfile.TemporaryDirectory() as work:
        entries = [("runtimes/linux-x64/native/" + name, path) for name, path in libraries]
        entries += [("licenses/" + name, content) for name, content in notices(name for name, _ in libraries)]
        # Names such as libhaft.so.1 have an extension of their own each.
        overrides = "".join('  <Override PartName="/%s" ContentType="application/octet" />\n' % name
                            for name, _ in entries if not name.endswith((".so", ".txt")))
        entries.append(("lib/netstandard2.1/Haft.dll", rebound(os.path.join(assembly, "Haft.dll"), work)))
        entries.append(("lib/netstandard2.1/Haft.xml", os.path.join(assembly, "Haft.xml")))
        entries.append(("README.md", os.path.join(root, "README.md")))
        entries[:0] = [("[Content_Types].xml", TYPES.format(overrides=overrides).encode()), ("_rels/.rels", RELATIONS.encode()),
                       ("Haft.nuspec", NUSPEC.format(version=version).encode())]
        path = os.path.join(out, "Haft.%s.nupkg" % version)
        write_zip(path, entries)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
