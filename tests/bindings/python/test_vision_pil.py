"""Images of PIL are PIL's own matter; and the Python version of CIFAR's files."""
import os
import pickle
import random
import tempfile
import unittest

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

import haft
import leaks
from haft.vision import datasets
from haft.vision import transforms as T
from haft.vision.transforms import functional as F

setUpModule, tearDownModule = leaks.guard()


def picture(mode="RGB"):
    shape = (random.randint(5, 40), random.randint(5, 40)) + ((3,) if mode == "RGB" else ())
    return Image.fromarray(np.random.randint(0, 256, shape, np.uint8))


class PilImages(unittest.TestCase):
    def same(self, got, wanted):
        self.assertIsInstance(got, Image.Image)
        self.assertEqual((got.mode, got.size), (wanted.mode, wanted.size))
        self.assertEqual(got.tobytes(), wanted.tobytes())

    def test_resize_in_every_mode(self):
        for mode in F.InterpolationMode:
            for image in (picture(), picture("L")):
                w, h = random.randint(1, 60), random.randint(1, 60)
                if (w, h) != image.size:
                    number = getattr(Image, mode.name.removesuffix("_EXACT"))
                    self.same(T.Resize((h, w), mode)(image), image.resize((w, h), number))
                    self.same(F.resize(image, (h, w), mode.value), image.resize((w, h), number))
                    self.same(F.resize(image, (h, w), number), image.resize((w, h), number))
        with self.assertRaisesRegex(ValueError, "lanczos.*takes PIL images"):
            F.resize(haft.ones(1, 4, 4), (2, 2), F.InterpolationMode.LANCZOS)

    def test_grey(self):
        for image in (picture(), picture("L")):
            grey = image.convert("L")
            self.same(T.Grayscale()(image), grey)
            self.same(T.Grayscale(3)(image), Image.merge("RGB", [grey] * 3))
            self.assertEqual(T.RandomGrayscale(1.0)(image).mode, image.mode)

    def test_colours(self):
        for factor in (0.0, 0.4, 1.0, 1.7):
            image = picture()
            self.same(F.adjust_brightness(image, factor), ImageEnhance.Brightness(image).enhance(factor))
            self.same(F.adjust_contrast(image, factor), ImageEnhance.Contrast(image).enhance(factor))
            self.same(F.adjust_saturation(image, factor), ImageEnhance.Color(image).enhance(factor))
            self.same(F.invert(image), ImageOps.invert(image))
        image = picture()
        hsv = np.asarray(image.convert("HSV")).copy()
        hsv[..., 0] += np.uint8(int(0.3 * 255))
        self.same(F.adjust_hue(image, 0.3), Image.fromarray(hsv, "HSV").convert("RGB"))
        grey = picture("L")
        self.same(F.adjust_hue(grey, 0.3), grey)

    def test_rotation(self):
        for mode in (F.InterpolationMode.NEAREST, F.InterpolationMode.BILINEAR, F.InterpolationMode.BICUBIC):
            image, angle = picture(), random.uniform(-180, 180)
            self.same(F.rotate(image, angle, mode, expand=True, fill=(1, 2, 3)),
                      image.rotate(angle, mode.pil, True, fillcolor=(1, 2, 3)))
            self.same(F.rotate(image, angle, mode, center=(2, 3), fill=9), image.rotate(angle, mode.pil, False, center=(2, 3), fillcolor=(9, 9, 9)))
        with self.assertRaisesRegex(ValueError, "2 numbers for an image with 3 bands"):
            F.rotate(picture(), 10, fill=(1, 2))
        image = picture()
        self.same(F.rotate(image, 10, fill=1.0), image.rotate(10, fillcolor=(1, 1, 1)))
        self.same(F.rotate(image, 10, fill=(1.0, 2.5, 3.0)), image.rotate(10, fillcolor=(1, 2, 3)))
        real = Image.fromarray(np.random.rand(8, 9).astype(np.float32))
        self.same(F.rotate(real, 10, fill=0.25), real.rotate(10, fillcolor=0.25))
        self.assertIs(F.InterpolationMode.of(5), F.InterpolationMode.HAMMING)
        for number in (-1, 6, 9):
            with self.assertRaisesRegex(ValueError, f"PIL has no mode {number}; its modes are 0 .NEAREST., .* 5 .HAMMING."):
                F.rotate(image, 10, number)

    def test_affine(self):
        for mode in (F.InterpolationMode.NEAREST, F.InterpolationMode.BILINEAR, F.InterpolationMode.BICUBIC):
            for image, fill in ((picture(), (1, 2, 3)), (picture(), 9.0), (picture("L"), 7)):
                angle, move, scale, center = random.uniform(-180, 180), (random.randint(-3, 3), random.randint(-3, 3)), random.uniform(0.5, 2), (2.5, 4)
                r, sx, sy = np.radians([angle, 10.0, -5.0])
                m = np.array([[np.cos(r - sy) / np.cos(sy), -np.cos(r - sy) * np.tan(sx) / np.cos(sy) - np.sin(r)],
                              [np.sin(r - sy) / np.cos(sy), -np.sin(r - sy) * np.tan(sx) / np.cos(sy) + np.cos(r)]]) * scale
                back = np.linalg.inv(m)
                ahead = np.array(center) - back @ (np.array(center) + move)
                wanted = image.transform(image.size, Image.AFFINE, (*back[0], ahead[0], *back[1], ahead[1]), mode.pil,
                                         fillcolor=(9, 9, 9) if fill == 9.0 else fill)
                got = F.affine(image, angle, move, scale, (10.0, -5.0), mode, fill, center)
                self.assertEqual((got.mode, got.size), (wanted.mode, wanted.size))
                wrong = np.abs(np.asarray(got).astype(int) - np.asarray(wanted)) > 1
                self.assertLessEqual(wrong.sum(), 0.01 * wrong.size, (mode, angle, scale))  # at the rim the last bit decides
        self.same(T.RandomAffine(0, interpolation=F.InterpolationMode.BICUBIC)(image), image)


