"""Errors of PyTorch's extension module that programs catch; nothing else of it is here."""
from ._errors import OutOfMemoryError  # noqa: F401
from .linalg import LinAlgError as _LinAlgError  # noqa: F401

__all__ = ["OutOfMemoryError"]
