"""What the image datasets share."""
import importlib.util
import os

from ...utils.data import Dataset


class VisionDataset(Dataset):
    """Base of the image datasets: `root`, `transform` of the image, `target_transform` of what it shows, or `transforms` of
    both."""

    def __init__(self, root, transforms=None, transform=None, target_transform=None):
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.root = os.path.expanduser(os.fspath(root)) if root is not None else None
        self.transforms = transforms
        self.transform = transform
        self.target_transform = target_transform

    def _transformed(self, image, target):
        if self.transforms is not None:
            return self.transforms(image, target)
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def _native_of(self, images, targets):
        # For utils.data: (tensors, the engine's transforms of the first), or None where Python has to run.
        from ..transforms import native_steps
        if self.transforms is not None or self.target_transform is not None or self.transform is None:
            return None
        steps = native_steps(self.transform)
        return None if steps is None else ([images, targets], steps)

    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = [f"Dataset {type(self).__name__}", f"    Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"    Root location: {self.root}")
        lines += ["    " + line for line in self.extra_repr().splitlines()]
        for name in ("transforms", "transform", "target_transform"):
            if getattr(self, name) is not None:
                lines.append(f"    {name}: " + repr(getattr(self, name)).replace("\n", "\n    "))
        return "\n".join(lines)


_pil = None


def image_of(array, mode):
    """A PIL image where PIL is installed, as torchvision gives; else the array itself."""
    global _pil
    if _pil is None:
        _pil = importlib.util.find_spec("PIL") is not None
    if not _pil:
        return array
    from PIL import Image
    return Image.fromarray(array, mode=mode)


def missing(name, wanted, looked, hint):
    """The error that says which files are missing where."""
    return RuntimeError(f"{name}: dataset not found. Wanted {', '.join(wanted)} in one of {', '.join(looked)}. "
                        f"haft never downloads: {hint}")
