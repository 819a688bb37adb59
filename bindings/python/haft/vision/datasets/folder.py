"""A folder a class."""
import os

from ... import Error, _haft
from ..io import _is_utf8, read_image
from .vision import VisionDataset, image_of

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def _walk(folder, above=()):
    """A folder and those below it with their files in order, through symbolic links but not back up to those that it lies in."""
    at = os.stat(folder)
    at = at.st_dev, at.st_ino
    if at not in above:
        folders, files = [], []
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if entry.is_dir() else files).append(entry.name)
        yield folder, sorted(files)
        for name in folders:
            yield from _walk(os.path.join(folder, name), (*above, at))


class DatasetFolder(VisionDataset):
    """Files in root/<class>/.../, read by `loader(path)`.

    extensions: endings of the files that count, or is_valid_file(path) -> bool in their place. allow_empty: classes may have no files. `samples` is
    the list of (path, class number), `classes` the sorted names of the folders.
    """

    def __init__(self, root, loader, extensions=None, transform=None, target_transform=None, is_valid_file=None, allow_empty=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
        if is_valid_file is None:
            endings = tuple(e.lower() for e in ([extensions] if isinstance(extensions, str) else extensions))

            def is_valid_file(path):
                return path.lower().endswith(endings)
        self.loader = loader
        self.extensions = extensions
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = []
        for name in self.classes:
            found = [os.path.join(folder, file) for folder, files in sorted(_walk(os.path.join(self.root, name))) for file in files]
            found = [path for path in found if is_valid_file(path)]
            if not found and not allow_empty:
                raise FileNotFoundError(f"Found no valid file for the classes {name} in {self.root}." +
                                        (f" Supported extensions are: {', '.join(endings)}" if extensions else ""))
            self.samples += [(path, self.class_to_idx[name]) for path in found]
        self.targets = [target for _, target in self.samples]

    def find_classes(self, directory):
        classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
        if not classes:
            raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
        return classes, {name: i for i, name in enumerate(classes)}

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, target = self.samples[index]
        return self._transformed(self.loader(path), target)

    def _native(self):
        native = self._native_of(None, None)
        paths, labels = [path for path, _ in self.samples], [target for _, target in self.samples]
        if native is None or self.loader is not default_loader or not paths or \
                not all(p.lower().endswith((".png", ".jpg", ".jpeg", ".pgm", ".ppm")) and _is_utf8(p) for p in paths):
            return None
        try:
            return _haft.image_files_dataset(paths, labels, 3), native[1]
        except Error:  # of the first picture: PIL may read it, or nobody wants it
            return None


def default_loader(path):
    """A file as a picture of three colours: a PIL image where PIL is installed, else an array (H, W, 3)."""
    return image_of(read_image(path, "RGB").permute(1, 2, 0).contiguous().numpy(), "RGB")


class ImageFolder(DatasetFolder):
    """Images in root/<class>/.../. A DataLoader has PNG, JPEG, PGM and PPM read by the engine's threads where the engine has the transforms; a
    `loader` of one's own, and other files, are Python's."""

    def __init__(self, root, transform=None, target_transform=None, loader=default_loader, is_valid_file=None, allow_empty=False):
        super().__init__(root, loader, IMG_EXTENSIONS if is_valid_file is None else None, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples
