"""Colours, affine maps, erasing, transforms as modules, EMNIST and FakeData of haft.vision."""
import colorsys
import os
import pickle
import struct
import tempfile
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from haft import nn
from haft.vision import datasets, transforms as T
from haft.vision.transforms import functional as F

setUpModule, tearDownModule = leaks.guard()


def picture(*shape):
    return (np.abs(parity.real(*shape)) * 90).clip(0, 255).astype("uint8")


class Colours(unittest.TestCase):
    def test_grey(self):
        for t in (haft.tensor(picture(3, 4, 5)), haft.rand(2, 3, 4, 5)):
            want = sum(w * t.numpy().astype("f").take(i, -3) for i, w in enumerate((0.2989, 0.587, 0.114)))
            got = F.rgb_to_grayscale(t)
            self.assertEqual((got.dtype, got.shape[-3]), (t.dtype, 1))
            self.assertTrue(np.allclose(got.numpy().take(0, -3), want.astype(t.numpy().dtype), atol=1e-5))
            three = F.to_grayscale(t, 3)
            self.assertTrue(haft.equal(three.select(-3, 2), got.select(-3, 0)))
        array = picture(4, 5, 3)
        self.assertEqual(T.Grayscale(3)(array).shape, (4, 5, 3))
        with self.assertRaises(TypeError):
            F.rgb_to_grayscale(haft.ones(2, 4, 4))
        with self.assertRaises(ValueError):
            F.rgb_to_grayscale(haft.ones(3, 4, 4), 2)
        self.assertEqual(T.RandomGrayscale(1.0)(haft.rand(3, 2, 2)).shape, (3, 2, 2))

    def test_strengths(self):
        for t in (haft.tensor(picture(3, 6, 5)), haft.rand(3, 6, 5)):
            top = 255 if t.dtype is haft.uint8 else 1
            x = t.numpy().astype("f")
            grey = F.rgb_to_grayscale(t).numpy().astype("f")
            for f, other in ((F.adjust_brightness, np.zeros(1, "f")), (F.adjust_contrast, grey.mean()), (F.adjust_saturation, grey)):
                for factor in (0, 0.3, 1, 1.7):
                    want = (factor * x + (1 - factor) * other).clip(0, top).astype(t.numpy().dtype)
                    self.assertTrue(np.allclose(f(t, factor).numpy().astype("f"), want.astype("f"), atol=1e-5 if top == 1 else 1), (f.__name__, factor))
                with self.assertRaisesRegex(ValueError, "non-negative"):
                    f(t, -0.1)
            self.assertTrue(haft.allclose(F.invert(F.invert(t)).float(), t.float(), atol=1e-6))

    def test_hue(self):
        x = np.concatenate([np.random.default_rng(3).random((3, 30)).astype("f"), np.array([[0, 1, .5, 1, 0, 0], [0, 1, .5, 0, 1, 0], [0, 1, .5, 0, 0, 1]], "f")], 1)
        for factor in (-0.5, -0.1, 0, 0.3, 0.5):
            want = np.array([colorsys.hsv_to_rgb((h + factor) % 1, s, v) for h, s, v in (colorsys.rgb_to_hsv(*map(float, p)) for p in x.T)]).T
            got = F.adjust_hue(haft.tensor(x).reshape(3, 1, -1), factor)
            self.assertTrue(np.allclose(got.numpy()[:, 0], want, atol=1e-5), factor)
        t = haft.tensor(picture(3, 4, 5))
        self.assertTrue((F.adjust_hue(t, 0.0).int() - t.int()).abs().max().item() <= 1)
        with self.assertRaisesRegex(ValueError, "hue_factor"):
            F.adjust_hue(t, 0.6)

    def test_jitter(self):
        haft.manual_seed(5)
        t = haft.rand(3, 4, 5)
        jitter = T.ColorJitter(0.4, (0.5, 1.5), 0.2, 0.1)
        self.assertEqual((jitter.brightness, jitter.contrast, jitter.hue), ((0.6, 1.4), (0.5, 1.5), (-0.1, 0.1)))
        self.assertFalse(haft.equal(jitter(t), jitter(t)))
        self.assertTrue(haft.equal(T.ColorJitter()(t), t))
        self.assertTrue(haft.equal(T.ColorJitter(brightness=(0, 0))(t), haft.zeros_like(t)))
        for bad, error in (({"brightness": -1}, ValueError), ({"hue": 0.7}, ValueError), ({"contrast": "x"}, TypeError), ({"saturation": (2, 1)}, ValueError)):
            with self.assertRaises(error):
                T.ColorJitter(**bad)


