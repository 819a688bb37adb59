"""What programs import of torch.utils.flop_counter."""
from .._names import absent

__all__ = ["FlopCounterMode"]

globals().update(absent(__name__, "haft counts no operations. haft.profiler.profile(record_shapes=True) lists the operators with their shapes and times.", "FlopCounterMode"))
