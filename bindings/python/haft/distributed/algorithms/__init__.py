"""How processes join what they have learnt: hooks of DistributedDataParallel, models averaged every some steps, uneven inputs."""
from ..._names import lazy

__getattr__, __dir__ = lazy(__name__, ("ddp_comm_hooks", "join", "model_averaging"))
