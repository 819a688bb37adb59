#!/usr/bin/env python3
"""A whole run of fashion_mnist learns, and what it leaves can be read; the same seed gives the same numbers, another
one gives others; a plain line tells of progress where the output is no terminal, and a line that is drawn in place on one.

usage: training.py FASHION_MNIST
"""
import gzip
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
DATA = "/usr/share/datasets/fashion-mnist"


def write_first(folder, count):
    """The first pictures of each part as a data set of its own, not compressed."""
    for part in "train", "t10k":
        for name, head, item in ("images-idx3", 16, 784), ("labels-idx1", 8, 1):
            with gzip.open("%s/%s-%s-ubyte.gz" % (DATA, part, name)) as f:
                content = f.read(head + count * item)
            with open("%s/%s-%s-ubyte" % (folder, part, name), "wb") as f:
                f.write(content[:4] + struct.pack(">i", count) + content[8:])


def run(folder, *options):
    out = subprocess.run([PROGRAM, *options, "--out", folder], check=True, capture_output=True, text=True)
    assert not out.stderr, out.stderr
    return out.stdout


def weights(folder):
    """name -> (dtype, shape, bytes)"""
    with open(os.path.join(folder, "weights.safetensors"), "rb") as f:
        content = f.read()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    return {k: (v["dtype"], v["shape"], content[8 + size:][slice(*v["data_offsets"])]) for k, v in header.items()}


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.small = os.path.join(cls.work.name, "small")
        os.mkdir(cls.small)
        write_first(cls.small, 640)

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def folder(self, name):
        return os.path.join(self.work.name, name)

    def test_an_epoch_of_all_images(self):
        text = run(self.folder("all"), "--epochs", "1")
        epoch = re.search(r"epoch 1/1  loss (\S+)  accuracy (\S+) %  test accuracy (\S+) %  (\S+) s", text)
        self.assertIsNotNone(epoch, text)
        if float(epoch[4]) > 6:
            self.assertRegex(text, r"(?m)^epoch 1/1 \[=*>? *\] +\d+ %  loss \d+\.\d{4}  accuracy +\S+ %  +\d+ images/s  ETA \d+:\d\d$")
        self.assertLess(float(epoch[1]), 0.6)
        self.assertGreater(float(epoch[3]), 86)  # 3 epochs give more than 90.5
        rows = [[int(n) for n in line.split()[-12:-2]] for line in text.splitlines() if re.match(r"  \d [A-Z].* %$", line)]
        self.assertEqual([sum(row) for row in rows], [1000] * 10)
        self.assertAlmostEqual(sum(rows[i][i] for i in range(10)) / 100, float(epoch[3]), places=6)
        self.assertEqual(len(re.findall("prediction ", text)), 4)
        self.assertEqual(len(re.findall("truth ", text)), 4)
        saved = weights(self.folder("all"))
        self.assertEqual({k: v[1] for k, v in saved.items()},
                         {"0.weight": [32, 1, 3, 3], "0.bias": [32], "2.weight": [64, 32, 3, 3], "2.bias": [64],
                          "7.weight": [128, 9216], "7.bias": [128], "10.weight": [10, 128], "10.bias": [10]})
        events = [name for name in os.listdir(self.folder("all")) if name.startswith("events.out.tfevents.")]
        self.assertEqual(len(events), 1)
        with open(os.path.join(self.folder("all"), events[0]), "rb") as f:
            content = f.read()
        for tag in b"loss/train", b"accuracy/train", b"accuracy/test", b"learning rate":
            self.assertIn(tag, content)

    def test_the_seed_decides(self):
        def numbers(name, seed):
            text = run(self.folder(name), "--data", self.small, "--epochs", "2", "--batch", "32", "--seed", seed)
            return re.findall(r"loss \S+  accuracy \S+ %  test accuracy \S+ %", text), weights(self.folder(name))
        first, again, other = numbers("first", "5"), numbers("again", "5"), numbers("other", "6")
        self.assertEqual(len(first[0]), 2)
        self.assertEqual(first, again)
        self.assertNotEqual(first[0], other[0])
        self.assertNotEqual(first[1], other[1])

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        child = subprocess.Popen([PROGRAM, "--data", self.small, "--epochs", "1", "--batch", "4", "--out", self.folder("terminal")],
                                 stdout=theirs)
        os.close(theirs)
        text = b""
        try:
            while True:
                text += os.read(ours, 65536)
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(child.wait(), 0)
        line = rb"\repoch 1/1 \[=*>? *\] +\d+ %  loss \d+\.\d{4}  accuracy +\d+\.\d\d %  +\d+ images/s  ETA \d+:\d\d\x1b\[K"
        self.assertRegex(text, line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
