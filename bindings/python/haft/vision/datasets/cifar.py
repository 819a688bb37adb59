"""CIFAR-10 and CIFAR-100: colour pictures of 32 x 32, in the binary or the Python version of the files."""
import os
import pickle

import haft

from .vision import VisionDataset, image_of, missing

_PIXELS = 3 * 32 * 32


class _Unpickler(pickle.Unpickler):
    # The files hold a dictionary with lists and one NumPy array. Stand-ins make these: NumPy's own would take a type "O" over the file's bytes,
    # which are pointers then. They have no attributes that a file could set.
    def find_class(self, module, name):
        try:
            return _STAND_INS[module.split(".")[0], name]()
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is not part of a CIFAR file") from None


class _ArrayClass:
    __slots__ = ()


class _Reconstruct:
    __slots__ = ()

    def __call__(self, cls, shape, kind):
        if not isinstance(cls, _ArrayClass):
            raise pickle.UnpicklingError("it makes something else than an array")
        return _Array()


class _Type:
    __slots__ = ()

    def __call__(self, name, *how):
        if name not in ("u1", "|u1"):
            raise pickle.UnpicklingError(f"its array is of type {name!r}")
        return _Bytes()


class _Bytes:
    __slots__ = ()

    def __setstate__(self, state):
        pass  # the order of bytes in a byte


class _Encode:
    # How Python 3 writes bytes for Python 2.
    __slots__ = ()

    def __call__(self, text, encoding):
        return text.encode("latin1")


class _Array:
    __slots__ = ("pixels",)

    def __setstate__(self, state):
        _, shape, kind, by_columns, data = state
        data = data.encode("latin1") if isinstance(data, str) else data  # Python 2's
        rows = len(data) // _PIXELS
        if not isinstance(kind, _Bytes) or not isinstance(data, bytes) or shape != (rows, _PIXELS) or rows * _PIXELS != len(data):
            raise pickle.UnpicklingError(f"its array of shape {shape} has {len(data)} bytes, wanted {_PIXELS} a picture")
        flat = haft.frombuffer(bytearray(data), dtype=haft.uint8) if data else haft.empty(0, dtype=haft.uint8)
        self.pixels = flat.reshape(_PIXELS, rows).t().contiguous() if by_columns else flat.reshape(rows, _PIXELS)


_STAND_INS = {("numpy", "ndarray"): _ArrayClass, ("numpy", "dtype"): _Type, ("numpy", "_reconstruct"): _Reconstruct, ("_codecs", "encode"): _Encode}


class CIFAR10(VisionDataset):
    """60,000 pictures of ten kinds of things.

    root: a folder with cifar-10-batches-bin/data_batch_1.bin ... test_batch.bin (the binary version) or
    cifar-10-batches-py/data_batch_1 ... test_batch (the Python version), or with these files themselves. An item is (image, class number); the image is a PIL image where PIL is installed, else an array (32, 32, 3) of
    bytes, before `transform`. `data` (N, 32, 32, 3) is an array, `targets` a list.
    """

    base_folder = "cifar-10-batches-py"
    _binary_folder = "cifar-10-batches-bin"
    _train = [f"data_batch_{i}" for i in range(1, 6)]
    _test = ["test_batch"]
    _labels = 1  # bytes before the pixels; the last is the class
    _key = "labels"  # in the Python version
    _names_file, _names_key = ("batches.meta.txt", "batches.meta"), "label_names"
    classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        folder, binary = self._find(self._train if train else self._test)
        images, labels = [], []
        for name in self._train if train else self._test:
            read = self._read(os.path.join(folder, name + ".bin")) if binary else self._unpickled(os.path.join(folder, name))
            images.append(read[0].reshape(-1, 3, 32, 32))
            labels.append(read[1])
        self._images = haft.cat(images).contiguous()  # (N, 3, 32, 32)
        self.targets = haft.cat(labels).tolist()
        names = os.path.join(folder, self._names_file[0 if binary else 1])
        if os.path.isfile(names) and binary:
            with open(names, encoding="utf-8") as file:
                self.classes = [line.strip() for line in file if line.strip()]
        elif os.path.isfile(names):
            self.classes = [str(name) for name in self._load(names, self._names_key)[0]]
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
        rows = haft.frombuffer(data, dtype=haft.uint8).reshape(-1, row)
        return rows[:, self._labels:], rows[:, self._labels - 1]

    def _find(self, files):
        # (folder, whether it holds the binary version)
        wanted = [(os.path.join(self.root, self._binary_folder), True), (self.root, True),
                  (os.path.join(self.root, self.base_folder), False), (self.root, False)]
        for folder, binary in wanted:
            if all(os.path.isfile(os.path.join(folder, name + ".bin" * binary)) for name in files):
                return folder, binary
        raise missing(type(self).__name__, files, [folder for folder, _ in wanted[:3]], "unpack the Python or the binary version of the archive there")

    def _load(self, path, *keys):
        try:
            with open(path, "rb") as file:
                content = _Unpickler(file, encoding="latin1").load()
            return [content[key] for key in keys]
        except (pickle.UnpicklingError, EOFError, KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError,
                RecursionError, MemoryError) as error:
            raise RuntimeError(f"{path}: damaged: {error!r}") from error

    def _unpickled(self, path):
        images, labels = self._load(path, "data", self._key)
        images = getattr(images, "pixels", None) if isinstance(images, _Array) else None
        if not isinstance(labels, list) or images is None or len(images) != len(labels):
            raise RuntimeError(f"{path}: damaged: its labels and its pixels do not fit together")
        try:
            return images, haft.tensor(labels, dtype=haft.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise RuntimeError(f"{path}: damaged: its labels are no whole numbers") from error

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
    """A hundred kinds of things: cifar-100-binary/train.bin and test.bin, or cifar-100-python/train and test; the class is the fine
    one."""

    base_folder = "cifar-100-python"
    _binary_folder = "cifar-100-binary"
    _train = ["train"]
    _test = ["test"]
    _labels = 2
    _key = "fine_labels"
    _names_file, _names_key = ("fine_label_names.txt", "meta"), "fine_label_names"
    classes = [str(i) for i in range(100)]  # where the file of names is missing
