"""CIFAR-10 and CIFAR-100: colour pictures of 32 x 32, in the binary version of the files."""
import os

import haft

from .vision import VisionDataset, image_of, missing

_PIXELS = 3 * 32 * 32


class CIFAR10(VisionDataset):
    """60,000 pictures of ten kinds of things.

    root: a folder with cifar-10-batches-bin/data_batch_1.bin ... test_batch.bin (the binary version), or with these files
    themselves. An item is (image, class number); the image is a PIL image where PIL is installed, else an array (32, 32, 3) of
    bytes, before `transform`. `data` (N, 32, 32, 3) is an array, `targets` a list.
    """

    base_folder = "cifar-10-batches-bin"
    _train = [f"data_batch_{i}.bin" for i in range(1, 6)]
    _test = ["test_batch.bin"]
    _labels = 1  # bytes before the pixels; the last is the class
    _names_file = "batches.meta.txt"
    classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        files = self._train if train else self._test
        folders = [os.path.join(self.root, self.base_folder), self.root]
        folder = next((f for f in folders if all(os.path.isfile(os.path.join(f, name)) for name in files)), None)
        if folder is None:
            raise missing(type(self).__name__, files, folders, "unpack the binary version of the archive there")
        images, labels = [], []
        for name in files:
            rows = self._read(os.path.join(folder, name))
            images.append(rows[:, self._labels:].reshape(-1, 3, 32, 32))
            labels.append(rows[:, self._labels - 1])
        self._images = haft.cat(images).contiguous()  # (N, 3, 32, 32)
        self.targets = haft.cat(labels).tolist()
        names = os.path.join(folder, self._names_file)
        if os.path.isfile(names):
            with open(names, encoding="utf-8") as file:
                self.classes = [line.strip() for line in file if line.strip()]
        most = max(self.targets, default=0)
        if most >= len(self.classes):
            raise RuntimeError(f"{folder}: class {most} of {len(self.classes)}: not the files of {type(self).__name__}")
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _read(self, path):
        row = self._labels + _PIXELS
        with open(path, "rb") as file:
            data = bytearray(file.read())
        if not data or len(data) % row:
            raise RuntimeError(f"{path}: damaged: {len(data)} bytes are no whole number of pictures of {row} bytes")
        return haft.frombuffer(data, dtype=haft.uint8).reshape(-1, row)

    @property
    def data(self):
        return self._images.permute(0, 2, 3, 1).numpy()

    @data.setter
    def data(self, array):
        self._images = haft.as_tensor(array, dtype=haft.uint8).permute(0, 3, 1, 2).contiguous()

    def __len__(self):
        return self._images.size(0)

    def __getitem__(self, index):
        array = self._images[index].permute(1, 2, 0).contiguous().numpy()
        return self._transformed(image_of(array, "RGB"), self.targets[index])

    def _native(self):
        return self._native_of(self._images, haft.tensor(self.targets, dtype=haft.int64))

    def extra_repr(self):
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """A hundred kinds of things: cifar-100-binary/train.bin and test.bin; the class is the fine one."""

    base_folder = "cifar-100-binary"
    _train = ["train.bin"]
    _test = ["test.bin"]
    _labels = 2
    _names_file = "fine_label_names.txt"
    classes = [str(i) for i in range(100)]  # where the file of names is missing
