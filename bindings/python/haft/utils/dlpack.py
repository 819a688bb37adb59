"""Tensors shared with other libraries by DLPack."""
from haft import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
