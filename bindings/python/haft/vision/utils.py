"""Pictures of batches."""
import math
import os

import haft

from .._library import _haft

__all__ = ["make_grid", "save_image"]


@haft.no_grad()
def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """A batch (N, C, H, W), or a list of images (C, H, W), as one image (3, H', W') with nrow images a row.

    normalize: shifts and scales values to [0, 1], from value_range (low, high) or from what the values span, of each image where
    scale_each.
    """
    if isinstance(tensor, (list, tuple)):
        tensor = haft.stack(list(tensor), 0)
    if not isinstance(tensor, haft.Tensor):
        raise TypeError(f"tensor or list of tensors expected, got a {type(tensor)}")
    if tensor.dim() == 2:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 3:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() != 4:
        raise ValueError(f"make_grid: a tensor of shape {tuple(tensor.shape)} is no batch of images")
    if tensor.size(1) == 1:
        tensor = haft.cat([tensor] * 3, 1)
    if normalize:
        def unit(t):
            low, high = value_range if value_range is not None else (t.min().item(), t.max().item())
            return (t.clamp(low, high) - low) / max(high - low, 1e-5)

        tensor = haft.stack([unit(t) for t in tensor], 0) if scale_each else unit(tensor)
    count, channels, height, width = tensor.shape
    if count == 1:
        return tensor[0]
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    height, width = height + padding, width + padding
    grid = haft.full((channels, height * rows + padding, width * columns + padding), pad_value, dtype=tensor.dtype,
                     device=tensor.device)
    for k in range(count):
        y, x = k // columns * height + padding, k % columns * width + padding
        grid[:, y:y + height - padding, x:x + width - padding] = tensor[k]
    return grid


@haft.no_grad()
def save_image(tensor, fp, format=None, **kwargs):
    """Writes an image, or a grid of a batch (arguments of make_grid), of values in [0, 1] as a PNG file: fp is a path or an open
    file. Other formats need PIL."""
    grid = make_grid(tensor, **kwargs)
    pixels = (grid.to(haft.float32) * 255 + 0.5).clamp(0, 255).permute(1, 2, 0).to(haft.uint8).cpu().contiguous()
    path = None if hasattr(fp, "write") else os.fspath(fp)
    kind = (format or (os.path.splitext(path)[1][1:] if path else "png")).lower()
    if kind == "png":
        picture = pixels.permute(2, 0, 1)
        return _haft.save_png(picture, path) if path is not None else fp.write(bytes(memoryview(_haft.encode_png(picture))))
    from .transforms.functional import to_pil_image
    to_pil_image(pixels.permute(2, 0, 1)).save(fp, format=format)
