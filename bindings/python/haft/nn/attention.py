"""torch.nn.attention: which implementation of attention a CUDA device takes. haft has its own, in tiles and without a matrix of all scores, and
cuDNN's where the plug-in finds that; the CPU has one."""
import enum
from contextlib import contextmanager

from .._device import library_version, look_for_cuda
from .._library import _haft

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """PyTorch's names of implementations: CUDNN_ATTENTION is cuDNN's; MATH, FLASH_ATTENTION and EFFICIENT_ATTENTION are haft's own, which takes
    all that each of them does."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Which implementations this thread's attention may take inside a ``with``, on CUDA devices. Without CUDNN_ATTENTION it is haft's own; with that
    alone it is cuDNN's, and a call that cuDNN does not take is an error; with both, cuDNN's where it takes the call, unless set_priority is
    True and another stands before it."""
    wanted = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(wanted, list) or not wanted or not all(isinstance(b, SDPBackend) for b in wanted):
        raise AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {backends!r}")
    own = [b for b in wanted if b in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION)]
    library = SDPBackend.CUDNN_ATTENTION in wanted
    if not own and not library:
        raise RuntimeError(f"sdpa_kernel: haft has none of {', '.join(b.name for b in wanted)}")
    if library and not own:
        if look_for_cuda()[0] and library_version("cuDNN") is None:
            raise RuntimeError("sdpa_kernel: CUDNN_ATTENTION alone was asked for, and the plug-in has found no cuDNN (haft.cuda.why(), haft-doctor)")
    first = library and not (set_priority and wanted.index(SDPBackend.CUDNN_ATTENTION) > 0)
    before = _haft.kernel_choice()
    choice = before & ~(_haft.HAFT_KERNELS_NO_DNN_ATTENTION | _haft.HAFT_KERNELS_DNN_ATTENTION)
    if not first:
        choice |= _haft.HAFT_KERNELS_NO_DNN_ATTENTION
    elif not own:
        choice |= _haft.HAFT_KERNELS_DNN_ATTENTION
    _haft.set_kernel_choice(choice)
    try:
        yield
    finally:
        _haft.set_kernel_choice(before)
