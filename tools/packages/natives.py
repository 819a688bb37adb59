#!/usr/bin/env python3
"""Writes the shared libraries that self-contained packages carry, so that they run on every Linux whose glibc is new enough:
the engine, its plug-ins that were built beside it, the companions of both (what they need and not every Linux has) and the shims.

usage: natives.py OUT_FOLDER ENGINE [PACKAGE=SHIM ...]      the shims go to OUT_FOLDER/shims/PACKAGE

Companions' names end in a hash of what they were, as auditwheel has it, so that no loader takes the system's for ours or ours
for the system's. The C++ library is one of them, libhaft_runtime: linked here from libstdc++.a, because Debian's libstdc++.so
wants a newer glibc, with just what the others ask of it and no OpenCL, pool of OpenMP, Redis or InfiniBand (runtime.c). All of them meet under
versions of their own (glibcxx_3.4 where the system's is GLIBCXX_3.4): a program's C++ library or zlib never answers for ours,
nor ours for the program's, in whatever order they are loaded.
"""
import hashlib
import os
import re
import subprocess
import sys
import tempfile

from elf import Versions

HERE = os.path.dirname(os.path.abspath(__file__))
# What every Linux of glibc has. libgcc_s is glibc's own unwinder, too; the static one of gcc 12 wants glibc 2.35.
SYSTEM = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
          "linux-vdso.so.1")
# What libhaft_runtime stands for.
RUNTIME = ("libstdc++.so.6", "libgomp.so.1", "libOpenCL.so.1", "libhiredis.so.0.14", "libibverbs.so.1")
PLUGINS = ("libhaft_gloo.so",)
# How the names begin of what it answers for and has not.
ABSENT = {"cl": "no_opencl", "ibv_": "no_library", "redis": "no_library", "freeReplyObject": "no_library"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s\n%s" % (" ".join(command), done.stdout + done.stderr))
    return done.stdout


def companions(libraries):
    """{SONAME: path} of what the libraries need, whatever depth, but not what the runtime's stand-ins would."""
    out, left = {}, list(libraries)
    while left:
        library = left.pop()
        found = dict(re.findall(r"^\s*(\S+) => (\S+)", run("ldd", library), re.M))
        for name in run("patchelf", "--print-needed", library).split():
            if name in SYSTEM + RUNTIME or name in out:
                continue
            if found.get(name, "not") == "not":
                raise SystemExit("%s needs %s, which is not on this system" % (library, name))
            out[name] = os.path.realpath(found[name])
            left.append(out[name])
    return out


def unversioned(library):
    """What a library asks for by a name alone and has not: of those of the runtime's that know no versions."""
    asked = re.findall(r" U (\w+)$", run("nm", "-D", library), re.M)
    return {name for name in asked if name.startswith(tuple(ABSENT))}


def hashed(name, path):
    """libdnnl.so.2 -> libdnnl-0123abcd.so.2"""
    with open(path, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()[:8]
    stem, rest = name.split(".so", 1)
    return "%s-%s.so%s" % (stem, digest, rest)


def link_runtime(versions, folder):
    """libhaft_runtime with the symbols of `versions` ({version: symbols}) in `folder`; its name."""
    with tempfile.TemporaryDirectory() as work:
        script, out = os.path.join(work, "versions"), os.path.join(work, "libhaft_runtime.so")
        with open(script, "w", encoding="utf-8") as f:
            rest = "local: *; "
            for version, symbols in sorted(versions.items()):
                f.write("%s { global: %s; %s};\n" % (version, "; ".join(sorted(symbols)), rest))
                rest = ""
        wanted = sorted(set().union(*versions.values()))
        # A symbol that neither libstdc++.a nor runtime.c has is refused by its name.
        run("c++", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-x", "c", os.path.join(HERE, "runtime.c"), "-x", "none",
            "-static-libstdc++", "-o", out, "-Wl,-soname,libhaft_runtime.so", "-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,-z,now",
            "-Wl,--version-script=" + script, *("-Wl,--defsym=%s=%s" % (s, ABSENT[b]) for s in wanted for b in ABSENT if s.startswith(b)),
            *("-Wl,--require-defined=" + s for s in wanted))
        name = hashed("libhaft_runtime.so", out)
        run("strip", "--strip-unneeded", "-o", os.path.join(folder, name), out)
    run("patchelf", "--set-soname", name, os.path.join(folder, name))
    return name


def main(folder, engine, *shims):
    plugins = [os.path.join(os.path.dirname(engine), name) for name in PLUGINS]
    plugins = [path for path in plugins if os.path.exists(path)]
    found = companions([engine, *plugins])
    names = {soname: hashed(soname, path) for soname, path in found.items()}
    files = {os.path.join(folder, names[soname]): path for soname, path in found.items()}
    files[os.path.join(folder, "libhaft.so.1")] = engine
    files.update((os.path.join(folder, os.path.basename(path)), path) for path in plugins)
    for shim in shims:
        package, path = shim.split("=", 1)
        files[os.path.join(folder, "shims", package, os.path.basename(path))] = path

    versions = {}
    for path, source in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        run("strip", "--strip-unneeded", "-o", path, os.path.realpath(source))
        library = Versions(path)
        for version, symbols in library.rename_needs(RUNTIME, str.lower).items():
            versions.setdefault(version, set()).update(symbols)
        if plain := unversioned(path):
            versions.setdefault("absent_1", set()).update(plain)
        library.rename_needs(found, str.lower)
        if os.path.basename(path) in names.values():
            library.rename_definitions(str.lower)
            library.prefer_own()  # oneDNN has templates of strings, without a version
        library.write()
    names.update(dict.fromkeys(RUNTIME, link_runtime(versions, folder)))

    for path in files:
        run("patchelf", "--set-rpath", "$ORIGIN", path)
        if os.path.basename(path) in names.values():
            run("patchelf", "--set-soname", os.path.basename(path), path)
        needed = [n for n in run("patchelf", "--print-needed", path).split() if n in names]
        for name in needed:
            run("patchelf", "--replace-needed", name, names[name], path)
        if len(set(needed) & set(RUNTIME)) > 1:  # several entries became the runtime: one stays
            runtime = names[RUNTIME[0]]
            run("patchelf", "--remove-needed", runtime, path)
            run("patchelf", "--add-needed", runtime, path)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
