"""Checkpoints that ranks write together and read at any number of ranks, by PyTorch's names.

    dcp.save({"model": model.state_dict(), "epoch": 3}, checkpoint_id="run/checkpoint")
    dcp.load(state, checkpoint_id="run/checkpoint")   # fills the tensors of state in place

Each rank writes what it has: of a DTensor its part; what all have is written once. docs/sharded-checkpoints.md tells how they behave.
"""
from . import format_utils, state_dict, stateful
from ._files import FileSystemReader, FileSystemWriter, StorageReader, StorageWriter
from ._metadata import BytesStorageMetadata, Metadata, TensorProperties, TensorStorageMetadata
from ._saving import CheckpointException, async_save, load, load_state_dict, save, save_state_dict
from .default_planner import DefaultLoadPlanner, DefaultSavePlanner, LoadPlanner, SavePlanner

__all__ = ["BytesStorageMetadata", "CheckpointException", "DefaultLoadPlanner", "DefaultSavePlanner", "FileSystemReader", "FileSystemWriter", "LoadPlanner",
           "Metadata", "SavePlanner", "StorageReader", "StorageWriter", "TensorProperties", "TensorStorageMetadata", "async_save", "format_utils", "load",
           "load_state_dict", "save", "save_state_dict", "state_dict", "stateful"]
