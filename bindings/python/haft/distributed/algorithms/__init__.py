"""How processes join what they have learnt: hooks of DistributedDataParallel, and models averaged every some steps."""
from ..._names import lazy

__getattr__, __dir__ = lazy(__name__, ("ddp_comm_hooks", "model_averaging"))
