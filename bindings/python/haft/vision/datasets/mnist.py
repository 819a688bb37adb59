"""MNIST and its family: grey pictures of 28 x 28 in IDX files."""
import os

import haft

from ... import _haft
from .vision import VisionDataset, image_of, missing


def _damaged(path, what):
    return RuntimeError(f"{path}: damaged IDX file: {what}")


def read_idx(path):
    """An IDX file of bytes, plain or gzipped, as a uint8 tensor."""
    tensor = _haft.load_idx(os.fspath(path)).clone()  # the file is mapped, and may be written over
    if tensor.dtype != haft.uint8:
        raise _damaged(path, f"it holds {tensor.dtype}, wanted bytes")
    return tensor


class MNIST(VisionDataset):
    """Handwritten digits: 60,000 images to train with and 10,000 to test with.

    root: a folder with MNIST/raw/train-images-idx3-ubyte and its three brothers, plain or .gz, or with these files themselves.
    An item is (image, class number); the image is a PIL image where PIL is installed, else an array (28, 28) of bytes, before
    `transform`. download is there for listings: the files must exist. `data` (N, 28, 28) uint8, `targets` (N) int64.
    """

    classes = ["0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
               "9 - nine"]
    _system = []  # folders where a package of the system puts it
    _hint = "put the files there"

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        images, labels = self._find()
        self.data, self.targets = read_idx(images), read_idx(labels)
        if self.data.dim() != 3 or self.targets.dim() != 1 or self.data.size(0) != self.targets.size(0):
            raise _damaged(images, f"images {tuple(self.data.shape)} and labels {tuple(self.targets.shape)} do not belong together")
        self.targets = self.targets.to(haft.int64)

    def _names(self, train):
        kind = "train" if train else "t10k"
        return [f"{kind}-images-idx3-ubyte", f"{kind}-labels-idx1-ubyte"]

    @staticmethod
    def _files(folder, names):
        paths = [os.path.join(folder, name) for name in names]
        return [next(p for p in (path, path + ".gz") if os.path.isfile(p)) for path in paths
                if os.path.isfile(path) or os.path.isfile(path + ".gz")]

    def _find(self):
        names = self._names(self.train)
        folders = [self.raw_folder, self.root]
        # Half a set of the user's own must not become somebody else's.
        if not any(self._files(f, self._names(train)) for f in folders for train in (True, False)):
            folders += self._system
        for folder in folders:
            found = self._files(folder, names)
            if len(found) == 2:
                return found
        raise missing(type(self).__name__, [n + "[.gz]" for n in names], folders, self._hint)

    @property
    def raw_folder(self):
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def class_to_idx(self):
        return {name: i for i, name in enumerate(self.classes)}

    def _older(name, now):
        def get(self):
            from warnings import warn
            warn(f"{name} has been renamed {now}", stacklevel=2)
            return getattr(self, now)
        return property(get, doc=f"`{now}` by its older name, with a warning.")

    train_data, train_labels = _older("train_data", "data"), _older("train_labels", "targets")
    test_data, test_labels = _older("test_data", "data"), _older("test_labels", "targets")
    del _older

    def __len__(self):
        return self.data.size(0)

    def __getitem__(self, index):
        return self._transformed(image_of(self.data[index].numpy(), "L"), int(self.targets[index]))

    def _native(self):
        fits = all(isinstance(t, haft.Tensor) for t in (self.data, self.targets)) and self.data.dtype == haft.uint8 and \
            self.data.dim() == 3 and self.targets.dtype == haft.int64 and self.targets.dim() == 1
        if not fits:  # changed by the program
            return None
        return self._native_of(self.data.unsqueeze(1), self.targets)

    def extra_repr(self):
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(MNIST):
    """Clothing, in files like those of MNIST; found in Debian's package dataset-fashion-mnist where root has none."""

    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
    _system = ["/usr/share/datasets/fashion-mnist"]
    _hint = "install Debian's package dataset-fashion-mnist, or put the files there"


class KMNIST(MNIST):
    """Japanese characters, in files like those of MNIST."""

    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


class EMNIST(MNIST):
    """Handwritten letters and digits, in files like those of MNIST; the pictures lie on their side, as they are in the files.

    split: byclass, bymerge, balanced, letters, digits or mnist.
    """

    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
    _merged = set("cijklmopsuvwxyz")  # small letters that look like their capitals

    def __init__(self, root, split, **kwargs):
        if split not in self.splits:
            raise ValueError(f"Unknown value '{split}' for argument split. Valid values are {set(self.splits)}.")
        self.split = split
        digits, capitals = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        every = sorted(digits + capitals + capitals.lower())
        merged = sorted(set(every) - self._merged)
        self.classes = {"byclass": every, "bymerge": merged, "balanced": merged, "letters": ["N/A", *capitals.lower()], "digits": list(digits),
                        "mnist": list(digits)}[split]
        super().__init__(root, **kwargs)

    def _names(self, train):
        kind = "train" if train else "test"
        return [f"emnist-{self.split}-{kind}-images-idx3-ubyte", f"emnist-{self.split}-{kind}-labels-idx1-ubyte"]
