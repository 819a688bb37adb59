"""Zip archives that are the same bytes for the same content, and the libraries that go into them."""
import os
import zipfile


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
            info.external_attr = (0o100755 if executable else 0o100644) << 16  # installers look for a plain file
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


def carried(natives, package):
    """(file name, path) of the libraries of a package that natives.py wrote: engine and companions, then its shim."""
    shims = os.path.join(natives, "shims", package)
    for folder in (natives, shims):
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name)):
                yield name, os.path.join(folder, name)
