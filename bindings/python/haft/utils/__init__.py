"""Data loading, exchange and logging, under PyTorch's names: haft.utils.checkpoint, .data, .dlpack, .model_zoo, .tensorboard."""
from .._names import lazy

__getattr__, __dir__ = lazy(__name__, ("_pytree", "checkpoint", "data", "dlpack", "hooks", "model_zoo", "tensorboard"))
