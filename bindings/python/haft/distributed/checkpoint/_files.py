"""Folders by PyTorch's names."""
import os

from haft import _haft

from . import _metadata

__all__ = ["FileSystemReader", "FileSystemWriter", "StorageReader", "StorageWriter"]


class StorageWriter:
    """PyTorch's base of what is written to."""


class StorageReader:
    """PyTorch's base of what is read from."""


class _Folder:
    checkpoint_id = property(lambda self: self.path)

    def reset(self, checkpoint_id=None):
        """Another folder from now on."""
        if checkpoint_id is not None:
            self.path = os.fspath(checkpoint_id)


class FileSystemWriter(_Folder, StorageWriter):
    """A folder to write to: a file a rank and an index. There is one way, so PyTorch's options for others have no effect."""

    def __init__(self, path, single_file_per_rank=True, sync_files=True, thread_count=1, per_thread_copy_ahead=10000000, cache_staged_state_dict=False,
                 overwrite=True, **kwargs):
        self.path = os.fspath(path)
        self.overwrite = overwrite


class FileSystemReader(_Folder, StorageReader):
    """A folder to read from."""

    def __init__(self, path, **kwargs):
        self.path = os.fspath(path)

    def read_metadata(self):
        """What stands there."""
        from ._saving import PATH, described
        reader = _haft.ShardedReader(self.path)
        found = {name: _metadata.TensorStorageMetadata(_metadata.TensorProperties(described(dtype)), size)
                 for name, (dtype, size) in _metadata.tensors(reader).items()}
        found.update({key: _metadata.BytesStorageMetadata() for key in _metadata.values(reader) if not key.startswith(PATH)})
        return _metadata.Metadata(found)
