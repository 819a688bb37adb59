"""A folder a class."""
import os

from .vision import VisionDataset

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


class DatasetFolder(VisionDataset):
    """Files in root/<class>/.../, read by `loader(path)`.

    extensions: endings of the files that count, or is_valid_file(path) -> bool in their place. `samples` is the list of
    (path, class number), `classes` the sorted names of the folders.
    """

    def __init__(self, root, loader, extensions=None, transform=None, target_transform=None, is_valid_file=None):
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
            found = [os.path.join(folder, file) for folder, _, files in sorted(os.walk(os.path.join(self.root, name), followlinks=True))
                     for file in sorted(files)]
            found = [path for path in found if is_valid_file(path)]
            if not found:
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


def default_loader(path):
    """A file as a PIL image of three colours."""
    from PIL import Image
    with open(path, "rb") as file:
        return Image.open(file).convert("RGB")


class ImageFolder(DatasetFolder):
    """Images in root/<class>/.../; reading them needs PIL unless `loader` is given."""

    def __init__(self, root, transform=None, target_transform=None, loader=default_loader, is_valid_file=None):
        if loader is default_loader:
            try:
                import PIL.Image  # noqa: F401
            except ImportError as error:
                raise ImportError("ImageFolder reads images with PIL: install Pillow (Debian: python3-pil), or give a "
                                  "loader") from error
        super().__init__(root, loader, IMG_EXTENSIONS if is_valid_file is None else None, transform, target_transform,
                         is_valid_file)
        self.imgs = self.samples
