"""Image datasets from files, and transforms of tensors, arrays and pictures."""
import gzip
import io
import math
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest
import unittest.mock

import haft
import leaks
import numpy as np
from PIL import Image
from haft.utils.data import DataLoader
from haft.vision import datasets, transforms as T

F = T.functional
setUpModule, tearDownModule = leaks.guard()
FASHION = "/usr/share/datasets/fashion-mnist"
WITHOUT_PIL = unittest.mock.patch.dict("sys.modules", {"PIL": None})


def write_idx(path, array, opened=open):
    with opened(path, "wb") as file:
        file.write(struct.pack(">BBBB", 0, 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes())


def same(test, tensor, array, tolerance=0):
    test.assertEqual(tuple(tensor.shape), array.shape)
    np.testing.assert_allclose(tensor.numpy(), array, rtol=0, atol=tolerance)


def as_array(image):
    return np.asarray(image)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def small_mnist(self, where, opened=open, ending=""):
        os.makedirs(where, exist_ok=True)
        rng = np.random.default_rng(1)
        images, labels = rng.integers(0, 256, (20, 28, 28), np.uint8), rng.integers(0, 10, 20, np.uint8)
        for kind in ("train", "t10k"):
            write_idx(os.path.join(where, f"{kind}-images-idx3-ubyte{ending}"), images, opened)
            write_idx(os.path.join(where, f"{kind}-labels-idx1-ubyte{ending}"), labels, opened)
        return images, labels

    def test_mnist_in_all_places(self):
        for where, opened, ending in ((self.folder, open, ""), (os.path.join(self.folder, "a", "MNIST", "raw"), gzip.open, ".gz")):
            images, labels = self.small_mnist(where, opened, ending)
            root = self.folder if opened is open else os.path.join(self.folder, "a")
            for train in (True, False):
                d = datasets.MNIST(root, train=train, download=True)
                same(self, d.data, images)
                same(self, d.targets, labels.astype(np.int64))
                image, label = d[7]
                self.assertEqual((as_array(image).tolist(), label, type(label)), (images[7].tolist(), labels[7], int))
        for name, now in (("train_data", d.data), ("test_data", d.data), ("train_labels", d.targets), ("test_labels", d.targets)):
            with self.assertWarnsRegex(UserWarning, f"{name} has been renamed"):
                self.assertIs(getattr(d, name), now)
        self.assertEqual(d.class_to_idx["9 - nine"], 9)
        self.assertIn("Number of datapoints: 20", repr(d))

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(RuntimeError, r"MNIST.*train-images-idx3-ubyte.*never downloads"):
            datasets.MNIST(self.folder, download=True)
        with self.assertRaisesRegex(RuntimeError, "data_batch_1, .*cifar-10-batches-bin, .*cifar-10-batches-py"):
            datasets.CIFAR10(self.folder)
        with unittest.mock.patch.object(datasets.FashionMNIST, "_system", []), \
                self.assertRaisesRegex(RuntimeError, "install Debian's package dataset-fashion-mnist"):
            datasets.FashionMNIST(self.folder)

    def test_half_a_set_is_not_completed_by_the_systems(self):
        self.small_mnist(self.folder)
        os.remove(os.path.join(self.folder, "train-labels-idx1-ubyte"))
        with self.assertRaisesRegex(RuntimeError, "train-labels-idx1-ubyte"):
            datasets.FashionMNIST(self.folder)
        self.assertEqual(len(datasets.FashionMNIST(self.folder, train=False)), 20)

    def test_damaged_files_are_named(self):
        images, labels = self.small_mnist(self.folder)
        path = os.path.join(self.folder, "train-images-idx3-ubyte")
        with open(path, "rb") as file:
            whole = file.read()
        for data, message in ((whole[:1000], "wants 15680 bytes of data, but there are 984"), (whole + b"x", "wants 15680 bytes of data, but there are 15681"),
                              (b"", "has 0 bytes"), (b"\0\0\x0e\x03" + whole[4:], "wants 125440 bytes"), (whole[:9], "inside its header"), (b"1234", "begins with"),
                              (b"\0\0\x08\x03" + b"\xff" * 12, "do not fit")):
            with open(path, "wb") as file:
                file.write(data)
            with self.assertRaisesRegex(RuntimeError, "train-images.*" + message):
                datasets.MNIST(self.folder)
        os.remove(path)
        packed = gzip.compress(whole)
        for data in (packed[:-20], packed[:100], b"no gzip", packed[:50] + b"zzzz" + packed[54:]):
            with open(path + ".gz", "wb") as file:
                file.write(data)
            with self.assertRaisesRegex(RuntimeError, "train-images-idx3-ubyte.gz"):
                datasets.MNIST(self.folder)
        with gzip.open(path + ".gz", "wb") as file:
            file.write(whole)
        write_idx(os.path.join(self.folder, "train-labels-idx1-ubyte"), labels[:5])
        with self.assertRaisesRegex(RuntimeError, "do not belong together"):
            datasets.MNIST(self.folder)

    def test_cifar(self):
        rng = np.random.default_rng(2)
        for cls, labels, names, last in ((datasets.CIFAR10, 1, [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"], 10),
                                         (datasets.CIFAR100, 2, ["train.bin", "test.bin"], 100)):
            folder = os.path.join(self.folder, cls._binary_folder)
            os.makedirs(folder)
            rows = []
            for name in names:
                part = rng.integers(0, 256, (4, labels + 3072), np.uint8)
                part[:, labels - 1] %= last
                part.tofile(os.path.join(folder, name))
                rows.append(part)
            train = np.concatenate(rows[:-1])
            d = cls(self.folder, transform=T.ToTensor())
            pixels = train[:, labels:].reshape(-1, 3, 32, 32)
            self.assertEqual(d.targets, train[:, labels - 1].tolist())
            np.testing.assert_array_equal(d.data, pixels.transpose(0, 2, 3, 1))
            same(self, d[3][0], pixels[3] / np.float32(255), 1e-7)
            batch, targets = next(iter(DataLoader(d, batch_size=len(d))))
            same(self, batch, pixels / np.float32(255), 1e-7)
            self.assertEqual(targets.tolist(), d.targets)
            self.assertEqual(len(cls(self.folder, train=False)), 4)
            # A program may change what is there.
            d.targets = [0] * len(d)
            d.data = 255 - d.data
            batch, targets = next(iter(DataLoader(d, batch_size=3)))
            self.assertEqual((targets.tolist(), d[1][1]), ([0, 0, 0], 0))
            same(self, batch, (255 - pixels[:3]) / np.float32(255), 1e-7)
            with open(os.path.join(folder, names[0]), "ab") as file:
                file.write(b"x")
            with self.assertRaisesRegex(RuntimeError, "no whole number"):
                cls(self.folder)
        with open(os.path.join(self.folder, "cifar-100-binary", "fine_label_names.txt"), "w") as file:
            file.write("\n".join(f"name {i}" for i in range(100)))
        self.assertEqual(datasets.CIFAR100(self.folder, train=False).class_to_idx["name 42"], 42)

    def test_folders(self):
        for name, files in (("b", ["2.txt", "1.TXT"]), ("a", ["x.txt", "y.png"])):
            os.makedirs(os.path.join(self.folder, name, "deep"))
            for file in files:
                with open(os.path.join(self.folder, name, "deep", file), "w") as out:
                    out.write(file)
        d = datasets.DatasetFolder(self.folder, lambda p: pathlib.Path(p).read_text(), extensions=(".txt",), target_transform=lambda t: -t)
        self.assertEqual(([d[i] for i in range(len(d))], d.classes), ([("x.txt", 0), ("1.TXT", -1), ("2.txt", -1)], ["a", "b"]))
        os.makedirs(os.path.join(self.folder, "empty"))
        with self.assertRaisesRegex(FileNotFoundError, "empty"):
            datasets.DatasetFolder(self.folder, open, extensions=(".txt",))

    def test_image_folder(self):
        for i in range(6):
            os.makedirs(os.path.join(self.folder, "ba"[i % 2]), exist_ok=True)
            haft.vision.io.write_png(haft.full((3, 5 + i, 7), 10 * i, dtype=haft.uint8), os.path.join(self.folder, "ba"[i % 2], f"{i}.png"))
        d = datasets.ImageFolder(self.folder, T.Compose([T.CenterCrop(4), T.ToTensor()]))
        self.assertEqual((d.classes, d.targets, d.class_to_idx), (["a", "b"], [0, 0, 0, 1, 1, 1], {"a": 0, "b": 1}))
        want = haft.stack([d[i][0] for i in range(6)])
        self.assertEqual((want[:, 0, 0, 0] * 25.5).round().tolist(), [1, 3, 5, 0, 2, 4])
        for workers in (0, 2):
            loader = DataLoader(d, batch_size=6, num_workers=workers)
            self.assertEqual(type(iter(loader)).__name__, "NativeIterator")
            (x, y), = loader
            self.assertTrue(haft.allclose(x, want))
            self.assertEqual(y.tolist(), d.targets)
        for steps in ([T.Resize((4, 6))], [T.Resize(4), T.CenterCrop(4)], [T.CenterCrop(9), T.RandomResizedCrop((4, 5), (1, 1), (1, 1))],
                      [T.Resize([4], T.InterpolationMode.BICUBIC), T.CenterCrop(4)]):
            d = datasets.ImageFolder(self.folder, T.Compose([*steps, T.ToTensor()]))
            loader = DataLoader(d, batch_size=6)
            self.assertEqual(type(iter(loader)).__name__, "NativeIterator", steps)
            (x, _), = loader
            self.assertLess((x - haft.stack([d[i][0] for i in range(6)])).abs().max().item(), 2.5 / 255, steps)  # PIL rounds otherwise
        for step in (T.Resize(4, antialias=False), T.Resize(4, T.InterpolationMode.NEAREST), T.Resize(4, max_size=9)):
            self.assertIsNone(T.native_steps(T.Compose([step, T.ToTensor()])), step)
        own = datasets.ImageFolder(self.folder, d.transform, loader=lambda path: haft.vision.datasets.folder.default_loader(path))
        self.assertNotEqual(type(iter(DataLoader(own))).__name__, "NativeIterator")
        broken = os.path.join(self.folder, "a", "0.png")
        with open(broken, "wb") as file:
            file.write(b"no picture")
        d = datasets.ImageFolder(self.folder, d.transform)
        (x, _), = DataLoader(haft.utils.data.Subset(d, range(1, 7)), batch_size=6)  # all but the broken one
        self.assertEqual(len(x), 6)
        os.remove(broken)
        with self.assertRaisesRegex(haft.Error, "item 1 of sizes .* item 0"):
            list(DataLoader(datasets.ImageFolder(self.folder, T.ToTensor()), batch_size=2))

    def test_folders_with_odd_names_and_loops(self):
        odd = os.path.join(self.folder, "a", os.fsdecode(b"\xff.png"))
        os.makedirs(os.path.join(self.folder, "a", "below"))
        haft.vision.io.write_png(haft.full((3, 4, 4), 7, dtype=haft.uint8), odd)
        haft.vision.io.write_png(haft.full((3, 4, 4), 8, dtype=haft.uint8), os.path.join(self.folder, "a", "below", "b.png"))
        for i, to in enumerate(("..", ".", "below/..")):  # followed, they double with each step down
            os.symlink(to, os.path.join(self.folder, "a", f"loop{i}"))
        d = datasets.ImageFolder(self.folder, T.ToTensor())
        self.assertEqual([os.path.basename(path) for path, _ in d.samples].count("b.png"), 1)
        for path in (odd, os.fsencode(odd)):
            self.assertEqual(haft.vision.io.read_image(path)[0, 0, 0].item(), 7)
        self.assertEqual(sorted((x.max() * 255).round().item() for x, _ in DataLoader(d, batch_size=None))[:2], [7, 8])
        os.makedirs(os.path.join(self.folder, "empty"))
        d = datasets.ImageFolder(self.folder, allow_empty=True)
        self.assertEqual((d.classes, set(d.targets)), (["a", "empty"], {0}))


class Fashion(unittest.TestCase):
    def test_found_without_root(self):
        chain = T.Compose([T.ToTensor(), T.Normalize((0.2860,), (0.3530,))])
        d = datasets.FashionMNIST("/nowhere", train=False, transform=chain)
        self.assertEqual((len(d), d.targets[:5].tolist(), d.classes[9]), (10000, [9, 2, 1, 1, 6], "Ankle boot"))
        # The engine's way gives what Python's gives.
        for workers in (0, 2):
            native = DataLoader(d, batch_size=300, num_workers=workers)
            self.assertEqual(type(iter(native)).__name__, "NativeIterator")
            count = 0
            for x, y in native:
                k = random.randrange(len(y))
                here, label = d[count + k]
                self.assertTrue(haft.allclose(x[k], here, atol=1e-6))
                self.assertEqual(y[k].item(), label)
                count += len(y)
            self.assertEqual(count, 10000)

    def test_a_changed_dataset(self):
        d = datasets.FashionMNIST(FASHION, train=False, transform=T.ToTensor())
        d.data, d.targets = d.data[10:15], d.targets[10:15]
        self.assertEqual([len(y) for _, y in DataLoader(d, batch_size=3)], [3, 2])
        d.targets = d.targets.to(haft.int32)
        self.assertEqual(type(iter(DataLoader(d))).__name__, "LocalIterator")
        d.targets = d.targets.to(haft.int64)[:2]
        with self.assertRaises(IndexError):
            list(DataLoader(d))

    def test_random_transforms_in_the_engine(self):
        chain = T.Compose([T.RandomCrop(28, padding=4), T.RandomHorizontalFlip(), T.RandomRotation(15), T.ToTensor()])
        d = datasets.FashionMNIST(FASHION, train=False, transform=chain)

        def epoch(seed, workers):
            haft.manual_seed(seed)
            return next(iter(DataLoader(d, batch_size=64, shuffle=True, num_workers=workers)))[0]

        first = epoch(1, 0)
        self.assertEqual(first.shape, (64, 1, 28, 28))
        self.assertTrue(haft.equal(first, epoch(1, 3)))
        self.assertFalse(haft.equal(first, epoch(2, 0)))

    def test_chains_that_only_python_has(self):
        def way(transform, **options):
            d = datasets.FashionMNIST(FASHION, train=False, transform=transform, **options)
            return type(iter(DataLoader(d))).__name__

        own = T.Lambda(lambda t: t * 2)
        self.assertEqual(way(T.ToTensor()), "NativeIterator")
        self.assertEqual(way(T.Compose([T.ToTensor(), T.Compose([T.Normalize(0.5, 0.5)]), T.RandomCrop(20)])), "NativeIterator")
        for chain in (T.Compose([T.ToTensor(), own]), T.Compose([T.RandomRotation((0, 30)), T.ToTensor()]), T.RandomCrop(20), None,
                      T.Compose([T.RandomCrop(28, padding=2, padding_mode="reflect"), T.ToTensor()])):
            self.assertEqual(way(chain), "LocalIterator")
        self.assertEqual(way(T.ToTensor(), target_transform=lambda t: t), "LocalIterator")


class Transforms(unittest.TestCase):
    def both(self):
        """A random image as a tensor, and as an array."""
        h, w, c = random.randint(5, 20), random.randint(5, 20), random.choice([1, 3])
        array = np.random.randint(0, 256, (h, w, c), np.uint8)
        return haft.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1))), array

    def alike(self, function, pil=True):
        """The same result for a tensor, arrays, and PIL's images where it is not PIL itself that computes."""
        tensor, array = self.both()
        result = function(tensor)
        kinds = [array] + ([array[:, :, 0]] if array.shape[2] == 1 else [])
        kinds += [Image.fromarray(k) for k in kinds if pil and (k.ndim == 2 or k.shape[2] == 3)]
        for kind in kinds:
            got = function(kind)
            self.assertIs(type(got), type(kind))
            got = as_array(got)
            same(self, result, got[None] if got.ndim == 2 else got.transpose(2, 0, 1))
        return tensor.numpy(), result

    def test_geometry(self):
        for _ in range(10):
            x, y = self.alike(F.hflip)
            same(self, y, x[:, :, ::-1])
            x, y = self.alike(F.vflip)
            same(self, y, x[:, ::-1])
            x, y = self.alike(lambda i: F.crop(i, 2, 1, 3, 4))
            same(self, y, x[:, 2:5, 1:5])
            x, y = self.alike(lambda i: F.crop(i, -1, -2, 4, 5))
            same(self, y, np.pad(x, ((0, 0), (1, 0), (2, 0)))[:, :4, :5])
            x, y = self.alike(lambda i: F.center_crop(i, (4, 5)))
            top, left = round((x.shape[1] - 4) / 2), round((x.shape[2] - 5) / 2)
            same(self, y, x[:, top:top + 4, left:left + 5])
            x, y = self.alike(lambda i: F.center_crop(i, 30))
            self.assertEqual((y.shape[1:], int(y.sum())), ((30, 30), int(x.sum())))
            for mode in ("constant", "edge", "reflect", "symmetric"):
                x, y = self.alike(lambda i: F.pad(i, [1, 2, 3, 4], padding_mode=mode))
                same(self, y, np.pad(x, ((0, 0), (2, 4), (1, 3)), mode))
            x, y = self.alike(lambda i: F.pad(i, (2, 1), fill=7))
            same(self, y, np.pad(x, ((0, 0), (1, 1), (2, 2)), constant_values=7))

    def test_rotation(self):
        for _ in range(5):
            x, y = self.alike(lambda i: F.rotate(i, 90, expand=True))
            same(self, y, np.rot90(x, 1, (1, 2)))
            x, y = self.alike(lambda i: F.rotate(i, 180))
            same(self, y, x[:, ::-1, ::-1])
            x, y = self.alike(lambda i: F.rotate(i, 0, "bilinear"))
            same(self, y, x)
        # Nearest pixels, one by one.
        x, angle = np.random.rand(1, 9, 11).astype(np.float32), 33.0
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        want = np.full_like(x, -1)
        for i in range(9):
            for k in range(11):
                dy, dx = i - 4, k - 5
                sy, sx = math.floor(dx * sin + dy * cos + 4.5), math.floor(dx * cos - dy * sin + 5.5)
                if 0 <= sy < 9 and 0 <= sx < 11:
                    want[0, i, k] = x[0, sy, sx]
        same(self, F.rotate(haft.from_numpy(x), angle, fill=-1), want)
        with self.assertRaises(ValueError):
            F.rotate(haft.ones(1, 3, 3), 5, F.InterpolationMode.BICUBIC)

    def test_resize_as_pytorch(self):
        cases, program = [], ["import torch, numpy as np, sys", "data = np.load(sys.argv[1])", "out = {}"]
        with tempfile.TemporaryDirectory() as folder:
            inputs = {}
            for k in range(12):
                h, w = random.randint(2, 40), random.randint(2, 40)
                size = (random.randint(1, 60), random.randint(1, 60))
                mode, smooth = random.choice(["bilinear", "bicubic", "nearest"]), random.random() < 0.5
                smooth = smooth and mode != "nearest"
                inputs[f"x{k}"] = np.random.rand(2, h, w).astype(np.float32)
                cases.append((k, size, mode, smooth))
                corners = "" if mode == "nearest" else f", antialias={smooth}, align_corners=False"
                program.append(f"out['x{k}'] = torch.nn.functional.interpolate(torch.from_numpy(data['x{k}'])[None], {size}, mode={mode!r}"
                               f"{corners})[0].numpy()")
            program.append("np.savez(sys.argv[2], **out)")
            given, wanted = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
            np.savez(given, **inputs)
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            subprocess.run(["/usr/bin/python3", "-c", "\n".join(program), given, wanted], check=True, env=environment)
            peer = np.load(wanted)
            for k, size, mode, smooth in cases:
                with self.subTest(size=size, mode=mode, smooth=smooth, of=inputs[f"x{k}"].shape):
                    same(self, F.resize(haft.from_numpy(inputs[f"x{k}"]), size, mode, antialias=smooth), peer[f"x{k}"], 2e-5)

    def test_resize(self):
        for size, want in (((7, 9), (7, 9)), (8, None), ([8], None)):
            x, y = self.alike(lambda i: F.resize(i, size), pil=False)
            if want is None:
                h, w = x.shape[1:]
                want = (8, int(8 * w / h)) if h <= w else (int(8 * h / w), 8)
            self.assertEqual(tuple(y.shape[1:]), want)
        self.assertEqual(F.resize(haft.ones(1, 10, 100), 5, max_size=20).shape, (1, 2, 20))
        x = haft.full((1, 8, 8), 200, dtype=haft.uint8)
        self.assertEqual(F.resize(x, 3).unique().tolist() if hasattr(x, "unique") else [F.resize(x, 3).max().item()], [200])
        for bad in (dict(size=0), dict(size=5, max_size=5), dict(size=(5, 5), max_size=6)):
            with self.assertRaises(ValueError):
                F.resize(x, **bad)

    def test_values(self):
        tensor, array = self.both()
        same(self, F.to_tensor(array), array.transpose(2, 0, 1) / np.float32(255), 1e-7)
        floats = np.random.rand(4, 5).astype(np.float64)
        same(self, F.to_tensor(floats), floats[None])
        self.assertEqual(F.to_tensor(array[::-1, ::-1]).shape, tensor.shape)
        with self.assertRaisesRegex(TypeError, "pic should be"):
            F.to_tensor(tensor)
        x = haft.randn(2, 3, 4, 5)
        mean, std = [0.1, 0.2, 0.3], [1.0, 2.0, 0.5]
        want = (x.numpy() - np.float32(mean).reshape(3, 1, 1)) / np.float32(std).reshape(3, 1, 1)
        same(self, T.Normalize(mean, std)(x), want, 1e-6)
        y = x.clone()
        self.assertIs(F.normalize(y, mean, std, inplace=True), y)
        same(self, y, want, 1e-6)
        for bad, kind in (((tensor, mean, std), TypeError), ((x[0, 0], mean, std), ValueError), ((x, mean, [1, 0, 1]), ValueError)):
            with self.assertRaises(kind):
                F.normalize(*bad)

    def test_convert_image_dtype(self):
        x = haft.tensor([0, 1, 128, 255], dtype=haft.uint8)
        same(self, F.convert_image_dtype(x), np.float32([0, 1, 128, 255]) / 255, 1e-7)
        self.assertEqual(F.convert_image_dtype(haft.tensor([0.0, 0.5, 1.0]), haft.uint8).tolist(), [0, 127, 255])
        self.assertEqual(F.convert_image_dtype(x, haft.int32).tolist(), [v << 23 for v in (0, 1, 128, 255)])
        self.assertEqual(F.convert_image_dtype(F.convert_image_dtype(x, haft.int32), haft.uint8).tolist(), x.tolist())
        self.assertEqual(F.convert_image_dtype(x, haft.float64).dtype, haft.float64)
        with self.assertRaisesRegex(RuntimeError, "safely"):
            F.convert_image_dtype(haft.ones(1), haft.int64)

    def test_random_ones_follow_the_seed(self):
        x = haft.randint(0, 255, (3, 12, 14)).to(haft.uint8)
        chain = T.Compose([T.RandomCrop(10, padding=2), T.RandomHorizontalFlip(), T.RandomVerticalFlip(0.3), T.RandomRotation(20),
                           T.RandomResizedCrop(8), T.RandomApply([T.Pad(1)], 0.5), T.RandomChoice([T.CenterCrop(6), T.Resize((6, 6))])])
        results = []
        for seed in (1, 1, 2):
            haft.manual_seed(seed)
            results.append([chain(x) for _ in range(5)])
        self.assertTrue(all(haft.equal(a, b) for a, b in zip(*results[:2])))
        self.assertFalse(all(haft.equal(a, b) for a, b in zip(*results[1:])))
        self.assertEqual({tuple(r.shape) for r in results[0]}, {(3, 6, 6)})
        flipped = sum(haft.equal(T.RandomHorizontalFlip(0.25)(x), F.hflip(x)) for _ in range(400))
        self.assertTrue(60 < flipped < 140, flipped)
        for bad in (dict(scale=1.0), dict(ratio=0.5)):
            with self.assertRaisesRegex(TypeError, "should be a sequence"):
                T.RandomResizedCrop(4, **bad)
        with self.assertWarnsRegex(UserWarning, "of kind \\(min, max\\)"):
            T.RandomResizedCrop(4, scale=(1.0, 0.5))
        with self.assertRaisesRegex(ValueError, "larger than input"):
            T.RandomCrop(20)(x)
        self.assertEqual(T.RandomCrop(20, pad_if_needed=True)(x).shape, (3, 20, 20))

    def test_what_transforms_say(self):
        text = repr(T.Compose([T.ToTensor(), T.Normalize((0.5,), (0.5,)), T.RandomCrop(4)]))
        self.assertEqual(text.splitlines()[:3], ["Compose(", "    ToTensor()", "    Normalize(mean=(0.5,), std=(0.5,))"])
        self.assertIn("RandomCrop(size=(4, 4)", text)
        for bad in (lambda: T.RandomRotation(-1), lambda: T.CenterCrop((1, 2, 3)), lambda: F.pad(haft.ones(1, 2, 2), (1, 2, 3))):
            with self.assertRaises(ValueError):
                bad()
        with self.assertRaises(TypeError):
            T.Lambda(3)
        with self.assertRaises(TypeError):
            F.hflip("text")

    def test_pictures(self):
        tensor, array = self.both()
        image = F.to_pil_image(tensor)
        self.assertIsInstance(image, Image.Image)
        self.assertEqual(F.pil_to_tensor(image).tolist(), tensor.tolist())
        self.assertEqual(F.to_pil_image(F.to_tensor(image)).tobytes(), image.tobytes())
        self.assertEqual(F.get_dimensions(image), list(tensor.shape))
        rgb = Image.fromarray(np.random.randint(0, 256, (30, 40, 3), np.uint8))
        ours = np.asarray(F.resize(rgb, (12, 17))).astype(int)
        theirs = np.asarray(rgb.resize((17, 12), Image.BILINEAR)).astype(int)
        self.assertLessEqual(abs(ours - theirs).max(), 1)
        self.assertEqual(np.asarray(F.rotate(rgb, 90, expand=True)).tolist(), np.asarray(rgb.rotate(90, expand=True)).tolist())

    def test_without_pil(self):
        with WITHOUT_PIL, self.assertRaisesRegex(ImportError, "python3-pil"):
            F.to_pil_image(haft.ones(1, 2, 2))


