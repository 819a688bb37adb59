"""torch.autograd.profiler: the older names of haft.profiler, and ranges for NVIDIA's tools."""
from ..profiler import profile, record_function

__all__ = ["emit_nvtx", "profile", "record_function"]


class emit_nvtx:
    """``with emit_nvtx():`` within which each operator of this thread is a range for NVIDIA's tools (``nsys profile -t cuda,nvtx ...``), and so are
    those of record_function. record_shapes: must be False, for a range has a name alone."""

    def __init__(self, enabled=True, record_shapes=False):
        if record_shapes:
            raise NotImplementedError("emit_nvtx: record_shapes=True is not there: ranges have the operators' names alone")
        self._profile = profile(activities=["CPU"], emit_nvtx=True) if enabled else None

    def __enter__(self):
        if self._profile is not None:
            self._profile.start()
        return self

    def __exit__(self, *exc):
        if self._profile is not None:
            self._profile.stop()