class PythonFiles(unittest.TestCase):
    def write(self, folder, name, content):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            pickle.dump(content, file, protocol=2)

    def test_cifar(self):
        for cls, base, key, files, kinds in (
                (datasets.CIFAR10, "cifar-10-batches-py", "labels", [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"], 10),
                (datasets.CIFAR100, "cifar-100-python", "fine_labels", ["train", "test"], 100)):
            with tempfile.TemporaryDirectory() as root:
                folder, written = os.path.join(root, base), []
                for name in files:
                    data, labels = np.random.randint(0, 256, (3, 3072), np.uint8), [random.randrange(kinds) for _ in range(3)]
                    self.write(folder, name, {"data": data, key: labels, "filenames": ["x.png"] * 3})
                    written.append((data, labels))
                self.write(folder, "batches.meta" if kinds == 10 else "meta",
                           {"label_names" if kinds == 10 else "fine_label_names": [f"kind {i}" for i in range(kinds)]})
                train, test = cls(root), cls(folder, train=False)
                np.testing.assert_array_equal(
                    train.data, np.concatenate([d for d, _ in written[:-1]]).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
                self.assertEqual(train.targets, sum((y for _, y in written[:-1]), []))
                self.assertEqual(test.targets, written[-1][1])
                self.assertEqual(train.classes[3], "kind 3")
                image, label = test[1]
                np.testing.assert_array_equal(np.asarray(image), written[-1][0][1].reshape(3, 32, 32).transpose(1, 2, 0))
                self.assertEqual(label, written[-1][1][1])

    def test_damaged(self):
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "cifar-10-batches-py")
            good = {"data": np.zeros((2, 3072), np.uint8), "labels": [1, 2]}
            for i in range(1, 6):
                self.write(folder, f"data_batch_{i}", good)
            self.assertEqual(len(datasets.CIFAR10(root)), 10)
            for bad in ({"data": good["data"]}, {"data": good["data"][:1], "labels": [1, 2]}, {"data": "no", "labels": [1, 2]},
                        {"data": good["data"], "labels": [1, 10]}, {"data": good["data"], "labels": ["a", "b"]}, [1], os.getcwd, 3):
                self.write(folder, "data_batch_3", bad)
                with self.assertRaises(RuntimeError):
                    datasets.CIFAR10(root)
            with open(os.path.join(folder, "data_batch_3"), "wb") as file:
                file.write(pickle.dumps(good, protocol=2)[:-700])
            with self.assertRaisesRegex(RuntimeError, "data_batch_3: damaged"):
                datasets.CIFAR10(root)
            with open(os.path.join(folder, "data_batch_3"), "wb") as file:
                file.write(b"cos\nsystem\n(S'exit 3'\ntR.")
            with self.assertRaisesRegex(RuntimeError, "os.system is not part of a CIFAR file"):
                datasets.CIFAR10(root)

    def test_pickles_that_reach_into_memory(self):
        # Made by hand: what NumPy itself would make of them are pointers of the file's choice, or more memory than there is.
        def called(name, *arguments):
            return b"c" + name.replace(".", "\n").encode() + b"\n(" + b"".join(arguments) + b"tR"

        def text(s):
            return b"S'" + s.encode() + b"'\n"

        kinds = {k: called("numpy.dtype", text(k), b"I00\nI01\n") for k in ("O", "u1", "i8")}
        empty = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\nt" + text("b") + b"tR"
        pixels = b"S'" + b"A" * 3072 + b"'\n"

        def state(shape, kind, data):
            return empty + b"(I1\n(" + b"".join(b"I%d\n" % n for n in shape) + b"t" + kind + b"I00\n" + data + b"tb"

        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "cifar-10-batches-py")
            for i in range(1, 6):
                self.write(folder, f"data_batch_{i}", {"data": np.zeros((1, 3072), np.uint8), "labels": [1]})

            def read(data):
                with open(os.path.join(folder, "data_batch_3"), "wb") as file:
                    file.write(b"(" + text("data") + data + text("labels") + b"(I2\nld.")
                return datasets.CIFAR10(root)

            np.testing.assert_array_equal(read(state((1, 3072), kinds["u1"], pixels)).data[2], np.full((32, 32, 3), 65))
            changed = b"cnumpy\ndtype\n(N(" + text("__slots__") + text("x") + b"dtb"  # BUILD that sets attributes of the name itself
            for bad in (state((384,), kinds["O"], pixels), state((1, 3072), b"N", pixels), state((384,), kinds["i8"], pixels),
                        state((10 ** 15, 3072), kinds["u1"], pixels), state((-1, -3072), kinds["u1"], pixels), empty, changed,
                        called("numpy.ndarray", b"(I1000000000000000\nt", text("u1")), called("numpy.ndarray", b"(I2\nt", text("O"), pixels),
                        b"cnumpy.core.multiarray\n_reconstruct\n(c__builtin__\ndict\n(I0\nt" + text("b") + b"tR",
                        b"I0\nr\xff\xff\xff\x7f"):  # a memo of 2^31 places
                with self.assertRaisesRegex(RuntimeError, "data_batch_3: damaged", msg=bad[:80]):
                    read(bad)


if __name__ == "__main__":
    unittest.main()
