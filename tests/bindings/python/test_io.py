"""haft.io: safetensors, .npy, and checkpoints that go on with the same numbers."""
import json
import os
import struct
import tempfile
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from haft import io, nn, optim
from haft.utils.data import DataLoader, TensorDataset

setUpModule, tearDownModule = leaks.guard()

SCHEDULERS = {
    "StepLR": lambda o: optim.lr_scheduler.StepLR(o, 2), "MultiStepLR": lambda o: optim.lr_scheduler.MultiStepLR(o, [2, 2, 5]),
    "CosineAnnealingLR": lambda o: optim.lr_scheduler.CosineAnnealingLR(o, 10), "ReduceLROnPlateau": lambda o: optim.lr_scheduler.ReduceLROnPlateau(o, patience=1),
    "OneCycleLR": lambda o: optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=40), "LambdaLR": lambda o: optim.lr_scheduler.LambdaLR(o, lambda e: 0.9 ** e),
    "SequentialLR": lambda o: optim.lr_scheduler.SequentialLR(o, [optim.lr_scheduler.ConstantLR(o), optim.lr_scheduler.ExponentialLR(o, 0.9)], [3]),
}
OPTIMIZERS = {"AdamW": lambda p: optim.AdamW(p, 0.01), "SGD": lambda p: optim.SGD(p, 0.05, momentum=0.9), "RMSprop": lambda p: optim.RMSprop(p, 0.01),
              "Adam": lambda p: optim.Adam([{"params": list(p), "lr": 0.02}], amsgrad=True)}


