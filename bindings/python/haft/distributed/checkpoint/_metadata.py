"""What a checkpoint says of what it holds."""
from dataclasses import dataclass, field
from typing import Any

import haft

__all__ = ["BytesStorageMetadata", "Metadata", "TensorProperties", "TensorStorageMetadata"]


@dataclass
class TensorProperties:
    """The type of a tensor."""
    dtype: Any = None


@dataclass
class TensorStorageMetadata:
    """A tensor's type and shape."""
    properties: TensorProperties
    size: Any


@dataclass
class BytesStorageMetadata:
    """A value that is no tensor."""


@dataclass
class Metadata:
    """The names of a checkpoint and what stands under them."""
    state_dict_metadata: dict = field(default_factory=dict)
    planner_data: Any = None


def fields(data):
    """The texts of a list that the engine gives as bytes, each with a 0 behind it."""
    return data.decode().split("\0")[:-1]


def tensors(reader):
    """Type and sizes by name."""
    listed = fields(reader.tensors())
    return {name: (int(dtype), haft.Size([int(n) for n in sizes.split(",") if n])) for dtype, sizes, name in zip(*[iter(listed)] * 3)}


def values(reader):
    """Numbers and texts by key."""
    listed = fields(reader.values())
    read = {"b": lambda v: v != "0", "i": int, "d": float, "s": str}
    return {key: read[kind](text) for key, kind, text in zip(*[iter(listed)] * 3)}
