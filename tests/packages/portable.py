#!/usr/bin/env python3
"""Looks at every shared library in the tarball, the wheels, the jar and the NuGet package: it asks nothing of a system but glibc
2.34 (RHEL 9, Amazon Linux 2023, Ubuntu 22.04), shares no name with a library of the system, exports nothing of the C++ library,
and has its licences beside it.

usage: portable.py PACKAGES_FOLDER
"""
import glob
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
NEWEST = {"GLIBC": (2, 34), "GCC": (7, 0, 0)}  # of glibc, and of the libgcc_s of gcc 11
# What others may see of ours: the engine's functions, and what each language's run time looks for.
EXPORTS = {"libhaft": r"haft_\w+", "_haft": r"PyInit__haft", "libhaft_java": r"Java_io_haft_\w+|JNI_On(Unl|L)oad",
           "libhaft_cuda": r"haft_backend_entry", "libhaft_csharp": r"(CSharp_|HaftCs_)\w+", "libhaft_gloo": r"haft_mesh_entry"}
# Texts by which what is inside shows, and words of the licence that it comes under.
INSIDE = {b"inflate 1.": "Jean-loup Gailly", b"dnnl_verbose": "oneDNN", b"gloo/transport": "Facebook", b"basic_string": "GCC RUNTIME LIBRARY EXCEPTION"}
failures, looked_at = [], 0


def wrong(where, what):
    failures.append("%s: %s" % (where, what))


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True).stdout


def look_at(where, path, name, beside):
    dynamic = readelf(path, "-d")
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    for library in sorted(needed - SYSTEM - beside):
        wrong(where, "needs %s, which neither every Linux nor the package has" % library)
    if needed & beside and not re.search(r"\[\$ORIGIN(/\.\./lib)?\]", dynamic):
        wrong(where, "does not look beside itself for %s" % ", ".join(sorted(needed & beside)))
    soname = re.search(r"\(SONAME\).*\[(.*)\]", dynamic)
    if soname and soname.group(1) != name:
        wrong(where, "its SONAME is %s" % soname.group(1))
    stem = re.sub(r"\.so.*", "", name)
    if ".so" in name and stem not in EXPORTS and not re.search(r"-[0-9a-f]{8}$", stem):
        wrong(where, "its name may be that of a library of the system")

    asked = readelf(path, "-V").partition("version needs section")[2]
    for library, versions in re.findall(r"File: (\S+)  Cnt: \d+\n((?: +0x\w+:   Name: .*\n)*)", asked):
        for version in re.findall(r"Name: (\S+)", versions):
            kind, _, number = version.partition("_")
            if library in beside:
                continue
            if not re.fullmatch(r"[\d.]+", number) or tuple(map(int, number.split("."))) > NEWEST.get(kind, ()):
                wrong(where, "wants %s of %s" % (version, library))
    exported, answered = [], []
    for line in readelf(path, "--dyn-syms").splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[4] not in ("GLOBAL", "WEAK", "UNIQUE") or fields[6] in ("UND", "ABS"):
            continue
        symbol, _, version = fields[7].partition("@")
        if stem in EXPORTS and not re.fullmatch(EXPORTS[stem], symbol):
            exported.append(fields[7])
        elif re.match("@?(GLIBCXX|CXXABI|GOMP|OMP|OPENCL|ZLIB)_", version):
            answered.append(fields[7])
    if exported:
        wrong(where, "exports %d symbols such as %s" % (len(exported), exported[0]))
    if answered:
        wrong(where, "answers for %d symbols of the system's such as %s" % (len(answered), answered[0]))


def look_into(package, files):
    """files: {path in the package: content}"""
    global looked_at
    libraries = {os.path.basename(p): p for p, content in files.items() if content.startswith(b"\x7fELF")}
    where = os.path.basename(package)
    if not any(name.startswith(("libhaft.so", "libhaft_cuda.so")) for name in libraries):
        wrong(where, "holds no engine")
    lists = [p for p in files if p.endswith("licenses/libraries.txt")]
    listed = dict(line.split(": ") for line in files[lists[0]].decode().splitlines()) if lists else {}
    if set(listed) != set(libraries):
        wrong(where, "licenses/libraries.txt speaks of %s, and there are %s" % (sorted(listed), sorted(libraries)))
    for name, path in sorted(libraries.items()):
        looked_at += 1
        with tempfile.TemporaryDirectory() as work:
            copy = os.path.join(work, name)
            with open(copy, "wb") as f:
                f.write(files[path])
            look_at("%s: %s" % (where, name), copy, name, set(libraries))
        texts = [os.path.join(os.path.dirname(lists[0]), t) for t in listed.get(name, "").split(", ")] if lists else []
        said = b"".join(files.get(t, b"") for t in texts).decode()
        for text in texts:
            if len(files.get(text, b"")) < 500:
                wrong(where, "%s, of %s, is missing or no licence" % (text, name))
        for mark, words in INSIDE.items():
            if mark in files[path] and words not in said:
                wrong(where, "%s holds '%s', and its licences do not speak of '%s'" % (name, mark.decode(), words))


def archived(path):
    if path.endswith(".tar.gz"):
        with tarfile.open(path) as archive:  # a link counts as what it shows
            found = {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()}
            return {re.sub(r"(libhaft\.so\.\d+)\.[\d.]+$", r"\1", name): content for name, content in found.items()}
    with zipfile.ZipFile(path) as archive:
        return {i.filename: archive.read(i) for i in archive.infolist() if not i.is_dir()}


def main(folder):
    packages = [p for pattern in ("*-x86_64.tar.gz", "*.whl", "*.jar", "*.nupkg") for p in sorted(glob.glob(os.path.join(folder, pattern)))]
    for package in packages:
        files = archived(package)
        if any(content.startswith(b"\x7fELF") for content in files.values()):  # not sources and documentation
            look_into(package, files)
        if package.endswith(".whl"):
            tag = re.fullmatch(r"(?:haft-[^-]+-(?=cp)|haft_cuda-[^-]+-(?=py3-none))(\w+-\w+-manylinux_2_34_x86_64)\.whl", os.path.basename(package))
            said = next(content.decode() for name, content in files.items() if name.endswith(".dist-info/WHEEL"))
            if not tag or "\nTag: %s\n" % tag.group(1) not in said:
                wrong(os.path.basename(package), "is tagged otherwise: %s" % said)
    if not looked_at:
        wrong(folder, "no library in any package")
    print("%d libraries" % looked_at)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
