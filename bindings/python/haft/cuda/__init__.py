"""CUDA devices, where a plug-in for them is installed. Without one is_available() says so and why() says why."""
import haft

from .. import _haft

__all__ = ["current_device", "device_count", "empty_cache", "get_device_name", "is_available", "manual_seed", "manual_seed_all",
           "max_memory_allocated", "memory_allocated", "reset_peak_memory_stats", "synchronize", "why"]

_found = None  # (number of devices, why there is none)


def _look():
    global _found
    if _found is None:
        try:
            _found = _haft.device_count(haft.device("cuda:0")), ""
        except RuntimeError as error:
            _found = 0, str(error)
    return _found


def is_available():
    """True when there is a device to compute on."""
    return _look()[0] > 0


def device_count():
    return _look()[0]


def why():
    """Why there is no device; empty if there is one."""
    return _look()[1]


def is_initialized():
    return is_available()


def _device(device):
    if not is_available():
        raise RuntimeError(f"There is no CUDA device: {why()}")
    if device is None:
        return haft.device("cuda", current_device())
    return haft.device("cuda", device) if isinstance(device, int) else haft.device(device)


def current_device():
    """The index of this thread's default device where it is one of CUDA's, else 0."""
    if not is_available():
        raise RuntimeError(f"There is no CUDA device: {why()}")
    default = haft.device(_haft.default_device())
    return default.index or 0 if default.type == "cuda" else 0


def get_device_name(device=None):
    return str(_device(device))


def synchronize(device=None):
    """Waits until the device has done all it was given."""
    _haft.synchronize(_device(device))


def empty_cache():
    """Gives cached memory back to the device; nothing to do without one."""
    if is_available():
        for i in range(device_count()):
            _haft.trim_memory(_device(i))


def memory_allocated(device=None):
    return _haft.memory_stats(_device(device)).live if is_available() else 0


def max_memory_allocated(device=None):
    return _haft.memory_stats(_device(device)).peak if is_available() else 0


def reset_peak_memory_stats(device=None):
    if is_available():
        _haft.reset_peak_memory(_device(device))


def manual_seed(seed):
    """Numbers on all devices come from the generator of haft.manual_seed; without a device nothing happens, as in PyTorch."""
    if is_available():
        haft.manual_seed(seed)


manual_seed_all = manual_seed