class Pictures(unittest.TestCase):
    def test_grids(self):
        from haft.vision.utils import make_grid
        x = haft.rand(5, 1, 3, 4)
        grid = make_grid(x, nrow=2, padding=1, pad_value=0.5)
        self.assertEqual(grid.shape, (3, 13, 11))
        for k in range(5):
            y, z = k // 2 * 4 + 1, k % 2 * 5 + 1
            for c in range(3):
                self.assertEqual(grid[c, y:y + 3, z:z + 4].tolist(), x[k, 0].tolist())
        self.assertEqual(set(grid[:, 0].flatten().tolist()), {0.5})
        self.assertEqual(grid[:, 9:12, 6:10].tolist(), haft.full((3, 3, 4), 0.5).tolist())
        self.assertEqual(make_grid([haft.zeros(3, 2, 2)] * 9).shape, (3, 10, 34))
        self.assertEqual(make_grid(haft.zeros(4, 5)).shape, (3, 4, 5))
        spread = make_grid(haft.tensor([[[[-3.0, 1.0]]], [[[1.0, 5.0]]]]), normalize=True, padding=0)
        self.assertEqual(spread[0].tolist(), [[0, 0.5, 0.5, 1]])
        each = make_grid(haft.tensor([[[[-3.0, 1.0]]], [[[1.0, 5.0]]]]), normalize=True, scale_each=True, padding=0)
        self.assertEqual(each[0].tolist(), [[0, 1, 0, 1]])
        fixed = make_grid(haft.tensor([[[[-3.0, 1.0]]]]), normalize=True, value_range=(-1, 1))
        self.assertEqual(fixed[0].tolist(), [[0, 1]])
        with self.assertRaises(TypeError):
            make_grid("text")
        with self.assertRaisesRegex(ValueError, "no batch"):
            make_grid(haft.zeros(1, 1, 1, 1, 1))

    def test_png_files(self):
        from haft.vision.utils import save_image
        from test_tensorboard import pixels_of
        x = haft.rand(3, 6, 5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.png")
            save_image(x, path)
            size, pixels = pixels_of(pathlib.Path(path).read_bytes())
            file = io.BytesIO()
            save_image(x, file)
            self.assertEqual(file.getvalue(), pathlib.Path(path).read_bytes())
            with WITHOUT_PIL, self.assertRaisesRegex(ImportError, "python3-pil"):
                save_image(x, os.path.join(folder, "x.jpg"))
        self.assertEqual((size, list(pixels)), ((6, 5, 3), (x.permute(1, 2, 0) * 255 + 0.5).to(haft.uint8).flatten().tolist()))


if __name__ == "__main__":
    unittest.main()
