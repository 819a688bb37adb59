"""Data loading, exchange and logging, under PyTorch's names: haft.utils.checkpoint, .data, .dlpack, .tensorboard."""
from .._names import lazy

__getattr__, __dir__ = lazy(__name__, ("checkpoint", "data", "dlpack", "hooks", "tensorboard"))
