"""Data loading, exchange and logging, under PyTorch's names: haft.utils.benchmark, .checkpoint, .data, .dlpack, ..."""
from .._names import lazy

__getattr__, __dir__ = lazy(__name__, ("_pytree", "benchmark", "checkpoint", "collect_env", "data", "dlpack", "flop_counter", "hooks", "model_zoo",
                                             "tensorboard"))
