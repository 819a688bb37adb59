"""Runs a sample on a data set of its own: the first COUNT pictures of both parts of Fashion-MNIST, in plain files.

usage: few_images.py COUNT COMMAND...      COMMAND is called with --data FOLDER and --out FOLDER behind it
"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile

DATA = "/usr/share/datasets/fashion-mnist"


def cut(name, item_bytes, count, folder):
    """An IDX file begins with four bytes of type and rank, then the sizes, the first of them that of the items."""
    with gzip.open(os.path.join(DATA, name + ".gz")) as file:
        magic = file.read(4)
        sizes = struct.unpack(">%di" % magic[3], file.read(4 * magic[3]))
        items = file.read(count * item_bytes)
    assert len(items) == count * item_bytes, name
    with open(os.path.join(folder, name), "wb") as file:
        file.write(magic + struct.pack(">%di" % magic[3], count, *sizes[1:]) + items)


def main(count, command):
    with tempfile.TemporaryDirectory() as folder:
        for part in ("train", "t10k"):
            cut(part + "-images-idx3-ubyte", 28 * 28, count, folder)
            cut(part + "-labels-idx1-ubyte", 1, count, folder)
        out = os.path.join(folder, "out")
        code = subprocess.run(command + ["--data", folder, "--out", out]).returncode
        assert code or os.path.getsize(os.path.join(out, "weights.safetensors")) > 0
    return code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