class Run:
    """A training with everything that a checkpoint holds."""

    def __init__(self, optimizer, scheduler, seed):
        haft.manual_seed(seed)
        self.net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1))
        self.optimizer = OPTIMIZERS[optimizer](self.net.parameters())
        self.scheduler = SCHEDULERS[scheduler](self.optimizer)
        self.generator = haft.Generator().manual_seed(seed + 1)
        g = haft.Generator().manual_seed(5)
        data = TensorDataset(haft.randn(20, 3, generator=g), haft.randn(20, 1, generator=g))
        self.loader = DataLoader(data, 4, shuffle=True, generator=haft.Generator().manual_seed(seed))

    def parts(self):
        return {"module": self.net, "optimizer": self.optimizer, "scheduler": self.scheduler, "generator": self.generator, "loader": self.loader}

    def epoch(self):
        losses = []
        for x, y in self.loader:
            loss = ((self.net(x + haft.randn(x.shape, generator=self.generator) / 10) - y) ** 2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        self.scheduler.step(*([sum(losses)] if type(self.scheduler).__name__ == "ReduceLROnPlateau" else []))
        return losses


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file")

    def test_npy(self):
        for dtype in ("float32", "float64", "int64", "uint8", "bool", "float16"):
            for shape in ((3, 4), (), (0, 2)):
                a = (parity.real(*shape) * 3).astype(dtype)
                io.save_npy(haft.tensor(a).t() if len(shape) == 2 else haft.tensor(a), self.path)
                self.assertTrue(np.array_equal(np.load(self.path), a.T))
                np.save(self.path + ".npy", a)
                self.assertTrue(np.array_equal(io.load_npy(self.path + ".npy").numpy(), a))
        with self.assertRaises(TypeError):
            io.save_npy(haft.ones(2, dtype=haft.bfloat16), self.path)

    def test_npz(self):
        arrays = {"a": parity.real(3, 4), "größe": np.arange(5), "none": np.zeros((0, 2), dtype=np.float16), "one": np.asarray(True)}
        for compressed in (False, True):
            io.save_npz({k: haft.tensor(v) for k, v in arrays.items()}, self.path, compressed)
            with np.load(self.path) as file:
                self.assertEqual({k: (file[k].dtype, file[k].tolist()) for k in file.files}, {k: (v.dtype, v.tolist()) for k, v in arrays.items()})
            (np.savez_compressed if compressed else np.savez)(self.path + ".npz", **arrays)
            self.assertEqual({k: v.tolist() for k, v in io.load_npz(self.path + ".npz").items()}, {k: v.tolist() for k, v in arrays.items()})
            self.assertEqual(io.Weights(self.path + ".npz").tensor("größe").tolist(), [0, 1, 2, 3, 4])
        with self.assertRaises(TypeError):
            io.save_npz({"h": haft.ones(2, dtype=haft.bfloat16)}, self.path)

    def test_states_of_pytorch(self):
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
        torch.save({"model": net.state_dict(), "epoch": 3, "half": torch.ones(3, dtype=torch.bfloat16)}, self.path)
        tensors = dict(io.Weights(self.path).all())
        self.assertEqual(sorted(tensors), sorted(["half", *("model." + k for k in net.state_dict())]))
        self.assertEqual(tensors["model.0.weight"].tolist(), net[0].weight.tolist())
        self.assertEqual(tensors["half"].dtype, haft.bfloat16)

    def test_evaluator(self):
        e = haft.metrics.Evaluator(3, 2)
        scores, right = parity.real(50, 3), np.arange(50) % 3
        for i in range(0, 50, 8):
            e.update(haft.tensor(scores[i:i + 8]), haft.tensor(right[i:i + 8]))
            e.add(haft.tensor(scores[i:i + 8].mean()), len(scores[i:i + 8]))
        best = scores.argsort(1)[:, ::-1]
        self.assertEqual(e.accuracy(), (best[:, 0] == right).mean())
        self.assertEqual(e.accuracy(2), (best[:, :2] == right[:, None]).any(1).mean())
        self.assertAlmostEqual(e.mean(), scores.mean(), places=5)
        matrix = np.zeros((3, 3), dtype=int)
        np.add.at(matrix, (right, best[:, 0]), 1)
        self.assertEqual(e.confusion().tolist(), matrix.tolist())
        precision, recall = np.diag(matrix) / matrix.sum(0), np.diag(matrix) / matrix.sum(1)
        self.assertTrue(np.allclose(e.f1().numpy(), 2 * precision * recall / (precision + recall)))

    def test_safetensors(self):
        tensors = {"a": haft.randn(2, 3, requires_grad=True), "b.c": haft.arange(4), "half": haft.ones(2, dtype=haft.bfloat16)}
        io.save_safetensors(tensors, self.path)
        back = io.load_safetensors(self.path)
        self.assertEqual({k: (v.tolist(), v.dtype) for k, v in back.items()}, {k: (v.tolist(), v.dtype) for k, v in tensors.items()})
        self.assertEqual(io.Weights(self.path).tensor("b.c").tolist(), [0, 1, 2, 3])

    def test_a_run_goes_on(self):
        for i, scheduler in enumerate(SCHEDULERS):
            optimizer = list(OPTIMIZERS)[i % len(OPTIMIZERS)]
            with self.subTest(scheduler=scheduler, optimizer=optimizer):
                run = Run(optimizer, scheduler, 1)
                [run.epoch() for _ in range(4)]
                io.save_checkpoint(self.path, **run.parts(), values={"epoch": 4, "best": float("inf"), "name": "größer", "done": False, "rate": 0.1})
                want = [run.epoch() for _ in range(3)], [g["lr"] for g in run.optimizer.param_groups]
                other = Run(optimizer, scheduler, 77)
                values = io.load_checkpoint(self.path, **other.parts())
                self.assertEqual(values, {"epoch": 4, "best": float("inf"), "name": "größer", "done": False, "rate": 0.1})
                self.assertEqual(([other.epoch() for _ in range(3)], [g["lr"] for g in other.optimizer.param_groups]), want)

    def test_the_engine_reads_it(self):
        # As C, Java and C# see it: the module, the generators, and the values.
        net = nn.Sequential(nn.Linear(2, 3))
        haft.manual_seed(11)
        haft.rand(7)
        io.save_checkpoint(self.path, module=net, values={"epoch": 3, "note": "x"})
        ahead = haft.rand(3)
        core = haft._haft.Sequential([haft._haft.Make.linear(2, 3, True, None, None, None)])
        values = haft._haft.load_parts(self.path, core)
        self.assertEqual((values.number("epoch"), values.text("note")), (3, "x"))
        self.assertTrue(haft.equal(haft.rand(3), ahead))
        self.assertTrue(haft.equal(core.parameter("0.weight"), net[0].weight))
        del values

    def test_errors(self):
        net = nn.Linear(2, 2)
        io.save_checkpoint(self.path, module=net, default_generator=False)
        before = os.listdir(os.path.dirname(self.path))
        with self.assertRaisesRegex(ValueError, "holds no optimizer"):
            io.load_checkpoint(self.path, module=net, optimizer=optim.SGD(net.parameters(), 1))
        with self.assertRaisesRegex(RuntimeError, "size mismatch for weight"):
            io.load_checkpoint(self.path, module=nn.Linear(3, 2))
        for values, error in (({"a": [1]}, TypeError), ({1: 1}, TypeError), ({"a": 2 ** 63}, OverflowError)):
            with self.assertRaises(error):
                io.save_checkpoint(self.path, values=values)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), before)
        o = optim.SGD(net.parameters(), 1)
        io.save_checkpoint(self.path, scheduler=optim.lr_scheduler.StepLR(o, 2))
        with self.assertRaisesRegex(ValueError, "its scheduler is a StepLR"):
            io.load_checkpoint(self.path, scheduler=optim.lr_scheduler.ConstantLR(o))
        io.save_safetensors({"a": haft.ones(1)}, self.path)
        with open(self.path, "rb") as file:
            weights = file.read()
        for content in (weights, b"", b"12345678", struct.pack("<Q", 1 << 60), struct.pack("<Q", 2) + b"[]",
                        struct.pack("<Q", 9) + json.dumps({"a": 12}).encode()):
            with open(self.path, "wb") as file:
                file.write(content)
            with self.assertRaisesRegex(haft.CorruptFileError, "no checkpoint"):
                io.load_checkpoint(self.path)


if __name__ == "__main__":
    unittest.main()
