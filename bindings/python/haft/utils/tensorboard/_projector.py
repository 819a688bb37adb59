"""Vectors for TensorBoard's projector: tables of text, a picture of all labels, and an entry in its configuration."""
import math
import os

import haft

from ..._haft import save_png


def _line(cells):
    return "\t".join(str(c) for c in cells) + "\n"


def grid(pictures, columns, rows=None):
    """Pictures (N, C, H, W) as one, row by row; what is left over stays black."""
    count, channels, height, width = pictures.shape
    rows = rows or (-(-count // columns) if count else 0)
    whole = haft.zeros((channels, rows * height, columns * width), dtype=pictures.dtype)
    for i in range(count):
        y, x = i // columns * height, i % columns * width
        whole[:, y:y + height, x:x + width] = pictures[i]
    return whole


def _sprite(pictures, path):
    count, channels, height, width = pictures.shape
    side = math.ceil(math.sqrt(count))
    if max(height, width) * side > 8192:
        raise ValueError("add_embedding: the label images do not fit into a picture of 8192 x 8192")
    whole = grid(pictures, side, side)
    save_png(whole if whole.dtype.is_floating_point else whole.to(haft.uint8), path)


def write(log_dir, vectors, metadata, label_img, step, tag, header):
    """Files of (N, D) vectors below log_dir, and the entry in projector_config.pbtxt."""
    if vectors.dim() != 2:
        raise ValueError(f"add_embedding: mat should be 2D, where mat.size(0) is the number of data points; got {tuple(vectors.shape)}")
    count = vectors.size(0)
    step = str(step).zfill(5)
    name = "".join(c if c.isalnum() or c in "_-." else "%%%02x" % ord(c) for c in tag)
    part = os.path.join(step, name)
    folder = os.path.join(log_dir, part)
    os.makedirs(folder, exist_ok=True)
    entry = [f'tensor_name: "{name}:{step}"', f'tensor_path: "{part}/tensors.tsv"']
    if metadata is not None:
        if len(metadata) != count:
            raise ValueError(f"add_embedding: #labels should equal with #data points, got {len(metadata)} and {count}")
        rows = [[m] for m in metadata] if header is None else [header, *metadata]
        if header is not None and any(len(m) != len(header) for m in metadata):
            raise ValueError("add_embedding: len of header must be equal to the number of columns in metadata")
        with open(os.path.join(folder, "metadata.tsv"), "w", encoding="utf-8") as file:
            file.writelines(map(_line, rows))
        entry.append(f'metadata_path: "{part}/metadata.tsv"')
    if label_img is not None:
        if label_img.dim() != 4 or label_img.size(0) != count:
            raise ValueError(f"add_embedding: #images should equal with #data points, got {tuple(label_img.shape)} for {count}")
        _sprite(label_img, os.path.join(folder, "sprite.png"))
        entry.append('sprite {\n    image_path: "%s/sprite.png"\n    single_image_dim: %d\n    single_image_dim: %d\n  }'
                     % (part, label_img.size(3), label_img.size(2)))
    with open(os.path.join(folder, "tensors.tsv"), "w", encoding="utf-8") as file:
        file.writelines(map(_line, vectors.to(haft.float32).tolist()))
    with open(os.path.join(log_dir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
        file.write("embeddings {\n  " + "\n  ".join(entry) + "\n}\n")
