"""CUDA. The CPU does not look at its switches, as in PyTorch."""
from contextlib import contextmanager

from .._settings import get_float32_matmul_precision, set_float32_matmul_precision
from ..cuda import is_available

__all__ = ["is_built", "matmul", "sdp_kernel"]


class _Matmul:
    @property
    def allow_tf32(self):
        """Whether products of float32 may be computed with TF32: set_float32_matmul_precision() by another name."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, on):
        set_float32_matmul_precision("high" if on else "highest")


matmul = _Matmul()


def is_built():
    """True when a plug-in for CUDA is installed and finds a device."""
    return is_available()


@contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """nn.attention.sdpa_kernel() by its older name."""
    from ..nn.attention import SDPBackend, sdpa_kernel
    wanted = [backend for backend, on in ((SDPBackend.FLASH_ATTENTION, enable_flash), (SDPBackend.MATH, enable_math),
                                          (SDPBackend.EFFICIENT_ATTENTION, enable_mem_efficient), (SDPBackend.CUDNN_ATTENTION, enable_cudnn)) if on]
    if not wanted:
        raise AssertionError("sdp_kernel: at least one implementation must be enabled")
    with sdpa_kernel(wanted):
        yield
