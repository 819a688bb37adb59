"""Images of noise."""
import haft

from .vision import VisionDataset, image_of


class FakeData(VisionDataset):
    """Random images with random classes: item i is the same each time, whatever was drawn before.

    An item is (image, class number); the image is a PIL image where PIL is installed, else an array (H, W, C) of bytes, before
    `transform`.
    """

    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None, random_offset=0):
        super().__init__(None, transform=transform, target_transform=target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        generator = haft.Generator().manual_seed(index + self.random_offset)
        pixels = haft.randint(0, 256, tuple(self.image_size), generator=generator).to(haft.uint8).permute(1, 2, 0).contiguous()
        target = int(haft.randint(0, self.num_classes, (1,), generator=generator).item())
        grey = pixels.size(2) == 1
        return self._transformed(image_of((pixels[:, :, 0] if grey else pixels).numpy(), "L" if grey else "RGB"), target)
