#!/usr/bin/env python3
"""Writes the NuGet package: an OPC zip with the assembly, its documentation and the natives where NuGet wants them,
and beside it one with the symbols.

usage: nupkg.py VERSION ASSEMBLY_FOLDER NATIVES OUT_FOLDER      ASSEMBLY_FOLDER: build/csharp; NATIVES: natives.py wrote it
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from archive import carried, write_zip
from notices import notices

TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="dll" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Default Extension="png" ContentType="application/octet" />
  <Default Extension="pdb" ContentType="application/octet" />
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


def gac(name):
    """An assembly of mono's, its newest version."""
    found = sorted(glob.glob("%s/gac/%s/*/%s.dll" % (MONO, name, name)), key=lambda path: [int(n) for n in re.findall(r"/([\d.]+)__", path)[0].split(".")])
    if not found:
        raise SystemExit("nupkg.py: no %s (mono-devel)" % name)
    return found[-1]


def rebound(folder, root, work):
    """The assembly bound to netstandard 2.1 instead of mono's own libraries (a type that the standard lacks is an error) and its
    portable PDB, with paths as they are in the repository."""
    here = os.path.dirname(os.path.abspath(__file__))
    libraries = [gac("Mono.Cecil"), gac("Mono.CompilerServices.SymbolWriter")]
    tool, result = os.path.join(work, "rebind.exe"), os.path.join(work, "Haft.dll")
    subprocess.run(["mcs", "-nologo", "-out:" + tool, *["-r:" + path for path in libraries], os.path.join(here, "rebind.cs")], check=True)
    environment = dict(os.environ, MONO_PATH=":".join(os.path.dirname(path) for path in libraries))
    assembly, build = os.path.abspath(os.path.join(folder, "Haft.dll")), os.path.dirname(os.path.abspath(folder))
    subprocess.run(["mono", tool, assembly, result, MONO + "/4.5/Facades/netstandard.dll", assembly + ".mdb",
                    build + "=/_/build", root + "=/_"], check=True, env=environment)
    # The debug directory (RSDS, GUID, age, path) names the PDB with its folder, which is gone when somebody reads it.
    with open(result, "r+b") as f:
        content = f.read()
        at = content.index(b"RSDS") + 24
        end = content.index(b"\0", at)
        f.seek(at)
        f.write(b"Haft.pdb".ljust(end - at, b"\0"))
    return result, os.path.join(work, "Haft.pdb")


def package(path, nuspec, entries):
    name = re.search("<id>(.*)</id>", nuspec).group(1) + ".nuspec"
    # Names such as libhaft.so.1 have an extension of their own each.
    overrides = "".join('  <Override PartName="/%s" ContentType="application/octet" />\n' % name
                        for name, _ in entries if 'Extension="%s"' % name.rpartition(".")[2] not in TYPES)
    write_zip(path, [("[Content_Types].xml", TYPES.format(overrides=overrides).encode()), ("_rels/.rels", RELATIONS.replace("Haft.nuspec", name).encode()),
                     (name, nuspec.encode())] + entries)
    print(path)


def main(version, folder, natives, out):
    root = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    libraries = list(carried(natives, "csharp"))
    with open(os.path.join(folder, "Haft.nuspec")) as f:
        nuspec = f.read()
    with tempfile.TemporaryDirectory() as work:
        assembly, symbols = rebound(folder, root, work)
        entries = [("runtimes/linux-x64/native/" + name, path) for name, path in libraries]
        entries += [("licenses/" + name, content) for name, content in notices(name for name, _ in libraries)]
        entries.append(("lib/netstandard2.1/Haft.dll", assembly))
        entries.append(("lib/netstandard2.1/Haft.xml", os.path.join(folder, "Haft.xml")))
        # Compiled into the applications that want it.
        entries.append(("contentFiles/cs/any/Haft/HaftLogging.cs", os.path.join(root, "bindings", "csharp", "extensions", "HaftLogging.cs")))
        entries.append(("README.md", os.path.join(root, "README.md")))
        entries.append(("icon.png", os.path.join(root, "bindings", "csharp", "icon.png")))
        package(os.path.join(out, "Haft.%s.nupkg" % version), nuspec, entries)
        # What a symbol server takes: the PDB alone, of a package of this type, which has neither icon nor readme.
        nuspec = re.sub(r"    <(icon|readme|license|contentFiles)\b.*\n", "", nuspec)
        nuspec = nuspec.replace("    <dependencies>", '    <packageTypes>\n      <packageType name="SymbolsPackage" />\n    </packageTypes>\n    <dependencies>')
        package(os.path.join(out, "Haft.%s.snupkg" % version), nuspec, [("lib/netstandard2.1/Haft.pdb", symbols)])


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
