"""Zip archives that are the same bytes for the same content, and the libraries that travel beside the engine."""
import os
import subprocess
import zipfile

# What every Linux has, or what must be the system's own: the C and C++ runtimes, the loader, zlib.
SYSTEM = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libz.so", "ld-linux", "linux-vdso", "libpthread.so",
          "libdl.so", "librt.so")


def write_zip(path, entries):
    """entries: (name in the archive, bytes or the path of a file), in the order in which they are written."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    partial = path + ".partial"
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            executable = False
            if isinstance(content, str):
                executable = os.access(content, os.X_OK)
                with open(content, "rb") as f:
                    content = f.read()
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o755 if executable else 0o644) << 16
            archive.writestr(info, content)
    os.replace(partial, path)


def tree(folder, prefix):
    """The files below a folder as entries, without what Python leaves behind."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            if not name.endswith(".pyc"):
                full = os.path.join(root, name)
                yield prefix + os.path.relpath(full, folder).replace(os.sep, "/"), full


def companions(library):
    """Paths of the shared libraries that `library` needs, whatever depth, and that not every system has."""
    out = {}
    for line in subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout.splitlines():
        parts = line.split()
        if len(parts) >= 3 and parts[1] == "=>" and not parts[0].startswith(SYSTEM):
            if parts[2] == "not":
                raise SystemExit("%s needs %s, which is not on this system" % (library, parts[0]))
            out[parts[0]] = os.path.realpath(parts[2])
    return out


def stripped(library, folder, name=None):
    """A copy of the library in `folder` without what only a debugger wants, which looks for others beside itself; its path."""
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, name or os.path.basename(library))
    subprocess.run(["strip", "--strip-unneeded", "-o", out, os.path.realpath(library)], check=True)
    subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", out], check=True)
    return out


def natives(engine, shims, work):
    """Entries (file name, path) of all that a package must hold to run anywhere: engine, its companions, shims."""
    yield "libhaft.so.1", stripped(engine, work, "libhaft.so.1")
    for name, path in sorted(companions(engine).items()):
        yield name, stripped(path, work, name)
    for shim in shims:
        yield os.path.basename(shim), stripped(shim, work)