class Places(unittest.TestCase):
    def test_affine(self):
        # The same by PyTorch's grid_sample and a matrix inverted by NumPy.
        h, w = 9, 7
        x = np.random.default_rng(1).random((2, h, w))
        for angle, move, scale, shear, center in ((0, (0, 0), 1, 0, None), (33, (1, -2), 1.3, (10.0, -5.0), None), (-120, (0, 1), 0.7, 20, (2.0, 5.0)), (90, (0, 0), 1.0, [5.0], None)):
            r, (sx, sy) = np.radians(angle), np.radians((list(np.atleast_1d(shear)) + [0.0])[:2])
            c = np.array([w / 2, h / 2] if center is None else center)
            # As torchvision composes turn and shear.
            m = np.array([[np.cos(r - sy) / np.cos(sy), -np.cos(r - sy) * np.tan(sx) / np.cos(sy) - np.sin(r)],
                          [np.sin(r - sy) / np.cos(sy), -np.sin(r - sy) * np.tan(sx) / np.cos(sy) + np.cos(r)]]) * scale
            back = np.linalg.inv(m)
            ys, xs = np.meshgrid(np.arange(h) + 0.5, np.arange(w) + 0.5, indexing="ij")
            at = np.stack([xs, ys], -1) - c - np.array(move)
            source = at @ back.T + c
            grid = torch.tensor(source / np.array([w, h]) * 2 - 1)[None]
            for mode in ("bilinear", "nearest"):
                want = torch.nn.functional.grid_sample(torch.tensor(x)[None], grid, mode, "zeros", align_corners=False)[0].numpy()
                got = F.affine(haft.tensor(x), angle, move, scale, shear, mode, center=center).numpy()
                wrong = np.abs(got - want) > 1e-9
                self.assertLess(wrong.mean(), 0.001 if mode == "bilinear" else 0.05, (angle, mode))  # nearest: ties
        t = haft.tensor(picture(3, 6, 6))
        self.assertTrue(haft.equal(F.affine(t, 30, (0, 0), 1.0, 0.0), F.rotate(t, -30)))
        self.assertEqual(F.affine(t, 0, (2, 0), 1.0, 0.0, fill=7)[0, :, :2].unique().tolist(), [7])
        for bad in (lambda: F.affine(t, 0, (1,), 1, 0), lambda: F.affine(t, 0, (1, 1), 0, 0), lambda: T.RandomAffine(-1), lambda: T.RandomAffine(1, (2, 0)),
                    lambda: T.RandomAffine(1, scale=(0, 1)), lambda: T.RandomAffine(1, shear=(1, 2, 3))):
            with self.assertRaises(ValueError):
                bad()
        haft.manual_seed(1)
        move = T.RandomAffine(10, (0.3, 0.1), (0.8, 1.2), (-5, 5, -3, 3), T.InterpolationMode.BILINEAR)
        self.assertEqual(move(t).shape, t.shape)
        for _ in range(50):
            angle, (dx, dy), scale, shear = T.RandomAffine.get_params(move.degrees, move.translate, move.scale, move.shear, [20, 30])
            self.assertTrue(abs(angle) <= 10 and abs(dx) <= 6 and abs(dy) <= 3 and 0.8 <= scale <= 1.2 and abs(shear[0]) <= 5 and abs(shear[1]) <= 3)

    def test_blur(self):
        def want(a, sizes, sigmas):
            # In float64, one direction after the other.
            for axis, size, sigma in zip((-1, -2), sizes, sigmas):
                at = np.arange(size) - size // 2
                weights = np.exp(-0.5 * (at / sigma) ** 2)
                sides = [(0, 0)] * a.ndim
                sides[axis] = (size // 2, size // 2)
                wide = np.pad(a.astype("d"), sides, mode="reflect")
                a = sum(w * wide.take(range(i, i + a.shape[axis]), axis) for i, w in enumerate(weights / weights.sum()))
            return a
        t = haft.tensor(parity.real(2, 3, 7, 9))
        for sizes, sigma, sigmas in ((3, 1.0, (1, 1)), ((5, 3), (0.7, 1.9), (0.7, 1.9)), ([7, 1], None, (1.4, 0.5)), (5, [0.3], (0.3, 0.3))):
            both = (sizes, sizes) if isinstance(sizes, int) else sizes
            for x in (t, t[0], t[0, 0]):
                got = F.gaussian_blur(x, sizes, sigma)
                self.assertEqual((got.shape, got.dtype), (x.shape, x.dtype))
                self.assertTrue(np.allclose(got.numpy(), want(x.numpy(), both, sigmas), atol=1e-5))
        array = picture(7, 9, 3)
        got = F.gaussian_blur(array, (3, 5), (1.1, 0.6))
        self.assertEqual(got.dtype, np.uint8)
        self.assertLessEqual(np.abs(got - want(array.transpose(2, 0, 1), (3, 5), (1.1, 0.6)).transpose(1, 2, 0)).max(), 0.5 + 1e-4)
        blur = T.GaussianBlur((5, 3), sigma=0.8)
        self.assertTrue(haft.equal(blur(t), F.gaussian_blur(t, (5, 3), 0.8)))
        self.assertEqual(T.GaussianBlur(3)(t).shape, t.shape)
        for bad in (lambda: F.gaussian_blur(t, 4), lambda: F.gaussian_blur(t, (3, 3, 3)), lambda: F.gaussian_blur(t, 3, 0), lambda: F.gaussian_blur(t, 3, (1, 2, 3)),
                    lambda: T.GaussianBlur(2), lambda: T.GaussianBlur(3, (2, 1)), lambda: T.GaussianBlur(3, 0)):
            with self.assertRaises(ValueError):
                bad()

    def test_erasing(self):
        haft.manual_seed(3)
        t = haft.ones(3, 20, 30)
        for _ in range(20):
            x = T.RandomErasing(1.0, scale=(0.1, 0.2))(t)
            gone = (x[0] == 0)
            self.assertTrue(0.08 < gone.float().mean().item() < 0.23)
            rows, columns = gone.any(1).sum().item(), gone.any(0).sum().item()
            self.assertEqual(rows * columns, gone.sum().item())
        self.assertTrue(haft.equal(T.RandomErasing(0.0)(t), t))
        self.assertEqual(sorted(T.RandomErasing(1.0, value=[2, 3, 4])(t).unique().tolist()), [1, 2, 3, 4])
        self.assertGreater(T.RandomErasing(1.0, value="random")(t).unique().numel(), 10)
        own = t.clone()
        self.assertIs(F.erase(own, 1, 2, 3, 4, 0, inplace=True), own)
        self.assertEqual((own == 0).sum().item(), 36)
        for bad, error in (({"value": "x"}, ValueError), ({"p": 2}, ValueError), ({"scale": (0.5, 0.1)}, ValueError), ({"value": None}, TypeError)):
            with self.assertRaises(error):
                T.RandomErasing(**bad)
        with self.assertRaisesRegex(ValueError, "input channels"):
            T.RandomErasing(1.0, value=[1, 2])(t)


class Chains(unittest.TestCase):
    def test_modules(self):
        t = haft.rand(3, 8, 8)
        chain = nn.Sequential(T.CenterCrop(4), T.RandomHorizontalFlip(1.0), T.Normalize((0.5,) * 3, (0.25,) * 3))
        self.assertTrue(haft.allclose(chain(t), T.Compose(list(chain))(t)))
        self.assertIn("(0): CenterCrop(size=(4, 4))", repr(chain))
        self.assertEqual(list(chain.parameters()), [])
        applied = T.RandomApply(nn.ModuleList([T.Grayscale(3)]), 1.0)
        self.assertEqual(applied(t).shape, t.shape)
        again = pickle.loads(pickle.dumps(T.Compose([T.RandomCrop(4, padding=1), T.ColorJitter(0.1), T.RandomErasing()])))
        self.assertEqual(again(t).shape, (3, 4, 4))
        seen = []
        crop = T.CenterCrop(2)
        crop.register_forward_hook(lambda m, args, out: seen.append(out.shape))
        crop(t)
        self.assertEqual(seen, [(3, 2, 2)])

        class Own(T.RandomCrop):
            def forward(self, image):
                return super().forward(image) * 0
        self.assertEqual(Own(3)(t).sum().item(), 0)

    def test_choice(self):
        haft.manual_seed(2)
        choice = T.RandomChoice([T.Lambda(lambda x: 0), T.Lambda(lambda x: 1), T.Lambda(lambda x: 2)], p=[1, 0, 3])
        counts = np.bincount([choice(None) for _ in range(400)], minlength=3)
        self.assertTrue(counts[1] == 0 and 60 < counts[0] < 140)
        self.assertEqual({T.RandomChoice([T.Lambda(lambda x: 0), T.Lambda(lambda x: 1)])(None) for _ in range(40)}, {0, 1})
        with self.assertRaises(TypeError):
            T.RandomChoice([T.CenterCrop(1)], p=[1, 2])


class Datasets(unittest.TestCase):
    def test_emnist(self):
        with tempfile.TemporaryDirectory() as root:
            for kind, n in (("train", 3), ("test", 2)):
                for name, data, dims in ((f"emnist-letters-{kind}-images-idx3-ubyte", picture(n, 28, 28), (n, 28, 28)), (f"emnist-letters-{kind}-labels-idx1-ubyte", np.arange(1, n + 1, dtype="u1"), (n,))):
                    with open(os.path.join(root, name), "wb") as file:
                        file.write(bytes([0, 0, 8, len(dims)]) + struct.pack(f">{len(dims)}I", *dims) + data.tobytes())
            train, test = datasets.EMNIST(root, "letters"), datasets.EMNIST(root, split="letters", train=False, transform=T.ToTensor())
            self.assertEqual((len(train), len(test), train.targets.tolist(), train.classes[:2], len(train.classes)), (3, 2, [1, 2, 3], ["N/A", "a"], 27))
            self.assertEqual((test[0][0].shape, test[1][1]), ((1, 28, 28), 2))
            with self.assertRaisesRegex(RuntimeError, "emnist-digits-train"):
                datasets.EMNIST(root, "digits")
            with self.assertRaisesRegex(ValueError, "Unknown value 'x'"):
                datasets.EMNIST(root, "x")

    def test_fake(self):
        fake = datasets.FakeData(5, (3, 8, 6), 4, transform=T.ToTensor(), random_offset=7)
        self.assertEqual(len(fake), 5)
        image, label = fake[2]
        self.assertEqual((image.shape, 0 <= label < 4), ((3, 8, 6), True))
        haft.rand(3)
        self.assertTrue(haft.equal(fake[2][0], image) and fake[2][1] == label)
        self.assertFalse(haft.equal(fake[3][0], image))
        self.assertTrue(haft.equal(datasets.FakeData(9, (3, 8, 6), 4, transform=T.ToTensor(), random_offset=6)[3][0], image))
        self.assertEqual(datasets.FakeData(1, (1, 4, 4), transform=T.ToTensor())[0][0].shape, (1, 4, 4))
        with self.assertRaises(IndexError):
            fake[5]
        x, y = next(iter(haft.utils.data.DataLoader(fake, 5)))
        self.assertEqual((x.shape, y.shape), ((5, 3, 8, 6), (5,)))


if __name__ == "__main__":
    unittest.main()
